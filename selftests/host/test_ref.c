/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <ork.h>
#include <stdlib.h>
#include <string.h>

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
	good = ork_ref_matmul_i8(a, lda, b, ldb, c, ldc, m, k, n) == 0;
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
	ok(ork_ref_matmul_i8(a, K, b, 1, &c, 1, 1, K, 1) == 0 && c == K * 16384, "-128 * -128 over K = 10240 is exact");
	memset(b, 127, K);
	ok(ork_ref_matmul_i8(a, K, b, 1, &c, 1, 1, K, 1) == 0 && c == -K * 16256, "-128 * 127 over K = 10240 is exact");
	free(a);
	free(b);
}

static void wrong_calls_are_refused(void)
{
	int8_t a[4] = { 0 }, b[4] = { 0 };
	int32_t c[4] = { 0 };

	ok(ork_ref_matmul_i8(NULL, 2, b, 2, c, 2, 2, 2, 2) == -EINVAL &&
		   ork_ref_matmul_i8(a, 1, b, 2, c, 2, 2, 2, 2) == -EINVAL &&
		   ork_ref_matmul_i8(a, 2, b, 1, c, 2, 2, 2, 2) == -EINVAL &&
		   ork_ref_matmul_i8(a, 2, b, 2, c, 1, 2, 2, 2) == -EINVAL &&
		   ork_ref_matmul_i8(a, 2, b, 2, c, 2, 0, 2, 2) == -EINVAL,
	   "null, short strides and empty shapes are refused");
}

int main(void)
{
	reference_equals_the_definition();
	extreme_values_are_exact();
	wrong_calls_are_refused();
	return done();
}
