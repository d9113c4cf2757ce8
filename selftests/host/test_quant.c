/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <math.h>
#include <ork_quant.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "slice.h"
#include "tap.h"

static uint64_t seed = 1;

/* Near normal: the sum of four uniform numbers. */
static float random_real(void)
{
	const uint64_t bits = random_u64(&seed);

	return ((float)(bits & 0xffff) + (float)(bits >> 16 & 0xffff) + (float)(bits >> 32 & 0xffff) +
		(float)(bits >> 48)) / 65536.0f - 2.0f;
}

static float *random_reals(size_t count)
{
	float *x = malloc(count * sizeof(*x));
	size_t i;

	for (i = 0; i < count; i++)
		x[i] = random_real();
	return x;
}

/* Shapes with full and partial tiles, odd strides and misaligned results. */
static bool same_packing(const struct ork_simd *simd, enum ork_dtype type, uint32_t k, uint32_t n, size_t ldb,
			 size_t offset)
{
	const struct ork_operand *operand = ork_operand_find(type);
	const uint32_t k_pad = ork_round_up(k, 32), n_pad = ork_round_up(n, operand->group_n);
	const size_t bytes = (size_t)k_pad * n_pad * operand->bits / 8;
	int8_t *b = malloc(k * ldb * operand->user_bytes);
	uint8_t *one = calloc(1, bytes + 64), *two = calloc(1, bytes + 64);
	const struct ork_part all = { .rows = k, .cols = n };
	bool same;
	size_t i;

	random_fill(b, k * ldb * operand->user_bytes, &seed);
	for (i = 0; i < k * ldb && type == ORK_I4; i++)
		b[i] = (int8_t)((b[i] & 15) - 8);
	ork_pack_weights_with(&ork_simd_scalar, operand, one, k_pad, &all, b, ldb);
	ork_pack_weights_with(simd, operand, two + offset, k_pad, &all, b, ldb);
	same = memcmp(one, two + offset, bytes) == 0;
	free(b);
	free(one);
	free(two);
	return same;
}

static bool same_reals(const struct ork_simd *simd, size_t count, size_t offset)
{
	float *x = random_reals(count + offset);
	int8_t *one = malloc(count + 1), *two = aligned_alloc(32, (count + 32) / 32 * 32);
	uint32_t most = ork_simd_scalar.largest(x + offset, count);
	float top;
	bool same;
	size_t i;

	/* Ties: multiples of a half. */
	for (i = 0; i < count; i += 3)
		x[offset + i] = (float)((int)(random_u64(&seed) % 200) - 100) * 0.5f;
	most = ork_simd_scalar.largest(x + offset, count);
	memcpy(&top, &most, sizeof(top));
	same = simd->largest(x + offset, count) == most;
	ork_simd_scalar.quantise(one, x + offset, count, 1.0f, false);
	simd->quantise(two, x + offset, count, 1.0f, false);
	same &= !memcmp(one, two, count);
	ork_simd_scalar.quantise(one, x + offset, count, count ? 127.0f / top : 1, false);
	simd->quantise(two, x + offset, count, count ? 127.0f / top : 1, true);
	simd->fence();
	same &= !memcmp(one, two, count);
	free(x);
	free(one);
	free(two);
	return same;
}

static void instruction_sets_agree(const struct ork_simd *simd)
{
	static const enum ork_dtype types[] = { ORK_I4, ORK_I8, ORK_F16 };
	unsigned int good = 0, tried = 0;
	size_t t, i;

	for (t = 0; t < 3; t++)
		for (i = 0; i < 60; i++, tried++) {
			const uint32_t k = 1 + (uint32_t)(random_u64(&seed) % 130), n = 1 + (uint32_t)(random_u64(&seed) % 300);

			good += same_packing(simd, types[t], k, n, n + random_u64(&seed) % 70,
					     i % 33 / 2 * 2);
		}
	good += same_packing(simd, ORK_I8, 64, 8300, 8300, 0);
	ok(good == tried + 1, "%s: %u of %u weights are packed as the scalar code does", simd->name, good, tried + 1);
	for (i = 0, good = 0; i < 200; i++)
		good += same_reals(simd, i, i % 7);
	ok(good == i, "%s: %u of %zu rows are quantised as the scalar code does", simd->name, good, i);
}

