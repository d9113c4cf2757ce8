/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "tap.h"

/* NPU reference 4.2, written down a second time on purpose. */
static size_t weight_index(size_t k_pad, size_t k, size_t n)
{
	return n / 32 * 32 * k_pad + k / 32 * 1024 + n % 32 * 32 + k % 32;
}

/* Every element of B is found where the hardware looks for it, and everything else is 0. */
static bool packs_correctly(uint32_t k, uint32_t n, size_t ldb)
{
	const size_t k_pad = ork_round_up(k, 32), n_pad = ork_round_up(n, 32);
	int8_t *b = malloc(k * ldb), *packed = malloc(k_pad * n_pad);
	uint64_t seed = k * 1000 + n;
	bool good = true;
	size_t i, j;

	random_fill(b, k * ldb, &seed);
	memset(packed, 0x55, k_pad * n_pad);
	ork_pack_weights_i8(packed, b, ldb, k, n);
	for (i = 0; i < k_pad; i++)
		for (j = 0; j < n_pad; j++)
			good &= packed[weight_index(k_pad, i, j)] == (i < k && j < n ? b[i * ldb + j] : 0);
	free(b);
	free(packed);
	return good;
}

static void weights_are_in_kernel_group_order(void)
{
	static const uint32_t shapes[][3] = {
		{ 64, 64, 64 }, { 96, 160, 160 }, { 1, 1, 1 },	    { 31, 33, 40 },
		{ 33, 31, 31 }, { 65, 100, 128 }, { 1792, 96, 96 },
	};
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		ok(packs_correctly(shapes[i][0], shapes[i][1], shapes[i][2]),
		   "weights %ux%u ldb %u are in kernel group order, zero padded", shapes[i][0], shapes[i][1],
		   shapes[i][2]);
}

/* Cores split N without repacking only if a column range is a contiguous piece of the whole. */
static void column_range_is_contiguous(void)
{
	enum { K = 96, N = 160, FIRST = 64, COLS = 64 };
	int8_t b[K * N], whole[K * N], part[K * COLS];
	uint64_t seed = 7;

	random_fill(b, sizeof(b), &seed);
	ork_pack_weights_i8(whole, b, N, K, N);
	ork_pack_weights_i8(part, b + FIRST, N, K, COLS);
	ok(memcmp(whole + FIRST * K, part, sizeof(part)) == 0, "a column range of the packed weights is contiguous");
}

static void rows_are_padded_with_zeros(void)
{
	int8_t a[3 * 40], packed[3 * 64];
	uint64_t seed = 9;
	bool good = true;
	size_t m, k;

	random_fill(a, sizeof(a), &seed);
	memset(packed, 0x55, sizeof(packed));
	ork_pack_rows_i8(packed, 64, a, 40, 3, 33);
	for (m = 0; m < 3; m++)
		for (k = 0; k < 64; k++)
			good &= packed[m * 64 + k] == (k < 33 ? a[m * 40 + k] : 0);
	ok(good, "rows of A are padded with zeros");
}

static void unpacking_writes_only_the_columns(void)
{
	int32_t src[2 * 32], c[2 * 10];
	bool good = true;
	size_t i;

	for (i = 0; i < 2 * 32; i++)
		src[i] = (int32_t)i;
	for (i = 0; i < 2 * 10; i++)
		c[i] = -1;
	ork_unpack_rows_i32(c, 10, src, 32, 2, 7);
	for (i = 0; i < 20; i++)
		good &= c[i] == (i % 10 < 7 ? (int32_t)(i / 10 * 32 + i % 10) : -1);
	ok(good, "unpacking C writes only the columns that exist");
}

int main(void)
{
	weights_are_in_kernel_group_order();
	column_range_is_contiguous();
	rows_are_padded_with_zeros();
	unpacking_writes_only_the_columns();
	return done();
}
