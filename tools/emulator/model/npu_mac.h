/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_MAC_H
#define NPU_MAC_H

#include "npu_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The MAC array: one kernel group against some pixels.
 *
 *   features  [pixels][length]                packed elements
 *   weights   [length / Kg][Ng][Kg]           tiles of NPU reference 4.2
 *   sums      [pixels][Ng]                    int32, or fp32 bit patterns
 *
 * length, a multiple of Kg, counts the products of a sum: channels times positions of the kernel.
 *
 * Integer sums are exact and wide, are shifted right by clip.shift and then saturate to int32 (NPU reference 5.4). Real ones follow
 * NPU reference 5.1: each group of Kg products is summed exactly and rounded once to fp32, and these are added in fp32 in
 * ascending order, starting from +0. It is published for fp16; bf16 and tf32 are assumed to do the same.
 */

/* CORE CLIP_TRUNCATE */
struct npu_clip {
	uint8_t shift;
	bool half_up; /* else half to even */
};

/* The definition, slow and obvious. */
void npu_mac_plain(const struct npu_type *type, const uint8_t *features, size_t pixels, size_t length,
		   const uint8_t *weights, struct npu_clip clip, int32_t *sums);

/* The same, fast: features are prepared once for all kernel groups. Refers to features until the next call. */
struct npu_mac;

struct npu_mac *npu_mac_new(const struct npu_type *type, size_t max_pixels, size_t length);
void npu_mac_delete(struct npu_mac *mac);
void npu_mac_features(struct npu_mac *mac, const uint8_t *features, size_t pixels);
void npu_mac_group(struct npu_mac *mac, const uint8_t *weights, struct npu_clip clip, int32_t *sums);

/* How values are rounded when bits are shifted out. */
enum npu_rounding {
	NPU_HALF_TO_EVEN,
	NPU_HALF_AWAY, /* from zero */
	NPU_HALF_UP,
};

int64_t npu_shift_right(int64_t value, unsigned int shift, enum npu_rounding rounding);
int32_t npu_saturate(int64_t value, unsigned int bits);

/* npu_mac_int.c: length elements of int8 against a tile stream of kernels kernels; exact int32 sums. */
void npu_mac_int8(const int8_t *features, size_t pixels, size_t length, const int8_t *weights, size_t kernels,
		  int32_t *sums);
/* The same on hosts without AVX2. */
void npu_mac_int8_portable(const int8_t *features, size_t pixels, size_t length, const int8_t *weights, size_t kernels,
			   int32_t *sums);
/* 16 kernels of int16. */
void npu_mac_int16(const int16_t *features, size_t pixels, size_t length, const int16_t *weights, int64_t *sums);

/* npu_reals.c: operands as doubles, [pixels][length] and [length][16], with bounds for each group of group elements. */
struct npu_bounds {
	int high; /* all magnitudes are below 2^high */
	int low;  /* all are multiples of 2^low */
};

struct npu_reals {
	double *value;
	struct npu_bounds *bounds;
};

#define NPU_REAL_KERNELS 16

void npu_reals_features(const struct npu_type *type, const uint8_t *features, size_t count, struct npu_reals *reals);
void npu_reals_weights(const struct npu_type *type, const uint8_t *weights, size_t length, struct npu_reals *reals);
/* The same on hosts without AVX2 and F16C. */
void npu_reals_weights_portable(const struct npu_type *type, const uint8_t *weights, size_t length,
				struct npu_reals *reals);

/* npu_mac_real.c */
void npu_mac_real(const struct npu_reals *features, size_t pixels, size_t length, size_t group,
		  const struct npu_reals *weights, uint32_t *sums);
/* The same on hosts without AVX2. */
void npu_mac_real_portable(const struct npu_reals *features, size_t pixels, size_t length, size_t group,
			   const struct npu_reals *weights, uint32_t *sums);

#endif
