/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "simd.h"

#ifdef __aarch64__

#include <arm_neon.h>
#include <sys/auxv.h>

/* Interleaving the halves of a list four times over turns 16 x 16 bytes; three times, 8 x 8 of 16 bits. */
static inline void turn_8(uint8x16_t *v)
{
	uint8x16_t t[16];
	int stage, i;

#pragma GCC unroll 4
	for (stage = 0; stage < 4; stage++) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			t[2 * i] = vzip1q_u8(v[i], v[i + 8]);
			t[2 * i + 1] = vzip2q_u8(v[i], v[i + 8]);
		}
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			v[i] = t[i];
	}
}

static inline void turn_16(uint16x8_t *v)
{
	uint16x8_t t[8];
	int stage, i;

#pragma GCC unroll 3
	for (stage = 0; stage < 3; stage++) {
#pragma GCC unroll 4
		for (i = 0; i < 4; i++) {
			t[2 * i] = vzip1q_u16(v[i], v[i + 4]);
			t[2 * i + 1] = vzip2q_u16(v[i], v[i + 4]);
		}
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			v[i] = t[i];
	}
}

static void tile_4(uint8_t *tile, const int8_t *b, size_t ldb)
{
	uint8x16_t v[16];
	int part, i;

	for (part = 0; part < 4; part++) {
#pragma GCC unroll 16
		for (i = 0; i < 16; i++) {
			const uint8x16_t even = vld1q_u8((const uint8_t *)b + (size_t)(2 * i) * ldb + 16 * part);
			const uint8x16_t odd = vld1q_u8((const uint8_t *)b + (size_t)(2 * i + 1) * ldb + 16 * part);

			v[i] = vsliq_n_u8(vandq_u8(even, vdupq_n_u8(15)), odd, 4);
		}
		turn_8(v);
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			vst1q_u8(tile + 256 * part + 16 * i, v[i]);
	}
}

static void tile_8(uint8_t *tile, const int8_t *b, size_t ldb)
{
	uint8x16_t v[16];
	int half, part, i;

	for (part = 0; part < 2; part++) {
		for (half = 0; half < 2; half++) {
#pragma GCC unroll 16
			for (i = 0; i < 16; i++)
				v[i] = vld1q_u8((const uint8_t *)b + (size_t)(16 * half + i) * ldb + 16 * part);
			turn_8(v);
#pragma GCC unroll 16
			for (i = 0; i < 16; i++)
				vst1q_u8(tile + 512 * part + 32 * i + 16 * half, v[i]);
		}
	}
}

static void tile_16(uint8_t *tile, const uint16_t *b, size_t ldb)
{
	uint16x8_t v[8];
	int half, part, i;

	for (half = 0; half < 2; half++) {
		for (part = 0; part < 4; part++) {
#pragma GCC unroll 8
			for (i = 0; i < 8; i++)
				v[i] = vld1q_u16(b + (size_t)(8 * part + i) * ldb + 8 * half);
			turn_16(v);
#pragma GCC unroll 8
			for (i = 0; i < 8; i++)
				vst1q_u8(tile + 512 * half + 64 * i + 16 * part, vreinterpretq_u8_u16(v[i]));
		}
	}
}

/* Plain stores need none. */
static void fence(void)
{
}

static uint32_t largest(const float *x, size_t count)
{
	const uint32x4_t magnitude = vdupq_n_u32(0x7fffffff);
	uint32x4_t most[4] = { vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0) };
	uint32_t result, rest;
	size_t i;
	int j;

	for (i = 0; i + 16 <= count; i += 16)
#pragma GCC unroll 4
		for (j = 0; j < 4; j++)
			most[j] = vmaxq_u32(most[j],
					    vandq_u32(vreinterpretq_u32_f32(vld1q_f32(x + i + 4 * j)), magnitude));
	result = vmaxvq_u32(vmaxq_u32(vmaxq_u32(most[0], most[1]), vmaxq_u32(most[2], most[3])));
	rest = ork_simd_scalar.largest(x + i, count - i);
	return rest > result ? rest : result;
}

static inline int16x8_t to_int(const float *x, float factor)
{
	const int32x4_t low = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x), factor));
	const int32x4_t high = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + 4), factor));

	return vcombine_s16(vqmovn_s32(low), vqmovn_s32(high));
}

static void quantise(int8_t *q, const float *x, size_t count, float factor, bool past_caches)
{
	size_t i;

	for (i = 0; i + 16 <= count; i += 16)
		vst1q_s8(q + i, vcombine_s8(vqmovn_s16(to_int(x + i, factor)), vqmovn_s16(to_int(x + i + 8, factor))));
	ork_simd_scalar.quantise(q + i, x + i, count - i, factor, past_caches);
}

const struct ork_simd *ork_simd_neon(void)
{
	static const struct ork_simd simd = { "NEON", tile_4, tile_8, tile_16, fence, largest, quantise };

	return getauxval(AT_HWCAP) & HWCAP_ASIMD ? &simd : NULL;
}

#else

const struct ork_simd *ork_simd_neon(void)
{
	return NULL;
}

#endif
