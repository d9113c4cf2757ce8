/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_LAYOUT_H
#define ORK_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "simd.h"
#include "types.h"

/*
 * Pure functions between matrices as people have them and memory as the NPU reads and writes it.
 */

/* value rounded up to a multiple of group; value is at most ORK_MAX_DIM. */
static inline uint32_t ork_round_up(uint32_t value, uint32_t group)
{
	return (value + group - 1) / group * group;
}

/* A tile is one kernel group times 32 k (NPU reference 4.2). */
#define ORK_TILE_BYTES 1024

/* rows x cols elements of B from [k][n] on. */
struct ork_part {
	uint32_t k, rows;
	uint32_t n, cols;
};

/*
 * Part of B, whose elements are at b (row-major, ldb), to their places in kernel groups:
 *
 *     packed[(n/Ng)*Ng*k_pad + (k/32)*Ng*32 + (n%Ng)*32 + k%32]    (NPU reference 4.2)
 *
 * so that columns [n0, n1), multiples of Ng, are contiguous. Two int4 values share a byte, even k in the low half.
 * k_pad is a multiple of 32. Nothing else is written: memory that is 0 before has zeros as padding.
 */
void ork_pack_weights(const struct ork_operand *operand, void *packed, uint32_t k_pad, const struct ork_part *part,
		      const void *b, size_t ldb);

/* With the inner loops of a certain instruction set. */
void ork_pack_weights_with(const struct ork_simd *simd, const struct ork_operand *operand, void *packed, uint32_t k_pad,
			   const struct ork_part *part, const void *b, size_t ldb);

/*
 * All of B, k x n, from B transposed: bt[n][k] (row-major, ldb), with zeros as padding.
 */
void ork_pack_columns(const struct ork_operand *operand, void *packed, const void *bt, size_t ldb, uint32_t k,
		      uint32_t k_pad, uint32_t n);

/*
 * Rows [first_k, first_k + rows) of B[k][n], as the caller had them, from packed slices of k_slice.
 */
void ork_unpack_weights(const struct ork_operand *operand, void *b, size_t ldb, const void *packed, uint32_t k_slice,
			uint32_t n, uint32_t first_k, uint32_t rows);

/*
 * rows of A[rows][k] (lda) as the tasks of slices read them: slice number s holds the columns [s * k_slice, (s + 1) *
 * k_slice), and what lies behind column k is 0.
 *
 *   ORK_FORM_ROWS: A[rows][slices * k_slice]
 *   ORK_FORM_CUBE: one cube of [k_slice / 32][rows][32] per slice
 */
struct ork_a_shape {
	uint32_t rows, k;
	uint32_t k_slice, slices;
};

void ork_pack_a(const struct ork_operand *operand, void *packed, const void *a, size_t lda,
		const struct ork_a_shape *shape);

/* Whether all elements of rows x cols int8 are -8..7. */
int ork_check_i4(const int8_t *data, size_t ld, uint32_t rows, uint32_t cols);

#endif
