/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <string.h>

#include "layout.h"

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* One tile, whose kernels have 32 consecutive k each: a row of B becomes a column of the tile. */
static void pack_tile_8(int8_t *tile, const struct ork_part *part, const int8_t *b, size_t ldb)
{
	uint32_t i, j;

	for (i = 0; i < part->rows; i++)
		for (j = 0; j < part->cols; j++)
			tile[(part->n + j) * ORK_GROUP_K + part->k + i] = b[i * ldb + j];
}

static void pack_tile_16(uint16_t *tile, const struct ork_part *part, const uint16_t *b, size_t ldb)
{
	uint32_t i, j;

	for (i = 0; i < part->rows; i++)
		for (j = 0; j < part->cols; j++)
			tile[(part->n + j) * ORK_GROUP_K + part->k + i] = b[i * ldb + j];
}

static void pack_tile_4(uint8_t *tile, const struct ork_part *part, const int8_t *b, size_t ldb)
{
	uint32_t i, j, shift;
	uint8_t *at;

	for (i = 0; i < part->rows; i++) {
		shift = (part->k + i) % 2 * 4;
		for (j = 0; j < part->cols; j++) {
			at = &tile[((part->n + j) * ORK_GROUP_K + part->k + i) / 2];
			*at = (uint8_t)((*at & ~(15 << shift)) | (b[i * ldb + j] & 15) << shift);
		}
	}
}

static void pack_tile(const struct ork_operand *operand, void *tile, const struct ork_part *part, const void *b,
		      size_t ldb)
{
	switch (operand->bits) {
	case 4:
		pack_tile_4(tile, part, b, ldb);
		break;
	case 8:
		pack_tile_8(tile, part, b, ldb);
		break;
	default:
		pack_tile_16(tile, part, b, ldb);
	}
}

void ork_pack_weights(const struct ork_operand *operand, void *packed, uint32_t k_pad, const struct ork_part *part,
		      const void *b, size_t ldb)
{
	const uint32_t group_n = operand->group_n;
	struct ork_part in_tile;
	uint32_t n, k;

	for (n = part->n; n < part->n + part->cols; n += in_tile.cols) {
		in_tile.n = n % group_n;
		in_tile.cols = at_most(part->n + part->cols - n, group_n - in_tile.n);
		for (k = part->k; k < part->k + part->rows; k += in_tile.rows) {
			const size_t tile = (size_t)(n / group_n) * (k_pad / ORK_GROUP_K) + k / ORK_GROUP_K;
			const size_t at = (k - part->k) * ldb + n - part->n;

			in_tile.k = k % ORK_GROUP_K;
			in_tile.rows = at_most(part->k + part->rows - k, ORK_GROUP_K - in_tile.k);
			pack_tile(operand, (uint8_t *)packed + tile * ORK_TILE_BYTES, &in_tile,
				  (const uint8_t *)b + at * operand->user_bytes, ldb);
		}
	}
}

static void pack_rows(const struct ork_operand *operand, uint8_t *packed, const uint8_t *a, size_t lda,
		      const struct ork_a_shape *shape)
{
	const size_t used = shape->k * operand->user_bytes;
	const size_t pitch = (size_t)shape->slices * shape->k_slice * operand->user_bytes;
	uint32_t row;

	for (row = 0; row < shape->rows; row++) {
		memcpy(packed, a + row * lda * operand->user_bytes, used);
		memset(packed + used, 0, pitch - used);
		packed += pitch;
	}
}

/* 32 int4 values of one row, k of which exist. */
static void pack_atom_4(uint8_t *atom, const int8_t *a, uint32_t k)
{
	uint32_t i;

	memset(atom, 0, ORK_ATOM_BYTES);
	for (i = 0; i < k; i++)
		atom[i / 2] |= (uint8_t)((a[i] & 15) << i % 2 * 4);
}

/* Slices are multiples of 32, so that planes of all slices follow each other. */
static void pack_cubes_4(uint8_t *packed, const int8_t *a, size_t lda, const struct ork_a_shape *shape)
{
	const uint32_t k_total = shape->slices * shape->k_slice;
	uint32_t k0, row;

	for (k0 = 0; k0 < k_total; k0 += ORK_GROUP_K) {
		const uint32_t k = k0 < shape->k ? at_most(shape->k - k0, ORK_GROUP_K) : 0;

		for (row = 0; row < shape->rows; row++) {
			pack_atom_4(packed, k ? a + row * lda + k0 : a, k);
			packed += ORK_ATOM_BYTES;
		}
	}
}

void ork_pack_a(const struct ork_operand *operand, void *packed, const void *a, size_t lda,
		const struct ork_a_shape *shape)
{
	if (operand->form == ORK_FORM_CUBE)
		pack_cubes_4(packed, a, lda, shape);
	else
		pack_rows(operand, packed, a, lda, shape);
}

int ork_check_i4(const int8_t *data, size_t ld, uint32_t rows, uint32_t cols)
{
	uint32_t row, col, outside = 0;

	for (row = 0; row < rows; row++)
		for (col = 0; col < cols; col++)
			outside |= (uint32_t)(data[row * ld + col] + 8) & ~15u;
	return !outside;
}
