/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * The library's work on the CPU: weights are packed, activations quantised, results unpacked and made real.
 *
 *     bench_cpu                      how fast, as a share of what memcpy() moves in the same run: bytes read plus bytes
 *                                    written per second. The matrices do not fit the caches
 *     bench_cpu names                names of all works
 *     bench_cpu NAME ROUNDS          does one of them so many times, on a small matrix, and prints the bytes of one
 *                                    round: for count.py
 */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ork_quant.h>

#include "layout.h"
#include "tap.h"
#include "unpack.h"

#define ROUNDS 7

/* Sides of the square matrices. */
#define SIDE       8192
#define SMALL_SIDE 256

/* Slices of K that unpacking adds. */
#define SLICES    2
#define TILE_ROWS 64

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct work {
	const char *name;
	void (*run)(const struct work *work, size_t side);
	enum ork_dtype type;
	bool scalar;
	double bytes; /* in and out, per element */
	double wanted;
};

static uint8_t *in, *out;
static float scales[SIDE];

static const struct ork_simd *simd_of(const struct work *work)
{
	return work->scalar ? &ork_simd_scalar : ork_simd();
}

static void copy(const struct work *work, size_t side)
{
	memcpy(out, in, (size_t)work->bytes / 2 * side * side);
}

static void pack(const struct work *work, size_t side)
{
	const struct ork_part all = { .rows = (uint32_t)side, .cols = (uint32_t)side };

	ork_pack_weights_with(simd_of(work), ork_operand_find(work->type), out, (uint32_t)side, &all, in, side);
}

static void quantise(const struct work *work, size_t side)
{
	const float *x = (const float *)(const void *)in;
	const struct ork_simd *simd = simd_of(work);
	size_t row;

	for (row = 0; row < side; row++) {
		const uint32_t bits = simd->largest(x + row * side, side);

		simd->quantise((int8_t *)out + row * side, x + row * side, side, bits ? 1.0f : 0.0f, side == SIDE);
	}
	simd->fence();
}

static void quantise_columns(const struct work *work, size_t side)
{
	ork_quantise_columns(work->type, (const float *)(const void *)in, side, side, side, (int8_t *)out, side, scales);
}

static void dequantise(const struct work *work, size_t side)
{
	(void)work;
	ork_dequantise((const int32_t *)(const void *)in, side, side, side, scales, scales, (float *)(void *)out, side,
		       false);
}

/* Tiles as high as those of a prefill; half of the rows, because each has two slices. */
static void unpack(const struct work *work, size_t side)
{
	const struct ork_operand *operand = ork_operand_find(work->type);
	const enum ork_dtype c_type = ork_default_c_type(operand);
	struct ork_c_tile tile = {
		.result = ork_result_find(operand, c_type, SLICES),
		.slices = SLICES,
		.rows = TILE_ROWS,
		.cols = (uint32_t)side,
		.used_cols = (uint32_t)side,
	};
	size_t row;

	tile.slice_bytes = TILE_ROWS * side * tile.result->bytes;
	for (row = 0; row < side / SLICES; row += TILE_ROWS) {
		tile.stage = in + SLICES * row * side * tile.result->bytes;
		ork_unpack_c(&tile, c_type, NULL, out + row * side * ork_dtype_bytes(c_type), side);
	}
}

static const struct work memory = { .name = "memcpy", .run = copy, .bytes = 8 };

static const struct work works[] = {
	{ "pack-int8", pack, ORK_I8, false, 2, 0.6 },
	{ "pack-fp16", pack, ORK_F16, false, 4, 0.6 },
	{ "pack-int4", pack, ORK_I4, false, 1.5, 0.4 },
	{ "quantise-rows", quantise, ORK_I8, false, 5, 0.6 },
	{ "quantise-columns", quantise_columns, ORK_I8, false, 9, 0 },
	{ "dequantise", dequantise, ORK_DEFAULT, false, 8, 0 },
	{ "unpack-int32-slices", unpack, ORK_I8, false, 6, 0 },
	{ "unpack-fp32-slices", unpack, ORK_F16, false, 6, 0 },
	{ "unpack-int4-slices", unpack, ORK_I4, false, 4, 0 },
	{ "pack-int8-scalar", pack, ORK_I8, true, 2, 0 },
	{ "pack-fp16-scalar", pack, ORK_F16, true, 4, 0 },
	{ "pack-int4-scalar", pack, ORK_I4, true, 1.5, 0 },
	{ "quantise-rows-scalar", quantise, ORK_I8, true, 5, 0 },
};

enum { WORKS = sizeof(works) / sizeof(works[0]) };

static bool make_operands(size_t side)
{
	const size_t area = side * side;
	uint64_t seed = 1;
	size_t i;

	in = aligned_alloc(4096, 4 * area);
	out = aligned_alloc(4096, 4 * area);
	if (!in || !out)
		return false;
	for (i = 0; i < area; i++)
		((float *)(void *)in)[i] = (float)(random_u64(&seed) % 200) - 100;
	for (i = 0; i < SIDE; i++)
		scales[i] = 0.5f;
	memset(out, 1, 4 * area);
	return true;
}

/* Bytes per second. */
static double measure(const struct work *work)
{
	const double start = now();

	work->run(work, SIDE);
	return work->bytes * SIDE * SIDE / (now() - start);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static void print_shares(void)
{
	double full = 0, best[WORKS] = { 0 };
	int round, i;

	/* Taking turns, so that whatever else the machine does hits all of them. */
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < WORKS; i++) {
			full = larger(full, measure(&memory));
			best[i] = larger(best[i], measure(&works[i]));
		}
	}
	printf("%-22s %6.2f GB/s  (%d x %d elements, %s)\n", memory.name, full / 1e9, SIDE, SIDE, ork_simd()->name);
	for (i = 0; i < WORKS; i++)
		printf("%-22s %6.2f GB/s  %3.0f %%%s\n", works[i].name, best[i] / 1e9, 100 * best[i] / full,
		       !works[i].wanted ? "" : best[i] >= works[i].wanted * full ? "  reaches its aim" : "  misses its aim");
}

static int run_rounds(const char *name, int rounds)
{
	int i;

	for (i = 0; i < WORKS && strcmp(works[i].name, name); i++)
		;
	if (i == WORKS)
		return 2;
	while (rounds-- > 0)
		works[i].run(&works[i], SMALL_SIDE);
	printf("%.0f\n", works[i].bytes * SMALL_SIDE * SMALL_SIDE);
	return 0;
}

int main(int argc, char **argv)
{
	int i, err = 0;

	if (!make_operands(argc == 1 ? SIDE : SMALL_SIDE))
		return 1;
	if (argc == 3)
		err = run_rounds(argv[1], atoi(argv[2]));
	else if (argc == 1)
		print_shares();
	for (i = 0; argc == 2 && i < WORKS; i++)
		printf("%s\n", works[i].name);
	free(in);
	free(out);
	return err;
}
