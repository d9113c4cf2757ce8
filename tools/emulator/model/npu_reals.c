/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_mac.h"

#include <string.h>

/*
 * Operands of the MAC array as doubles, and the bounds of their groups. convert() is the rule; where the host can convert fp16 by
 * itself, tiles of weights take that way, because a task with one pixel does little else.
 */

/* Bounds of nothing but zeros. */
static const struct npu_bounds no_bounds = { -4096, 4096 };

#if defined(__GNUC__)
#define INLINE __attribute__((always_inline)) static inline
#define lowest_bit(value)  __builtin_ctz(value)
#define highest_bit(value) (31 - __builtin_clz(value))
#else
#define INLINE static inline

static int lowest_bit(uint32_t value)
{
	int at = 0;

	while (!(value >> at & 1))
		at++;
	return at;
}

static int highest_bit(uint32_t value)
{
	int at = 31;

	while (!(value >> at & 1))
		at--;
	return at;
}
#endif

INLINE void widen_bounds(struct npu_bounds *bounds, uint32_t significand, int exponent)
{
	int high = exponent + highest_bit(significand) + 1, low = exponent + lowest_bit(significand);

	if (high > bounds->high)
		bounds->high = high;
	if (low < bounds->low)
		bounds->low = low;
}

/* The operand that npu_real_at() reads, from a pattern with fraction bits and a bias. */
INLINE double convert(uint32_t bits, int fraction, int exponent_bits, int bias, struct npu_bounds *bounds)
{
	uint32_t exponent = bits >> fraction & ((1u << exponent_bits) - 1), significand = bits & ((1u << fraction) - 1);
	int scale = (exponent > 0 ? (int)exponent : 1) - bias - fraction;
	uint64_t power = (uint64_t)(scale + 1023) << 52;
	double value;

	if (exponent > 0)
		significand |= 1u << fraction;
	if (significand == 0)
		return 0;
	widen_bounds(bounds, significand, scale);
	memcpy(&value, &power, sizeof(value));
	value *= significand;
	return bits >> (fraction + exponent_bits) & 1 ? -value : value;
}

/* Converts count elements to every stride-th double. */
static void convert_run(const struct npu_type *type, const uint8_t *packed, size_t count, double *to, size_t stride,
			struct npu_bounds *bounds)
{
	struct npu_bounds widened = *bounds;
	uint32_t word;
	uint16_t half;

	for (size_t i = 0; i < count; i++) {
		switch (type->input) {
		case NPU_FP16:
			memcpy(&half, packed + 2 * i, sizeof(half));
			to[i * stride] = convert(half, 10, 5, 15, &widened);
			break;
		case NPU_BF16:
			memcpy(&half, packed + 2 * i, sizeof(half));
			to[i * stride] = convert(half, 7, 8, 127, &widened);
			break;
		default:
			memcpy(&word, packed + 4 * i, sizeof(word));
			to[i * stride] = convert(word >> 13, 10, 8, 127, &widened);
			break;
		}
	}
	*bounds = widened;
}

void npu_reals_features(const struct npu_type *type, const uint8_t *features, size_t count, struct npu_reals *reals)
{
	size_t group = type->channel_group;

	for (size_t i = 0; i < count; i += group) {
		reals->bounds[i / group] = no_bounds;
		convert_run(type, features + npu_type_bytes(type, i), group, reals->value + i, 1, &reals->bounds[i / group]);
	}
}

static void convert_tile(const struct npu_type *type, const uint8_t *weights, size_t tile, struct npu_reals *reals)
{
	size_t group = type->channel_group;

	reals->bounds[tile] = no_bounds;
	for (size_t n = 0; n < NPU_REAL_KERNELS; n++)
		convert_run(type, weights + npu_type_bytes(type, (tile * NPU_REAL_KERNELS + n) * group), group,
			    reals->value + tile * group * NPU_REAL_KERNELS + n, NPU_REAL_KERNELS, &reals->bounds[tile]);
}

