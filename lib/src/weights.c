/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "layout.h"
#include "pack_file.h"
#include "slice.h"
#include "weights.h"

static int check_sizes(struct ork_device *dev, const struct ork_weights_desc *desc)
{
	const size_t bytes = ork_dtype_bytes(desc->type);
	size_t matrix, end;

	if (desc->k > ORK_MAX_DIM || desc->n > ORK_MAX_DIM || desc->batch > ORK_MAX_DIM ||
	    desc->k_capacity > ORK_MAX_DIM || desc->n_capacity > ORK_MAX_DIM)
		return ork_fail(dev, -E2BIG, "weights: K = %zu, N = %zu, batch = %zu or a capacity is above %d",
				desc->k, desc->n, desc->batch, ORK_MAX_DIM);
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
	if (!desc || !weights || !desc->b == (desc->k && desc->n))
		return ork_fail(dev, -EINVAL, "weights: desc, desc->b or weights is NULL, or b is not NULL but empty");
	if (!ork_operand_find(desc->type))
		return ork_fail(dev, -EINVAL, "weights: A and B cannot be %s", ork_dtype_name(desc->type));
	if ((!desc->k && !desc->k_capacity) || (!desc->n && !desc->n_capacity) || (!desc->k && !desc->n))
		return ork_fail(dev, -EINVAL, "weights: K and N must be at least 1, but for one that can grow");
	if ((desc->k_capacity && desc->k_capacity < desc->k) || (desc->n_capacity && desc->n_capacity < desc->n))
		return ork_fail(dev, -EINVAL, "weights: K or N is above its capacity");
	if (desc->max_k_slice % ORK_GROUP_K || desc->max_k_slice > ORK_MAX_K_TASK)
		return ork_fail(dev, -EINVAL, "weights: max_k_slice = %zu is no multiple of %d up to %d",
				desc->max_k_slice, ORK_GROUP_K, ORK_MAX_K_TASK);
	if (desc->b && desc->ldb < desc->n)
		return ork_fail(dev, -EINVAL, "weights: ldb = %zu is less than N = %zu", desc->ldb, desc->n);
	return check_sizes(dev, desc);
}

static uint32_t batch_of(const struct ork_weights_desc *desc)
{
	return desc->batch ? (uint32_t)desc->batch : 1;
}

/*
 * Bytes of a kernel in a slice that is as long as it is useful. Four of the 12 banks hold two kernel groups of 32 KiB *
 * 2 and the other eight 128 rows of A (NPU reference 3.5). 128 MACs per byte of int8 weights, or 64 for two bytes, take
 * 1/8 ns, and a byte is loaded in 1/7 ns (measurements 5), so that weights load as fast as they are used. With longer
 * slices there are fewer rows, and the MACs wait.
 */
#define GOOD_KERNEL_BYTES 2048

/*
 * Rows that grow: the last slice is multiplied as a whole, however few of its rows are in use, and each slice costs a
 * task and an addition of C.
 */
#define MAX_K_GROWING 1024

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

static int slice_i4(struct ork_weights *weights, const struct ork_weights_desc *desc, uint32_t max_k)
{
	const struct ork_matrices matrices = {
		.b = desc->b, .ldb = desc->ldb, .stride = desc->b_stride, .k = weights->k, .n = weights->n,
		.count = weights->batch,
	};

	weights->k_slice = ork_slice_i4(&matrices, max_k);
	return weights->k_slice ? 0 : ork_fail(weights->dev, -ENOMEM, "out of memory");
}

/* What is appended to int4 weights is not known yet, so that slices have to be good for any. */
static int slice_k(struct ork_weights *weights, const struct ork_weights_desc *desc)
{
	const bool rows_grow = weights->k_capacity > weights->k;
	uint32_t max_k = (uint32_t)desc->max_k_slice;

	if (!max_k)
		max_k = GOOD_KERNEL_BYTES * 8 / weights->operand->bits;
	if (rows_grow)
		max_k = at_most(max_k, MAX_K_GROWING);
	if (desc->type == ORK_I4 && !rows_grow && weights->n_capacity == weights->n)
		return slice_i4(weights, desc, max_k);
	weights->k_slice = ork_slice_even(weights->k_capacity, at_most(max_k, weights->operand->max_k));
	return 0;
}

/* Sizes after padding. */
static int lay_out(struct ork_weights *weights, const struct ork_weights_desc *desc)
{
	uint64_t bytes;
	int err;

	weights->operand = ork_operand_find(desc->type);
	weights->k_capacity = (uint32_t)(desc->k_capacity ? desc->k_capacity : desc->k);
	weights->n_capacity = (uint32_t)(desc->n_capacity ? desc->n_capacity : desc->n);
	weights->batch = batch_of(desc);
	weights->k = (uint32_t)desc->k;
	weights->n = (uint32_t)desc->n;
	err = ork_weights_check_values(weights, desc->b, desc->ldb, desc->b_stride, weights->k, weights->n);
	if (!err)
		err = slice_k(weights, desc);
	if (err)
		return err;
	weights->slice_bytes = (uint64_t)ork_operand_bytes(weights->operand, weights->k_slice) *
			       ork_round_up(weights->n_capacity, weights->operand->group_n);
	weights->batch_bytes = weights->slice_bytes * ork_round_up(weights->k_capacity, weights->k_slice) /
			       weights->k_slice;
	ork_weights_resize(weights, weights->k, weights->n);
	if (__builtin_mul_overflow(weights->batch_bytes, weights->batch, &bytes) || bytes > SIZE_MAX)
		return ork_fail(weights->dev, -E2BIG, "weights: they do not fit the NPU's 4 GiB of addresses");
	return 0;
}

/* Fills the buffer and hands it to the NPU for good. */
static int pack(struct ork_weights *weights, const struct ork_weights_desc *desc)
{
	const struct ork_part all = { .rows = weights->k, .cols = weights->n };
	struct ork_sync_range range = { .op = ORK_SYNC_TO_DEVICE, .size_bytes = ork_weights_bytes(weights) };
	void *cpu;
	int err;

	err = ork_bo_create_internal(weights->dev, range.size_bytes, 0, &weights->bo);
	if (err)
		return err;
	err = ork_bo_map(weights->bo, &cpu);
	if (!err)
		err = ork_bo_address(weights->bo, &weights->va);
	if (err)
		return err;
	weights->packed = cpu;
	ork_weights_write(weights, &all, desc->b, desc->ldb, desc->b_stride);
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
