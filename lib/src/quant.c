/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ork_quant.h>

#include "number.h"
#include "simd.h"
#include "slice.h"

#define INFINITY_BITS UINT32_C(0x7f800000)

/* Below, factors would overflow. */
#define SMALLEST 1e-36f

/* Largest integer, or 0 if the type cannot be quantised to. */
static float largest_of(enum ork_dtype type)
{
	return type == ORK_I8 ? 127.0f : type == ORK_I4 ? 7.0f : 0.0f;
}

static bool valid(enum ork_dtype type, const void *x, size_t ldx, size_t rows, size_t cols, const void *q, size_t ldq,
		  const void *scales)
{
	return largest_of(type) != 0.0f && x && q && scales && rows && cols && ldx >= cols && ldq >= cols;
}

/* From the largest magnitude, as bits, to the scale. Returns the factor from numbers to integers. */
static float factor_of(uint32_t bits, float limit, float *scale)
{
	float most;

	memcpy(&most, &bits, sizeof(most));
	if (most < SMALLEST) {
		*scale = 0;
		return 0;
	}
	*scale = most / limit;
	return limit / most;
}

/* Integers that are as many go past the caches, as memcpy() does with large blocks. */
#define MANY_BYTES ((size_t)4 << 20)

int ork_quantise_rows(enum ork_dtype type, const float *x, size_t ldx, size_t rows, size_t cols, int8_t *q, size_t ldq,
		      float *scales)
{
	const struct ork_simd *simd = ork_simd();
	bool past_caches;
	uint32_t most;
	size_t row;

	if (!valid(type, x, ldx, rows, cols, q, ldq, scales))
		return -EINVAL;
	past_caches = rows >= MANY_BYTES / cols;
	for (row = 0; row < rows; row++) {
		most = simd->largest(x + row * ldx, cols);
		if (most >= INFINITY_BITS)
			return -EDOM;
		simd->quantise(q + row * ldq, x + row * ldx, cols, factor_of(most, largest_of(type), &scales[row]),
			       past_caches);
	}
	simd->fence();
	return 0;
}

/* Bits of the largest magnitude of each column. */
static uint32_t *largest_of_columns(const float *x, size_t ldx, size_t rows, size_t cols)
{
	uint32_t *most = calloc(cols, sizeof(*most));
	uint32_t bits;
	size_t row, col;

	for (row = 0; row < rows && most; row++) {
		for (col = 0; col < cols; col++) {
			memcpy(&bits, &x[row * ldx + col], sizeof(bits));
			bits &= 0x7fffffff;
			most[col] = bits > most[col] ? bits : most[col];
		}
	}
	return most;
}

/* The factors take the place of the magnitudes. */
static int make_factors(uint32_t *most, size_t cols, float limit, float *scales)
{
	float factor;
	size_t col;

	for (col = 0; col < cols; col++) {
		if (most[col] >= INFINITY_BITS)
			return -EDOM;
		factor = factor_of(most[col], limit, &scales[col]);
		memcpy(&most[col], &factor, sizeof(factor));
	}
	return 0;
}

static void quantise_by_column(const float *x, const uint32_t *factors, size_t cols, int8_t *q)
{
	float factor;
	size_t col;

	for (col = 0; col < cols; col++) {
		memcpy(&factor, &factors[col], sizeof(factor));
		q[col] = ork_nearest_i8(x[col] * factor);
	}
}

int ork_quantise_columns(enum ork_dtype type, const float *x, size_t ldx, size_t rows, size_t cols, int8_t *q,
			 size_t ldq, float *scales)
{
	uint32_t *factors;
	size_t row;
	int err;

	if (!valid(type, x, ldx, rows, cols, q, ldq, scales))
		return -EINVAL;
	factors = largest_of_columns(x, ldx, rows, cols);
	err = factors ? make_factors(factors, cols, largest_of(type), scales) : -ENOMEM;
	for (row = 0; row < rows && !err; row++)
		quantise_by_column(x + row * ldx, factors, cols, q + row * ldq);
	free(factors);
	return err;
}

