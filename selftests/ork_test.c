// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "ork_test.h"

#define ORK_TEST_MAX_DEVICES 16

static int ork_test_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

static bool ork_test_is_ours(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool ours = version && !strcmp(version->name, "rknpu-ork");

	drmFreeVersion(version);
	return ours;
}

int ork_test_write_text(const char *path, const char *text)
{
	int ret, fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int ork_test_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count;

	if (fd < 0)
		return -errno;
	count = read(fd, text, size - 1);
	if (count < 0)
		count = -errno;
	close(fd);
	if (count < 0)
		return count;
	text[count] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int ork_test_write_all(const char *pattern, const char *text)
{
	int ret, first = 0;
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return -ENODEV;
	for (i = 0; i < found.gl_pathc; i++) {
		ret = ork_test_write_text(found.gl_pathv[i], text);
		if (!first)
			first = ret;
	}
	globfree(&found);
	return first;
}

int ork_test_open(void)
{
	drmDevicePtr devices[ORK_TEST_MAX_DEVICES];
	int i, fd = -1, count = drmGetDevices2(0, devices, ORK_TEST_MAX_DEVICES);

	for (i = 0; i < count && fd < 0; i++) {
		if (!(devices[i]->available_nodes & 1 << DRM_NODE_RENDER))
			continue;
		fd = open(devices[i]->nodes[DRM_NODE_RENDER], O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !ork_test_is_ours(fd)) {
			close(fd);
			fd = -1;
		}
	}

	if (count > 0)
		drmFreeDevices(devices, count);
	return fd;
}

static int ork_test_query(int fd, uint32_t type, uint32_t id, void *info, uint32_t size)
{
	struct drm_ork_query args = {
		.type = type, .id = id, .size = size, .ptr = (uintptr_t)info,
	};

	return ork_test_ioctl(fd, DRM_IOCTL_ORK_QUERY, &args);
}

int ork_test_device(int fd, struct drm_ork_device_info *info)
{
	return ork_test_query(fd, DRM_ORK_QUERY_DEVICE, 0, info, sizeof(*info));
}

int ork_test_vm(int fd, uint32_t vm, struct drm_ork_vm_info *info)
{
	return ork_test_query(fd, DRM_ORK_QUERY_VM, vm, info, sizeof(*info));
}

int ork_test_vm_create(int fd, uint32_t *vm)
{
	struct drm_ork_vm_create args = { 0 };
	int ret = ork_test_ioctl(fd, DRM_IOCTL_ORK_VM_CREATE, &args);

	*vm = args.vm;
	return ret;
}

int ork_test_vm_destroy(int fd, uint32_t vm)
{
	struct drm_ork_vm_destroy args = { .vm = vm };

	return ork_test_ioctl(fd, DRM_IOCTL_ORK_VM_DESTROY, &args);
}

int ork_test_bo_create(int fd, uint64_t bytes, uint32_t flags, uint32_t *handle, uint64_t *offset)
{
	struct drm_ork_bo_create args = { .size_bytes = bytes, .flags = flags };
	int ret = ork_test_ioctl(fd, DRM_IOCTL_ORK_BO_CREATE, &args);

	*handle = args.handle;
	*offset = args.mmap_offset;
	return ret;
}

int ork_test_bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return ork_test_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int ork_test_bo_sync(int fd, uint32_t handle, uint32_t op, uint64_t offset, uint64_t bytes)
{
	struct drm_ork_sync_range range = {
		.handle = handle, .op = op, .offset_bytes = offset, .size_bytes = bytes,
	};
	struct drm_ork_bo_sync args = {
		.ranges = { .stride = sizeof(range), .count = 1, .ptr = (uintptr_t)&range },
	};

	return ork_test_ioctl(fd, DRM_IOCTL_ORK_BO_SYNC, &args);
}

int ork_test_vm_map(int fd, struct drm_ork_vm_map *args)
{
	return ork_test_ioctl(fd, DRM_IOCTL_ORK_VM_MAP, args);
}

int ork_test_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t bytes, uint64_t *va)
{
	struct drm_ork_vm_map args = {
		.vm = vm, .handle = handle, .offset_bytes = offset, .size_bytes = bytes,
	};
	int ret = ork_test_vm_map(fd, &args);

	*va = args.va;
	return ret;
}

int ork_test_vm_unmap(int fd, uint32_t vm, uint64_t va)
{
	struct drm_ork_vm_unmap args = { .vm = vm, .va = va };

	return ork_test_ioctl(fd, DRM_IOCTL_ORK_VM_UNMAP, &args);
}

