/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_mac.h"

#include <string.h>

/*
 * Real sums through doubles. Products of the MAC array's operands are exact in a double. Their sum is exact as well, in any order, when
 * all partial sums fit its 53 bits: below 2^high, in multiples of 2^low, high - low <= 53. The conversion to float is then the one
 * rounding of NPU reference 5.1. Bounds of each group tell; groups that do not fit, which takes operands of very different
 * size, go through exact fixed point.
 */

#define DOUBLE_BITS 53
#define GROUP_BITS  5 /* a sum of up to 32 products */

#if defined(__GNUC__)
#define INLINE __attribute__((always_inline)) static inline
#else
#define INLINE static inline
#endif

static bool sum_is_exact(const struct npu_bounds *a, const struct npu_bounds *b)
{
	return a->high + b->high + GROUP_BITS - a->low - b->low <= DOUBLE_BITS;
}

static struct npu_real real_of(double value)
{
	/* Operands have at most 11 significant bits, so the upper 21 fraction bits of the double are enough. */
	struct npu_real real;
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	real.negative = bits >> 63;
	real.significand = value != 0 ? (uint32_t)(bits >> 32 & 0xfffff) | 0x100000 : 0;
	real.exponent = (int)(bits >> 52 & 0x7ff) - 1023 - 20;
	if (real.significand == 0)
		real.exponent = 0;
	/* Keeps products inside of the fixed point. */
	while (real.significand > 0 && !(real.significand & 1)) {
		real.significand >>= 1;
		real.exponent++;
	}
	return real;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void add_inexact_group(const double *features, const double *weights, size_t group, float *sums)
{
	for (size_t n = 0; n < NPU_REAL_KERNELS; n++) {
		struct npu_exact sum = { { 0 } };

		for (size_t k = 0; k < group; k++)
			npu_exact_add_product(&sum, real_of(features[k]), real_of(weights[k * NPU_REAL_KERNELS + n]));
		sums[n] += float_of(npu_exact_round(&sum));
	}
}

INLINE void add_group(const double *features, const double *weights, size_t group, float *sums)
{
	double sum[NPU_REAL_KERNELS] = { 0 };

	for (size_t k = 0; k < group; k++)
		for (size_t n = 0; n < NPU_REAL_KERNELS; n++)
			sum[n] += features[k] * weights[k * NPU_REAL_KERNELS + n];
	for (size_t n = 0; n < NPU_REAL_KERNELS; n++)
		sums[n] += (float)sum[n];
}

typedef void (*add_group_function)(const double *, const double *, size_t, float *);

static void add_group_plain(const double *features, const double *weights, size_t group, float *sums)
{
	add_group(features, weights, group, sums);
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

/* The compilers do not keep 16 doubles in four registers by themselves. Contracting is harmless: nothing is rounded. */
AVX2 static void add_group_avx2(const double *features, const double *weights, size_t group, float *sums)
{
	__m256d sum[4] = { _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd() };

	for (size_t k = 0; k < group; k++) {
		__m256d feature = _mm256_broadcast_sd(features + k);
		const double *w = weights + k * NPU_REAL_KERNELS;

		sum[0] = _mm256_fmadd_pd(feature, _mm256_loadu_pd(w), sum[0]);
		sum[1] = _mm256_fmadd_pd(feature, _mm256_loadu_pd(w + 4), sum[1]);
		sum[2] = _mm256_fmadd_pd(feature, _mm256_loadu_pd(w + 8), sum[2]);
		sum[3] = _mm256_fmadd_pd(feature, _mm256_loadu_pd(w + 12), sum[3]);
	}
	for (int i = 0; i < 4; i++)
		_mm_storeu_ps(sums + 4 * i, _mm_add_ps(_mm_loadu_ps(sums + 4 * i), _mm256_cvtpd_ps(sum[i])));
}

static add_group_function fastest(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? add_group_avx2 : add_group_plain;
}

#else

static add_group_function fastest(void)
{
	return add_group_plain;
}

#endif

/* The host's NaNs have signs and payloads of its own. */
static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return npu_fp32_is_nan(bits) ? 0x7fc00000 : bits;
}

static void mac_real(add_group_function add, const struct npu_reals *features, size_t pixels, size_t length, size_t group,
		     const struct npu_reals *weights, uint32_t *sums)
{
	size_t groups = length / group;

	for (size_t p = 0; p < pixels; p++) {
		float sum[NPU_REAL_KERNELS] = { 0 };

		for (size_t g = 0; g < groups; g++) {
			const double *f = features->value + p * length + g * group;
			const double *w = weights->value + g * group * NPU_REAL_KERNELS;

			if (sum_is_exact(&features->bounds[p * groups + g], &weights->bounds[g]))
				add(f, w, group, sum);
			else
				add_inexact_group(f, w, group, sum);
		}
		for (size_t n = 0; n < NPU_REAL_KERNELS; n++)
			*sums++ = bits_of(sum[n]);
	}
}

void npu_mac_real(const struct npu_reals *features, size_t pixels, size_t length, size_t group,
		  const struct npu_reals *weights, uint32_t *sums)
{
	mac_real(fastest(), features, pixels, length, group, weights, sums);
}

void npu_mac_real_portable(const struct npu_reals *features, size_t pixels, size_t length, size_t group,
			   const struct npu_reals *weights, uint32_t *sums)
{
	mac_real(add_group_plain, features, pixels, length, group, weights, sums);
}
