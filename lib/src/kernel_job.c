/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <xf86drm.h>

#include "kernel_device.h"

static int fd_of(struct ork_device *dev)
{
	return ((struct kernel_device *)dev)->fd;
}

/* What one job of the ioctl points to. */
struct arrays {
	struct drm_ork_sync_range cache[ORK_JOB_CLEANS + 1];
	struct drm_ork_sync in_sync, out_sync;
};

static uint32_t fill_cache(const struct ork_job_cache *bytes, enum drm_ork_sync_op op, struct drm_ork_sync_range *range)
{
	if (!bytes->size_bytes)
		return 0;
	*range = (struct drm_ork_sync_range){
		.handle = bytes->handle, .op = op, .offset_bytes = bytes->offset_bytes, .size_bytes = bytes->size_bytes
	};
	return 1;
}

static void fill(const struct ork_launch *launch, struct drm_ork_job *job, struct arrays *arrays)
{
	uint32_t ranges = 0, i;

	for (i = 0; i < ORK_JOB_CLEANS; i++)
		ranges += fill_cache(&launch->clean[i], DRM_ORK_SYNC_TO_DEVICE, &arrays->cache[ranges]);
	ranges += fill_cache(&launch->out, DRM_ORK_SYNC_TO_CPU, &arrays->cache[ranges]);
	if (launch->after)
		arrays->in_sync = (struct drm_ork_sync){ .handle = launch->after->syncobj };
	arrays->out_sync = (struct drm_ork_sync){ .handle = launch->fence->syncobj };
	*job = (struct drm_ork_job){
		.prog = launch->program,
		.flags = launch->implicit_sync ? DRM_ORK_JOB_IMPLICIT_SYNC : 0,
		.placement = launch->split ? DRM_ORK_PLACE_SPLIT : DRM_ORK_PLACE_AUTO,
		.core_mask = launch->core_mask,
		.task_count = launch->task_count,
		.timeout_ms = launch->timeout_ms,
		.addresses = { sizeof(launch->addresses[0]), ORK_SLOTS, (uintptr_t)launch->addresses },
		.cache = { sizeof(arrays->cache[0]), ranges, (uintptr_t)arrays->cache },
		.in_syncs = { sizeof(arrays->in_sync), launch->after ? 1 : 0, (uintptr_t)&arrays->in_sync },
		.out_syncs = { sizeof(arrays->out_sync), 1, (uintptr_t)&arrays->out_sync },
	};
}

static uint32_t at_most(uint32_t count, uint32_t limit)
{
	return count < limit ? count : limit;
}

/* Submits jobs, whose descriptions there is room for, and adds how many the driver took. */
static int submit_some(struct ork_device *dev, const struct ork_launch *launches, uint32_t count,
		       struct drm_ork_job *jobs, struct arrays *arrays, uint32_t *started)
{
	struct drm_ork_submit args = { .jobs = { sizeof(*jobs), count, (uintptr_t)jobs } };
	uint32_t i;
	int err;

	for (i = 0; i < count; i++)
		fill(&launches[i], &jobs[i], &arrays[i]);
	err = drmIoctl(fd_of(dev), DRM_IOCTL_ORK_SUBMIT, &args) ? -errno : 0;
	for (i = 0; i < args.done; i++)
		launches[i].fence->id = args.first_id + i;
	*started += args.done;
	if (!err)
		return 0;
	return ork_fail(dev, err, "the driver refused job %u: %s", *started, ork_strerror(err));
}

int kernel_submit(struct ork_device *dev, const struct ork_launch *launches, uint32_t count, uint32_t *started)
{
	const uint32_t room = at_most(count, JOBS_PER_CALL);
	struct drm_ork_job *jobs = calloc(room, sizeof(*jobs));
	struct arrays *arrays = calloc(room, sizeof(*arrays));
	int err = 0;

	*started = 0;
	if (!jobs || !arrays)
		err = ork_fail(dev, -ENOMEM, "out of memory");
	while (!err && *started < count)
		err = submit_some(dev, launches + *started, at_most(count - *started, room), jobs, arrays, started);
	free(jobs);
	free(arrays);
	return err;
}
