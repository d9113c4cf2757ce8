/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_mac.h"

#define TILE (NPU_MAC_INT8_KERNELS * NPU_MAC_INT8_CHANNELS)

#if defined(__GNUC__) && !defined(__clang__)
#define VECTORISE __attribute__((optimize("O3")))
#else
#define VECTORISE
#endif

VECTORISE
static int32_t dot(const int8_t *features, const int8_t *weights, size_t channels)
{
	int32_t sum = 0;

	for (size_t tile = 0; tile < channels / NPU_MAC_INT8_CHANNELS; tile++)
		for (size_t k = 0; k < NPU_MAC_INT8_CHANNELS; k++)
			sum += features[tile * NPU_MAC_INT8_CHANNELS + k] * weights[tile * TILE + k];
	return sum;
}

void npu_mac_int8_plain(const int8_t *features, size_t pixels, size_t channels, const int8_t *weights, int32_t *sums)
{
	for (size_t p = 0; p < pixels; p++)
		for (size_t n = 0; n < NPU_MAC_INT8_KERNELS; n++)
			sums[p * NPU_MAC_INT8_KERNELS + n] =
				dot(features + p * channels, weights + n * NPU_MAC_INT8_CHANNELS, channels);
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* Pixels and kernels of one block: 4 * 2 vectors of partial sums stay in registers. */
#define BLOCK_PIXELS  4
#define BLOCK_KERNELS 2

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i widen(const int8_t *bytes)
{
	return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)bytes));
}

AVX2 static inline int32_t lanes_sum(__m256i lanes)
{
	__m128i four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
	__m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));

	return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

/*
 * Products are made of 16-bit operands because the 8-bit multiply-add saturates at 16 bits. pixels
 * is a constant in every call, so the loops over it vanish.
 */
AVX2 __attribute__((always_inline)) static inline void
block(const int8_t *features, const int pixels, size_t channels, const int8_t *weights, int32_t *sums)
{
	__m256i partial[BLOCK_PIXELS][BLOCK_KERNELS];

#pragma GCC unroll 4
	for (int p = 0; p < pixels; p++)
		partial[p][0] = partial[p][1] = _mm256_setzero_si256();
	for (size_t k = 0; k < channels; k += 16) {
		const int8_t *at = weights + k / NPU_MAC_INT8_CHANNELS * TILE + k % NPU_MAC_INT8_CHANNELS;
		__m256i w0 = widen(at), w1 = widen(at + NPU_MAC_INT8_CHANNELS);

#pragma GCC unroll 4
		for (int p = 0; p < pixels; p++) {
			__m256i a = widen(features + (size_t)p * channels + k);

			partial[p][0] = _mm256_add_epi32(partial[p][0], _mm256_madd_epi16(a, w0));
			partial[p][1] = _mm256_add_epi32(partial[p][1], _mm256_madd_epi16(a, w1));
		}
	}
#pragma GCC unroll 4
	for (int p = 0; p < pixels; p++) {
		sums[p * NPU_MAC_INT8_KERNELS] = lanes_sum(partial[p][0]);
		sums[p * NPU_MAC_INT8_KERNELS + 1] = lanes_sum(partial[p][1]);
	}
}

AVX2 static void mac_avx2(const int8_t *features, size_t pixels, size_t channels, const int8_t *weights, int32_t *sums)
{
	size_t p = 0;

	for (; p + BLOCK_PIXELS <= pixels; p += BLOCK_PIXELS)
		for (size_t n = 0; n < NPU_MAC_INT8_KERNELS; n += BLOCK_KERNELS)
			block(features + p * channels, BLOCK_PIXELS, channels, weights + n * NPU_MAC_INT8_CHANNELS,
			      sums + p * NPU_MAC_INT8_KERNELS + n);
	for (; p < pixels; p++)
		for (size_t n = 0; n < NPU_MAC_INT8_KERNELS; n += BLOCK_KERNELS)
			block(features + p * channels, 1, channels, weights + n * NPU_MAC_INT8_CHANNELS,
			      sums + p * NPU_MAC_INT8_KERNELS + n);
}

void npu_mac_int8(const int8_t *features, size_t pixels, size_t channels, const int8_t *weights, int32_t *sums)
{
	if (__builtin_cpu_supports("avx2"))
		mac_avx2(features, pixels, channels, weights, sums);
	else
		npu_mac_int8_plain(features, pixels, channels, weights, sums);
}

#else

void npu_mac_int8(const int8_t *features, size_t pixels, size_t channels, const int8_t *weights, int32_t *sums)
{
	npu_mac_int8_plain(features, pixels, channels, weights, sums);
}

#endif
