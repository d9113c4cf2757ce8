/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "kernel_device.h"

/*
 * The end of a job. The driver tells it by the job's number, in a page that costs no call or by JOB_WAIT; the syncobj is for jobs that wait for this one, for
 * descriptors, and for the rare job that the driver has forgotten.
 */

static int fd_of(struct ork_device *dev)
{
	return ((struct kernel_device *)dev)->fd;
}

int kernel_fence_init(struct ork_device *dev, struct ork_fence *fence)
{
	return drmSyncobjCreate(fd_of(dev), 0, &fence->syncobj) ? -errno : 0;
}

void kernel_fence_exit(struct ork_device *dev, struct ork_fence *fence)
{
	drmSyncobjDestroy(fd_of(dev), fence->syncobj);
}

static int job_error(struct ork_device *dev, int err, uint64_t fault_va)
{
	switch (err) {
	case 0:
		return 0;
	case -ETIMEDOUT:
		return ork_fail(dev, err,
				"the job made no progress within its timeout, its core was reset; give a slow one a longer timeout, "
				"or see in /sys/class/devcoredump/*/data what it was at");
	case -EFAULT:
		return ork_fail(dev, -EIO, "the job met address 0x%08llx, which is not mapped; its core was reset",
				(unsigned long long)fault_va);
	case -ECANCELED:
		return ork_fail(dev, err, "the job was dropped, because those before it hung again and again");
	default:
		return ork_fail(dev, err, "the job failed: %s", ork_strerror(err));
	}
}

/* On the clock of JOB_WAIT. */
static int64_t deadline_ns(int64_t timeout_ms)
{
	struct timespec now;
	int64_t end;

	if (timeout_ms < 0 || timeout_ms > INT64_MAX / 1000000)
		return INT64_MAX;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (__builtin_add_overflow((int64_t)now.tv_sec * 1000000000 + now.tv_nsec, timeout_ms * 1000000, &end))
		return INT64_MAX;
	return end;
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

static int64_t remaining_ms(int64_t deadline)
{
	int64_t now;

	if (deadline == INT64_MAX)
		return -1;
	now = deadline_ns(0);
	return now < deadline ? (deadline - now) / 1000000 : 0;
}

/* Waiting on a syncobj ends well even if the job failed; its sync file tells how it ended. */
static int wait_for_syncobj(struct ork_device *dev, struct ork_fence *fence, int64_t deadline, struct drm_ork_job_wait *result)
{
	struct sync_file_info info = { 0 };
	int fd, err;

	if (drmSyncobjExportSyncFile(fd_of(dev), fence->syncobj, &fd)) {
		result->error = -errno;
		/* Nothing of the job may be given up while it runs. */
		drmSyncobjWait(fd_of(dev), &fence->syncobj, 1, INT64_MAX, 0, NULL);
		return 0;
	}
	err = poll_fd(fd, remaining_ms(deadline));
	if (!err)
		err = drmIoctl(fd, SYNC_IOC_FILE_INFO, &info) ? -errno : 0;
	close(fd);
	if (err == -ETIME)
		return err;
	result->error = err ? err : info.status < 0 ? info.status : 0;
	return 0;
}

/* Tells, without a call of the driver, that a job has ended well. What is not seen has to be asked for. */
static bool seen_to_have_ended(struct ork_device *dev, const struct ork_fence *fence)
{
	const struct drm_ork_ended *ended = ((struct kernel_device *)dev)->ended;

	return ended && __atomic_load_n(&ended->jobs[fence->id % DRM_ORK_ENDED_JOBS], __ATOMIC_ACQUIRE) ==
				fence->id << DRM_ORK_ENDED_ID_SHIFT;
}

/* The driver gives the jobs of one call consecutive numbers. */
static uint32_t consecutive(struct ork_fence *const *fences, uint32_t count)
{
	uint32_t i;

	for (i = 1; i < count && i < JOBS_PER_CALL; i++)
		if (fences[i]->id != fences[0]->id + i)
			break;
	return i;
}

/* Waits for the first fences. Returns 0 with the result of the last one that has ended, or -ETIME. */
static int wait_some(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int64_t deadline,
		     struct drm_ork_job_wait *result)
{
	*result = (struct drm_ork_job_wait){
		.id = fences[0]->id, .timeout_ns = deadline, .count = consecutive(fences, count),
	};
	if (!drmIoctl(fd_of(dev), DRM_IOCTL_ORK_JOB_WAIT, result))
		return 0;
	if (errno == ETIMEDOUT)
		return -ETIME;
	/* The driver remembers the last 8192 jobs. */
	*result = (struct drm_ork_job_wait){ .id = fences[0]->id };
	return wait_for_syncobj(dev, fences[0], deadline, result);
}

/* The driver ends every job, at the latest by its timeout, so waiting without limit does end. */
int kernel_fences_wait(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int64_t timeout_ms)
{
	const int64_t deadline = deadline_ns(timeout_ms);
	struct drm_ork_job_wait result, failed = { 0 };
	uint32_t i = 0;
	int err;

	while (i < count) {
		if (seen_to_have_ended(dev, fences[i])) {
			i++;
			continue;
		}
		err = wait_some(dev, fences + i, count - i, deadline, &result);
		if (err)
			return err;
		if (!failed.error)
			failed = result;
		i += (uint32_t)(result.id - fences[i]->id) + 1;
	}
	return job_error(dev, failed.error, failed.fault_va);
}

/* Replaces *fd by a sync file that signals when that one and the other have. */
static int merge(int *fd, int other)
{
	struct sync_merge_data merge = { .name = "libork", .fd2 = other };
	const int err = drmIoctl(*fd, SYNC_IOC_MERGE, &merge) ? -errno : 0;

	close(*fd);
	close(other);
	*fd = err ? -1 : merge.fence;
	return err;
}

int kernel_fence_fd(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int *fd)
{
	int merged = -1, next, err = 0;
	uint32_t i;

	for (i = 0; i < count && !err; i++) {
		err = drmSyncobjExportSyncFile(fd_of(dev), fences[i]->syncobj, &next) ? -errno : 0;
		if (!err && i)
			err = merge(&merged, next);
		else if (!err)
			merged = next;
	}
	if (err && merged >= 0)
		close(merged);
	if (!err)
		*fd = merged;
	return err;
}
