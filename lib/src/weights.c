/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "internal.h"
#include "layout.h"
#include "pack_file.h"
#include "slice.h"

static int check_sizes(struct ork_device *dev, const struct ork_weights_desc *desc)
{
	const size_t bytes = ork_dtype_bytes(desc->type);
	size_t matrix, end;

	if (desc->k > ORK_MAX_DIM || desc->n > ORK_MAX_DIM || desc->batch > ORK_MAX_DIM)
		return ork_fail(dev, -E2BIG, "weights: K = %zu, N = %zu or batch = %zu is above %d", desc->k, desc->n,
				desc->batch, ORK_MAX_DIM);
	if (__builtin_mul_overflow(desc->ldb, desc->k, &matrix) || matrix > PTRDIFF_MAX / bytes)
		return ork_fail(dev, -EINVAL, "weights: ldb = %zu is larger than memory", desc->ldb);
	if (desc->batch > 1 &&
	    (__builtin_mul_overflow(desc->b_stride, desc->batch, &end) ||
	     __builtin_add_overflow(end, matrix, &end) || end > PTRDIFF_MAX / bytes))
		return ork_fail(dev, -EINVAL, "weights: b_stride = %zu is larger than memory", desc->b_stride);
	return 0;
}

static int check_desc(struct ork_device *dev, const struct ork_weights_desc *desc, struct ork_weights **weights)
{
	if (!desc || !weights || !desc->b)
		return ork_fail(dev, -EINVAL, "weights: desc, desc->b or weights is NULL");
	if (!ork_operand_find(desc->type))
		return ork_fail(dev, -EINVAL, "weights: A and B cannot be %s", ork_dtype_name(desc->type));
	if (!desc->k || !desc->n)
		return ork_fail(dev, -EINVAL, "weights: K and N must be at least 1");
	if (desc->ldb < desc->n)
		return ork_fail(dev, -EINVAL, "weights: ldb = %zu is less than N = %zu", desc->ldb, desc->n);
	return check_sizes(dev, desc);
}

static uint32_t batch_of(const struct ork_weights_desc *desc)
{
	return desc->batch ? (uint32_t)desc->batch : 1;
}

/* Most that a task takes of any type (NPU reference 6.1, D10). */
#define MAX_K_TASK 10240

static int slice_i4(struct ork_weights *weights, const struct ork_weights_desc *desc)
{
	const struct ork_matrices matrices = {
		.b = desc->b, .ldb = desc->ldb, .stride = desc->b_stride, .k = weights->k, .n = weights->n,
		.count = weights->batch,
	};
	uint32_t i;

	for (i = 0; i < matrices.count; i++)
		if (!ork_check_i4(matrices.b + i * matrices.stride, matrices.ldb, matrices.k, matrices.n))
			return ork_fail(weights->dev, -EINVAL, "weights: B has values outside -8..7");
	weights->k_slice = ork_slice_i4(&matrices, MAX_K_TASK);
	return weights->k_slice ? 0 : ork_fail(weights->dev, -ENOMEM, "out of memory");
}

/* Sizes after padding. */
static int lay_out(struct ork_weights *weights, const struct ork_weights_desc *desc)
{
	uint64_t bytes;
	int err = 0;

	weights->operand = ork_operand_find(desc->type);
	weights->k = (uint32_t)desc->k;
	weights->n = (uint32_t)desc->n;
	weights->batch = batch_of(desc);
	if (desc->type == ORK_I4)
		err = slice_i4(weights, desc);
	else
		weights->k_slice = ork_slice_even(weights->k, weights->operand->max_k);
	if (err)
		return err;
	weights->slices = (weights->k + weights->k_slice - 1) / weights->k_slice;
	weights->n_pad = ork_round_up(weights->n, weights->operand->group_n);
	weights->batch_bytes = (uint64_t)ork_operand_bytes(weights->operand, weights->k_slice) * weights->slices *
			       weights->n_pad;
	if (__builtin_mul_overflow(weights->batch_bytes, weights->batch, &bytes) || bytes > SIZE_MAX)
		return ork_fail(weights->dev, -E2BIG, "weights: they do not fit the NPU's 4 GiB of addresses");
	return 0;
}

static void pack_batch(const struct ork_weights *weights, uint8_t *packed, const uint8_t *b, size_t ldb)
{
	const uint64_t slice_bytes = weights->batch_bytes / weights->slices;
	uint32_t s, k0;

	for (s = 0; s < weights->slices; s++) {
		k0 = s * weights->k_slice;
		ork_pack_weights(weights->operand, packed + s * slice_bytes, b + k0 * ldb * weights->operand->user_bytes,
				 ldb, weights->k - k0 < weights->k_slice ? weights->k - k0 : weights->k_slice,
				 weights->k_slice, weights->n);
	}
}

/* Fills the buffer and hands it to the NPU for good. */
static int pack(struct ork_weights *weights, const struct ork_weights_desc *desc)
{
	struct ork_sync_range range = { .op = ORK_SYNC_TO_DEVICE, .size_bytes = ork_weights_bytes(weights) };
	const size_t stride = desc->b_stride * weights->operand->user_bytes;
	void *cpu;
	uint32_t i;
	int err;

	err = ork_bo_create_internal(weights->dev, range.size_bytes, 0, &weights->bo);
	if (err)
		return err;
	err = ork_bo_map(weights->bo, &cpu);
	if (!err)
		err = ork_bo_address(weights->bo, &weights->va);
	if (err)
		return err;
	for (i = 0; i < weights->batch; i++)
		pack_batch(weights, (uint8_t *)cpu + i * weights->batch_bytes, (const uint8_t *)desc->b + i * stride,
			   desc->ldb);
	range.bo = weights->bo;
	return ork_bo_sync(weights->dev, &range, 1);
}

int ork_weights_create(struct ork_device *dev, const struct ork_weights_desc *desc, struct ork_weights **weights)
{
	struct ork_weights *created;
	int err;

	if (!dev)
		return -EINVAL;
	err = check_desc(dev, desc, weights);
	if (err)
		return err;
	created = calloc(1, sizeof(*created));
	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->dev = dev;
	err = lay_out(created, desc);
	if (!err)
		err = pack(created, desc);
	if (err) {
		ork_weights_free(created);
		return err;
	}
	dev->user_weights++;
	*weights = created;
	return 0;
}

void ork_weights_free(struct ork_weights *weights)
{
	ork_bo_free(weights->bo);
	ork_pack_put_user(weights->pack);
	free(weights);
}

void ork_weights_destroy(struct ork_weights *weights)
{
	if (!weights)
		return;
	weights->dev->user_weights--;
	ork_weights_free(weights);
}

size_t ork_weights_bytes(const struct ork_weights *weights)
{
	return weights ? weights->batch_bytes * weights->batch : 0;
}

size_t ork_weights_k_slice(const struct ork_weights *weights)
{
	return weights ? weights->k_slice : 0;
}