/* As ork_dequantise() is described, one number at a time. */
static float real_of(int32_t sum, float row_scale, float column_scale, float before, bool add)
{
	volatile float value = (float)sum;

	value *= row_scale;
	value *= column_scale;
	if (add)
		value = before + value;
	return value;
}

static bool same_sums(size_t cols, bool add)
{
	float column_scales[70], out[70], expected[70], row_scale = 0.37f;
	int32_t c[70];
	size_t i;

	for (i = 0; i < 70; i++) {
		c[i] = (int32_t)random_u64(&seed);
		column_scales[i] = 0.001f * (float)(random_u64(&seed) % 1000);
		out[i] = expected[i] = 1e5f * (float)(random_u64(&seed) % 1000);
	}
	for (i = 0; i < cols; i++)
		expected[i] = real_of(c[i], row_scale, column_scales[i], expected[i], add);
	return !ork_dequantise(c, cols, 1, cols, &row_scale, column_scales, out, cols, add) &&
	       !memcmp(out, expected, sizeof(out));
}

/* Loops work on several columns at a time, and on the rest. */
static void sums_become_reals_as_described(void)
{
	unsigned int good = 0;
	size_t cols;

	for (cols = 1; cols <= 69; cols++)
		good += same_sums(cols, false) + same_sums(cols, true);
	ok(good == 138, "%u of 138 rows of sums become the reals that they are described as", good);
}

static bool same_columns(size_t cols)
{
	float *x = random_reals(3 * 70), scales[70];
	int8_t q[3 * 70] = { 0 }, expected[3 * 70] = { 0 };
	size_t i, j;
	int err = ork_quantise_columns(ORK_I8, x, 70, 3, cols, q, 70, scales);

	for (j = 0; j < cols; j++) {
		volatile float most = 0, factor;

		for (i = 0; i < 3; i++)
			most = fmaxf(most, fabsf(x[i * 70 + j]));
		factor = 127 / most;
		for (i = 0; i < 3; i++)
			expected[i * 70 + j] = (int8_t)rintf(x[i * 70 + j] * factor);
	}
	free(x);
	return !err && !memcmp(q, expected, sizeof(q));
}

static void columns_are_quantised_as_described(void)
{
	unsigned int good = 0;
	size_t cols;

	for (cols = 1; cols <= 69; cols++)
		good += same_columns(cols);
	ok(good == 69, "%u of 69 matrices are quantised by columns as described", good);
}

/* Relative root mean square error of the whole path: quantise, multiply, make real. */
static double product_error(enum ork_dtype type, const float *a, const float *bt, size_t m, size_t k, size_t n,
			    size_t groups)
{
	const size_t part = k / groups;
	int8_t *aq = malloc(m * k), *bq = malloc(n * k), *b = malloc(n * k);
	float *a_scales = malloc(m * sizeof(float)), *b_scales = malloc(n * sizeof(float));
	float *out = calloc(m * n, sizeof(float));
	int32_t *c = malloc(m * n * sizeof(*c));
	double error = 0, power = 0;
	size_t g, i, j, l;

	ork_quantise_rows(type, a, k, m, k, aq, k, a_scales);
	for (g = 0; g < groups; g++) {
		struct ork_ref_desc desc = {
			.type = type, .m = m, .k = part, .n = n, .a = aq + g * part, .lda = k, .b = b, .ldb = n, .c = c,
			.ldc = n,
		};

		ork_quantise_rows(type, bt + g * part, k, n, part, bq, part, b_scales);
		for (i = 0; i < part; i++)
			for (j = 0; j < n; j++)
				b[i * n + j] = bq[j * part + i];
		ork_ref_matmul(&desc);
		ork_dequantise(c, n, m, n, a_scales, b_scales, out, n, true);
	}
	for (i = 0; i < m; i++)
		for (j = 0; j < n; j++) {
			double exact = 0;

			for (l = 0; l < k; l++)
				exact += (double)a[i * k + l] * bt[j * k + l];
			error += (exact - out[i * n + j]) * (exact - out[i * n + j]);
			power += exact * exact;
		}
	free(aq), free(bq), free(b), free(a_scales), free(b_scales), free(out), free(c);
	return 100 * sqrt(error / power);
}

