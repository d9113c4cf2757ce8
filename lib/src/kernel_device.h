/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_KERNEL_DEVICE_H
#define ORK_KERNEL_DEVICE_H

#include "internal.h"

/*
 * The backend that talks to the driver: device_kernel.c opens it and owns memory, kernel_job.c starts jobs,
 * kernel_fence.c waits for them.
 */
struct kernel_device {
	struct ork_device base;
	int fd;
	/* Which jobs have ended, mapped; NULL with a driver that does not show it. */
	const struct drm_ork_ended *ended;
};

int kernel_submit(struct ork_device *dev, const struct ork_launch *launches, uint32_t count, uint32_t *started);
int kernel_fence_init(struct ork_device *dev, struct ork_fence *fence);
void kernel_fence_exit(struct ork_device *dev, struct ork_fence *fence);
/* Jobs that the driver takes in one call. */
#define JOBS_PER_CALL 4096

int kernel_fences_wait(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int64_t timeout_ms);
int kernel_fence_fd(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int *fd);

#endif
