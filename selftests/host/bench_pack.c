/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * How fast weights are packed and activations are quantised, as a share of what memcpy() moves in the same run: bytes
 * read plus bytes written per second. The matrices do not fit the caches.
 */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout.h"
#include "tap.h"

#define ROUNDS 7

/* Sides of the square matrix. */
#define SIDE 8192

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct work {
	const char *name;
	void (*run)(const struct work *work);
	enum ork_dtype type;
	const struct ork_simd *simd;
	double bytes; /* in and out */
	double wanted;
};

static uint8_t *in, *out;

static void copy(const struct work *work)
{
	memcpy(out, in, (size_t)work->bytes / 2);
}

static void pack(const struct work *work)
{
	const struct ork_part all = { .rows = SIDE, .cols = SIDE };

	ork_pack_weights_with(work->simd, ork_operand_find(work->type), out, SIDE, &all, in, SIDE);
}

static void quantise(const struct work *work)
{
	const float *x = (const float *)(const void *)in;
	size_t row;

	for (row = 0; row < SIDE; row++) {
		const uint32_t bits = work->simd->largest(x + row * SIDE, SIDE);

		work->simd->quantise((int8_t *)out + row * SIDE, x + row * SIDE, SIDE, bits ? 1.0f : 0.0f, true);
	}
	work->simd->fence();
}

/* Bytes per second. */
static double measure(const struct work *work)
{
	const double start = now();

	work->run(work);
	return work->bytes / (now() - start);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

int main(void)
{
	const double area = (double)SIDE * SIDE;
	const struct work memory = { "memcpy", copy, ORK_DEFAULT, NULL, 8 * area, 1 };
	const struct ork_simd *simd = ork_simd();
	const struct work works[] = {
		{ "weights int8", pack, ORK_I8, simd, 2 * area, 0.6 },
		{ "weights fp16", pack, ORK_F16, simd, 4 * area, 0.6 },
		{ "weights int4 from int8", pack, ORK_I4, simd, 1.5 * area, 0.4 },
		{ "activations fp32 to int8", quantise, ORK_I8, simd, 5 * area, 0.6 },
		{ "weights int8, scalar", pack, ORK_I8, &ork_simd_scalar, 2 * area, 0 },
		{ "activations, scalar", quantise, ORK_I8, &ork_simd_scalar, 5 * area, 0 },
	};
	const size_t count = sizeof(works) / sizeof(works[0]);
	double full = 0, best[sizeof(works) / sizeof(works[0])] = { 0 };
	uint64_t seed = 1;
	size_t i;
	int round;

	in = aligned_alloc(4096, (size_t)(4 * area));
	out = aligned_alloc(4096, (size_t)(4 * area));
	if (!in || !out)
		return 1;
	for (i = 0; i < (size_t)area; i++)
		((float *)(void *)in)[i] = (float)(random_u64(&seed) % 200) - 100;
	memset(out, 1, (size_t)(4 * area));
	/* Taking turns, so that whatever else the machine does hits all of them. */
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < count; i++) {
			full = larger(full, measure(&memory));
			best[i] = larger(best[i], measure(&works[i]));
		}
	}
	printf("%-26s %6.2f GB/s  (%d x %d elements, %s)\n", memory.name, full / 1e9, SIDE, SIDE, simd->name);
	for (i = 0; i < count; i++)
		printf("%-26s %6.2f GB/s  %3.0f %%%s\n", works[i].name, best[i] / 1e9, 100 * best[i] / full,
		       !works[i].wanted ? "" : best[i] >= works[i].wanted * full ? "  reaches its aim" : "  misses its aim");
	free(in);
	free(out);
	return 0;
}