static void errors_are_as_small_as_known(void)
{
	enum { M = 32, K = 1024, N = 64 };
	float *a = random_reals(M * K), *bt = random_reals(N * K);
	double plain, rotated, grouped;
	size_t i;

	/* Uniform numbers: each operand adds 1 / (127 * 2) of the root mean square, 0.56 % together. */
	for (i = 0; i < M * K; i++)
		a[i] = (float)(random_u64(&seed) >> 40) - 0x1p23f;
	for (i = 0; i < N * K; i++)
		bt[i] = (float)(random_u64(&seed) >> 40) - 0x1p23f;
	plain = product_error(ORK_I8, a, bt, M, K, N, 1);
	ok(plain > 0.5 && plain < 0.6, "int8 by rows and columns: %.2f %% RMS", plain);

	/* A few channels with large values, as in transformers. */
	for (i = 0; i < M * K; i++)
		a[i] = random_real();
	for (i = 0; i < N * K; i++)
		bt[i] = random_real();
	for (i = 0; i < M; i++)
		a[i * K + 7] *= 30;
	for (i = 0; i < N; i++)
		bt[i * K + 500] *= 8;
	plain = product_error(ORK_I4, a, bt, M, K, N, 1);
	grouped = product_error(ORK_I4, a, bt, M, K, N, 8);
	ork_hadamard(a, K, M, K, K);
	ork_hadamard(bt, K, N, K, K);
	rotated = product_error(ORK_I4, a, bt, M, K, N, 1);
	ok(rotated < plain / 2, "a Hadamard rotation halves the error of int4: %.1f %% instead of %.1f %%", rotated, plain);
	ok(grouped < plain, "scales for groups lower it: %.1f %%", grouped);
	free(a);
	free(bt);
}

static void rotations_undo_themselves(void)
{
	float *x = random_reals(2 * 96), *copy = malloc(2 * 96 * sizeof(float));
	bool good;
	size_t i;

	memcpy(copy, x, 2 * 96 * sizeof(float));
	good = !ork_hadamard(x, 96, 2, 96, 32) && !ork_hadamard(x, 96, 2, 96, 32);
	for (i = 0; i < 2 * 96; i++)
		good &= fabsf(x[i] - copy[i]) < 1e-5f;
	ok(good, "a rotation done twice leaves a row as it was");
	x[0] = 1, x[1] = 2, x[2] = 3, x[3] = 5;
	ork_hadamard(x, 4, 1, 4, 4);
	ok(x[0] == 5.5f && x[1] == -1.5f && x[2] == -2.5f && x[3] == 0.5f, "order 4 is the Sylvester matrix over 2");
	ok(ork_hadamard(x, 96, 2, 96, 64) == -EINVAL && ork_hadamard(x, 96, 2, 96, 3) == -EINVAL,
	   "orders that do not fit are refused");
	free(x);
	free(copy);
}

static void rows_and_columns_agree(void)
{
	enum { K = 70, N = 33 };
	float *bt = random_reals(K * N), b[K * N], row_scales[N], column_scales[N];
	int8_t qt[K * N], q[K * N];
	bool good;
	int i, j;

	for (i = 0; i < K; i++)
		for (j = 0; j < N; j++)
			b[i * N + j] = bt[j * K + i];
	good = !ork_quantise_rows(ORK_I8, bt, K, N, K, qt, K, row_scales) &&
	       !ork_quantise_columns(ORK_I8, b, N, K, N, q, N, column_scales) &&
	       !memcmp(row_scales, column_scales, sizeof(row_scales));
	for (i = 0; i < K; i++)
		for (j = 0; j < N; j++)
			good &= q[i * N + j] == qt[j * K + i];
	ok(good, "columns of B are quantised as rows of B transposed");
	free(bt);
}

