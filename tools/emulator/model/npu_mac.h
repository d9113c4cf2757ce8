/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_MAC_H
#define NPU_MAC_H

#include <stddef.h>
#include <stdint.h>

/*
 * The MAC array for int8: one kernel group against some pixels, exact int32 sums (NPU reference 5.4).
 *
 *   features  [pixels][channels]
 *   weights   [channels / 32][32 kernels][32 channels], tiles of NPU reference 4.2
 *   sums      [pixels][32 kernels]
 *
 * channels is a multiple of 32 and at most 65536.
 */
#define NPU_MAC_INT8_KERNELS  32
#define NPU_MAC_INT8_CHANNELS 32

void npu_mac_int8(const int8_t *features, size_t pixels, size_t channels, const int8_t *weights, int32_t *sums);

/* The definition of the above, for hosts without a faster way and for tests. */
void npu_mac_int8_plain(const int8_t *features, size_t pixels, size_t channels, const int8_t *weights, int32_t *sums);

#endif
