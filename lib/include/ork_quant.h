/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_QUANT_H
#define ORK_QUANT_H

#include <stdbool.h>
#include <ork.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * From real numbers to the integers of the NPU and back. Part of libork; the conventions are those of ork.h, but there is
 * no device: an error is only its value.
 *
 * Symmetric quantisation: x = q * scale with |q| <= 127 for ORK_I8, 7 for ORK_I4. A product of quantised A (a scale per
 * row) and B (a scale per column) becomes real with ork_dequantise().
 *
 * Results do not depend on the CPU's instruction set. Rounding is to nearest, ties to even, in the CPU's default mode.
 */

/*
 * Each row of x[rows][cols] with a scale of its own: activations A[M][K], or weights as models have them, B transposed
 * [N][K], for ork_pack_put().
 *
 *   type:   ORK_I8 or ORK_I4
 *   scales: [rows]; 0 for a row of zeros or of numbers below 1e-36, which become 0
 *
 * -EDOM: a number is infinite or no number; q and scales are then undefined.
 */
int ork_quantise_rows(enum ork_dtype type, const float *x, size_t ldx, size_t rows, size_t cols, int8_t *q, size_t ldq,
		      float *scales);

/* Each column with a scale of its own: weights B[K][N] for ork_weights_create(). scales: [cols]. Else as above. */
int ork_quantise_columns(enum ork_dtype type, const float *x, size_t ldx, size_t rows, size_t cols, int8_t *q,
			 size_t ldq, float *scales);

/*
 * out[m][n] = c[m][n] * row_scales[m] * column_scales[n], or that added to out if add is true: with groups along K,
 * each group is a product of its own.
 */
int ork_dequantise(const int32_t *c, size_t ldc, size_t rows, size_t cols, const float *row_scales,
		   const float *column_scales, float *out, size_t ldo, bool add);

/*
 * Multiplies every `order` consecutive numbers of each row by the Sylvester-Hadamard matrix of that order over
 * sqrt(order), in place. Large values of a few channels spread over all, which int4 needs. Done to the rows of A and of
 * B transposed, it leaves the product as it is; done twice, it leaves the row.
 *
 * -EINVAL: order is no power of two or does not divide cols.
 */
int ork_hadamard(float *x, size_t ldx, size_t rows, size_t cols, size_t order);

/*
 * Parameters of an int8 result: sums times factor, plus offset; for example factor = scale of A * scale of B / scale of
 * C. They are exact to 15 bits. -ERANGE: the factor is 32768 or more, or no number.
 */
int ork_requant_of(double factor, int32_t offset, struct ork_requant *requant);

/*
 * Longest equal K slices, up to `longest` (0: no limit), in which no sum of these int4 weights leaves int16; see
 * struct ork_pack_tensor. bt[n][k] is B transposed. A tensor in parts: call for each part with the last result, and
 * again until the result stays.
 */
int ork_i4_k_slice(const int8_t *bt, size_t ldb, size_t n, size_t k, size_t longest, size_t *k_slice);

/* Conversions of count numbers; to binary16 nearest, ties to even, and from 65520 on infinity. */
void ork_f16_of_f32(uint16_t *to, const float *from, size_t count);
void ork_f32_of_f16(float *to, const uint16_t *from, size_t count);

#ifdef __cplusplus
}
#endif

#endif
