/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "internal.h"

/* Sizes are rounded up generously, so that a stage fits the next, slightly larger product too. */
#define STAGE_STEP_BYTES ((uint64_t)64 << 10)

static void stage_free(struct ork_stage *stage)
{
	ork_bo_free(stage->bo);
	free(stage);
}

static int map_stage(struct ork_stage *stage, uint32_t vm)
{
	void *cpu;
	int err;

	err = ork_bo_map(stage->bo, &cpu);
	if (err)
		return err;
	stage->cpu = cpu;
	return ork_bo_address_in(stage->bo, vm, &stage->va);
}

static int stage_create(struct ork_device *dev, uint32_t vm, uint64_t size_bytes, struct ork_stage **stage)
{
	struct ork_stage *created = calloc(1, sizeof(*created));
	int err;

	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	err = ork_bo_create_internal(dev, size_bytes, 0, &created->bo);
	if (!err)
		err = map_stage(created, vm);
	if (err) {
		stage_free(created);
		return err;
	}
	*stage = created;
	return 0;
}

/* The smallest idle stage that is large enough. Returns the link to it, which may lead to NULL. */
static struct ork_stage **best_fit(struct ork_device *dev, uint64_t size_bytes)
{
	struct ork_stage **at, **best = NULL;

	for (at = &dev->idle_stages; *at; at = &(*at)->next)
		if (ork_bo_size((*at)->bo) >= size_bytes && (!best || ork_bo_size((*at)->bo) < ork_bo_size((*best)->bo)))
			best = at;
	return best ? best : at;
}

int ork_stage_get(struct ork_device *dev, uint32_t vm, uint64_t size_bytes, struct ork_stage **stage)
{
	struct ork_stage **link = best_fit(dev, size_bytes);
	int err;

	if (*link && !ork_bo_address_in((*link)->bo, vm, &(*link)->va)) {
		*stage = *link;
		*link = (*stage)->next;
		return 0;
	}
	size_bytes = (size_bytes + STAGE_STEP_BYTES - 1) / STAGE_STEP_BYTES * STAGE_STEP_BYTES;
	err = stage_create(dev, vm, size_bytes, stage);
	if (err != -ENOSPC && err != -ENOMEM)
		return err;
	/* Idle stages, all of them too small, may be what takes the room. */
	ork_stages_free(dev);
	return stage_create(dev, vm, size_bytes, stage);
}

/* Idle stages that are kept: those of 64 products in flight, but no more memory than two products of the largest take. */
#define STAGES_KEPT      128
#define STAGE_BYTES_KEPT ((uint64_t)256 << 20)

static bool too_many(const struct ork_device *dev)
{
	const struct ork_stage *stage;
	unsigned int count = 0;
	uint64_t bytes = 0;

	for (stage = dev->idle_stages; stage; stage = stage->next) {
		count++;
		bytes += ork_bo_size(stage->bo);
	}
	return count > STAGES_KEPT || bytes > STAGE_BYTES_KEPT;
}

static void drop_smallest(struct ork_device *dev)
{
	struct ork_stage **at, **smallest = &dev->idle_stages, *stage;

	for (at = &dev->idle_stages; *at; at = &(*at)->next)
		if (ork_bo_size((*at)->bo) < ork_bo_size((*smallest)->bo))
			smallest = at;
	stage = *smallest;
	*smallest = stage->next;
	stage_free(stage);
}

/* The stages that a new one supersedes go: the smallest. */
void ork_stage_put(struct ork_device *dev, struct ork_stage *stage)
{
	if (!stage)
		return;
	stage->next = dev->idle_stages;
	dev->idle_stages = stage;
	while (too_many(dev))
		drop_smallest(dev);
}

void ork_stages_free(struct ork_device *dev)
{
	while (dev->idle_stages) {
		struct ork_stage *stage = dev->idle_stages;

		dev->idle_stages = stage->next;
		stage_free(stage);
	}
}
