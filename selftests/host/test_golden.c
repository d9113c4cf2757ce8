/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <ork.h>
#include <stdlib.h>

#include "tap.h"

/*
 * Published results of another library on silicon: checksums of products of numbers from a generator with a fixed
 * start. Each shape draws its A and B from where the one before it stopped.
 *
 * The last three have been drawn later, after numbers for tests that are not published. Only two bits of each number
 * are used, which repeat after 2^18 numbers, so that every start could be tried; one gives all three checksums.
 */

struct golden {
	enum ork_dtype type;
	size_t m, k, n;
	bool rising; /* the same weights with M = 1, 1, 4 and m, all in one checksum */
	uint64_t checksum;
};

static const struct golden goldens[] = {
	{ ORK_F16, 64, 2048, 256, true, 0x63da26feb5488edd },
	{ ORK_F16, 256, 3584, 256, true, 0xd659053d19504e43 },
	{ ORK_I8, 256, 18944, 3584, false, 0xb4d325e573e7037c },
	{ ORK_I8, 256, 3584, 3584, false, 0x6084624fae4ea1cd },
	{ ORK_I8, 256, 2048, 2048, false, 0x1fc8a45628241e4b },
	{ ORK_I8, 128, 512, 1536, false, 0xa752ea8100ba7d54 },
	{ ORK_I8, 200, 1024, 2048, false, 0x21dc86bea3c1015f },
	{ ORK_I8, 128, 2048, 16384, false, 0x5b98ab74d6e8947a },
	{ ORK_I8, 96, 3584, 18944, false, 0x3fcd5ced1fed0f53 },
	{ ORK_I8, 512, 2048, 256, true, 0xda6b68f190453353 },
	{ ORK_I8, 256, 3584, 256, true, 0x454860dd91b46165 },
	{ ORK_I8, 256, 256, 32, true, 0xf23ebd149849d390 },
};

#define FIRST_LATER 9
#define LATER_START 157696

/* Large products take too long with the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
#define MAX_MACS 500000000
#else
#define MAX_MACS SIZE_MAX
#endif

static struct ork_device *dev;
static uint32_t generator = 12345;

static void draw(void)
{
	generator = generator * 1103515245 + 12345;
}

static void start_later(void)
{
	unsigned int i;

	generator = 12345;
	for (i = 0; i < LATER_START; i++)
		draw();
}

/* 0 to 3 in binary16, -1 to 2 in int8. */
static void fill(enum ork_dtype type, void *data, size_t count)
{
	static const uint16_t halves[] = { 0, 0x3c00, 0x4000, 0x4200 };
	size_t i;

	for (i = 0; i < count; i++) {
		draw();
		if (type == ORK_F16)
			((uint16_t *)data)[i] = halves[generator >> 16 & 3];
		else
			((int8_t *)data)[i] = (int8_t)(generator >> 16 & 3) - 1;
	}
}

/* FNV-1a. */
static uint64_t checksum(uint64_t hash, const uint8_t *bytes, size_t count)
{
	while (count--)
		hash = (hash ^ *bytes++) * 1099511628211u;
	return hash;
}

static bool is_golden(const struct golden *golden, const void *a, const void *b, uint8_t *c)
{
	const struct ork_weights_desc desc = {
		.type = golden->type, .b = b, .ldb = golden->n, .k = golden->k, .n = golden->n
	};
	const size_t ms[] = { 1, 1, 4, golden->m };
	struct ork_matmul_desc product = { .a = a, .lda = golden->k, .c = c, .ldc = golden->n };
	uint64_t hash = 1469598103934665603u;
	int i, err;

	err = ork_weights_create(dev, &desc, &product.weights);
	for (i = golden->rising ? 0 : 3; i < 4 && !err; i++) {
		product.m = ms[i];
		err = ork_matmul(dev, &product, NULL);
		hash = checksum(hash, c, product.m * golden->n * 4);
	}
	if (err)
		note("%s", ork_error(dev));
	ork_weights_destroy(product.weights);
	return !err && hash == golden->checksum;
}

static void check(const struct golden *golden)
{
	const size_t bytes = golden->type == ORK_F16 ? 2 : 1;
	void *a = malloc(golden->m * golden->k * bytes), *b = malloc(golden->k * golden->n * bytes);
	uint8_t *c = malloc(golden->m * golden->n * 4);
	const char *name = golden->type == ORK_F16 ? "float16" : "int8";

	fill(golden->type, a, golden->m * golden->k);
	fill(golden->type, b, golden->k * golden->n);
	if (golden->m * golden->k * golden->n > MAX_MACS)
		ok(true, "%s %zux%zux%zu # SKIP too slow with sanitizers", name, golden->m, golden->k, golden->n);
	else
		ok(is_golden(golden, a, b, c), "%s %zux%zux%zu is what was published", name, golden->m, golden->k,
		   golden->n);
	free(a);
	free(b);
	free(c);
}

int main(void)
{
	size_t i;

	if (!ok(ork_open(NULL, &dev) == 0, "the device opens"))
		return done();
	for (i = 0; i < sizeof(goldens) / sizeof(goldens[0]); i++) {
		if (i == FIRST_LATER)
			start_later();
		check(&goldens[i]);
	}
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
