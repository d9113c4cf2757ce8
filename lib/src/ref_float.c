/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>

#include "number.h"
#include "ref.h"
#include "types.h"

/*
 * CPU reference for floating point, by the rule that reproduces silicon (NPU reference 5.1; for bf16 the same rule is
 * assumed, 5.3): the products of each aligned group of 32 k are added exactly, the sum is rounded once to binary32, and
 * the groups are added in binary32 in ascending order from +0. Where K is cut into slices, each slice does that, and
 * the sums of the slices are added in binary32 in ascending order.
 */

static size_t at_most(size_t value, size_t limit)
{
	return value < limit ? value : limit;
}

/* count elements, stride apart. */
static void decode(enum ork_dtype type, struct ork_scaled *to, const uint16_t *from, size_t stride, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		to[i] = type == ORK_F16 ? ork_scaled_from_f16(from[i * stride]) :
					  ork_scaled_from_bf16(from[i * stride]);
}

static float sum_group(const struct ork_scaled *a, const struct ork_scaled *b, size_t k)
{
	struct ork_exact sum = { 0 };
	size_t i;

	for (i = 0; i < k; i++)
		ork_exact_add_product(&sum, a[i], b[i]);
	return ork_exact_round(&sum);
}

static float sum_slice(const struct ork_scaled *a, const struct ork_scaled *b, size_t k)
{
	float sum = 0.0f;
	size_t i;

	for (i = 0; i < k; i += ORK_GROUP_K)
		sum += sum_group(a + i, b + i, at_most(k - i, ORK_GROUP_K));
	return sum;
}

static float sum_all(const struct ork_scaled *a, const struct ork_scaled *b, size_t k, size_t k_slice)
{
	float sum = sum_slice(a, b, at_most(k, k_slice));
	size_t i;

	for (i = k_slice; i < k; i += k_slice)
		sum += sum_slice(a + i, b + i, at_most(k - i, k_slice));
	return sum;
}

/* One row of C. */
static void multiply_row(const struct ork_ref_desc *desc, enum ork_dtype c_type, size_t row,
			 const struct ork_scaled *a, const struct ork_scaled *columns, size_t n0, size_t n)
{
	const size_t k_slice = desc->k_slice ? desc->k_slice : ORK_MAX_DIM;
	const size_t at = row * desc->ldc + n0;
	size_t j;

	for (j = 0; j < n; j++) {
		const float sum = sum_all(a, columns + j * desc->k, desc->k, k_slice);

		if (c_type == ORK_F32)
			((float *)desc->c)[at + j] = sum;
		else
			((uint16_t *)desc->c)[at + j] = ork_f16_from_f32(sum);
	}
}

/* Columns of B that are decoded at a time. */
#define STRIP_N 8

int ork_ref_float(const struct ork_ref_desc *desc, enum ork_dtype c_type)
{
	const uint16_t *a = desc->a, *b = desc->b;
	struct ork_scaled *row = malloc(desc->k * sizeof(*row));
	struct ork_scaled *columns = malloc(desc->k * STRIP_N * sizeof(*columns));
	const int err = row && columns ? 0 : -ENOMEM;
	size_t n0, m, j;

	for (n0 = 0; n0 < desc->n && !err; n0 += STRIP_N) {
		const size_t cols = at_most(desc->n - n0, STRIP_N);

		for (j = 0; j < cols; j++)
			decode(desc->type, columns + j * desc->k, b + n0 + j, desc->ldb, desc->k);
		for (m = 0; m < desc->m; m++) {
			decode(desc->type, row, a + m * desc->lda, 1, desc->k);
			multiply_row(desc, c_type, m, row, columns, n0, cols);
		}
	}
	free(row);
	free(columns);
	return err;
}