static void odd_numbers_are_handled(void)
{
	float x[40] = { 0 }, scale;
	int8_t q[40];

	ok(!ork_quantise_rows(ORK_I8, x, 40, 1, 40, q, 40, &scale) && scale == 0 && q[0] == 0, "a row of zeros");
	x[3] = 1e-40f;
	ok(!ork_quantise_rows(ORK_I8, x, 40, 1, 40, q, 40, &scale) && scale == 0 && q[3] == 0, "a row of tiny numbers");
	x[3] = -3e38f;
	ok(!ork_quantise_rows(ORK_I8, x, 40, 1, 40, q, 40, &scale) && q[3] == -127, "a row of huge numbers");
	x[39] = INFINITY;
	ok(ork_quantise_rows(ORK_I8, x, 40, 1, 40, q, 40, &scale) == -EDOM, "infinity is refused");
	x[39] = NAN;
	ok(ork_quantise_rows(ORK_I4, x, 40, 1, 40, q, 40, &scale) == -EDOM, "and so is what is no number");
	ok(ork_quantise_columns(ORK_I4, x, 40, 1, 40, q, 40, x) == -EDOM, "in columns too");
	ok(ork_quantise_rows(ORK_F16, x, 40, 1, 40, q, 40, &scale) == -EINVAL, "types that are no integers are refused");
	ok(ork_quantise_rows(ORK_I8, x, 39, 1, 40, q, 40, &scale) == -EINVAL, "and so are overlapping rows");
}

static void requantisation_keeps_the_factor(void)
{
	static const double factors[] = { 1, 0.5, 0.00123, 1e-9, 3.7, 32767, -0.3, 0.99999 };
	struct ork_requant requant;
	unsigned int good = 0;
	size_t i;

	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		const double limit = fabs(factors[i]) / 32768 + 1e-19;

		good += !ork_requant_of(factors[i], 3, &requant) && requant.offset == 3 && requant.shift <= 63 &&
			requant.scale >= -32768 && requant.scale <= 32767 &&
			fabs(ldexp(requant.scale, -(int)requant.shift) - factors[i]) <= limit;
	}
	ok(good == i, "%u of %zu factors are exact to 15 bits", good, i);
	ok(!ork_requant_of(0, 0, &requant) && requant.scale == 0, "a factor of 0");
	ok(ork_requant_of(32768, 0, &requant) == -ERANGE && ork_requant_of(NAN, 0, &requant) == -ERANGE,
	   "factors that do not fit are refused");
}

static void half_precision_goes_there_and_back(void)
{
	unsigned int good = 0, bits;
	uint16_t half;
	float value;

	for (bits = 0; bits < 65536; bits++) {
		half = (uint16_t)bits;
		ork_f32_of_f16(&value, &half, 1);
		ork_f16_of_f32(&half, &value, 1);
		good += half == bits || (isnan(value) && (bits & 0x7fff) > 0x7c00);
	}
	ok(good == 65536, "%u of 65536 binary16 numbers survive binary32", good);
}

static void int4_slices_are_found_in_parts(void)
{
	enum { K = 2048, N = 96 };
	static int8_t bt[N * K], b[K * N];
	const struct ork_matrices matrices = { .b = b, .ldb = N, .k = K, .n = N, .count = 1 };
	size_t whole, parts = 0, last, n0;
	int i, j;

	for (i = 0; i < N; i++)
		for (j = 0; j < K; j++)
			b[j * N + i] = bt[i * K + j] = (int8_t)(random_u64(&seed) % (i == 70 ? 15 : 5) - (i == 70 ? 7 : 2));
	whole = ork_slice_i4(&matrices, 10240);
	do {
		last = parts;
		for (n0 = 0; n0 < N; n0 += 32)
			ork_i4_k_slice(bt + n0 * K, K, 32, K, parts, &parts);
	} while (parts != last);
	ok(whole < K && parts == whole, "K slices of %zu, and of %zu in parts", whole, parts);
}

int main(void)
{
	if (ork_simd() == &ork_simd_scalar)
		note("this CPU has no vector instructions that are made use of");
	else
		instruction_sets_agree(ork_simd());
	sums_become_reals_as_described();
	columns_are_quantised_as_described();
	errors_are_as_small_as_known();
	rotations_undo_themselves();
	rows_and_columns_agree();
	odd_numbers_are_handled();
	requantisation_keeps_the_factor();
	half_precision_goes_there_and_back();
	int4_slices_are_found_in_parts();
	return done();
}
