/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "ref.h"

/*
 * CPU reference for integers. It walks B in panels of PANEL_N columns and PANEL_K rows, widened to int32 once, and multiplies four
 * rows of A with a panel at a time: the 4 x 16 sums then stay in the vector registers of any 64-bit CPU.
 */
#define LANES   4
#define VECS    4
#define PANEL_N (LANES * VECS)
#define PANEL_K 256
#define BLOCK_M 4

/* GCC unrolls the loops over rows and vectors completely only at this level; Clang does it anyway. */
#ifdef __clang__
#define UNROLLED
#else
#define UNROLLED __attribute__((optimize("O3")))
#endif

/* Unsigned, because sums count modulo 2^32. */
typedef uint32_t vec __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* PANEL_N columns of one row. */
struct strip {
	vec v[VECS];
};

static size_t at_most(size_t value, size_t limit)
{
	return value < limit ? value : limit;
}

static void widen_panel(struct strip *panel, const int8_t *b, size_t ldb, size_t k, size_t n)
{
	uint32_t row[PANEL_N] = { 0 };
	size_t i, j;

	for (i = 0; i < k; i++) {
		for (j = 0; j < n; j++)
			row[j] = (uint32_t)b[i * ldb + j];
		memcpy(&panel[i], row, sizeof(row));
	}
}

/* sums[r] += a[r][0..k) * panel. Rows that do not exist are given as copies of an existing one. */
UNROLLED static void multiply_panel(struct strip sums[BLOCK_M], const int8_t *const a[BLOCK_M],
				    const struct strip *panel, size_t k)
{
	struct strip s[BLOCK_M];
	size_t i;
	int r, v;

	memcpy(s, sums, sizeof(s));
	for (i = 0; i < k; i++)
		for (r = 0; r < BLOCK_M; r++)
			for (v = 0; v < VECS; v++)
				s[r].v[v] += panel[i].v[v] * (uint32_t)a[r][i];
	memcpy(sums, s, sizeof(s));
}

/* Adds the panel's part to m rows of sums. */
static void add_panel(struct strip *sums, const int8_t *a, size_t lda, const struct strip *panel, size_t m, size_t k)
{
	size_t row, i;

	for (row = 0; row < m; row += BLOCK_M) {
		const size_t rows = at_most(m - row, BLOCK_M);
		const int8_t *a_rows[BLOCK_M];
		struct strip block[BLOCK_M] = { 0 };

		for (i = 0; i < BLOCK_M; i++)
			a_rows[i] = a + (row + at_most(i, rows - 1)) * lda;
		memcpy(block, sums + row, rows * sizeof(*sums));
		multiply_panel(block, a_rows, panel, k);
		memcpy(sums + row, block, rows * sizeof(*sums));
	}
}

/* Columns [n0, n0 + n) of C from their sums. */
static void store(const struct ork_ref_desc *desc, enum ork_dtype c_type, const struct strip *sums, size_t n0, size_t n)
{
	int32_t row[PANEL_N];
	size_t i, j;

	for (i = 0; i < desc->m; i++) {
		memcpy(row, &sums[i], sizeof(row));
		if (c_type == ORK_I32)
			memcpy((int32_t *)desc->c + i * desc->ldc + n0, row, n * sizeof(*row));
		for (j = 0; j < n && c_type == ORK_I8; j++)
			((int8_t *)desc->c)[i * desc->ldc + n0 + j] = ork_requantise(row[j], &desc->requant);
	}
}

int ork_ref_integer(const struct ork_ref_desc *desc, enum ork_dtype c_type)
{
	const int8_t *a = desc->a, *b = desc->b;
	struct strip panel[PANEL_K], *sums = malloc(desc->m * sizeof(*sums));
	size_t n0, k0;

	if (!sums)
		return -ENOMEM;
	for (n0 = 0; n0 < desc->n; n0 += PANEL_N) {
		const size_t cols = at_most(desc->n - n0, PANEL_N);

		memset(sums, 0, desc->m * sizeof(*sums));
		for (k0 = 0; k0 < desc->k; k0 += PANEL_K) {
			const size_t depth = at_most(desc->k - k0, PANEL_K);

			widen_panel(panel, b + k0 * desc->ldb + n0, desc->ldb, depth, cols);
			add_panel(sums, a + k0, desc->lda, panel, desc->m, depth);
		}
		store(desc, c_type, sums, n0, cols);
	}
	free(sums);
	return 0;
}
