/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_mac.h"

#include <string.h>

/* Kg of both types (NPU reference 4.2). */
#define GROUP          32
#define INT16_KERNELS  16

#if defined(__GNUC__) && !defined(__clang__)
#define VECTORISE __attribute__((optimize("O3")))
#else
#define VECTORISE
#endif

VECTORISE
static int32_t dot(const int8_t *features, const int8_t *weights, size_t length, size_t tile)
{
	int32_t sum = 0;

	for (size_t group = 0; group < length / GROUP; group++)
		for (size_t k = 0; k < GROUP; k++)
			sum += features[group * GROUP + k] * weights[group * tile + k];
	return sum;
}

void npu_mac_int8_portable(const int8_t *features, size_t pixels, size_t length, const int8_t *weights, size_t kernels,
			   int32_t *sums)
{
	for (size_t p = 0; p < pixels; p++)
		for (size_t n = 0; n < kernels; n++)
			sums[p * kernels + n] =
				dot(features + p * length, weights + n * GROUP, length, kernels * GROUP);
}

VECTORISE
void npu_mac_int16(const int16_t *features, size_t pixels, size_t length, const int16_t *weights, int64_t *sums)
{
	memset(sums, 0, pixels * INT16_KERNELS * sizeof(*sums));
	for (size_t p = 0; p < pixels; p++)
		for (size_t group = 0; group < length / GROUP; group++)
			for (size_t n = 0; n < INT16_KERNELS; n++) {
				const int16_t *f = features + p * length + group * GROUP;
				const int16_t *w = weights + (group * INT16_KERNELS + n) * GROUP;
				int64_t sum = 0;

				for (size_t k = 0; k < GROUP; k++)
					sum += f[k] * w[k];
				sums[p * INT16_KERNELS + n] += sum;
			}
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
block(const int8_t *features, const int pixels, size_t length, const int8_t *weights, size_t kernels, int32_t *sums)
{
	__m256i partial[BLOCK_PIXELS][BLOCK_KERNELS];

#pragma GCC unroll 4
	for (int p = 0; p < pixels; p++)
		partial[p][0] = partial[p][1] = _mm256_setzero_si256();
	for (size_t k = 0; k < length; k += 16) {
		const int8_t *at = weights + k / GROUP * kernels * GROUP + k % GROUP;
		__m256i w0 = widen(at), w1 = widen(at + GROUP);

#pragma GCC unroll 4
		for (int p = 0; p < pixels; p++) {
			__m256i a = widen(features + (size_t)p * length + k);

			partial[p][0] = _mm256_add_epi32(partial[p][0], _mm256_madd_epi16(a, w0));
			partial[p][1] = _mm256_add_epi32(partial[p][1], _mm256_madd_epi16(a, w1));
		}
	}
#pragma GCC unroll 4
	for (int p = 0; p < pixels; p++) {
		sums[(size_t)p * kernels] = lanes_sum(partial[p][0]);
		sums[(size_t)p * kernels + 1] = lanes_sum(partial[p][1]);
	}
}

AVX2 static void mac_avx2(const int8_t *features, size_t pixels, size_t length, const int8_t *weights, size_t kernels,
			  int32_t *sums)
{
	size_t p = 0;

	for (; p + BLOCK_PIXELS <= pixels; p += BLOCK_PIXELS)
		for (size_t n = 0; n < kernels; n += BLOCK_KERNELS)
			block(features + p * length, BLOCK_PIXELS, length, weights + n * GROUP, kernels,
			      sums + p * kernels + n);
	for (; p < pixels; p++)
		for (size_t n = 0; n < kernels; n += BLOCK_KERNELS)
			block(features + p * length, 1, length, weights + n * GROUP, kernels, sums + p * kernels + n);
}

void npu_mac_int8(const int8_t *features, size_t pixels, size_t length, const int8_t *weights, size_t kernels,
		  int32_t *sums)
{
	if (__builtin_cpu_supports("avx2"))
		mac_avx2(features, pixels, length, weights, kernels, sums);
	else
		npu_mac_int8_portable(features, pixels, length, weights, kernels, sums);
}

#else

void npu_mac_int8(const int8_t *features, size_t pixels, size_t length, const int8_t *weights, size_t kernels,
		  int32_t *sums)
{
	npu_mac_int8_portable(features, pixels, length, weights, kernels, sums);
}

#endif
