/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_NUMBER_H
#define ORK_NUMBER_H

#include <stdint.h>
#include <string.h>

#include <ork.h>

/*
 * Arithmetic of the NPU, one number at a time and in integers, so that it does not depend on the CPU's rounding mode.
 */

/* mantissa * 2^exponent. */
struct ork_scaled {
	int32_t mantissa;
	int32_t exponent; /* -133 to 120 */
};

/* Value of a finite binary16 or bfloat16 number; infinities and NaN count as the numbers that their bits would be. */
struct ork_scaled ork_scaled_from_f16(uint16_t bits);
struct ork_scaled ork_scaled_from_bf16(uint16_t bits);

/*
 * Sum of up to 2^20 products of scaled numbers without any rounding: 32 bits of the sum's fixed-point value per limb,
 * the rest of each limb takes what has not been carried yet.
 */
#define ORK_EXACT_LIMBS 19

struct ork_exact {
	int64_t limb[ORK_EXACT_LIMBS];
};

void ork_exact_add_product(struct ork_exact *sum, struct ork_scaled a, struct ork_scaled b);

/* The sum rounded once to binary32, to nearest, ties to even. Exact zero is +0. Leaves the sum in an unusable state. */
float ork_exact_round(struct ork_exact *sum);

/* binary32 to binary16: nearest, ties to even; from 65520 on infinity (NPU reference 5.2). */
uint16_t ork_f16_from_f32(float value);

/*
 * The nearest integer, ties to even in the CPU's default mode, to a value whose integer is -127 to 127. Numbers of 2^23 to
 * 2^24 have no fraction, so adding one rounds; the integer is in the low bits then.
 */
static inline int8_t ork_nearest_i8(float value)
{
	const float sum = value + 12582912.0f;
	int32_t bits;

	memcpy(&bits, &sum, sizeof(bits));
	return (int8_t)(bits - 0x4b400000);
}

/* OUT_CVT of the NPU (NPU reference 5.5): sat8(half_even((sum * scale) >> shift) + offset). */
int8_t ork_requantise(int32_t sum, const struct ork_requant *requant);

#endif
