/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <ork.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "product.h"
#include "tap.h"

static bool equals_definition(size_t m, size_t k, size_t n, size_t pad)
{
	const size_t lda = k + pad, ldb = n + pad, ldc = n + pad;
	int8_t *a = malloc(m * lda), *b = malloc(k * ldb);
	int32_t *c = malloc(m * ldc * sizeof(*c));
	uint64_t seed = m + 10 * k + 100 * n;
	bool good;
	size_t i, j, x;

	random_fill(a, m * lda, &seed);
	random_fill(b, k * ldb, &seed);
	memset(c, 0x77, m * ldc * sizeof(*c));
	good = ref_i8(a, lda, b, ldb, c, ldc, m, k, n) == 0;
	for (i = 0; i < m; i++)
		for (j = 0; j < ldc; j++) {
			int32_t sum = 0;

			for (x = 0; x < k && j < n; x++)
				sum += a[i * lda + x] * b[x * ldb + j];
			good &= c[i * ldc + j] == (j < n ? sum : 0x77777777);
		}
	free(a);
	free(b);
	free(c);
	return good;
}

static void reference_equals_the_definition(void)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 15, 16, 17, 33, 255, 256, 257 };
	const size_t count = sizeof(sizes) / sizeof(sizes[0]);
	unsigned int tried = 0, good = 0;
	size_t i;

	for (i = 0; i < count * count * count; i += 7) {
		tried++;
		good += equals_definition(sizes[i % count], sizes[i / count % count], sizes[i / count / count], i % 3);
	}
	ok(good == tried, "the reference equals the definition for %u of %u shapes and strides", good, tried);
}

/* The largest sums that int8 operands can make. */
static void extreme_values_are_exact(void)
{
	enum { K = 10240 };
	int8_t *a = malloc(K), *b = malloc(K);
	int32_t c;

	memset(a, -128, K);
	memset(b, -128, K);
	ok(ref_i8(a, K, b, 1, &c, 1, 1, K, 1) == 0 && c == K * 16384, "-128 * -128 over K = 10240 is exact");
	memset(b, 127, K);
	ok(ref_i8(a, K, b, 1, &c, 1, 1, K, 1) == 0 && c == -K * 16256, "-128 * 127 over K = 10240 is exact");
	free(a);
	free(b);
}

static void wrong_calls_are_refused(void)
{
	int8_t a[4] = { 0 }, b[4] = { 0 };
	int32_t c[4] = { 0 };

	ok(ref_i8(NULL, 2, b, 2, c, 2, 2, 2, 2) == -EINVAL &&
		   ref_i8(a, 1, b, 2, c, 2, 2, 2, 2) == -EINVAL &&
		   ref_i8(a, 2, b, 1, c, 2, 2, 2, 2) == -EINVAL &&
		   ref_i8(a, 2, b, 2, c, 1, 2, 2, 2) == -EINVAL &&
		   ref_i8(a, 2, b, 2, c, 2, 0, 2, 2) == -EINVAL,
	   "null, short strides and empty shapes are refused");
}

/* Sums of more than 131071 products may leave int32. */
static void overflow_wraps(void)
{
	enum { K = 262144 };
	int8_t *a = malloc(K), *b = malloc(K);
	int32_t c;

	memset(a, -128, K);
	memset(b, -128, K);
	ok(ref_i8(a, K, b, 1, &c, 1, 1, K, 1) == 0 && c == 0, "2^18 * 2^14 is 0 modulo 2^32");
	free(a);
	free(b);
}

static void int8_results_are_requantised(void)
{
	const int8_t a[2] = { 127, 1 }, b[2 * 4] = { 1, 2, 3, -100, 0, 0, 1, 0 };
	struct ork_ref_desc desc = {
		.type = ORK_I8, .c_type = ORK_I8, .m = 1, .k = 2, .n = 4, .a = a, .lda = 2, .b = b, .ldb = 4, .ldc = 4,
		.requant = { .scale = -1, .shift = 2, .offset = 5 },
	};
	int8_t c[4] = { 0 };

	desc.c = c;
	/* -31.75, -63.5, -95.5, 3175 */
	ok(ork_ref_matmul(&desc) == 0 && c[0] == -27 && c[1] == -59 && c[2] == -91 && c[3] == 127,
	   "int8 results are scaled, rounded half to even, shifted and limited (%d %d %d %d)", c[0], c[1], c[2], c[3]);
	desc.requant.shift = 64;
	ok(ork_ref_matmul(&desc) == -EINVAL, "a shift of 64 is refused");
	desc.requant = (struct ork_requant){ .scale = 32768 };
	ok(ork_ref_matmul(&desc) == -EINVAL, "a scale of 17 bits is refused");
	desc.c_type = ORK_F32;
	ok(ork_ref_matmul(&desc) == -EINVAL, "int8 cannot become binary32");
}

