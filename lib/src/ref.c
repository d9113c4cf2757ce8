/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <ork.h>

/*
 * CPU reference. It walks B in panels of PANEL_N columns and PANEL_K rows, widened to int32 once, and multiplies four
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

typedef int32_t vec __attribute__((vector_size(LANES * sizeof(int32_t))));

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
	int32_t row[PANEL_N] = { 0 };
	size_t i, j;

	for (i = 0; i < k; i++) {
		for (j = 0; j < n; j++)
			row[j] = b[i * ldb + j];
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
				s[r].v[v] += panel[i].v[v] * (int32_t)a[r][i];
	memcpy(sums, s, sizeof(s));
}

/* Adds the panel's part to rows of C; the first panel of a column block starts from 0. */
static void add_panel(int32_t *c, size_t ldc, const int8_t *a, size_t lda, const struct strip *panel, size_t m,
		      size_t k, size_t n, bool first)
{
	size_t row, i;

	for (row = 0; row < m; row += BLOCK_M) {
		const size_t rows = at_most(m - row, BLOCK_M);
		const int8_t *a_rows[BLOCK_M];
		struct strip sums[BLOCK_M] = { 0 };

		for (i = 0; i < BLOCK_M; i++)
			a_rows[i] = a + (row + at_most(i, rows - 1)) * lda;
		for (i = 0; i < rows && !first; i++)
			memcpy(&sums[i], c + (row + i) * ldc, n * sizeof(*c));
		multiply_panel(sums, a_rows, panel, k);
		for (i = 0; i < rows; i++)
			memcpy(c + (row + i) * ldc, &sums[i], n * sizeof(*c));
	}
}

int ork_ref_matmul_i8(const int8_t *a, size_t lda, const int8_t *b, size_t ldb, int32_t *c, size_t ldc, size_t m,
		      size_t k, size_t n)
{
	struct strip panel[PANEL_K];
	size_t n0, k0;

	if (!a || !b || !c || !m || !k || !n || lda < k || ldb < n || ldc < n)
		return -EINVAL;
	if (m > ORK_MAX_DIM || k > ORK_MAX_DIM || n > ORK_MAX_DIM)
		return -E2BIG;
	/* |sum| <= K * 2^14, so int32 holds every sum up to K = 131071. */
	if (k > 131071)
		return -ENOTSUP;
	for (n0 = 0; n0 < n; n0 += PANEL_N) {
		for (k0 = 0; k0 < k; k0 += PANEL_K) {
			const size_t cols = at_most(n - n0, PANEL_N);
			const size_t depth = at_most(k - k0, PANEL_K);

			widen_panel(panel, b + k0 * ldb + n0, ldb, depth, cols);
			add_panel(c + n0, ldc, a + k0, lda, panel, m, depth, cols, k0 == 0);
		}
	}
	return 0;
}
