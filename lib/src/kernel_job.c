/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <xf86drm.h>

#include "kernel_device.h"

static int fd_of(struct ork_device *dev)
{
	return ((struct kernel_device *)dev)->fd;
}

int kernel_fence_init(struct ork_device *dev, struct ork_fence *fence)
{
	fence->fd = -1;
	return drmSyncobjCreate(fd_of(dev), 0, &fence->syncobj) ? -errno : 0;
}

void kernel_fence_exit(struct ork_device *dev, struct ork_fence *fence)
{
	drmSyncobjDestroy(fd_of(dev), fence->syncobj);
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

/* Jobs that the driver takes in one call. */
#define JOBS_PER_CALL 4096

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
	if (!drmIoctl(fd_of(dev), DRM_IOCTL_ORK_SUBMIT, &args)) {
		*started += count;
		return 0;
	}
	err = -errno;
	*started += args.done;
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

static int job_error(struct ork_device *dev, int err)
{
	switch (err) {
	case 0:
		return 0;
	case -ETIMEDOUT:
		return ork_fail(dev, err, "the job made no progress within its timeout; its core was reset");
	case -EFAULT:
		return ork_fail(dev, -EIO, "the job met an address that is not mapped; its core was reset");
	default:
		return ork_fail(dev, err, "the job failed: %s", ork_strerror(err));
	}
}

/* Waiting on a syncobj ends well even if the job failed; only a sync file tells how it ended. */
static int open_sync_file(struct ork_device *dev, struct ork_fence *fence)
{
	if (fence->fd >= 0)
		return 0;
	return drmSyncobjExportSyncFile(fd_of(dev), fence->syncobj, &fence->fd) ? -errno : 0;
}

/* Without a descriptor the end can still be awaited, so that nothing of the job is given up while it runs. */
static int wait_blindly(struct ork_device *dev, struct ork_fence *fence, int err)
{
	drmSyncobjWait(fd_of(dev), &fence->syncobj, 1, INT64_MAX, 0, NULL);
	return ork_fail(dev, err, "cannot get the result of the job: %s", ork_strerror(err));
}

static int poll_fd(int fd, int64_t timeout_ms)
{
	struct pollfd poll_one = { .fd = fd, .events = POLLIN };
	int ready;

	if (timeout_ms > INT_MAX)
		timeout_ms = INT_MAX;
	do {
		ready = poll(&poll_one, 1, timeout_ms < 0 ? -1 : (int)timeout_ms);
	} while (ready < 0 && (errno == EINTR || errno == EAGAIN));
	if (ready < 0)
		return -errno;
	return ready ? 0 : -ETIME;
}

/* The driver ends every job, at the latest by its timeout, so waiting without limit does end. */
int kernel_fence_wait(struct ork_device *dev, struct ork_fence *fence, int64_t timeout_ms)
{
	struct sync_file_info info = { 0 };
	int err;

	err = open_sync_file(dev, fence);
	if (!err)
		err = poll_fd(fence->fd, timeout_ms);
	if (err == -ETIME)
		return err;
	if (err)
		return wait_blindly(dev, fence, err);
	err = drmIoctl(fence->fd, SYNC_IOC_FILE_INFO, &info) ? -errno : 0;
	close(fence->fd);
	fence->fd = -1;
	return job_error(dev, err ? err : info.status < 0 ? info.status : 0);
}

/* Replaces *fd by a sync file that signals when that one and the other have. */
static int merge(int *fd, int other)
{
	struct sync_merge_data merge = { .name = "libork", .fd2 = other };
	const int err = drmIoctl(*fd, SYNC_IOC_MERGE, &merge) ? -errno : 0;

	close(*fd);
	*fd = err ? -1 : merge.fence;
	return err;
}

int kernel_fence_fd(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int *fd)
{
	int merged = -1, err = 0;
	uint32_t i;

	for (i = 0; i < count && !err; i++) {
		err = open_sync_file(dev, fences[i]);
		if (err)
			break;
		if (i) {
			err = merge(&merged, fences[i]->fd);
			continue;
		}
		merged = fcntl(fences[i]->fd, F_DUPFD_CLOEXEC, 0);
		err = merged < 0 ? -errno : 0;
	}
	if (err && merged >= 0)
		close(merged);
	if (!err)
		*fd = merged;
	return err;
}
