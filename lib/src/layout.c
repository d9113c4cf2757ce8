/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <string.h>

#include "layout.h"

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* Part of a tile, whose kernels have 32 consecutive k each: a row of B becomes a column of the tile. */
static void pack_part_8(int8_t *tile, const struct ork_part *part, const int8_t *b, size_t ldb)
{
	uint32_t i, j;

	for (i = 0; i < part->rows; i++)
		for (j = 0; j < part->cols; j++)
			tile[(part->n + j) * ORK_GROUP_K + part->k + i] = b[i * ldb + j];
}

static void pack_part_16(uint16_t *tile, const struct ork_part *part, const uint16_t *b, size_t ldb)
{
	uint32_t i, j;

	for (i = 0; i < part->rows; i++)
		for (j = 0; j < part->cols; j++)
			tile[(part->n + j) * ORK_GROUP_K + part->k + i] = b[i * ldb + j];
}

static void pack_part_4(uint8_t *tile, const struct ork_part *part, const int8_t *b, size_t ldb)
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

static void pack_part(const struct ork_operand *operand, void *tile, const struct ork_part *part, const void *b,
		      size_t ldb)
{
	switch (operand->bits) {
	case 4:
		pack_part_4(tile, part, b, ldb);
		break;
	case 8:
		pack_part_8(tile, part, b, ldb);
		break;
	default:
		pack_part_16(tile, part, b, ldb);
	}
}

static void pack_tile(const struct ork_simd *simd, const struct ork_operand *operand, void *tile,
		      const struct ork_part *part, const void *b, size_t ldb)
{
	if (part->rows < ORK_GROUP_K || part->cols < operand->group_n)
		pack_part(operand, tile, part, b, ldb);
	else if (operand->bits == 4)
		simd->tile_4(tile, b, ldb);
	else if (operand->bits == 8)
		simd->tile_8(tile, b, ldb);
	else
		simd->tile_16(tile, b, ldb);
}

void ork_pack_weights_with(const struct ork_simd *simd, const struct ork_operand *operand, void *packed, uint32_t k_pad,
			   const struct ork_part *part, const void *b, size_t ldb)
{
	const uint32_t group_n = operand->group_n;
	struct ork_part in_tile;
	uint32_t n, k;

	for (k = part->k; k < part->k + part->rows; k += in_tile.rows) {
		in_tile.k = k % ORK_GROUP_K;
		in_tile.rows = at_most(part->k + part->rows - k, ORK_GROUP_K - in_tile.k);
		for (n = part->n; n < part->n + part->cols; n += in_tile.cols) {
			const size_t tile = (size_t)(n / group_n) * (k_pad / ORK_GROUP_K) + k / ORK_GROUP_K;
			const size_t at = (k - part->k) * ldb + n - part->n;

			in_tile.n = n % group_n;
			in_tile.cols = at_most(part->n + part->cols - n, group_n - in_tile.n);
			pack_tile(simd, operand, (uint8_t *)packed + tile * ORK_TILE_BYTES, &in_tile,
				  (const uint8_t *)b + at * operand->user_bytes, ldb);
		}
	}
	simd->fence();
}

void ork_pack_weights(const struct ork_operand *operand, void *packed, uint32_t k_pad, const struct ork_part *part,
		      const void *b, size_t ldb)
{
	ork_pack_weights_with(ork_simd(), operand, packed, k_pad, part, b, ldb);
}

/* Bytes of one K group of one kernel. */
static uint32_t line_bytes(const struct ork_operand *operand)
{
	return ork_operand_bytes(operand, ORK_GROUP_K);
}

/* 32 int4 values of one kernel or row, k of which exist. */
static void pack_atom_4(uint8_t *atom, const int8_t *from, uint32_t k)
{
	uint32_t i;

	memset(atom, 0, ORK_ATOM_BYTES);
	for (i = 0; i < k; i++)
		atom[i / 2] |= (uint8_t)((from[i] & 15) << i % 2 * 4);
}

/* One K group of one kernel, k of whose elements exist. */
static void pack_line(const struct ork_operand *operand, uint8_t *line, const uint8_t *from, uint32_t k)
{
	if (operand->bits == 4) {
		pack_atom_4(line, (const int8_t *)from, k);
		return;
	}
	memcpy(line, from, k * operand->user_bytes);
	memset(line + k * operand->user_bytes, 0, (ORK_GROUP_K - k) * operand->user_bytes);
}

void ork_pack_columns(const struct ork_operand *operand, void *packed, const void *bt, size_t ldb, uint32_t k,
		      uint32_t k_pad, uint32_t n)
{
	const size_t pitch = ldb * operand->user_bytes;
	const uint32_t bytes = line_bytes(operand);
	uint8_t *to = packed;
	uint32_t n0, k0, j;

	for (n0 = 0; n0 < n; n0 += operand->group_n) {
		for (k0 = 0; k0 < k_pad; k0 += ORK_GROUP_K) {
			const uint8_t *from = (const uint8_t *)bt + n0 * pitch + (k0 < k ? k0 : 0) * operand->user_bytes;
			const uint32_t columns = at_most(n - n0, operand->group_n);

			for (j = 0; j < columns; j++)
				pack_line(operand, to + j * bytes, from + j * pitch,
					  k0 < k ? at_most(k - k0, ORK_GROUP_K) : 0);
			memset(to + columns * bytes, 0, (size_t)(operand->group_n - columns) * bytes);
			to += operand->group_n * bytes;
		}
	}
}

static void unpack_element(const struct ork_operand *operand, uint8_t *to, const uint8_t *packed, uint64_t index)
{
	if (operand->bits == 4)
		*to = (uint8_t)(((packed[index / 2] >> index % 2 * 4 & 15) ^ 8) - 8);
	else
		memcpy(to, packed + index * operand->user_bytes, operand->user_bytes);
}

void ork_unpack_weights(const struct ork_operand *operand, void *b, size_t ldb, const void *packed, uint32_t k_slice,
			uint32_t n, uint32_t first_k, uint32_t rows)
{
	const uint32_t ng = operand->group_n;
	const uint64_t slice = (uint64_t)ork_round_up(n, ng) * k_slice;
	uint32_t row, col;

	for (row = 0; row < rows; row++) {
		const uint32_t k = (first_k + row) % k_slice;
		const uint64_t at = (first_k + row) / k_slice * slice + (uint64_t)k / 32 * ng * 32 + k % 32;
		uint8_t *to = (uint8_t *)b + row * ldb * operand->user_bytes;

		for (col = 0; col < n; col++)
			unpack_element(operand, to + col * operand->user_bytes, packed,
				       at + (uint64_t)(col / ng) * ng * k_slice + col % ng * 32);
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
