/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "residency.h"

#define VM_LIMIT_BYTES (UINT64_C(3) << 30)

static uint32_t count_items(const struct ork_pack *pack, uint32_t *first)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < pack->count; i++) {
		first[i] = (uint32_t)count;
		count += pack->entries[i].tensor.batch;
		if (count >= ORK_NO_ITEM)
			return ORK_NO_ITEM;
	}
	return (uint32_t)count;
}

static void residency_free(struct ork_residency *residency)
{
	free(residency->items);
	free(residency->first);
	free(residency);
}

int ork_residency_create(struct ork_device *dev, struct ork_pack *pack, uint64_t budget_bytes,
			 struct ork_residency **residency)
{
	struct ork_residency *created;
	uint32_t count;

	if (!dev)
		return -EINVAL;
	if (!pack || !residency || !budget_bytes)
		return ork_fail(dev, -EINVAL, "ork_residency_create: pack or residency is NULL, or the budget is 0");
	created = calloc(1, sizeof(*created));
	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->first = calloc(pack->count + 1, sizeof(*created->first));
	count = created->first ? count_items(pack, created->first) : 0;
	if (created->first && count != ORK_NO_ITEM)
		created->items = calloc((size_t)count + 1, sizeof(*created->items));
	if (!created->items) {
		residency_free(created);
		return ork_fail(dev, -ENOMEM, "no memory for a list of %u matrices", count);
	}
	created->dev = dev;
	created->pack = pack;
	created->oldest = ORK_NO_ITEM;
	created->newest = ORK_NO_ITEM;
	created->vm_limit_bytes = VM_LIMIT_BYTES;
	created->info.budget_bytes = budget_bytes;
	pack->users++;
	dev->user_residencies++;
	*residency = created;
	return 0;
}

static void list_remove(struct ork_residency *residency, uint32_t index)
{
	const struct ork_resident *item = &residency->items[index];

	if (item->older == ORK_NO_ITEM)
		residency->oldest = item->newer;
	else
		residency->items[item->older].newer = item->newer;
	if (item->newer == ORK_NO_ITEM)
		residency->newest = item->older;
	else
		residency->items[item->newer].older = item->older;
}

static void list_add_newest(struct ork_residency *residency, uint32_t index)
{
	struct ork_resident *item = &residency->items[index];

	item->older = residency->newest;
	item->newer = ORK_NO_ITEM;
	if (item->older == ORK_NO_ITEM)
		residency->oldest = index;
	else
		residency->items[item->older].newer = index;
	residency->newest = index;
}

/* Memory that the weights take: whole pages. */
static uint64_t bytes_of(const struct ork_weights *weights)
{
	return ork_bo_size(weights->bo);
}

/* Of an item that is on the list. */
static void evict(struct ork_residency *residency, uint32_t index)
{
	struct ork_resident *item = &residency->items[index];

	list_remove(residency, index);
	residency->vm_bytes[item->weights->vm] -= bytes_of(item->weights);
	residency->info.resident_bytes -= bytes_of(item->weights);
	ork_weights_free(item->weights);
	item->weights = NULL;
}

static bool evict_oldest(struct ork_residency *residency)
{
	if (residency->oldest == ORK_NO_ITEM)
		return false;
	evict(residency, residency->oldest);
	residency->info.evictions++;
	return true;
}

void ork_residency_destroy(struct ork_residency *residency)
{
	uint32_t vm;

	if (!residency)
		return;
	while (residency->oldest != ORK_NO_ITEM)
		evict(residency, residency->oldest);
	for (vm = 0; vm < ORK_VMS; vm++)
		if (residency->vms & 1u << vm)
			ork_vm_give(residency->dev, vm);
	residency->dev->user_residencies--;
	ork_pack_put_user(residency->pack);
	residency_free(residency);
}

/* What is to be loaded. */
struct request {
	struct ork_residency *residency;
	size_t index, first, count; /* of matrices */
	uint64_t bytes;             /* at most, with partly used pages at both ends */
};

/* -ENOSPC: there is no room in the VM. */
static int load_into(const struct request *request, uint32_t vm, struct ork_weights **weights)
{
	struct ork_residency *residency = request->residency;

	if (request->bytes > residency->vm_limit_bytes - residency->vm_bytes[vm])
		return -ENOSPC;
	return ork_pack_load_in(residency->dev, residency->pack, vm, request->index, request->first, request->count,
				weights);
}

