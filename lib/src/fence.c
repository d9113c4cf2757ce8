/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "internal.h"

struct ork_fence *ork_fence_get(struct ork_device *dev)
{
	struct ork_fence *fence = dev->idle_fences;

	if (fence) {
		dev->idle_fences = fence->next;
		return fence;
	}
	fence = calloc(1, sizeof(*fence));
	if (!fence)
		return NULL;
	if (dev->backend->fence_init(dev, fence)) {
		free(fence);
		return NULL;
	}
	return fence;
}

void ork_fence_put(struct ork_device *dev, struct ork_fence *fence)
{
	if (!fence)
		return;
	fence->next = dev->idle_fences;
	dev->idle_fences = fence;
}

void ork_fences_free(struct ork_device *dev)
{
	while (dev->idle_fences) {
		struct ork_fence *fence = dev->idle_fences;

		dev->idle_fences = fence->next;
		dev->backend->fence_exit(dev, fence);
		free(fence);
	}
}
