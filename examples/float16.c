/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * The smallest useful program: weights are packed once, then multiplied with one row and with many, and the result is
 * compared with the CPU reference.
 *
 *     cc float16.c -lork && ORK_DEVICE=model ./a.out
 */

#include <ork.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = 768, N = 512, MAX_M = 64 };

/* binary16: sign, exponent 2^-4 to 2^-1, random fraction. */
static uint16_t random_half(void)
{
	return (uint16_t)((rand() & 0x8000) | (0x2c00 + (rand() & 0x0fff)));
}

static int multiply(struct ork_device *dev, struct ork_weights *weights, const uint16_t *a, const uint16_t *b, size_t m)
{
	static float c[MAX_M * N], expected[MAX_M * N];
	const struct ork_matmul_desc product = { .weights = weights, .m = m, .a = a, .lda = K, .c = c, .ldc = N };
	const struct ork_ref_desc reference = {
		.type = ORK_F16, .m = m, .k = K, .n = N, .a = a, .lda = K, .b = b, .ldb = N, .c = expected, .ldc = N,
		.k_slice = ork_weights_k_slice(weights),
	};

	if (ork_matmul(dev, &product, NULL)) {
		fprintf(stderr, "product: %s\n", ork_error(dev));
		return 1;
	}
	if (ork_ref_matmul(&reference) || memcmp(c, expected, m * N * sizeof(*c)) != 0) {
		fprintf(stderr, "the result differs from the reference\n");
		return 1;
	}
	printf("M=%zu: c[0][0] = %g, equal to the reference to the bit\n", m, (double)c[0]);
	return 0;
}

int main(void)
{
	static uint16_t a[MAX_M * K], b[K * N];
	const struct ork_weights_desc desc = { .type = ORK_F16, .b = b, .ldb = N, .k = K, .n = N };
	struct ork_weights *weights;
	struct ork_device *dev;
	size_t i;
	int err;

	for (i = 0; i < sizeof(a) / sizeof(a[0]); i++)
		a[i] = random_half();
	for (i = 0; i < sizeof(b) / sizeof(b[0]); i++)
		b[i] = random_half();

	err = ork_open(NULL, &dev);
	if (err) {
		fprintf(stderr, "open: %s\n", ork_strerror(err));
		return 1;
	}
	if (ork_weights_create(dev, &desc, &weights)) {
		fprintf(stderr, "weights: %s\n", ork_error(dev));
		ork_close(dev);
		return 1;
	}
	printf("%zu bytes of weights are resident\n", ork_weights_bytes(weights));
	err = multiply(dev, weights, a, b, 1) || multiply(dev, weights, a, b, MAX_M);
	ork_weights_destroy(weights);
	ork_close(dev);
	return err;
}