/* Fills one VM after the other, so that what is used together is found in few of them. */
static int load_anywhere(const struct request *request, struct ork_weights **weights)
{
	struct ork_residency *residency = request->residency;
	int err = -ENOSPC;
	uint32_t vm;

	for (vm = 0; vm < ORK_VMS && err == -ENOSPC; vm++)
		if (residency->vms & 1u << vm)
			err = load_into(request, vm, weights);
	if (err != -ENOSPC)
		return err;
	err = ork_vm_take(residency->dev, &vm);
	if (err)
		return err;
	residency->vms |= 1u << vm;
	residency->info.vms++;
	return load_into(request, vm, weights);
}

static int no_room(const struct request *request)
{
	const struct ork_residency_info *info = &request->residency->info;

	return ork_fail(request->residency->dev, -EBUSY,
			"no room for %llu bytes: %llu of the budget of %llu bytes are in use",
			(unsigned long long)request->bytes, (unsigned long long)info->pinned_bytes,
			(unsigned long long)info->budget_bytes);
}

static int load(const struct request *request, struct ork_weights **weights)
{
	struct ork_residency *residency = request->residency;
	struct ork_residency_info *info = &residency->info;
	int err;

	if (request->bytes > info->budget_bytes || request->bytes > residency->vm_limit_bytes)
		return ork_fail(residency->dev, -E2BIG, "%llu bytes are more than the budget of %llu or than 3 GiB",
				(unsigned long long)request->bytes, (unsigned long long)info->budget_bytes);
	while (info->resident_bytes + request->bytes > info->budget_bytes)
		if (!evict_oldest(residency))
			return no_room(request);
	do {
		err = load_anywhere(request, weights);
	} while ((err == -ENOSPC || err == -ENOMEM) && evict_oldest(residency));
	return err == -ENOSPC ? no_room(request) : err;
}

static int describe(struct ork_residency *residency, size_t index, size_t b, struct request *request)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(residency->pack, index);

	if (!tensor || b >= tensor->batch)
		return ork_fail(residency->dev, -EINVAL, "the file has no matrix %zu of tensor %zu", b, index);
	*request = (struct request){
		.residency = residency, .index = index, .first = b * tensor->groups, .count = tensor->groups,
	};
	request->bytes = tensor->groups * tensor->matrix_bytes + 2 * ORK_PACK_PAGE_BYTES - 1;
	request->bytes -= request->bytes % ORK_PACK_PAGE_BYTES;
	return 0;
}

static int make_resident(struct ork_residency *residency, uint32_t at, const struct request *request)
{
	struct ork_resident *item = &residency->items[at];
	const int err = load(request, &item->weights);

	if (err)
		return err;
	residency->info.resident_bytes += bytes_of(item->weights);
	residency->vm_bytes[item->weights->vm] += bytes_of(item->weights);
	residency->info.misses++;
	return 0;
}

int ork_residency_get(struct ork_residency *residency, size_t index, size_t b, struct ork_weights **weights)
{
	struct ork_resident *item;
	struct request request;
	uint32_t at;
	int err;

	if (!residency)
		return -EINVAL;
	if (!weights)
		return ork_fail(residency->dev, -EINVAL, "ork_residency_get: weights is NULL");
	err = describe(residency, index, b, &request);
	if (err)
		return err;
	at = residency->first[index] + (uint32_t)b;
	item = &residency->items[at];
	if (!item->weights) {
		err = make_resident(residency, at, &request);
		if (err)
			return err;
	} else {
		residency->info.hits++;
		if (!item->users)
			list_remove(residency, at);
	}
	if (!item->users++)
		residency->info.pinned_bytes += bytes_of(item->weights);
	*weights = item->weights;
	return 0;
}

void ork_residency_put(struct ork_residency *residency, size_t index, size_t b)
{
	struct ork_resident *item;
	uint32_t at;

	if (!residency || index >= ork_pack_count(residency->pack) || b >= residency->pack->entries[index].tensor.batch)
		return;
	at = residency->first[index] + (uint32_t)b;
	item = &residency->items[at];
	if (!item->users || --item->users)
		return;
	residency->info.pinned_bytes -= bytes_of(item->weights);
	list_add_newest(residency, at);
}

void ork_residency_query(const struct ork_residency *residency, struct ork_residency_info *info)
{
	if (residency && info)
		*info = residency->info;
}
