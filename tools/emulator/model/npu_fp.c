/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_fp.h"

#define FP32_NAN      0x7fc00000u
#define FP32_INFINITY 0x7f800000u
#define FP32_SIGN     0x80000000u

/* fraction bits and bias of a format; the sign is the bit above the exponent. */
static struct npu_real unpack(uint32_t bits, int fraction, int exponent_bits, int bias)
{
	uint32_t exponent = bits >> fraction & ((1u << exponent_bits) - 1);
	struct npu_real real = {
		.negative = bits >> (fraction + exponent_bits) & 1,
		.significand = bits & ((1u << fraction) - 1),
		.exponent = (exponent > 0 ? (int)exponent : 1) - bias - fraction,
	};

	if (exponent > 0)
		real.significand |= 1u << fraction;
	return real;
}

struct npu_real npu_real_fp16(uint16_t bits)
{
	return unpack(bits, 10, 5, 15);
}

struct npu_real npu_real_bf16(uint16_t bits)
{
	return unpack(bits, 7, 8, 127);
}

struct npu_real npu_real_tf32(uint32_t bits)
{
	return unpack(bits >> 13, 10, 8, 127);
}

static struct npu_real real_fp32(uint32_t bits)
{
	return unpack(bits, 23, 8, 127);
}

void npu_exact_add(struct npu_exact *sum, bool negative, uint64_t significand, int exponent)
{
	unsigned int at = (unsigned int)(exponent - NPU_EXACT_LOWEST), shift = at % 64;
	uint64_t part[2] = { significand << shift, shift ? significand >> (64 - shift) : 0 };
	uint64_t carry = 0;

	for (unsigned int i = at / 64; i < NPU_EXACT_LIMBS; i++) {
		uint64_t add = i - at / 64 < 2 ? part[i - at / 64] : 0, old = sum->limb[i];
		uint64_t with_carry = add + carry;
		bool wrapped = with_carry < carry;

		sum->limb[i] = negative ? old - with_carry : old + with_carry;
		carry = wrapped || (negative ? old < with_carry : sum->limb[i] < old);
		if (carry == 0 && i > at / 64)
			return;
	}
}

void npu_exact_add_product(struct npu_exact *sum, struct npu_real a, struct npu_real b)
{
	npu_exact_add(sum, a.negative != b.negative, (uint64_t)a.significand * b.significand, a.exponent + b.exponent);
}

static bool bit(const struct npu_exact *number, int at)
{
	return at >= 0 && number->limb[at / 64] >> (at % 64) & 1;
}

static bool any_below(const struct npu_exact *number, int at)
{
	for (int limb = 0; limb < at / 64; limb++)
		if (number->limb[limb])
			return true;
	return at > 0 && number->limb[at / 64] & ((UINT64_C(1) << (at % 64)) - 1);
}

/* Nearest multiple of bit number lowest of a magnitude, ties to even, in units of that bit. */
static uint64_t round_at(const struct npu_exact *magnitude, int top, int lowest)
{
	uint64_t kept = 0;
	bool half = bit(magnitude, lowest - 1);

	for (int i = top; i >= lowest; i--)
		kept = kept << 1 | bit(magnitude, i);
	return kept + (half && (kept & 1 || any_below(magnitude, lowest - 1)));
}

/* Rounds to a format with the given fraction bits and smallest normal exponent; returns its bits without sign. */
static uint32_t round_to_format(const struct npu_exact *magnitude, int fraction, int bias)
{
	int top = NPU_EXACT_LIMBS * 64 - 1, subnormal = 1 - bias - fraction - NPU_EXACT_LOWEST, lowest;
	uint32_t infinity = (2u * (unsigned int)bias + 1) << fraction;
	uint64_t packed;

	while (top > 0 && magnitude->limb[top / 64] == 0)
		top -= 64;
	while (top >= 0 && !bit(magnitude, top))
		top--;
	lowest = top - fraction > subnormal ? top - fraction : subnormal;
	/* The exponent counts the binades above the subnormals; the leading bit of a normal number adds the missing one. */
	packed = ((uint64_t)(lowest - subnormal) << fraction) + round_at(magnitude, top, lowest);
	return packed < infinity ? (uint32_t)packed : infinity;
}

