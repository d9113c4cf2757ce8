/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SLICE_H
#define ORK_SLICE_H

#include "types.h"

/* count matrices B[k][n] of int8_t. */
struct ork_matrices {
	const int8_t *b;
	size_t ldb, stride;
	uint32_t k, n, count;
};

/* K of slices of equal size, none above max_k: a multiple of 32. */
uint32_t ork_slice_even(uint32_t k, uint32_t max_k);

/*
 * K of slices in which no sum of products with int4 values can leave int16, whatever A is: for the weights of a column
 * in a slice, with P the sum of the positive ones and -Q that of the negative ones, 7P + 8Q <= 32767 and 8P + 7Q <=
 * 32768 (NPU reference 5.4). 0: out of memory.
 */
uint32_t ork_slice_i4(const struct ork_matrices *matrices, uint32_t max_k);

/* The same for a B transposed, bt[n][k]; the result is at most max_k, a multiple of 32. */
uint32_t ork_slice_i4_columns(const int8_t *bt, size_t ldb, uint32_t n, uint32_t k, uint32_t max_k);

#endif
