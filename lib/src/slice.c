/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "slice.h"

#define MAX_SUM 32767

uint32_t ork_slice_even(uint32_t k, uint32_t max_k)
{
	const uint32_t slices = (k + max_k - 1) / max_k;

	return ork_round_up((k + slices - 1) / slices, ORK_GROUP_K);
}

/* Sums of the positive and of the negative weights of each column. */
struct bounds {
	uint32_t *positive, *negative;
};

static void add_row(const struct bounds *bounds, const int8_t *row, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		bounds->positive[i] += (uint32_t)(row[i] > 0 ? row[i] : 0);
		bounds->negative[i] += (uint32_t)(row[i] < 0 ? -row[i] : 0);
	}
}

/* Largest sum that any A gives in rows [k0, k1) of B. The other sign may be one larger. */
static uint32_t worst_in_slice(const struct bounds *bounds, const int8_t *b, size_t ldb, uint32_t k0, uint32_t k1,
			       uint32_t n)
{
	uint32_t worst = 0, up, down, i;

	memset(bounds->positive, 0, n * sizeof(*bounds->positive));
	memset(bounds->negative, 0, n * sizeof(*bounds->negative));
	for (i = k0; i < k1; i++)
		add_row(bounds, b + i * ldb, n);
	for (i = 0; i < n; i++) {
		up = 7 * bounds->positive[i] + 8 * bounds->negative[i];
		down = 8 * bounds->positive[i] + 7 * bounds->negative[i];
		if (up > worst)
			worst = up;
		if (down > worst + 1)
			worst = down - 1;
	}
	return worst;
}

static uint32_t worst_of_all(const struct bounds *bounds, const struct ork_matrices *matrices, uint32_t k_slice)
{
	uint32_t worst = 0, found, i, k0;

	for (i = 0; i < matrices->count; i++) {
		for (k0 = 0; k0 < matrices->k; k0 += k_slice) {
			const uint32_t k1 = matrices->k - k0 < k_slice ? matrices->k : k0 + k_slice;

			found = worst_in_slice(bounds, matrices->b + i * matrices->stride, matrices->ldb, k0, k1,
					       matrices->n);
			if (found > worst)
				worst = found;
		}
	}
	return worst;
}

/* The next candidate, in proportion to how much too large a sum of the last one was. At 480 none is. */
static uint32_t shorter(uint32_t k, uint32_t k_slice, uint32_t worst)
{
	return ork_slice_even(k, (uint32_t)((uint64_t)k_slice * MAX_SUM / worst) / ORK_GROUP_K * ORK_GROUP_K);
}

uint32_t ork_slice_i4(const struct ork_matrices *matrices, uint32_t max_k)
{
	struct bounds bounds = {
		.positive = calloc(matrices->n, sizeof(uint32_t)), .negative = calloc(matrices->n, sizeof(uint32_t))
	};
	uint32_t k_slice = 0, worst = MAX_SUM + 1;

	if (bounds.positive && bounds.negative) {
		k_slice = ork_slice_even(matrices->k, max_k);
		while ((worst = worst_of_all(&bounds, matrices, k_slice)) > MAX_SUM)
			k_slice = shorter(matrices->k, k_slice, worst);
	}
	free(bounds.positive);
	free(bounds.negative);
	return k_slice;
}

/* As worst_in_slice(), for all slices of one column whose weights follow each other. */
static uint32_t worst_in_column(const int8_t *weights, uint32_t k, uint32_t k_slice)
{
	uint32_t worst = 0, k0, i;

	for (k0 = 0; k0 < k; k0 += k_slice) {
		const uint32_t end = k - k0 < k_slice ? k : k0 + k_slice;
		uint32_t positive = 0, negative = 0, up, down;

		for (i = k0; i < end; i++) {
			positive += (uint32_t)(weights[i] > 0 ? weights[i] : 0);
			negative += (uint32_t)(weights[i] < 0 ? -weights[i] : 0);
		}
		up = 7 * positive + 8 * negative;
		down = 8 * positive + 7 * negative;
		if (up > worst)
			worst = up;
		if (down > worst + 1)
			worst = down - 1;
	}
	return worst;
}

uint32_t ork_slice_i4_columns(const int8_t *bt, size_t ldb, uint32_t n, uint32_t k, uint32_t max_k)
{
	uint32_t k_slice = ork_slice_even(k, max_k), col, worst;

	/* A shorter slice cuts elsewhere, so columns that were fine are looked at again. */
	for (col = 0; col < n; col++) {
		worst = worst_in_column(bt + col * ldb, k, k_slice);
		if (worst <= MAX_SUM)
			continue;
		k_slice = shorter(k, k_slice, worst);
		col = UINT32_MAX;
	}
	return k_slice;
}
