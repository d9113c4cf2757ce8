/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdbool.h>
#include <string.h>

#include "number.h"

/* Exponent of the lowest bit that a product of two scaled numbers can have: that of limb 0. */
#define LOWEST_EXPONENT (-266)

#define F32_MANTISSA_BITS 24
#define F32_MIN_EXPONENT  (-149) /* of the lowest bit of subnormal numbers */
#define F32_MAX_EXPONENT  104    /* of the lowest bit of the largest number */
#define F32_INFINITY      UINT32_C(0x7f800000)

#define F16_INFINITY UINT16_C(0x7c00)

static struct ork_scaled decode(uint16_t bits, unsigned int mantissa_bits, int32_t bias)
{
	const uint32_t exponent = (bits & 0x7fffu) >> mantissa_bits;
	const uint32_t fraction = bits & ((1u << mantissa_bits) - 1);
	const int32_t mantissa = (int32_t)(exponent ? fraction | 1u << mantissa_bits : fraction);

	return (struct ork_scaled){
		.mantissa = bits & 0x8000u ? -mantissa : mantissa,
		.exponent = (int32_t)(exponent ? exponent : 1) - bias - (int32_t)mantissa_bits,
	};
}

struct ork_scaled ork_scaled_from_f16(uint16_t bits)
{
	return decode(bits, 10, 15);
}

struct ork_scaled ork_scaled_from_bf16(uint16_t bits)
{
	return decode(bits, 7, 127);
}

void ork_exact_add_product(struct ork_exact *sum, struct ork_scaled a, struct ork_scaled b)
{
	const uint32_t at = (uint32_t)(a.exponent + b.exponent - LOWEST_EXPONENT);
	/* At most 22 bits, so that the shifted product has at most 53 and 2^10 of them fit a limb. */
	const int64_t product = (int64_t)a.mantissa * b.mantissa;

	sum->limb[at / 32] += product * (INT64_C(1) << at % 32);
}

/* Brings every limb into 0..2^32-1; what remains, 0 or -1, is the sign. */
static int64_t carry(struct ork_exact *sum)
{
	int64_t rest = 0;
	int i;

	for (i = 0; i < ORK_EXACT_LIMBS; i++) {
		const int64_t value = sum->limb[i] + rest;

		sum->limb[i] = value & 0xffffffff;
		rest = (value - sum->limb[i]) / (INT64_C(1) << 32);
	}
	return rest;
}

static bool any_below(const struct ork_exact *sum, int at)
{
	int i;

	for (i = 0; i < at / 32; i++)
		if (sum->limb[i])
			return true;
	return (sum->limb[at / 32] & ((INT64_C(1) << at % 32) - 1)) != 0;
}

static int top_bit(const struct ork_exact *sum)
{
	int i = ORK_EXACT_LIMBS - 1;

	while (i >= 0 && !sum->limb[i])
		i--;
	return i < 0 ? -1 : 32 * i + 63 - __builtin_clzll((unsigned long long)sum->limb[i]);
}

static float from_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Bits at..at+31 of the carried sum. */
static uint64_t window(const struct ork_exact *sum, int at)
{
	const int i = at / 32;
	uint64_t both = (uint64_t)sum->limb[i];

	if (i + 1 < ORK_EXACT_LIMBS)
		both |= (uint64_t)sum->limb[i + 1] << 32;
	return both >> at % 32 & 0xffffffff;
}

/* The carried, non-negative sum in binary32. */
static uint32_t round_to_f32(const struct ork_exact *sum, int top)
{
	int low = top - F32_MANTISSA_BITS + 1;
	uint32_t mantissa;

	/* So low is positive: products have bits far below those of binary32. */
	if (low < F32_MIN_EXPONENT - LOWEST_EXPONENT)
		low = F32_MIN_EXPONENT - LOWEST_EXPONENT;
	mantissa = (uint32_t)window(sum, low) & ((1u << F32_MANTISSA_BITS) - 1);
	if (window(sum, low - 1) & 1 && (mantissa & 1 || any_below(sum, low - 1)))
		mantissa++;
	if (low + LOWEST_EXPONENT > F32_MAX_EXPONENT)
		return F32_INFINITY;
	/* The hidden bit adds 1 to the exponent field, and so does a carry out of the mantissa. */
	return ((uint32_t)(low + LOWEST_EXPONENT - F32_MIN_EXPONENT) << (F32_MANTISSA_BITS - 1)) + mantissa;
}

float ork_exact_round(struct ork_exact *sum)
{
	uint32_t sign = 0;
	int i, top;

	if (carry(sum) < 0) {
		for (i = 0; i < ORK_EXACT_LIMBS; i++)
			sum->limb[i] = -sum->limb[i];
		carry(sum);
		sign = UINT32_C(1) << 31;
	}
	top = top_bit(sum);
	return top < 0 ? 0.0f : from_bits(sign | round_to_f32(sum, top));
}

/* value / 2^shift to nearest, ties to even. shift is 1 to 63. */
static uint64_t shift_half_even(uint64_t value, unsigned int shift)
{
	const uint64_t half = UINT64_C(1) << (shift - 1);
	const uint64_t rest = value & (2 * half - 1);
	const uint64_t quotient = value >> (shift - 1) >> 1;

	return quotient + (rest > half || (rest == half && quotient & 1));
}

uint16_t ork_f16_from_f32(float value)
{
	uint32_t bits, magnitude, sign, result;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	magnitude = bits & 0x7fffffff;
	if (magnitude > F32_INFINITY)
		return (uint16_t)(sign | 0x7e00);
	exponent = (int)(magnitude >> 23) - 127;
	if (exponent > 15)
		return (uint16_t)(sign | F16_INFINITY);
	if (exponent >= -14)
		result = (uint32_t)shift_half_even(magnitude - (UINT32_C(112) << 23), 13);
	else if (exponent >= -25)
		result = (uint32_t)shift_half_even((magnitude & 0x7fffff) | 0x800000, (unsigned int)(-1 - exponent));
	else
		result = 0;
	return (uint16_t)(sign | result);
}

int8_t ork_requantise(int32_t sum, const struct ork_requant *requant)
{
	const int64_t product = (int64_t)sum * requant->scale;
	uint64_t magnitude = product < 0 ? (uint64_t)-product : (uint64_t)product;
	int64_t value;

	/* Ties to even are symmetric about 0, so the magnitude can be rounded. */
	if (requant->shift)
		magnitude = shift_half_even(magnitude, requant->shift);
	value = (product < 0 ? -(int64_t)magnitude : (int64_t)magnitude) + requant->offset;
	if (value > INT8_MAX)
		return INT8_MAX;
	return value < INT8_MIN ? INT8_MIN : (int8_t)value;
}
