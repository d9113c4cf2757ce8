/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_HOST_PRODUCT_H
#define ORK_HOST_PRODUCT_H

#include <ork.h>

/* The calls of ork.h for int8 matrices and int32 results, with all values as arguments. */

static inline int weights_i8(struct ork_device *dev, const int8_t *b, size_t ldb, size_t k, size_t n,
			     struct ork_weights **weights)
{
	const struct ork_weights_desc desc = { .type = ORK_I8, .b = b, .ldb = ldb, .k = k, .n = n };

	return ork_weights_create(dev, &desc, weights);
}

static inline int matmul_i8(struct ork_device *dev, struct ork_weights *weights, const int8_t *a, size_t lda, size_t m,
			    int32_t *c, size_t ldc, const struct ork_matmul_opts *opts)
{
	const struct ork_matmul_desc desc = {
		.weights = weights, .m = m, .a = a, .lda = lda, .c = c, .ldc = ldc
	};

	return ork_matmul(dev, &desc, opts);
}

static inline int ref_i8(const int8_t *a, size_t lda, const int8_t *b, size_t ldb, int32_t *c, size_t ldc, size_t m,
			 size_t k, size_t n)
{
	const struct ork_ref_desc desc = {
		.type = ORK_I8, .m = m, .k = k, .n = n, .a = a, .lda = lda, .b = b, .ldb = ldb, .c = c, .ldc = ldc
	};

	return ork_ref_matmul(&desc);
}

#endif
