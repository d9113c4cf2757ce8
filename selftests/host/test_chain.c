/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <ork.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "product_types.h"

/*
 * Many products in one call: chains, in which A of one is C of another, and streams of independent ones. Runs on the
 * device that ORK_DEVICE names; without it, on the first render node of the driver.
 */

enum { M = 20, WIDTH = 192, LAYERS = 9, BUFFER_BYTES = 2 << 20 };

static struct ork_device *dev;
static struct ork_bo *buffer;
static uint8_t *cpu;
static const struct ork_requant requant = { .scale = 17, .shift = 14, .offset = 1 };

/* Square layers of one type, whose C can be the next one's A. */
struct layers {
	enum ork_dtype type;
	const char *name;
	uint8_t *b;
	struct ork_weights *weights[LAYERS];
};

static bool make_layers(struct layers *layers)
{
	const size_t bytes = ork_dtype_bytes(layers->type), matrix = WIDTH * WIDTH;
	struct ork_weights_desc desc = { .type = layers->type, .ldb = WIDTH, .k = WIDTH, .n = WIDTH };
	uint64_t seed = 23;
	bool good = true;
	size_t i;

	layers->b = malloc(LAYERS * matrix * bytes);
	fill_type(layers->type, layers->b, LAYERS * matrix, &seed);
	/* Sums of 192 products keep about the size of A. */
	for (i = 0; layers->type == ORK_F16 && i < LAYERS * matrix; i++)
		((uint16_t *)(void *)layers->b)[i] = (uint16_t)((((uint16_t *)(void *)layers->b)[i] & 0x83ff) | 0x2800);
	for (i = 0; i < LAYERS && good; i++) {
		desc.b = layers->b + i * matrix * bytes;
		good = ork_weights_create(dev, &desc, &layers->weights[i]) == 0;
	}
	return good;
}

static void discard_layers(struct layers *layers)
{
	size_t i;

	for (i = 0; i < LAYERS; i++)
		ork_weights_destroy(layers->weights[i]);
	free(layers->b);
}

/* What the chain gives, layer after layer on the CPU, in place of x. */
static void expect(const struct layers *layers, uint8_t *x)
{
	const size_t bytes = ork_dtype_bytes(layers->type);
	struct ork_ref_desc ref = {
		.type = layers->type, .c_type = layers->type, .m = M, .k = WIDTH, .n = WIDTH, .lda = WIDTH, .ldb = WIDTH,
		.ldc = WIDTH, .requant = requant,
	};
	uint8_t *next = malloc(M * WIDTH * bytes);
	size_t i;

	for (i = 0; i < LAYERS; i++) {
		ref.a = x;
		ref.b = layers->b + i * WIDTH * WIDTH * bytes;
		ref.c = next;
		ork_ref_matmul(&ref);
		memcpy(x, next, M * WIDTH * bytes);
	}
	free(next);
}

/* Layers that take turns between two places in the buffer. */
static void describe(const struct layers *layers, struct ork_matmul_desc *descs)
{
	size_t i;

	for (i = 0; i < LAYERS; i++)
		descs[i] = (struct ork_matmul_desc){
			.weights = layers->weights[i], .c_type = layers->type, .m = M, .lda = WIDTH, .ldc = WIDTH,
			.requant = requant, .a_bo = buffer, .a_offset_bytes = i % 2 * 65536, .c_bo = buffer,
			.c_offset_bytes = (i + 1) % 2 * 65536,
		};
}

static bool runs(const struct ork_matmul_desc *descs, size_t count, const struct ork_matmul_opts *opts)
{
	struct ork_job *job;
	int err = ork_matmul_submit(dev, descs, count, opts, &job);

	if (!err) {
		err = ork_job_wait(job, -1);
		ork_job_destroy(job);
	}
	if (err)
		note("%s", ork_error(dev));
	return !err;
}

static void chains_are_exact(enum ork_dtype type, const char *name)
{
	struct layers layers = { .type = type, .name = name };
	const size_t bytes = M * WIDTH * ork_dtype_bytes(type);
	struct ork_matmul_opts opts = { .in_order = 1 };
	struct ork_matmul_desc descs[LAYERS];
	uint8_t *x = malloc(bytes), *c = malloc(bytes);
	uint64_t seed = 29;
	bool good = make_layers(&layers);

	describe(&layers, descs);
	for (opts.cores = 0; opts.cores <= 3 && good; opts.cores++) {
		fill_type(type, x, M * WIDTH, &seed);
		memcpy(cpu, x, bytes);
		expect(&layers, x);
		good = runs(descs, LAYERS, &opts) && memcmp(cpu + LAYERS % 2 * 65536, x, bytes) == 0;
	}
	ok(good, "%s: a chain of %d products that take turns in two places is exact on auto, 1, 2 and 3 cores", name,
	   LAYERS);
	opts.cores = 0;
	fill_type(type, x, M * WIDTH, &seed);
	memcpy(c, x, bytes);
	descs[0].a_bo = NULL;
	descs[0].a = c;
	descs[LAYERS - 1].c_bo = NULL;
	descs[LAYERS - 1].c_offset_bytes = 0;
	descs[LAYERS - 1].c = c;
	expect(&layers, x);
	good = runs(descs, LAYERS, &opts) && memcmp(c, x, bytes) == 0;
	ok(good, "%s: it begins and ends in memory of the caller", name);
	discard_layers(&layers);
	free(x);
	free(c);
}

