// SPDX-License-Identifier: MIT
/* Copyright 2026 The rknpu-ork authors */
#include "rocket_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "rocket_accel.h"

#define NODES 8

static bool is_rocket(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool found = version && strcmp(version->name, "rocket") == 0;

	drmFreeVersion(version);
	return found;
}

int rocket_open(void)
{
	for (int i = 0; i < NODES; i++) {
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/accel/accel%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (is_rocket(fd))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

static int call(int fd, unsigned long request, void *argument)
{
	return drmIoctl(fd, request, argument) ? -errno : 0;
}

static void close_handle(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	call(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int rocket_bo_create(int fd, size_t bytes, struct rocket_bo *bo)
{
	struct drm_rocket_create_bo args = { .size = (uint32_t)bytes };
	int ret = call(fd, DRM_IOCTL_ROCKET_CREATE_BO, &args);

	if (ret)
		return ret;
	*bo = (struct rocket_bo) { .fd = fd, .handle = args.handle, .bytes = bytes, .address = (uint32_t)args.dma_address };
	bo->map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)args.offset);
	if (bo->map == MAP_FAILED) {
		ret = -errno;
		close_handle(fd, args.handle);
	}
	return ret;
}

void rocket_bo_destroy(struct rocket_bo *bo)
{
	munmap(bo->map, bo->bytes);
	close_handle(bo->fd, bo->handle);
}

int rocket_bo_to_npu(struct rocket_bo *bo)
{
	struct drm_rocket_fini_bo args = { .handle = bo->handle };

	return call(bo->fd, DRM_IOCTL_ROCKET_FINI_BO, &args);
}

int rocket_bo_wait(struct rocket_bo *bo, int64_t timeout_ms)
{
	struct drm_rocket_prep_bo args = { .handle = bo->handle };
	struct timespec now;
	int ret;

	/* The driver wants the time at which to give up. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	args.timeout_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + timeout_ms * 1000000;
	ret = call(bo->fd, DRM_IOCTL_ROCKET_PREP_BO, &args);
	/* Linux 6.18 returns the time that was left. */
	return ret > 0 ? 0 : ret;
}

int rocket_submit_jobs(int fd, const struct rocket_task *tasks, uint32_t count, uint32_t jobs, const struct rocket_bo *in,
		       const struct rocket_bo *out)
{
	struct drm_rocket_task list[count];
	struct drm_rocket_job job = {
		.tasks = (uintptr_t)list,
		.task_count = count,
		.task_struct_size = sizeof(list[0]),
		.in_bo_handles = (uintptr_t)&in->handle,
		.in_bo_handle_count = 1,
		.out_bo_handles = (uintptr_t)&out->handle,
		.out_bo_handle_count = 1,
	};
	struct drm_rocket_job copies[jobs];
	struct drm_rocket_submit args = {
		.jobs = (uintptr_t)copies,
		.job_count = jobs,
		.job_struct_size = sizeof(copies[0]),
	};

	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct drm_rocket_task) { .regcmd = tasks[i].address, .regcmd_count = tasks[i].words };
	for (uint32_t i = 0; i < jobs; i++)
		copies[i] = job;
	return call(fd, DRM_IOCTL_ROCKET_SUBMIT, &args);
}

int rocket_submit(int fd, const struct rocket_task *tasks, uint32_t count, const struct rocket_bo *in,
		  const struct rocket_bo *out)
{
	return rocket_submit_jobs(fd, tasks, count, 1, in, out);
}
