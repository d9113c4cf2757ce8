/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <string.h>

#include "number.h"
#include "unpack.h"

/* Elements of an atom of int16. */
#define ATOM_I16 (ORK_ATOM_BYTES / 2)

/* Rows of a cube that are unpacked together. */
#define CUBE_ROWS 8

/* Columns that are summed at a time. */
#define CHUNK 256

union sums {
	uint32_t integers[CHUNK]; /* unsigned, because they count modulo 2^32 */
	float floats[CHUNK];
};

static void add_part(enum ork_dtype type, union sums *sums, const void *part, uint32_t count)
{
	const uint32_t *integers = part;
	const float *floats = part;
	uint32_t i;

	if (type == ORK_F32)
		for (i = 0; i < count; i++)
			sums->floats[i] += floats[i];
	else
		for (i = 0; i < count; i++)
			sums->integers[i] += integers[i];
}

static void store(enum ork_dtype c_type, const struct ork_requant *requant, void *c, const union sums *sums,
		  uint32_t count)
{
	uint16_t *halves = c;
	int8_t *bytes = c;
	uint32_t i;

	switch (c_type) {
	case ORK_I8:
		for (i = 0; i < count; i++)
			bytes[i] = ork_requantise((int32_t)sums->integers[i], requant);
		break;
	case ORK_F16:
		for (i = 0; i < count; i++)
			halves[i] = ork_f16_from_f32(sums->floats[i]);
		break;
	default:
		memcpy(c, sums, count * sizeof(sums->integers[0]));
	}
}

/* Partial sums are 4 bytes wide. */
static void sum_row(const struct ork_c_tile *tile, enum ork_dtype c_type, const struct ork_requant *requant, uint8_t *c,
		    const uint8_t *row)
{
	uint32_t col, count, s;
	union sums sums;

	for (col = 0; col < tile->used_cols; col += count) {
		const uint8_t *part = row + col * tile->result->bytes;

		count = tile->used_cols - col < CHUNK ? tile->used_cols - col : CHUNK;
		memcpy(&sums, part, count * tile->result->bytes);
		for (s = 1; s < tile->slices; s++)
			add_part(tile->result->type, &sums, part + s * tile->slice_bytes, count);
		store(c_type, requant, c + col * ork_dtype_bytes(c_type), &sums, count);
	}
}

static void unpack_rows(const struct ork_c_tile *tile, enum ork_dtype c_type, const struct ork_requant *requant,
			uint8_t *c, size_t c_pitch)
{
	const uint8_t *row = tile->stage;
	uint32_t i;

	for (i = 0; i < tile->rows; i++) {
		if (tile->slices == 1)
			memcpy(c, row, (size_t)tile->used_cols * tile->result->bytes);
		else
			sum_row(tile, c_type, requant, c, row);
		row += (size_t)tile->cols * tile->result->bytes;
		c += c_pitch;
	}
}

/* The sums of the slices of one atom, whose first slice is given. */
static void sum_atom(const struct ork_c_tile *tile, const uint8_t *atom, uint32_t *sums)
{
	const int16_t *part = (const int16_t *)(const void *)atom;
	uint32_t s, i;

	for (i = 0; i < ATOM_I16; i++)
		sums[i] = (uint32_t)part[i];
	for (s = 1; s < tile->slices; s++) {
		part = (const int16_t *)(const void *)(atom + s * tile->slice_bytes);
		for (i = 0; i < ATOM_I16; i++)
			sums[i] += (uint32_t)part[i];
	}
}

/* int16 in planes of 8 columns (NPU reference 4.4), some rows of each at a time, because they share cache lines. */
static void unpack_cube_rows(const struct ork_c_tile *tile, uint32_t *c, size_t ldc, uint32_t row, uint32_t rows)
{
	uint32_t sums[ATOM_I16], n, i, count;

	for (n = 0; n < tile->used_cols; n += ATOM_I16) {
		const uint8_t *atom = tile->stage + ((size_t)n * tile->rows + (size_t)row * ATOM_I16) * sizeof(int16_t);

		count = tile->used_cols - n < ATOM_I16 ? tile->used_cols - n : ATOM_I16;
		for (i = 0; i < rows; i++, atom += ORK_ATOM_BYTES) {
			sum_atom(tile, atom, sums);
			/* A whole atom's copy is two instructions. */
			if (count == ATOM_I16)
				memcpy(c + (row + i) * ldc + n, sums, sizeof(sums));
			else
				memcpy(c + (row + i) * ldc + n, sums, count * sizeof(*c));
		}
	}
}

void ork_unpack_c(const struct ork_c_tile *tile, enum ork_dtype c_type, const struct ork_requant *requant, void *c,
		  size_t ldc)
{
	uint32_t row, rows;

	if (tile->result->operand->form == ORK_FORM_ROWS) {
		unpack_rows(tile, c_type, requant, c, ldc * ork_dtype_bytes(c_type));
		return;
	}
	for (row = 0; row < tile->rows; row += rows) {
		rows = tile->rows - row < CUBE_ROWS ? tile->rows - row : CUBE_ROWS;
		unpack_cube_rows(tile, c, ldc, row, rows);
	}
}
