/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PLACE_H
#define ORK_PLACE_H

#include "internal.h"

/* Where A or C of a product lies, and whether the NPU works there or in a copy. */
struct ork_place {
	struct ork_bo *bo;     /* NULL: memory of the caller */
	size_t offset_bytes;   /* in the buffer */
	uint8_t *data;         /* memory of the caller; of a buffer, once it is mapped to be copied */
	size_t ld, stride;     /* in elements of bytes */
	size_t bytes;
	const char *copied;    /* why there is a copy; NULL: the NPU works in place */
};

/* Shape and types decide, together with the place itself. strides count only if there is more than one matrix. */
const char *ork_place_a_copied(const struct ork_place *place, const struct ork_shape *shape, uint32_t k);
const char *ork_place_c_copied(const struct ork_place *place, const struct ork_shape *shape, uint32_t n,
			       enum ork_dtype c_type);

/* Bytes before a row of a matrix, and from the first to the last byte of several. */
uint64_t ork_place_offset(const struct ork_place *place, uint32_t batch, uint32_t row);
uint64_t ork_place_extent(const struct ork_place *place, uint32_t batch, uint32_t rows, uint32_t cols);

#endif