static bool magnitude_of(const struct npu_exact *sum, struct npu_exact *magnitude)
{
	bool negative = sum->limb[NPU_EXACT_LIMBS - 1] >> 63;
	uint64_t carry = negative;

	for (int i = 0; i < NPU_EXACT_LIMBS; i++) {
		magnitude->limb[i] = (negative ? ~sum->limb[i] : sum->limb[i]) + carry;
		carry = carry && magnitude->limb[i] == 0;
	}
	return negative;
}

uint32_t npu_exact_round(const struct npu_exact *sum)
{
	struct npu_exact magnitude;
	bool negative = magnitude_of(sum, &magnitude);
	uint32_t bits = round_to_format(&magnitude, 23, 127);

	return bits | (negative ? FP32_SIGN : 0);
}

static bool special(uint32_t bits)
{
	return (bits & FP32_INFINITY) == FP32_INFINITY;
}

uint32_t npu_fp32_add(uint32_t a, uint32_t b)
{
	struct npu_exact sum = { { 0 } };
	struct npu_real x = real_fp32(a), y = real_fp32(b);

	if (npu_fp32_is_nan(a) || npu_fp32_is_nan(b))
		return FP32_NAN;
	if (special(a))
		return special(b) && a != b ? FP32_NAN : a;
	if (special(b))
		return b;
	npu_exact_add(&sum, x.negative, x.significand, x.exponent);
	npu_exact_add(&sum, y.negative, y.significand, y.exponent);
	return npu_exact_round(&sum);
}

uint32_t npu_fp32_multiply(uint32_t a, uint32_t b)
{
	struct npu_exact sum = { { 0 } };
	uint32_t sign = (a ^ b) & FP32_SIGN;

	if (npu_fp32_is_nan(a) || npu_fp32_is_nan(b))
		return FP32_NAN;
	if (special(a) || special(b))
		return (a & ~FP32_SIGN) == 0 || (b & ~FP32_SIGN) == 0 ? FP32_NAN : sign | FP32_INFINITY;
	npu_exact_add_product(&sum, real_fp32(a), real_fp32(b));
	return npu_exact_round(&sum);
}

uint32_t npu_fp32_from_integer(int64_t value)
{
	struct npu_exact sum = { { 0 } };
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	npu_exact_add(&sum, value < 0, magnitude & 0xffffffff, 0);
	npu_exact_add(&sum, value < 0, magnitude >> 32, 32);
	return npu_exact_round(&sum);
}

/* Drops fraction bits of an fp32 pattern, which carries into the exponent as it should. */
static uint32_t drop_bits(uint32_t bits, int count)
{
	uint32_t half = 1u << (count - 1), rest = bits & ((1u << count) - 1), kept = bits >> count;

	return kept + (rest > half || (rest == half && kept & 1));
}

uint16_t npu_fp32_to_fp16(uint32_t bits)
{
	uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;

	if (npu_fp32_is_nan(bits))
		return 0x7e00;
	if (magnitude >= 0x47800000)
		return (uint16_t)(sign | 0x7c00);
	/* Subnormal in fp16: the spacing is 2^-24 there, and below 2^-25 nothing is left. */
	if (magnitude < 0x38800000) {
		uint32_t exponent = magnitude >> 23, shift = 126 - exponent;

		if (exponent < 102)
			return (uint16_t)sign;
		return (uint16_t)(sign | drop_bits((magnitude & 0x7fffff) | 0x800000, (int)shift));
	}
	return (uint16_t)(sign | drop_bits(magnitude - 0x38000000, 13));
}

uint16_t npu_fp32_to_bf16(uint32_t bits)
{
	return npu_fp32_is_nan(bits) ? 0x7fc0 : (uint16_t)((bits >> 16 & 0x8000) | drop_bits(bits & 0x7fffffff, 16));
}

uint32_t npu_fp32_from_fp16(uint16_t bits)
{
	struct npu_exact sum = { { 0 } };
	struct npu_real real = npu_real_fp16(bits);

	npu_exact_add(&sum, false, real.significand, real.exponent);
	return npu_exact_round(&sum) | (real.negative ? FP32_SIGN : 0);
}

uint32_t npu_fp32_from_bf16(uint16_t bits)
{
	return (uint32_t)bits << 16;
}

bool npu_fp32_less(uint32_t a, uint32_t b)
{
	int64_t x = a & FP32_SIGN ? -(int64_t)(a & ~FP32_SIGN) : (int64_t)a;
	int64_t y = b & FP32_SIGN ? -(int64_t)(b & ~FP32_SIGN) : (int64_t)b;

	return !npu_fp32_is_nan(a) && !npu_fp32_is_nan(b) && x < y;
}
