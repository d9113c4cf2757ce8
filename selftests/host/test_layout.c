/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "slice.h"
#include "tap.h"
#include "unpack.h"

static const enum ork_dtype types[] = { ORK_I4, ORK_I8, ORK_F16, ORK_BF16 };

/* NPU reference 4.2, written down a second time on purpose. */
static size_t weight_index(size_t ng, size_t k_pad, size_t k, size_t n)
{
	return n / ng * ng * k_pad + k / 32 * ng * 32 + n % ng * 32 + k % 32;
}

/* Element number index of memory as the NPU reads it. */
static int packed_at(const void *packed, uint32_t bits, size_t index)
{
	const uint8_t *bytes = packed;

	switch (bits) {
	case 4:
		return ((bytes[index / 2] >> index % 2 * 4 & 15) ^ 8) - 8;
	case 8:
		return ((const int8_t *)packed)[index];
	default:
		return ((const uint16_t *)packed)[index];
	}
}

static int user_at(const void *data, uint32_t bits, size_t index)
{
	return packed_at(data, bits == 4 ? 8 : bits, index);
}

static void *random_matrix(const struct ork_operand *operand, size_t count)
{
	int8_t *data = malloc(count * operand->user_bytes);
	uint64_t seed = count;
	size_t i;

	random_fill(data, count * operand->user_bytes, &seed);
	for (i = 0; operand->bits == 4 && i < count; i++)
		data[i] = (int8_t)((data[i] & 15) - 8);
	return data;
}

/* Every element of B is found where the hardware looks for it, and everything else is 0. */
static bool packs_correctly(const struct ork_operand *operand, uint32_t k, uint32_t k_pad, uint32_t n, size_t ldb)
{
	const size_t n_pad = ork_round_up(n, operand->group_n), bytes = k_pad * n_pad * operand->bits / 8;
	uint8_t *b = random_matrix(operand, k * ldb), *packed = malloc(bytes);
	const struct ork_part all = { .rows = k, .cols = n };
	bool good = true;
	size_t i, j;

	memset(packed, 0, bytes);
	ork_pack_weights(operand, packed, k_pad, &all, b, ldb);
	for (i = 0; i < k_pad; i++)
		for (j = 0; j < n_pad; j++)
			good &= packed_at(packed, operand->bits, weight_index(operand->group_n, k_pad, i, j)) ==
				(i < k && j < n ? user_at(b, operand->bits, i * ldb + j) : 0);
	free(b);
	free(packed);
	return good;
}