static void copies_in_a_chain_are_refused(void)
{
	struct layers layers = { .type = ORK_I8 };
	const struct ork_matmul_opts in_order = { .in_order = 1 }, wrong = { .in_order = 2 };
	struct ork_matmul_desc descs[LAYERS];
	struct ork_job *job = NULL;

	make_layers(&layers);
	describe(&layers, descs);
	descs[1].a_offset_bytes += 8;
	ok(ork_matmul_submit(dev, descs, 2, &in_order, &job) == -EINVAL && strstr(ork_error(dev), "copies A"),
	   "a chain is refused if A of a product would have to be copied on the way");
	describe(&layers, descs);
	descs[0].c_offset_bytes += 8;
	descs[1].m = 1;
	ok(ork_matmul_submit(dev, descs, 2, &in_order, &job) == -EINVAL && strstr(ork_error(dev), "which is copied"),
	   "or C of the one before it");
	describe(&layers, descs);
	descs[0].c_bo = NULL;
	descs[0].c = layers.b;
	descs[0].c_offset_bytes = 0;
	descs[1].a_bo = NULL;
	descs[1].a = layers.b;
	descs[1].a_offset_bytes = 0;
	ok(ork_matmul_submit(dev, descs, 2, &in_order, &job) == -EINVAL, "also in memory of the caller");
	describe(&layers, descs);
	descs[0].c_offset_bytes = 200008;
	descs[1].c_offset_bytes = 200016;
	ok(ork_matmul_submit(dev, descs, 2, &in_order, &job) == -EINVAL && strstr(ork_error(dev), "copied over"),
	   "or if a copy would overwrite what a later product has written");
	ok(ork_matmul_submit(dev, descs, 1, &wrong, &job) == -EINVAL && !job, "in_order is 0 or 1");
	discard_layers(&layers);
}

/* More than a device keeps programs for. */
static void streams_take_any_number_of_shapes(void)
{
	enum { SHAPES = 150, K = 64, N = 32 };
	static int8_t a[SHAPES * K], b[K * N];
	static int32_t c[SHAPES * N * SHAPES], expected[SHAPES * N * SHAPES];
	static struct ork_matmul_desc descs[SHAPES];
	const struct ork_weights_desc desc = { .type = ORK_I8, .b = b, .ldb = N, .k = K, .n = N };
	struct ork_weights *weights = NULL;
	uint64_t before, after;
	uint64_t seed = 31;
	bool good;
	size_t i;

	random_fill(a, sizeof(a), &seed);
	random_fill(b, sizeof(b), &seed);
	good = ork_weights_create(dev, &desc, &weights) == 0;
	for (i = 0; i < SHAPES; i++) {
		const struct ork_ref_desc ref = {
			.type = ORK_I8, .m = i + 1, .k = K, .n = N, .a = a, .lda = K, .b = b, .ldb = N,
			.c = expected + i * SHAPES * N, .ldc = N,
		};

		good = good && ork_ref_matmul(&ref) == 0;
		descs[i] = (struct ork_matmul_desc){
			.weights = weights, .m = i + 1, .a = a, .lda = K, .c = c + i * SHAPES * N, .ldc = N
		};
	}
	good = good && runs(descs, SHAPES, NULL) && memcmp(c, expected, sizeof(c)) == 0;
	ok(good, "%d products of as many shapes in one call are exact", SHAPES);
	before = used_addresses(dev);
	memset(c, 0, sizeof(c));
	ok(runs(descs, SHAPES, NULL) && memcmp(c, expected, sizeof(c)) == 0, "and again");
	after = used_addresses(dev);
	ok(before == after, "programs that are not kept leave nothing behind");
	ork_weights_destroy(weights);
}

/* More jobs than the driver takes in one call, or remembers; each product has its own row of A and of C. */
static void streams_take_any_number_of_products(void)
{
	enum { COUNT = 8400, K = 32, N = 32 };
	static int8_t b[K * N];
	static int32_t expected[COUNT * N];
	const struct ork_weights_desc desc = { .type = ORK_I8, .b = b, .ldb = N, .k = K, .n = N };
	struct ork_matmul_desc *descs = calloc(COUNT, sizeof(*descs));
	const struct ork_ref_desc ref = {
		.type = ORK_I8, .m = COUNT, .k = K, .n = N, .a = cpu, .lda = K, .b = b, .ldb = N, .c = expected, .ldc = N
	};
	struct ork_weights *weights = NULL;
	uint64_t seed = 37;
	bool good;
	size_t i;

	random_fill((int8_t *)cpu, COUNT * K, &seed);
	random_fill(b, sizeof(b), &seed);
	good = ork_weights_create(dev, &desc, &weights) == 0 && ork_ref_matmul(&ref) == 0;
	for (i = 0; i < COUNT; i++)
		descs[i] = (struct ork_matmul_desc){
			.weights = weights, .m = 1, .lda = K, .ldc = N, .a_bo = buffer, .a_offset_bytes = i * K,
			.c_bo = buffer, .c_offset_bytes = BUFFER_BYTES / 4 + i * N * 4,
		};
	good = good && runs(descs, COUNT, NULL) && memcmp(cpu + BUFFER_BYTES / 4, expected, sizeof(expected)) == 0;
	ok(good, "%d products in one call are exact", COUNT);
	ork_weights_destroy(weights);
	free(descs);
}

int main(void)
{
	void *ptr;

	if (!ok(ork_open(NULL, &dev) == 0 && ork_bo_create(dev, BUFFER_BYTES, 0, &buffer) == 0 &&
			ork_bo_map(buffer, &ptr) == 0, "the device opens"))
		return done();
	cpu = ptr;
	chains_are_exact(ORK_I8, "int8");
	chains_are_exact(ORK_F16, "float16");
	copies_in_a_chain_are_refused();
	streams_take_any_number_of_shapes();
	streams_take_any_number_of_products();
	ork_bo_destroy(buffer);
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
