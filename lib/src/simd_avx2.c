/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdbool.h>

#include "simd.h"

#ifdef __x86_64__

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/*
 * Bytes of 16 rows of 32 columns: vector j gets the 16 bytes of column j in its low half, those of column 16 + j in its
 * high half. Interleaving the halves of a list four times over turns 16 x 16 elements.
 */
AVX2 static inline void turn_8(__m256i *v)
{
	__m256i t[16];
	int stage, i;

#pragma GCC unroll 4
	for (stage = 0; stage < 4; stage++) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			t[2 * i] = _mm256_unpacklo_epi8(v[i], v[i + 8]);
			t[2 * i + 1] = _mm256_unpackhi_epi8(v[i], v[i + 8]);
		}
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			v[i] = t[i];
	}
}

/* Likewise 8 rows of 16 columns of 16 bits. */
AVX2 static inline void turn_16(__m256i *v)
{
	__m256i t[8];
	int stage, i;

#pragma GCC unroll 3
	for (stage = 0; stage < 3; stage++) {
#pragma GCC unroll 4
		for (i = 0; i < 4; i++) {
			t[2 * i] = _mm256_unpacklo_epi16(v[i], v[i + 4]);
			t[2 * i + 1] = _mm256_unpackhi_epi16(v[i], v[i + 4]);
		}
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			v[i] = t[i];
	}
}

AVX2 static inline __m256i load(const void *from)
{
	return _mm256_loadu_si256(from);
}

/* The 16-byte columns 2 * i and 2 * i + 1, one after the other, out of two vectors that have them in the same half. */
AVX2 static inline __m256i low_halves(__m256i a, __m256i b)
{
	return _mm256_permute2x128_si256(a, b, 0x20);
}

AVX2 static inline __m256i high_halves(__m256i a, __m256i b)
{
	return _mm256_permute2x128_si256(a, b, 0x31);
}

/* Tiles are written once and not read soon: past the caches, which spares reading what is overwritten. */
AVX2 static inline void store_tile(uint8_t *tile, const __m256i *v)
{
	int i;

	if ((uintptr_t)tile % 32 == 0) {
#pragma GCC unroll 32
		for (i = 0; i < 32; i++)
			_mm256_stream_si256((__m256i *)(void *)tile + i, v[i]);
	} else {
		for (i = 0; i < 32; i++)
			_mm256_storeu_si256((__m256i *)(void *)tile + i, v[i]);
	}
}

/* Tiles further to the right in the same rows are next but a few. There may be none, which does no harm. */
#define PREFETCH_BYTES 256

AVX2 static inline void prefetch_rows(const void *b, size_t pitch)
{
	int i;

#pragma GCC unroll 32
	for (i = 0; i < 32; i++)
		_mm_prefetch((const void *)((uintptr_t)b + (size_t)i * pitch + PREFETCH_BYTES), _MM_HINT_T1);
}

/* Two tiles of 32-byte rows share cache lines; one of them fetches them. */
static inline bool line_begins(const void *b)
{
	return (uintptr_t)b % 64 < 32;
}

AVX2 static void tile_4(uint8_t *tile, const int8_t *b, size_t ldb)
{
	const __m256i low = _mm256_set1_epi8(15), high = _mm256_set1_epi8(-16);
	__m256i v[16], out[32];
	int half, i;

	prefetch_rows(b, ldb);
#pragma GCC unroll 2
	for (half = 0; half < 2; half++) {
#pragma GCC unroll 16
		for (i = 0; i < 16; i++) {
			const __m256i even = load(b + (size_t)(2 * i) * ldb + 32 * half);
			const __m256i odd = load(b + (size_t)(2 * i + 1) * ldb + 32 * half);

			v[i] = _mm256_or_si256(_mm256_and_si256(even, low),
					       _mm256_and_si256(_mm256_slli_epi16(odd, 4), high));
		}
		turn_8(v);
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			out[16 * half + i] = low_halves(v[2 * i], v[2 * i + 1]);
			out[16 * half + 8 + i] = high_halves(v[2 * i], v[2 * i + 1]);
		}
	}
	store_tile(tile, out);
}

