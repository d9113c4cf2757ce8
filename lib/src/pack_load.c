/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "pack_file.h"

static int copy_pages(struct ork_weights *weights, const void *pages, size_t bytes)
{
	void *copy;
	int err = ork_bo_create_internal(weights->dev, bytes, ORK_BO_WC, &weights->bo);

	if (!err)
		err = ork_bo_map(weights->bo, &copy);
	if (!err)
		memcpy(copy, pages, bytes);
	return err;
}

/* The pages that hold count matrices. The first matrix need not start with its page. */
static int map_pages(struct ork_weights *weights, const struct ork_pack_tensor *tensor, size_t first, size_t count)
{
	const uint64_t start = tensor->offset_bytes + first * tensor->matrix_bytes;
	const uint64_t end = start + count * tensor->matrix_bytes;
	const uint64_t page = start / ORK_PACK_PAGE_BYTES * ORK_PACK_PAGE_BYTES;
	const uint64_t bytes = (end - page + ORK_PACK_PAGE_BYTES - 1) / ORK_PACK_PAGE_BYTES * ORK_PACK_PAGE_BYTES;
	int err;

	if (bytes > UINT32_MAX - ORK_PACK_PAGE_BYTES)
		return ork_fail(weights->dev, -E2BIG, "%zu matrices of \"%.64s\" do not fit the NPU's 4 GiB of addresses",
				count, tensor->name);
	err = ork_bo_wrap(weights->dev, weights->pack->map + page, bytes, &weights->bo);
	/* The driver pins no more pages than RLIMIT_MEMLOCK allows. */
	if (err == -ENOMEM)
		err = copy_pages(weights, weights->pack->map + page, bytes);
	if (!err)
		err = ork_bo_address_in(weights->bo, weights->vm, &weights->va);
	weights->va += (uint32_t)(start - page);
	return err;
}

static void describe(struct ork_weights *weights, const struct ork_pack_tensor *tensor, size_t count)
{
	weights->operand = ork_operand_find(tensor->type);
	weights->k = (uint32_t)tensor->k;
	weights->n = (uint32_t)tensor->n;
	weights->k_slice = (uint32_t)tensor->k_slice;
	weights->slices = (weights->k + weights->k_slice - 1) / weights->k_slice;
	weights->n_pad = ork_round_up(weights->n, weights->operand->group_n);
	weights->batch = (uint32_t)count;
	weights->k_capacity = weights->k;
	weights->n_capacity = weights->n;
	weights->slice_bytes = tensor->matrix_bytes / weights->slices;
	weights->batch_bytes = tensor->matrix_bytes;
}

int ork_pack_load_in(struct ork_device *dev, struct ork_pack *pack, uint32_t vm, size_t index, size_t first,
		     size_t count, struct ork_weights **weights)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(pack, index);
	struct ork_weights *created;
	int err;

	if (!tensor || !count || first >= tensor->batch * tensor->groups ||
	    count > tensor->batch * tensor->groups - first)
		return ork_fail(dev, -EINVAL, "the file has no matrices %zu to %zu of tensor %zu", first, first + count - 1,
				index);
	created = calloc(1, sizeof(*created));
	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->dev = dev;
	created->vm = vm;
	created->pack = pack;
	pack->users++;
	describe(created, tensor, count);
	err = map_pages(created, tensor, first, count);
	if (err) {
		ork_weights_free(created);
		return err;
	}
	*weights = created;
	return 0;
}

int ork_pack_load(struct ork_device *dev, struct ork_pack *pack, size_t index, size_t first, size_t count,
		  struct ork_weights **weights)
{
	int err;

	if (!dev)
		return -EINVAL;
	if (!pack || !weights)
		return ork_fail(dev, -EINVAL, "ork_pack_load: pack or weights is NULL");
	err = ork_pack_load_in(dev, pack, 0, index, first, count, weights);
	if (!err)
		dev->user_weights++;
	return err;
}
