/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <ork.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "product_types.h"

/*
 * Random products of all types against the CPU reference, on the device that ORK_DEVICE names; without it, on the first
 * render node of the driver. The same cases come in the same order each time; how many fit depends on the time.
 *
 * usage: test_property [SECONDS PER TYPE [FIRST CASE]]
 */

#define DEFAULT_SECONDS 2
#define MAX_CASES 2000
#define MAX_MACS 3000000

/* A product or a batch; all matrices have gaps between rows and between each other. */
struct product {
	const struct product_type *type;
	size_t m, k, n, batch;
	size_t lda, ldb, ldc, a_stride, b_stride, c_stride;
	bool own_b; /* each product of the batch has its own B */
	size_t max_k_slice;
	struct ork_requant requant;
	struct ork_matmul_opts opts;
	size_t bytes, c_bytes; /* of one element */
	uint8_t *a, *b, *c, *expected;
};

static struct ork_device *dev;
static uint32_t cores;

static size_t below(uint64_t *state, size_t limit)
{
	return random_u64(state) % limit;
}

/* Small sizes, sizes around groups, and now and then a large one. */
static size_t random_size(uint64_t *state, size_t largest)
{
	const size_t near_group = (1 + below(state, 8)) * 32 + below(state, 3) - 1;
	size_t size;

	switch (below(state, 4)) {
	case 0:
		size = 1 + below(state, 8);
		break;
	case 1:
		size = near_group;
		break;
	case 2:
		size = 1 + below(state, 300);
		break;
	default:
		size = 1 + below(state, largest);
	}
	return size < largest ? size : largest;
}

static void choose(struct product *p, uint64_t *state)
{
	size_t most;

	p->k = random_size(state, below(state, 8) ? 3000 : 25000);
	most = MAX_MACS / p->k;
	p->n = random_size(state, most < 9000 ? most : 9000);
	most = MAX_MACS / p->k / p->n;
	p->m = random_size(state, most < 3000 ? most : 3000);
	most = MAX_MACS / p->k / p->n / p->m;
	p->batch = below(state, 4) ? 1 : random_size(state, most < 9 ? most : 9);
	p->own_b = below(state, 2);
	p->lda = p->k + below(state, 20);
	p->ldb = p->n + below(state, 20);
	p->ldc = p->n + below(state, 20);
	p->a_stride = p->m * p->lda + below(state, 2) * 7;
	p->b_stride = p->k * p->ldb + below(state, 2) * 7;
	p->c_stride = p->m * p->ldc + below(state, 2) * 7;
	p->requant.scale = (int32_t)below(state, 65536) - 32768;
	p->requant.shift = (uint32_t)below(state, 34);
	p->requant.offset = (int32_t)below(state, 201) - 100;
	p->max_k_slice = below(state, 2) ? 0 : 32 * (1 + below(state, 320));
	p->opts.cores = (uint32_t)below(state, cores + 1);
}

static bool allocate(struct product *p, uint64_t *state)
{
	const size_t a = p->batch * p->a_stride, b = p->batch * p->b_stride, c = p->batch * p->c_stride;

	p->a = malloc(a * p->bytes);
	p->b = malloc(b * p->bytes);
	p->c = malloc(c * p->c_bytes);
	p->expected = malloc(c * p->c_bytes);
	if (!p->a || !p->b || !p->c || !p->expected)
		return false;
	fill_type(p->type->type, p->a, a, state);
	fill_type(p->type->type, p->b, b, state);
	/* What is not part of C must stay. */
	memset(p->c, 0x5a, c * p->c_bytes);
	memset(p->expected, 0x5a, c * p->c_bytes);
	return true;
}

static int reference(const struct product *p, size_t k_slice)
{
	struct ork_ref_desc desc = {
		.type = p->type->type, .c_type = p->type->c_type, .m = p->m, .k = p->k, .n = p->n, .lda = p->lda,
		.ldb = p->ldb, .ldc = p->ldc, .k_slice = k_slice, .requant = p->requant,
	};
	size_t i;
	int err = 0;

	for (i = 0; i < p->batch && !err; i++) {
		desc.a = p->a + i * p->a_stride * p->bytes;
		desc.b = p->b + (p->own_b ? i : 0) * p->b_stride * p->bytes;
		desc.c = p->expected + i * p->c_stride * p->c_bytes;
		err = ork_ref_matmul(&desc);
	}
	return err;
}

static int compute(const struct product *p)
{
	const struct ork_weights_desc b = {
		.type = p->type->type, .b = p->b, .ldb = p->ldb, .k = p->k, .n = p->n,
		.batch = p->own_b ? p->batch : 1, .b_stride = p->b_stride, .max_k_slice = p->max_k_slice,
	};
	struct ork_matmul_desc desc = {
		.c_type = p->type->c_type, .m = p->m, .a = p->a, .lda = p->lda, .c = p->c, .ldc = p->ldc,
		.batch = p->batch, .a_stride = p->a_stride, .c_stride = p->c_stride, .requant = p->requant,
	};
	int err = ork_weights_create(dev, &b, &desc.weights);

	if (err)
		return err;
	err = reference(p, ork_weights_k_slice(desc.weights));
	if (!err)
		err = ork_matmul(dev, &desc, &p->opts);
	ork_weights_destroy(desc.weights);
	return err;
}

static bool is_exact(const struct product_type *type, unsigned int number)
{
	struct product p = {
		.type = type, .bytes = ork_dtype_bytes(type->type), .c_bytes = ork_dtype_bytes(type->c_type)
	};
	uint64_t state = number * UINT64_C(1000003) + (uint64_t)(type - product_types);
	bool exact = false;
	int err = 0;

	choose(&p, &state);
	if (allocate(&p, &state)) {
		err = compute(&p);
		exact = !err && memcmp(p.c, p.expected, p.batch * p.c_stride * p.c_bytes) == 0;
	}
	if (!exact)
		note("case %u: %s M=%zu K=%zu N=%zu batch=%zu%s slices=%zu cores=%u requant %d,%u,%d: %s", number,
		     type->name, p.m, p.k, p.n, p.batch, p.own_b ? " of B" : "", p.max_k_slice, p.opts.cores,
		     p.requant.scale, p.requant.shift, p.requant.offset, err ? ork_error(dev) : "wrong");
	free(p.a);
	free(p.b);
	free(p.c);
	free(p.expected);
	return exact;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : DEFAULT_SECONDS;
	const unsigned int first = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	struct ork_info info;
	size_t i;

	if (!ok(ork_open(NULL, &dev) == 0 && ork_query(dev, &info) == 0, "the device opens"))
		return done();
	cores = info.cores;
	note("backend %s, %u cores", info.backend, cores);
	for (i = 0; i < PRODUCT_TYPES; i++) {
		const double end = now_s() + seconds;
		unsigned int tried = 0, exact = 0;

		do {
			exact += is_exact(&product_types[i], first + tried++);
		} while (tried < MAX_CASES && now_s() < end && exact == tried);
		ok(exact == tried, "%s: %u of %u random products are exact", product_types[i].name, exact, tried);
	}
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
