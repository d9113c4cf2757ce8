/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_UNPACK_H
#define ORK_UNPACK_H

#include "types.h"

/* One tile of C in the stage, as the tasks wrote it. Partial sums of K slices are slice_bytes apart. */
struct ork_c_tile {
	const struct ork_result *result;
	const uint8_t *stage;
	size_t slice_bytes;
	uint32_t slices;
	uint32_t rows, cols;  /* cols is a multiple of the kernel group */
	uint32_t used_cols;   /* of C */
};

/*
 * Adds up the slices in order, in int32 (modulo 2^32) or in binary32, converts to c_type and writes rows x used_cols
 * elements of C. The stage is only read, so that the CPU never has to clean caches over it. requant is for int8 only.
 */
void ork_unpack_c(const struct ork_c_tile *tile, enum ork_dtype c_type, const struct ork_requant *requant, void *c,
		  size_t ldc);

#endif
