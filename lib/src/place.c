/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "place.h"

/* NOTCH counts up to 8192 atoms from row to row (NPU reference 3.9). */
#define MAX_C_PITCH_BYTES (8192 * ORK_ATOM_BYTES)

static const char *misplaced(const struct ork_place *place, const struct ork_shape *shape)
{
	if (!place->bo)
		return "it does not lie in a buffer";
	if (place->offset_bytes % ORK_ATOM_BYTES)
		return "its offset is no multiple of 16 bytes";
	if (shape->rows > 1 && place->ld * place->bytes % ORK_ATOM_BYTES)
		return "its rows are no multiple of 16 bytes apart";
	if (shape->batch > 1 && place->stride * place->bytes % ORK_ATOM_BYTES)
		return "its matrices are no multiple of 16 bytes apart";
	return NULL;
}

const char *ork_place_a_copied(const struct ork_place *place, const struct ork_shape *shape, uint32_t k)
{
	if (place->bo && shape->result->operand->form == ORK_FORM_CUBE)
		return "int4 is packed";
	if (place->bo && k != shape->slices * shape->k_slice)
		return "K is padded";
	return misplaced(place, shape);
}

const char *ork_place_c_copied(const struct ork_place *place, const struct ork_shape *shape, uint32_t n,
			       enum ork_dtype c_type)
{
	if (place->bo && shape->slices > 1)
		return "K slices are added";
	if (place->bo && shape->result->type != c_type)
		return "it is converted";
	if (place->bo && n != shape->cols)
		return "N is padded";
	if (place->bo && shape->rows > 1 && place->ld * place->bytes > MAX_C_PITCH_BYTES)
		return "its rows are more than 128 KiB apart";
	return misplaced(place, shape);
}

uint64_t ork_place_offset(const struct ork_place *place, uint32_t batch, uint32_t row)
{
	return ((uint64_t)batch * place->stride + (uint64_t)row * place->ld) * place->bytes;
}

uint64_t ork_place_extent(const struct ork_place *place, uint32_t batch, uint32_t rows, uint32_t cols)
{
	return ork_place_offset(place, batch - 1, rows - 1) + cols * place->bytes;
}
