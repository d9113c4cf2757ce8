/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_LAYOUT_H
#define ORK_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Pure functions between matrices as people have them and memory as the NPU reads and writes it.
 */

/* value rounded up to a multiple of group; value is at most ORK_MAX_DIM. */
static inline uint32_t ork_round_up(uint32_t value, uint32_t group)
{
	return (value + group - 1) / group * group;
}

/*
 * B[k][n] (row-major, ldb) into kernel groups over the full K, padded with zeros to k_pad x n_pad, both multiples of
 * 32: packed[(n/32)*32*k_pad + (k/32)*1024 + (n%32)*32 + k%32] (NPU reference 4.2). Columns [n0, n1) with n0 and n1
 * multiples of 32 are the contiguous bytes [n0*k_pad, n1*k_pad).
 */
void ork_pack_weights_i8(int8_t *packed, const int8_t *b, size_t ldb, uint32_t k, uint32_t n);

/* A[rows][k] (lda) into rows of k_pad bytes; the bytes behind column k are 0. */
void ork_pack_rows_i8(int8_t *packed, uint32_t k_pad, const int8_t *a, size_t lda, uint32_t rows, uint32_t k);

/* rows x cols of int32 with src_ld elements per row into rows of c (ldc). */
void ork_unpack_rows_i32(int32_t *c, size_t ldc, const int32_t *src, size_t src_ld, uint32_t rows, uint32_t cols);

#endif