void npu_reals_weights_portable(const struct npu_type *type, const uint8_t *weights, size_t length,
				struct npu_reals *reals)
{
	for (size_t tile = 0; tile < length / type->channel_group; tile++)
		convert_tile(type, weights, tile, reals);
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define F16C __attribute__((target("avx2,f16c")))

#define FP16_TILE_CHANNELS 32
#define FP16_NOT_FINITE    0x7c00

/* Eight columns of halfwords become rows. */
F16C static inline void transpose(__m128i row[8])
{
	__m128i pair[8], four[8];

	for (int i = 0; i < 4; i++) {
		pair[2 * i] = _mm_unpacklo_epi16(row[2 * i], row[2 * i + 1]);
		pair[2 * i + 1] = _mm_unpackhi_epi16(row[2 * i], row[2 * i + 1]);
	}
	for (int i = 0; i < 2; i++) {
		four[4 * i] = _mm_unpacklo_epi32(pair[4 * i], pair[4 * i + 2]);
		four[4 * i + 1] = _mm_unpackhi_epi32(pair[4 * i], pair[4 * i + 2]);
		four[4 * i + 2] = _mm_unpacklo_epi32(pair[4 * i + 1], pair[4 * i + 3]);
		four[4 * i + 3] = _mm_unpackhi_epi32(pair[4 * i + 1], pair[4 * i + 3]);
	}
	for (int i = 0; i < 4; i++) {
		row[2 * i] = _mm_unpacklo_epi64(four[i], four[i + 4]);
		row[2 * i + 1] = _mm_unpackhi_epi64(four[i], four[i + 4]);
	}
}

/* Exponent of the lowest bit of a positive, finite pattern. */
static int fp16_unit(uint32_t bits)
{
	uint32_t exponent = bits >> 10;

	return (exponent > 0 ? (int)exponent : 1) - 15 - 10;
}

/* Bounds from the largest and the smallest pattern that is not 0; patterns are in the order of the values. */
static struct npu_bounds fp16_bounds(uint32_t largest, uint32_t smallest)
{
	uint32_t significand = (largest & 0x3ff) | (largest > 0x3ff ? 0x400 : 0);

	if (largest == 0)
		return no_bounds;
	return (struct npu_bounds){ fp16_unit(largest) + highest_bit(significand) + 1, fp16_unit(smallest) };
}

/* False if there is a pattern that the host takes for an infinity or a NaN. */
F16C static bool fp16_tile(const uint8_t *tile, double *to, struct npu_bounds *bounds)
{
	__m128i largest = _mm_setzero_si128(), smallest = _mm_set1_epi16(-1), row[8];
	uint32_t top;

	for (size_t n = 0; n < NPU_REAL_KERNELS; n += 8)
		for (size_t k = 0; k < FP16_TILE_CHANNELS; k += 8) {
			for (size_t i = 0; i < 8; i++) {
				const uint8_t *at = tile + 2 * ((n + i) * FP16_TILE_CHANNELS + k);
				__m128i magnitude;

				row[i] = _mm_loadu_si128((const __m128i *)(const void *)at);
				magnitude = _mm_and_si128(row[i], _mm_set1_epi16(0x7fff));
				largest = _mm_max_epu16(largest, magnitude);
				/* 0 becomes the largest. */
				smallest = _mm_min_epu16(smallest, _mm_sub_epi16(magnitude, _mm_set1_epi16(1)));
			}
			transpose(row);
			for (size_t i = 0; i < 8; i++) {
				__m256 values = _mm256_cvtph_ps(row[i]);
				double *at = to + (k + i) * NPU_REAL_KERNELS + n;

				_mm256_storeu_pd(at, _mm256_cvtps_pd(_mm256_castps256_ps128(values)));
				_mm256_storeu_pd(at + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(values, 1)));
			}
		}
	top = 0xffff - (uint32_t)_mm_extract_epi16(_mm_minpos_epu16(_mm_sub_epi16(_mm_set1_epi16(-1), largest)), 0);
	*bounds = fp16_bounds(top, (uint32_t)_mm_extract_epi16(_mm_minpos_epu16(smallest), 0) + 1);
	return top < FP16_NOT_FINITE;
}

static void fp16_weights(const struct npu_type *type, const uint8_t *weights, size_t length, struct npu_reals *reals)
{
	const size_t elements = FP16_TILE_CHANNELS * NPU_REAL_KERNELS;

	for (size_t tile = 0; tile < length / FP16_TILE_CHANNELS; tile++)
		if (!fp16_tile(weights + 2 * tile * elements, reals->value + tile * elements, &reals->bounds[tile]))
			convert_tile(type, weights, tile, reals);
}

void npu_reals_weights(const struct npu_type *type, const uint8_t *weights, size_t length, struct npu_reals *reals)
{
	/* Not every compiler knows the name of F16C; CPUs with FMA have it. */
	if (type->input == NPU_FP16 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		fp16_weights(type, weights, length, reals);
	else
		npu_reals_weights_portable(type, weights, length, reals);
}

#else

void npu_reals_weights(const struct npu_type *type, const uint8_t *weights, size_t length, struct npu_reals *reals)
{
	npu_reals_weights_portable(type, weights, length, reals);
}

#endif