int ork_dequantise(const int32_t *c, size_t ldc, size_t rows, size_t cols, const float *row_scales,
		   const float *column_scales, float *out, size_t ldo, bool add)
{
	size_t row, col;

	if (!c || !row_scales || !column_scales || !out || !rows || !cols || ldc < cols || ldo < cols)
		return -EINVAL;
	for (row = 0; row < rows; row++) {
		for (col = 0; col < cols; col++) {
			const float value = (float)c[row * ldc + col] * row_scales[row] * column_scales[col];

			out[row * ldo + col] = add ? out[row * ldo + col] + value : value;
		}
	}
	return 0;
}

/* Butterflies of a block, then the factor that keeps lengths. */
static void transform(float *x, size_t order, float factor)
{
	size_t half, start, i;

	for (half = 1; half < order; half *= 2) {
		for (start = 0; start < order; start += 2 * half) {
			for (i = start; i < start + half; i++) {
				const float a = x[i], b = x[i + half];

				x[i] = a + b;
				x[i + half] = a - b;
			}
		}
	}
	for (i = 0; i < order; i++)
		x[i] *= factor;
}

/* 1 / sqrt(order), order being a power of two. */
static float shrink(size_t order)
{
	float factor = 1;

	for (; order >= 4; order /= 4)
		factor /= 2;
	return order == 2 ? factor * 0.70710678f : factor;
}

int ork_hadamard(float *x, size_t ldx, size_t rows, size_t cols, size_t order)
{
	size_t row, at;

	if (!x || !rows || !cols || ldx < cols || !order || order & (order - 1) || cols % order)
		return -EINVAL;
	for (row = 0; row < rows; row++)
		for (at = 0; at < cols; at += order)
			transform(x + row * ldx + at, order, shrink(order));
	return 0;
}

int ork_requant_of(double factor, int32_t offset, struct ork_requant *requant)
{
	double magnitude = factor < 0 ? -factor : factor;
	uint32_t shift = 0;

	if (!requant)
		return -EINVAL;
	/* A scale of 32767.5 and more does not fit once it is rounded. */
	if (!(magnitude < 32767.5))
		return -ERANGE;
	while (shift < 63 && magnitude * 2 < 32767.5) {
		magnitude *= 2;
		shift++;
	}
	requant->scale = (int32_t)(magnitude + 0.5);
	if (factor < 0)
		requant->scale = -requant->scale;
	requant->shift = shift;
	requant->offset = offset;
	return 0;
}

/* Most that a task takes of any type (NPU reference 6.1, D10). */
#define MAX_K_TASK 10240

int ork_i4_k_slice(const int8_t *bt, size_t ldb, size_t n, size_t k, size_t longest, size_t *k_slice)
{
	if (!bt || !k_slice || !n || !k || n > ORK_MAX_DIM || k > ORK_MAX_DIM || ldb < k || longest % 32)
		return -EINVAL;
	if (!longest || longest > MAX_K_TASK)
		longest = MAX_K_TASK;
	*k_slice = ork_slice_i4_columns(bt, ldb, (uint32_t)n, (uint32_t)k, (uint32_t)longest);
	return 0;
}

void ork_f16_of_f32(uint16_t *to, const float *from, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		to[i] = ork_f16_from_f32(from[i]);
}

static float f32_of(uint16_t bits)
{
	const uint32_t exponent = bits >> 10 & 31;
	uint32_t wide = (uint32_t)(bits & 0x8000) << 16;
	float value;

	if (exponent == 0) {
		/* Subnormal numbers are multiples of 2^-24. */
		value = (float)(bits & 0x3ff) * 0x1p-24f;
		return bits & 0x8000 ? -value : value;
	}
	wide |= (exponent == 31 ? 255 : exponent + 112) << 23 | (uint32_t)(bits & 0x3ff) << 13;
	memcpy(&value, &wide, sizeof(value));
	return value;
}

void ork_f32_of_f16(float *to, const uint16_t *from, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		to[i] = f32_of(from[i]);
}