AVX2 static void tile_8(uint8_t *tile, const int8_t *b, size_t ldb)
{
	__m256i upper[16], lower[16], out[32];
	int i;

	if (line_begins(b))
		prefetch_rows(b, ldb);
#pragma GCC unroll 16
	for (i = 0; i < 16; i++)
		upper[i] = load(b + (size_t)i * ldb);
	turn_8(upper);
#pragma GCC unroll 16
	for (i = 0; i < 16; i++)
		lower[i] = load(b + (size_t)(16 + i) * ldb);
	turn_8(lower);
#pragma GCC unroll 16
	for (i = 0; i < 16; i++) {
		out[i] = low_halves(upper[i], lower[i]);
		out[16 + i] = high_halves(upper[i], lower[i]);
	}
	store_tile(tile, out);
}

AVX2 static void tile_16(uint8_t *tile, const uint16_t *b, size_t ldb)
{
	__m256i upper[8], lower[8], out[32];
	int half, i;

	if (line_begins(b))
		prefetch_rows(b, 2 * ldb);
#pragma GCC unroll 2
	for (half = 0; half < 2; half++) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			upper[i] = load(b + (size_t)(16 * half + i) * ldb);
		turn_16(upper);
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			lower[i] = load(b + (size_t)(16 * half + 8 + i) * ldb);
		turn_16(lower);
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			out[2 * i + half] = low_halves(upper[i], lower[i]);
			out[16 + 2 * i + half] = high_halves(upper[i], lower[i]);
		}
	}
	store_tile(tile, out);
}

AVX2 static void fence(void)
{
	_mm_sfence();
}

/* Rows are read twice, and only the first time from memory: both passes fetch one half of the row that follows. */
static inline void prefetch(const float *x, size_t at)
{
	_mm_prefetch((const void *)((uintptr_t)x + at * sizeof(*x)), _MM_HINT_T1);
}

AVX2 static uint32_t largest(const float *x, size_t count)
{
	const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
	__m256i most[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
			    _mm256_setzero_si256() };
	uint32_t lanes[8], result;
	size_t i;
	int j;

	for (i = 0; i + 32 <= count; i += 32) {
		prefetch(x, count + i / 2);
#pragma GCC unroll 4
		for (j = 0; j < 4; j++)
			most[j] = _mm256_max_epu32(most[j], _mm256_and_si256(load(x + i + 8 * j), magnitude));
	}
	most[0] = _mm256_max_epu32(_mm256_max_epu32(most[0], most[1]), _mm256_max_epu32(most[2], most[3]));
	_mm256_storeu_si256((__m256i *)(void *)lanes, most[0]);
	result = ork_simd_scalar.largest(x + i, count - i);
	for (j = 0; j < 8; j++)
		result = lanes[j] > result ? lanes[j] : result;
	return result;
}

AVX2 static inline __m256i to_int(const float *x, __m256 factor)
{
	return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x), factor));
}

AVX2 static void quantise(int8_t *q, const float *x, size_t count, float factor, bool past_caches)
{
	/* Packing works within halves of a vector; this puts the groups of four in order. */
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	const __m256 factors = _mm256_set1_ps(factor);
	size_t i;

	if ((uintptr_t)q % 32)
		past_caches = false;
	for (i = 0; i + 32 <= count; i += 32) {
		const __m256i low = _mm256_packs_epi32(to_int(x + i, factors), to_int(x + i + 8, factors));
		const __m256i high = _mm256_packs_epi32(to_int(x + i + 16, factors), to_int(x + i + 24, factors));

		const __m256i all = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);

		prefetch(x, count + count / 2 + i / 2);
		if (past_caches)
			_mm256_stream_si256((__m256i *)(void *)(q + i), all);
		else
			_mm256_storeu_si256((__m256i *)(void *)(q + i), all);
	}
	ork_simd_scalar.quantise(q + i, x + i, count - i, factor, past_caches);
}

const struct ork_simd *ork_simd_avx2(void)
{
	static const struct ork_simd simd = { "AVX2", tile_4, tile_8, tile_16, fence, largest, quantise };

	return __builtin_cpu_supports("avx2") ? &simd : NULL;
}

#else

const struct ork_simd *ork_simd_avx2(void)
{
	return NULL;
}

#endif
