/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "internal.h"
#include "layout.h"

static int check_shape(struct ork_device *dev, const int8_t *b, size_t ldb, size_t k, size_t n,
		       struct ork_weights **weights)
{
	if (!b || !weights)
		return ork_fail(dev, -EINVAL, "ork_weights_create_i8: b or weights is NULL");
	if (!k || !n)
		return ork_fail(dev, -EINVAL, "ork_weights_create_i8: K and N must be at least 1");
	if (ldb < n)
		return ork_fail(dev, -EINVAL, "ork_weights_create_i8: ldb = %zu is less than N = %zu", ldb, n);
	if (k > ORK_MAX_DIM || n > ORK_MAX_DIM)
		return ork_fail(dev, -E2BIG, "K = %zu or N = %zu is above %d", k, n, ORK_MAX_DIM);
	if (k > ORK_MAX_K_TASK)
		return ork_fail(dev, -ENOTSUP, "K > %d not supported yet (K = %zu)", ORK_MAX_K_TASK, k);
	if (ldb > SIZE_MAX / k)
		return ork_fail(dev, -EINVAL, "ork_weights_create_i8: ldb = %zu is larger than memory", ldb);
	return 0;
}

/* Fills the buffer and hands it to the NPU for good. */
static int pack(struct ork_weights *weights, const int8_t *b, size_t ldb)
{
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
	ork_pack_weights_i8(cpu, b, ldb, weights->k, weights->n);
	range.bo = weights->bo;
	return ork_bo_sync(weights->dev, &range, 1);
}

int ork_weights_create_i8(struct ork_device *dev, const int8_t *b, size_t ldb, size_t k, size_t n,
			  struct ork_weights **weights)
{
	struct ork_weights *created;
	int err;

	if (!dev)
		return -EINVAL;
	err = check_shape(dev, b, ldb, k, n, weights);
	if (err)
		return err;
	created = calloc(1, sizeof(*created));
	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->dev = dev;
	created->k = (uint32_t)k;
	created->n = (uint32_t)n;
	created->k_pad = ork_round_up(created->k, ORK_I8_GROUP_K);
	created->n_pad = ork_round_up(created->n, ORK_I8_GROUP_N);
	err = pack(created, b, ldb);
	if (err) {
		ork_bo_free(created->bo);
		free(created);
		return err;
	}
	created->next = dev->weights;
	if (created->next)
		created->next->prev = created;
	dev->weights = created;
	*weights = created;
	return 0;
}

void ork_weights_destroy(struct ork_weights *weights)
{
	if (!weights)
		return;
	if (weights->prev)
		weights->prev->next = weights->next;
	else
		weights->dev->weights = weights->next;
	if (weights->next)
		weights->next->prev = weights->prev;
	ork_programs_destroy(weights);
	ork_bo_free(weights->bo);
	free(weights);
}

size_t ork_weights_bytes(const struct ork_weights *weights)
{
	return weights ? (size_t)weights->k_pad * weights->n_pad : 0;
}
