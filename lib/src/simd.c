/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <string.h>

#include "number.h"
#include "simd.h"
#include "types.h"

static void tile_4(uint8_t *tile, const int8_t *b, size_t ldb)
{
	uint32_t i, j;

	for (i = 0; i < ORK_GROUP_K; i += 2)
		for (j = 0; j < 64; j++)
			tile[(j * ORK_GROUP_K + i) / 2] =
				(uint8_t)((b[i * ldb + j] & 15) | (b[(i + 1) * ldb + j] & 15) << 4);
}

static void tile_8(uint8_t *tile, const int8_t *b, size_t ldb)
{
	uint32_t i, j;

	for (i = 0; i < ORK_GROUP_K; i++)
		for (j = 0; j < 32; j++)
			tile[j * ORK_GROUP_K + i] = (uint8_t)b[i * ldb + j];
}

static void tile_16(uint8_t *tile, const uint16_t *b, size_t ldb)
{
	uint32_t i, j;

	for (i = 0; i < ORK_GROUP_K; i++)
		for (j = 0; j < 16; j++)
			memcpy(tile + 2 * (j * ORK_GROUP_K + i), &b[i * ldb + j], 2);
}

static void fence(void)
{
}

static uint32_t largest(const float *x, size_t count)
{
	uint32_t most = 0, bits;
	size_t i;

	for (i = 0; i < count; i++) {
		memcpy(&bits, &x[i], sizeof(bits));
		bits &= 0x7fffffff;
		most = bits > most ? bits : most;
	}
	return most;
}

static void quantise(int8_t *q, const float *x, size_t count, float factor, bool past_caches)
{
	size_t i;

	(void)past_caches;
	for (i = 0; i < count; i++)
		q[i] = ork_nearest_i8(x[i] * factor);
}

const struct ork_simd ork_simd_scalar = { "scalar", tile_4, tile_8, tile_16, fence, largest, quantise };

const struct ork_simd *ork_simd(void)
{
	const struct ork_simd *best = ork_simd_avx2();

	if (!best)
		best = ork_simd_neon();
	return best ? best : &ork_simd_scalar;
}
