/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SIMD_H
#define ORK_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Inner loops for which instruction sets make the difference. All sets give the same bits.
 *
 * A tile is one kernel group of one K group, 1 KiB: 32 rows of B, ldb elements apart, become columns.
 */
struct ork_simd {
	const char *name;
	void (*tile_4)(uint8_t *tile, const int8_t *b, size_t ldb);     /* 64 columns, -8 to 7 */
	void (*tile_8)(uint8_t *tile, const int8_t *b, size_t ldb);     /* 32 columns */
	void (*tile_16)(uint8_t *tile, const uint16_t *b, size_t ldb);  /* 16 columns */
	/* After the last tile, or the last number past the caches: orders these stores and later ones. */
	void (*fence)(void);
	/* Largest magnitude, as the bits of a float; above those of infinity: there is a NaN. */
	uint32_t (*largest)(const float *x, size_t count);
	/*
	 * q[i] = half_even(x[i] * factor), where all results are -127 to 127. past_caches: there is so much of q that
	 * caches would not keep it.
	 */
	void (*quantise)(int8_t *q, const float *x, size_t count, float factor, bool past_caches);
};

extern const struct ork_simd ork_simd_scalar;

/* NULL: this CPU, or this program, does not have it. */
const struct ork_simd *ork_simd_avx2(void);
const struct ork_simd *ork_simd_neon(void);

/* The best that this CPU has. */
const struct ork_simd *ork_simd(void);

#endif
