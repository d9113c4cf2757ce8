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

/* Shortens slices in proportion until they fit. At 480 they do, whatever the weights are. */
static uint32_t shorten(const struct bounds *bounds, const struct ork_matrices *matrices, uint32_t k_slice)
{
	uint32_t worst;

	for (;;) {
		worst = worst_of_all(bounds, matrices, k_slice);
		if (worst <= MAX_SUM)
			return k_slice;
		k_slice = ork_slice_even(matrices->k, (uint32_t)((uint64_t)k_slice * MAX_SUM / worst) / ORK_GROUP_K *
							      ORK_GROUP_K);
	}
}

uint32_t ork_slice_i4(const struct ork_matrices *matrices, uint32_t max_k)
{
	struct bounds bounds = {
		.positive = calloc(matrices->n, sizeof(uint32_t)), .negative = calloc(matrices->n, sizeof(uint32_t))
	};
	uint32_t k_slice = 0;

	if (bounds.positive && bounds.negative)
		k_slice = shorten(&bounds, matrices, ork_slice_even(matrices->k, max_k));
	free(bounds.positive);
	free(bounds.negative);
	return k_slice;
}
