/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_FP_H
#define NPU_FP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Floating point in integer arithmetic, so that results do not depend on the host's FPU. Values are bit patterns. There is one
 * NaN, 0x7fc00000, and sums that are zero are +0.
 */

/* A finite number: (negative ? -1 : 1) * significand * 2^exponent. */
struct npu_real {
	bool negative;
	uint32_t significand;
	int exponent;
};

/*
 * How the MAC array reads its operands. Subnormals count exactly (NPU reference 5.1). What silicon does with infinities and NaNs is
 * not known; here their exponent is one like the others.
 */
struct npu_real npu_real_fp16(uint16_t bits);
struct npu_real npu_real_bf16(uint16_t bits);
/* Drops the low 13 bits of the fp32 pattern first (NPU reference 0.4, D17). */
struct npu_real npu_real_tf32(uint32_t bits);

/* A sum of products without any rounding: a fixed-point number that holds any of fp32, and any of their products. */
#define NPU_EXACT_LIMBS  10
#define NPU_EXACT_LOWEST (-320) /* exponent of the lowest bit */

struct npu_exact {
	uint64_t limb[NPU_EXACT_LIMBS]; /* two's complement, lowest first */
};

/* Adds significand * 2^exponent, or subtracts it. exponent >= NPU_EXACT_LOWEST, and the sum stays below 2^319. */
void npu_exact_add(struct npu_exact *sum, bool negative, uint64_t significand, int exponent);
void npu_exact_add_product(struct npu_exact *sum, struct npu_real a, struct npu_real b);

/* The nearest fp32, ties to even; infinity beyond the largest. */
uint32_t npu_exact_round(const struct npu_exact *sum);

/* Rounded to nearest, ties to even. */
uint32_t npu_fp32_add(uint32_t a, uint32_t b);
uint32_t npu_fp32_multiply(uint32_t a, uint32_t b);
uint32_t npu_fp32_from_integer(int64_t value);
/* Nothing is published about narrowing (NPU reference 5.2): nearest, ties to even, too large is infinite. */
uint16_t npu_fp32_to_fp16(uint32_t bits);
uint16_t npu_fp32_to_bf16(uint32_t bits);

uint32_t npu_fp32_from_fp16(uint16_t bits);
uint32_t npu_fp32_from_bf16(uint16_t bits);

static inline bool npu_fp32_is_nan(uint32_t bits)
{
	return (bits & 0x7fffffff) > 0x7f800000;
}

/* a < b; false if one is NaN. -0 and +0 are equal. */
bool npu_fp32_less(uint32_t a, uint32_t b);

#endif