static void weights_are_in_kernel_group_order(const struct ork_operand *operand)
{
	static const uint32_t shapes[][4] = {
		{ 64, 64, 64, 64 }, { 96, 96, 160, 160 }, { 1, 32, 1, 1 },     { 31, 32, 33, 40 },
		{ 33, 64, 31, 31 }, { 65, 96, 100, 128 }, { 33, 160, 70, 70 }, { 1792, 1792, 96, 96 },
	};
	unsigned int good = 0;
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		good += packs_correctly(operand, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
	ok(good == i, "%s: %u of %zu weights are in kernel group order, zero padded", operand->name, good, i);
}

/* Cores split N without repacking only if a column range is a contiguous piece of the whole. */
static void column_range_is_contiguous(void)
{
	enum { K = 96, N = 160, FIRST = 64, COLS = 64 };
	const struct ork_part all = { .rows = K, .cols = N }, some = { .rows = K, .cols = COLS };
	int8_t b[K * N], whole[K * N], part[K * COLS];
	uint64_t seed = 7;

	random_fill(b, sizeof(b), &seed);
	ork_pack_weights(ork_operand_find(ORK_I8), whole, K, &all, b, N);
	ork_pack_weights(ork_operand_find(ORK_I8), part, K, &some, b + FIRST, N);
	ok(memcmp(whole + FIRST * K, part, sizeof(part)) == 0, "a column range of the packed weights is contiguous");
}

/* Pieces of any size and place, in an order in which some lie around others, give the same as one call. */
static void pieces_make_the_whole(const struct ork_operand *operand)
{
	enum { K = 70, K_PAD = 96, N = 90, BYTES = K_PAD * 128 * 2 };
	static const struct ork_part pieces[] = {
		{ .k = 0, .rows = 33, .n = 0, .cols = 1 },    { .k = 33, .rows = 1, .n = 0, .cols = 1 },
		{ .k = 0, .rows = 34, .n = 1, .cols = 70 },   { .k = 35, .rows = 35, .n = 0, .cols = 71 },
		{ .k = 34, .rows = 1, .n = 0, .cols = 71 },   { .k = 0, .rows = 70, .n = 71, .cols = 19 },
	};
	const struct ork_part all = { .rows = K, .cols = N };
	uint8_t *b = random_matrix(operand, K * N), *whole = calloc(1, BYTES), *packed = calloc(1, BYTES);
	size_t i;

	ork_pack_weights(operand, whole, K_PAD, &all, b, N);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		ork_pack_weights(operand, packed, K_PAD, &pieces[i],
				 b + (pieces[i].k * N + pieces[i].n) * operand->user_bytes, N);
	ok(memcmp(whole, packed, BYTES) == 0, "%s: weights that are packed in pieces are the same", operand->name);
	free(b);
	free(whole);
	free(packed);
}

/* Where element [m][k] of A is expected (NPU reference 3.9, 4.1). */
static size_t a_index(const struct ork_operand *operand, const struct ork_a_shape *shape, size_t m, size_t k)
{
	if (operand->form == ORK_FORM_ROWS)
		return m * shape->slices * shape->k_slice + k;
	return (k / 32 * shape->rows + m) * 32 + k % 32;
}

static void rows_are_padded_with_zeros(const struct ork_operand *operand)
{
	const struct ork_a_shape shape = { .rows = 3, .k = 130, .k_slice = 64, .slices = 3 };
	const size_t k_total = shape.slices * shape.k_slice, bytes = shape.rows * k_total * operand->bits / 8;
	uint8_t *a = random_matrix(operand, shape.rows * 140), *packed = malloc(bytes);
	bool good = true;
	size_t m, k;

	memset(packed, 0x55, bytes);
	ork_pack_a(operand, packed, a, 140, &shape);
	for (m = 0; m < shape.rows; m++)
		for (k = 0; k < k_total; k++)
			good &= packed_at(packed, operand->bits, a_index(operand, &shape, m, k)) ==
				(k < shape.k ? user_at(a, operand->bits, m * 140 + k) : 0);
	ok(good, "%s: rows of A are where tasks look for them, padded with zeros", operand->name);
	free(a);
	free(packed);
}

static void unpacking_writes_only_the_columns(void)
{
	const struct ork_operand *i8 = ork_operand_find(ORK_I8);
	int32_t src[2 * 32], c[2 * 10];
	const struct ork_c_tile tile = {
		.result = ork_result_find(i8, ORK_I32, 1), .stage = (const uint8_t *)src, .slices = 1, .rows = 2,
		.cols = 32, .used_cols = 7,
	};
	bool good = true;
	size_t i;

	for (i = 0; i < 2 * 32; i++)
		src[i] = (int32_t)i;
	for (i = 0; i < 2 * 10; i++)
		c[i] = -1;
	ork_unpack_c(&tile, ORK_I32, NULL, c, 10);
	for (i = 0; i < 20; i++)
		good &= c[i] == (i % 10 < 7 ? (int32_t)(i / 10 * 32 + i % 10) : -1);
	ok(good, "unpacking C writes only the columns that exist");
}

/* Three slices of sums that become int8 only after they have been added. */
static void slices_are_added_before_conversion(void)
{
	const struct ork_operand *i8 = ork_operand_find(ORK_I8);
	const struct ork_requant half = { .scale = 1, .shift = 1, .offset = -1 };
	int32_t src[3][32] = { { 0 } };
	int8_t c[3];
	const struct ork_c_tile tile = {
		.result = ork_result_find(i8, ORK_I8, 3), .stage = (const uint8_t *)src, .slice_bytes = sizeof(src[0]),
		.slices = 3, .rows = 1, .cols = 32, .used_cols = 3,
	};

	src[0][0] = 1;
	src[1][0] = 1;
	src[2][0] = 3;
	src[0][1] = 1000000;
	src[2][1] = -999999;
	src[1][2] = INT32_MIN;
	ork_unpack_c(&tile, ORK_I8, &half, c, 3);
	ok(c[0] == 1 && c[1] == -1 && c[2] == -128, "slices are added before they are rounded (%d %d %d)", c[0], c[1],
	   c[2]);
}

/* Rows of any length, as several columns are added at a time. */
static void slices_of_any_width_are_added(void)
{
	enum { MOST = 300 };
	const struct ork_operand *i8 = ork_operand_find(ORK_I8), *f16 = ork_operand_find(ORK_F16);
	struct ork_c_tile tile = { .slice_bytes = MOST * 4, .slices = 3, .rows = 1, .cols = MOST };
	int32_t src[3][MOST], sums[MOST + 1];
	float reals[3][MOST], real_sums[MOST + 1];
	unsigned int good = 0, i;

	for (i = 0; i < MOST; i++) {
		src[0][i] = INT32_MAX, src[1][i] = (int32_t)i, src[2][i] = -7;
		reals[0][i] = 1e8f, reals[1][i] = (float)i, reals[2][i] = -1e8f;
	}
	for (tile.used_cols = 1; tile.used_cols <= MOST; tile.used_cols++) {
		bool right = true;

		sums[tile.used_cols] = 42, real_sums[tile.used_cols] = 42;
		tile.stage = (const uint8_t *)src, tile.result = ork_result_find(i8, ORK_I32, 3);
		ork_unpack_c(&tile, ORK_I32, NULL, sums, MOST);
		tile.stage = (const uint8_t *)reals, tile.result = ork_result_find(f16, ORK_F32, 3);
		ork_unpack_c(&tile, ORK_F32, NULL, real_sums, MOST);
		for (i = 0; i < tile.used_cols; i++) {
			volatile float sum = 1e8f + (float)i;

			right &= sums[i] == (int32_t)((uint32_t)INT32_MAX + i - 7) && real_sums[i] == sum - 1e8f;
		}
		good += right && sums[i] == 42 && real_sums[i] == 42;
	}
	ok(good == MOST, "slices of %u of %d widths are added in order", good, MOST);
}

/* int16 in planes of 8 columns. */
static void cubes_are_unpacked(void)
{
	enum { ROWS = 3, COLS = 64, USED = 50 };
	const struct ork_operand *i4 = ork_operand_find(ORK_I4);
	int16_t src[2][ROWS * COLS];
	int32_t c[ROWS * USED];
	const struct ork_c_tile tile = {
		.result = ork_result_find(i4, ORK_I32, 2), .stage = (const uint8_t *)src, .slice_bytes = sizeof(src[0]),
		.slices = 2, .rows = ROWS, .cols = COLS, .used_cols = USED,
	};
	bool good = true;
	int m, n;

	for (m = 0; m < ROWS; m++)
		for (n = 0; n < COLS; n++) {
			src[0][n / 8 * ROWS * 8 + m * 8 + n % 8] = (int16_t)(-32768 + m * 100 + n);
			src[1][n / 8 * ROWS * 8 + m * 8 + n % 8] = -1;
		}
	ork_unpack_c(&tile, ORK_I32, NULL, c, USED);
	for (m = 0; m < ROWS; m++)
		for (n = 0; n < USED; n++)
			good &= c[m * USED + n] == -32769 + m * 100 + n;
	ok(good, "int16 cubes of two slices become int32 rows");
}

/* Slices of int4 weights: nothing in them can leave int16, and they are not shorter than they must be. */
static void int4_slices_follow_the_weights(void)
{
	enum { K = 4096, N = 3 };
	static int8_t b[K * N];
	const struct ork_matrices matrices = { .b = b, .ldb = N, .k = K, .n = N, .count = 1 };

	ok(ork_slice_i4(&matrices, 10240) == K, "weights of 0 need no slices");
	memset(b, 1, sizeof(b));
	ok(ork_slice_i4(&matrices, 10240) == K, "sums of 4096 weights of 1 fit int16 even with -8");
	memset(b, 7, sizeof(b));
	ok(ork_slice_i4(&matrices, 10240) == 512, "weights of 7 are cut at 512 (%u)", ork_slice_i4(&matrices, 10240));
	memset(b, -8, sizeof(b));
	ok(ork_slice_i4(&matrices, 10240) == 480, "weights of -8 are cut at 480 (%u)", ork_slice_i4(&matrices, 10240));
	memset(b, 0, sizeof(b));
	memset(b + 2000 * N, -8, 700 * N);
	ok(ork_slice_i4(&matrices, 10240) < 1024, "one bad place decides (%u)", ork_slice_i4(&matrices, 10240));
	ok(ork_slice_even(10240, 10240) == 10240 && ork_slice_even(10241, 10240) == 5152 &&
		   ork_slice_even(1, 10240) == 32,
	   "slices are equal");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		weights_are_in_kernel_group_order(ork_operand_find(types[i]));
		pieces_make_the_whole(ork_operand_find(types[i]));
		rows_are_padded_with_zeros(ork_operand_find(types[i]));
	}
	column_range_is_contiguous();
	unpacking_writes_only_the_columns();
	slices_are_added_before_conversion();
	slices_of_any_width_are_added();
	cubes_are_unpacked();
	int4_slices_follow_the_weights();
	return done();
}
