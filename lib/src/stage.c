/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "internal.h"

/* Growing in large steps keeps the number of times that programs have to be made again small. */
#define STAGE_STEP_BYTES ((size_t)64 << 10)

void ork_stage_free(struct ork_stage *stage)
{
	ork_bo_free(stage->bo);
	*stage = (struct ork_stage){ 0 };
}

int ork_stage_grow(struct ork_device *dev, struct ork_stage *stage, size_t size_bytes)
{
	struct ork_stage grown = { 0 };
	struct ork_weights *weights;
	void *cpu;
	int err;

	if (stage->bo && ork_bo_size(stage->bo) >= size_bytes)
		return 0;
	if (size_bytes < 2 * ork_bo_size(stage->bo))
		size_bytes = 2 * ork_bo_size(stage->bo);
	size_bytes = (size_bytes + STAGE_STEP_BYTES - 1) / STAGE_STEP_BYTES * STAGE_STEP_BYTES;

	/* Programs name the old address, so they have to go, and with them the last use of the old buffer. */
	for (weights = dev->weights; weights; weights = weights->next)
		ork_programs_destroy(weights);
	ork_stage_free(stage);

	err = ork_bo_create_internal(dev, size_bytes, 0, &grown.bo);
	if (err)
		return err;
	err = ork_bo_map(grown.bo, &cpu);
	if (!err)
		err = ork_bo_address(grown.bo, &grown.va);
	if (err) {
		ork_bo_free(grown.bo);
		return err;
	}
	grown.cpu = cpu;
	*stage = grown;
	return 0;
}
