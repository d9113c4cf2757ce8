/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model_memory.h"

#define PAGE_BYTES UINT64_C(4096)
#define SPACE_START PAGE_BYTES
#define SPACE_END (UINT64_C(1) << 32)

/*
 * Start and end of the free space before region number index; index == count stands for the space behind the last one.
 */
static uint64_t hole_start(const struct model_memory *mem, size_t index)
{
	if (index == 0)
		return SPACE_START;
	return mem->regions[index - 1].va + mem->regions[index - 1].bytes + PAGE_BYTES;
}

static uint64_t hole_end(const struct model_memory *mem, size_t index)
{
	return index == mem->count ? SPACE_END : mem->regions[index].va;
}

/* What fits in the hole together with the guard page. */
static uint64_t hole_bytes(const struct model_memory *mem, size_t index)
{
	const uint64_t start = hole_start(mem, index) + PAGE_BYTES;
	const uint64_t end = hole_end(mem, index);

	return end > start ? end - start : 0;
}

static int make_room(struct model_memory *mem)
{
	const size_t capacity = mem->capacity ? 2 * mem->capacity : 16;
	struct model_region *regions;

	if (mem->count < mem->capacity)
		return 0;
	regions = realloc(mem->regions, capacity * sizeof(*regions));
	if (!regions)
		return -ENOMEM;
	mem->regions = regions;
	mem->capacity = capacity;
	return 0;
}

int model_memory_map(struct model_memory *mem, uint8_t *memory, uint64_t bytes, bool writable, uint32_t owner,
		     uint64_t *va)
{
	size_t i = 0;
	int err;

	while (i <= mem->count && hole_bytes(mem, i) < bytes)
		i++;
	if (i > mem->count)
		return -ENOSPC;
	err = make_room(mem);
	if (err)
		return err;
	*va = hole_start(mem, i);
	memmove(&mem->regions[i + 1], &mem->regions[i], (mem->count - i) * sizeof(*mem->regions));
	mem->regions[i] = (struct model_region){ *va, bytes, memory, writable, owner };
	mem->count++;
	return 0;
}

/* The last region that starts at or below va, or NULL. */
static struct model_region *find(const struct model_memory *mem, uint64_t va)
{
	size_t low = 0, high = mem->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (mem->regions[middle].va <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &mem->regions[low - 1] : NULL;
}

uint32_t model_memory_unmap(struct model_memory *mem, uint64_t va)
{
	struct model_region *region = find(mem, va);
	uint32_t owner;
	size_t index;

	if (!region || region->va != va)
		return 0;
	owner = region->owner;
	index = (size_t)(region - mem->regions);
	mem->count--;
	memmove(region, region + 1, (mem->count - index) * sizeof(*region));
	return owner;
}

uint8_t *model_memory_at(const struct model_memory *mem, uint64_t va, size_t bytes, bool write)
{
	const struct model_region *region = find(mem, va);

	if (!region || (write && !region->writable))
		return NULL;
	if (va - region->va > region->bytes || bytes > region->bytes - (va - region->va))
		return NULL;
	return region->memory + (va - region->va);
}

uint64_t model_memory_total(void)
{
	return SPACE_END - SPACE_START;
}

uint64_t model_memory_used(const struct model_memory *mem)
{
	uint64_t used = 0;
	size_t i;

	for (i = 0; i < mem->count; i++)
		used += mem->regions[i].bytes + PAGE_BYTES;
	return used;
}

uint64_t model_memory_largest_hole(const struct model_memory *mem)
{
	uint64_t largest = 0;
	size_t i;

	for (i = 0; i <= mem->count; i++)
		if (hole_bytes(mem, i) > largest)
			largest = hole_bytes(mem, i);
	return largest;
}

void model_memory_free(struct model_memory *mem)
{
	free(mem->regions);
	*mem = (struct model_memory){ 0 };
}
