/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_WEIGHTS_H
#define ORK_WEIGHTS_H

#include "internal.h"
#include "layout.h"

/* What is stored in weights: weights.c makes them, weights_append.c lets them grow. */

/* -EINVAL if one of the rows x cols elements of a matrix is no value of the type. */
int ork_weights_check_values(const struct ork_weights *weights, const void *b, size_t ldb, size_t b_stride, size_t rows,
			     size_t cols);

/* Packs the same part of all matrices. The CPU's caches are not cleaned. */
void ork_weights_write(const struct ork_weights *weights, const struct ork_part *part, const void *b, size_t ldb,
		       size_t b_stride);

/* Rows and columns that products see from now on. */
void ork_weights_resize(struct ork_weights *weights, uint32_t k, uint32_t n);

#endif