int ork_test_queue_create(int fd, uint32_t priority, uint32_t core_mask, uint32_t *queue)
{
	struct drm_ork_queue_create args = { .priority = priority, .core_mask = core_mask };
	int ret = ork_test_ioctl(fd, DRM_IOCTL_ORK_QUEUE_CREATE, &args);

	*queue = args.queue;
	return ret;
}

int ork_test_queue_destroy(int fd, uint32_t queue)
{
	struct drm_ork_queue_destroy args = { .queue = queue };

	return ork_test_ioctl(fd, DRM_IOCTL_ORK_QUEUE_DESTROY, &args);
}

int ork_test_submit(int fd, struct drm_ork_job *jobs, uint32_t count, uint32_t *done)
{
	struct drm_ork_submit args = {
		.jobs = { .stride = sizeof(*jobs), .count = count, .ptr = (uintptr_t)jobs },
	};
	int ret = ork_test_ioctl(fd, DRM_IOCTL_ORK_SUBMIT, &args);

	if (done)
		*done = args.done;
	return ret;
}

int ork_test_submit_one(int fd, struct drm_ork_job *job, uint64_t *id)
{
	struct drm_ork_submit args = {
		.jobs = { .stride = sizeof(*job), .count = 1, .ptr = (uintptr_t)job },
	};
	int ret = ork_test_ioctl(fd, DRM_IOCTL_ORK_SUBMIT, &args);

	*id = args.first_id;
	return ret;
}

int ork_test_bo_init(int fd, uint32_t vm, struct ork_test_bo *bo, uint64_t bytes)
{
	uint64_t offset;
	int ret;

	memset(bo, 0, sizeof(*bo));
	bo->bytes = (bytes + ORK_TEST_PAGE - 1) / ORK_TEST_PAGE * ORK_TEST_PAGE;

	ret = ork_test_bo_create(fd, bo->bytes, 0, &bo->handle, &offset);
	if (ret)
		return ret;

	ret = ork_test_map(fd, vm, bo->handle, 0, bo->bytes, &bo->va);
	if (ret)
		return ret;

	bo->ptr = mmap(NULL, bo->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	return bo->ptr == MAP_FAILED ? -errno : 0;
}

void ork_test_bo_fini(int fd, uint32_t vm, struct ork_test_bo *bo)
{
	munmap(bo->ptr, bo->bytes);
	ork_test_vm_unmap(fd, vm, bo->va);
	ork_test_bo_close(fd, bo->handle);
}

int ork_test_syncobj(int fd, uint32_t *handle)
{
	return drmSyncobjCreate(fd, 0, handle) ? -errno : 0;
}

int64_t ork_test_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int64_t ork_test_deadline_ns(uint32_t timeout_ms)
{
	return ork_test_now_ns() + timeout_ms * 1000000ll;
}

/* The wait itself does not tell whether the fence carries an error; its sync_file does. */
static int ork_test_fence_error(int fd, uint32_t syncobj)
{
	struct sync_fence_info fence = {};
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };
	int file, ret;

	if (drmSyncobjExportSyncFile(fd, syncobj, &file))
		return -errno;

	ret = ioctl(file, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
	close(file);
	return ret < 0 ? ret : 0;
}

int ork_test_wait(int fd, uint32_t syncobj, uint32_t timeout_ms)
{
	if (drmSyncobjWait(fd, &syncobj, 1, ork_test_deadline_ns(timeout_ms), 0, NULL))
		return -errno;

	return ork_test_fence_error(fd, syncobj);
}

int ork_test_job_wait(int fd, uint64_t id, uint32_t timeout_ms, struct drm_ork_job_wait *result)
{
	*result = (struct drm_ork_job_wait){
		.id = id, .timeout_ns = ork_test_deadline_ns(timeout_ms),
	};
	return ork_test_ioctl(fd, DRM_IOCTL_ORK_JOB_WAIT, result);
}

int ork_test_job_run(int fd, struct drm_ork_job *job, uint32_t timeout_ms, struct drm_ork_job_wait *result, uint64_t *queued_ns)
{
	uint64_t id;
	int ret;

	ret = ork_test_submit_one(fd, job, &id);
	/* The job's own time of its submission is one before it was queued. */
	if (queued_ns)
		*queued_ns = ork_test_now_ns();
	if (!ret)
		ret = ork_test_job_wait(fd, id, timeout_ms, result);
	return ret ?: result->error;
}

uint32_t ork_test_jobs_between(int fd, uint64_t first, uint32_t count, uint64_t from_ns, uint64_t to_ns)
{
	struct drm_ork_job_wait result;
	uint32_t i, between = 0;

	for (i = 0; i < count; i++) {
		ork_test_job_wait(fd, first + i, 0, &result);
		between += result.started_ns > from_ns && result.started_ns < to_ns;
	}
	return between;
}
