/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <string.h>

#include "layout.h"
#include "plan.h"

#define TILE_BYTES (ORK_I8_GROUP_N * ORK_I8_GROUP_K)

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* One tile: 32 kernels of 32 consecutive k each; a row of B becomes a column of the tile. */
static void pack_tile(int8_t *tile, const int8_t *b, size_t ldb, uint32_t k, uint32_t n)
{
	uint32_t i, j;

	if (k < ORK_I8_GROUP_K || n < ORK_I8_GROUP_N)
		memset(tile, 0, TILE_BYTES);
	for (i = 0; i < k; i++)
		for (j = 0; j < n; j++)
			tile[j * ORK_I8_GROUP_K + i] = b[i * ldb + j];
}

void ork_pack_weights_i8(int8_t *packed, const int8_t *b, size_t ldb, uint32_t k, uint32_t n)
{
	uint32_t n0, k0;

	for (n0 = 0; n0 < n; n0 += ORK_I8_GROUP_N) {
		for (k0 = 0; k0 < k; k0 += ORK_I8_GROUP_K) {
			pack_tile(packed, b + k0 * ldb + n0, ldb, at_most(k - k0, ORK_I8_GROUP_K),
				  at_most(n - n0, ORK_I8_GROUP_N));
			packed += TILE_BYTES;
		}
	}
}

void ork_pack_rows_i8(int8_t *packed, uint32_t k_pad, const int8_t *a, size_t lda, uint32_t rows, uint32_t k)
{
	uint32_t row;

	for (row = 0; row < rows; row++) {
		memcpy(packed, a + row * lda, k);
		memset(packed + k, 0, k_pad - k);
		packed += k_pad;
	}
}

void ork_unpack_rows_i32(int32_t *c, size_t ldc, const int32_t *src, size_t src_ld, uint32_t rows, uint32_t cols)
{
	uint32_t row;

	for (row = 0; row < rows; row++)
		memcpy(c + row * ldc, src + row * src_ld, cols * sizeof(*c));
}