static float product_f16(enum ork_dtype type, const uint16_t *a, const uint16_t *b, size_t k, size_t k_slice)
{
	float c = -1;
	const struct ork_ref_desc desc = {
		.type = type, .m = 1, .k = k, .n = 1, .a = a, .lda = k, .b = b, .ldb = 1, .c = &c, .ldc = 1,
		.k_slice = k_slice,
	};

	return ork_ref_matmul(&desc) ? -2 : c;
}

#define F16_ONE 0x3c00
#define F16_TINY 0x0001 /* 2^-24 */
#define F16_MAX 0x7bff
#define BF16_ONE 0x3f80

static void groups_are_rounded_once(void)
{
	uint16_t a[64] = { 0 }, b[64] = { 0 };

	a[0] = F16_TINY;
	b[0] = F16_TINY;
	ok(product_f16(ORK_F16, a, b, 1, 0) == 0x1p-48f, "the smallest product is exact");
	a[1] = F16_ONE;
	b[1] = F16_ONE;
	a[2] = F16_ONE | 0x8000;
	b[2] = F16_ONE;
	ok(product_f16(ORK_F16, a, b, 3, 0) == 0x1p-48f, "cancellation inside a group loses nothing");
	a[34] = a[2];
	b[34] = b[2];
	a[2] = 0;
	ok(product_f16(ORK_F16, a, b, 64, 0) == 0, "cancellation between groups does");
	a[0] = F16_MAX | 0x8000;
	b[0] = F16_MAX;
	ok(product_f16(ORK_F16, a, b, 1, 0) == -65504.0f * 65504.0f, "the largest product is exact");
}

/* Addends whose order shows. */
static void slices_are_added_last(void)
{
	uint16_t a[128] = { 0 }, b[128] = { 0 };

	a[0] = 0x6c00; /* 2^12 */
	b[0] = 0x6c00;
	a[64] = F16_ONE;
	b[64] = F16_ONE;
	a[96] = F16_ONE;
	b[96] = F16_ONE;
	ok(product_f16(ORK_F16, a, b, 128, 0) == 0x1p24f, "groups are added in order: 2^24 + 1 + 1 is 2^24");
	ok(product_f16(ORK_F16, a, b, 128, 64) == 0x1p24f + 2, "a slice is summed first: 2^24 + (1 + 1) is not");
	b[64] = 0x3e00;
	b[96] = 0x3e00;
	ok(product_f16(ORK_F16, a, b, 128, 0) == 0x1p24f + 4, "each group is rounded: 2^24 + 1.5 + 1.5 is 2^24 + 4");
	ok(product_f16(ORK_F16, a, b, 128, 48) == -2, "a slice is a multiple of 32");
}

static void bf16_has_a_wide_range(void)
{
	uint16_t a[4] = { 0x7f7f, 0x0001, BF16_ONE, 0xff7f }, b[4] = { BF16_ONE, BF16_ONE, BF16_ONE, BF16_ONE };

	ok(product_f16(ORK_BF16, a, b, 4, 0) == 1, "a group of bf16 spans the whole range exactly");
	b[0] = a[0];
	ok(product_f16(ORK_BF16, a, b, 2, 0) == 1.0f / 0.0f, "overflow becomes infinity");
	ok(product_f16(ORK_BF16, a + 1, b + 1, 1, 0) == 0x1p-133f, "subnormal results are kept");
	b[1] = a[1];
	ok(product_f16(ORK_BF16, a + 1, b + 1, 1, 0) == 0, "below them is 0");
}

static void narrowing_rounds_to_even(void)
{
	ok(ork_f16_from_f32(1.0f) == F16_ONE && ork_f16_from_f32(-2.0f) == 0xc000 &&
		   ork_f16_from_f32(65504.0f) == F16_MAX && ork_f16_from_f32(0.0f) == 0,
	   "binary16 numbers stay what they are");
	ok(ork_f16_from_f32(1.0f + 0x1p-11f) == F16_ONE && ork_f16_from_f32(1.0f + 0x3p-11f) == F16_ONE + 2 &&
		   ork_f16_from_f32(1.0f + 0x1.002p-11f) == F16_ONE + 1,
	   "ties go to even");
	ok(ork_f16_from_f32(0x1p-24f) == 1 && ork_f16_from_f32(0x1p-25f) == 0 && ork_f16_from_f32(0x3p-25f) == 2 &&
		   ork_f16_from_f32(0x1.ff8p-15f) == 0x3ff && ork_f16_from_f32(0x1.ffcp-15f) == 0x400,
	   "subnormal numbers are rounded as well");
	ok(ork_f16_from_f32(65519.0f) == F16_MAX && ork_f16_from_f32(65520.0f) == 0x7c00 &&
		   ork_f16_from_f32(-1e30f) == 0xfc00,
	   "what is too large becomes infinity");
}

int main(void)
{
	reference_equals_the_definition();
	extreme_values_are_exact();
	wrong_calls_are_refused();
	overflow_wraps();
	int8_results_are_requantised();
	groups_are_rounded_once();
	slices_are_added_last();
	bf16_has_a_wide_range();
	narrowing_rounds_to_even();
	return done();
}
