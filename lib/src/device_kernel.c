/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "kernel_device.h"

#define DRIVER_NAME "rknpu-ork"
#define MAX_NODES 64

static int fd_of(struct ork_device *dev)
{
	return ((struct kernel_device *)dev)->fd;
}

static int call(struct ork_device *dev, unsigned long request, void *args)
{
	return drmIoctl(fd_of(dev), request, args) ? -errno : 0;
}

static void kernel_close(struct ork_device *dev)
{
	const struct drm_ork_ended *ended = ((struct kernel_device *)dev)->ended;

	if (ended)
		munmap((void *)ended, sizeof(*ended));
	close(fd_of(dev));
	free(dev);
}

static int query(struct ork_device *dev, uint32_t type, uint32_t id, void *info, uint32_t size)
{
	struct drm_ork_query args = { .type = type, .id = id, .size = size, .ptr = (uintptr_t)info };

	return call(dev, DRM_IOCTL_ORK_QUERY, &args);
}

static int kernel_query(struct ork_device *dev, struct drm_ork_device_info *info)
{
	return query(dev, DRM_ORK_QUERY_DEVICE, 0, info, sizeof(*info));
}

static int kernel_query_vm(struct ork_device *dev, uint32_t vm, struct drm_ork_vm_info *info)
{
	return query(dev, DRM_ORK_QUERY_VM, vm, info, sizeof(*info));
}

static int kernel_bo_create(struct ork_device *dev, struct drm_ork_bo_create *args)
{
	return call(dev, DRM_IOCTL_ORK_BO_CREATE, args);
}

static void kernel_bo_close(struct ork_device *dev, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	call(dev, DRM_IOCTL_GEM_CLOSE, &args);
}

static int kernel_bo_import(struct ork_device *dev, int fd, struct drm_ork_bo_create *args)
{
	const off_t bytes = lseek(fd, 0, SEEK_END);

	if (bytes < 0)
		return errno == ESPIPE ? -EINVAL : -errno;
	args->size_bytes = (uint64_t)bytes;
	return drmPrimeFDToHandle(fd_of(dev), fd, &args->handle) ? -errno : 0;
}

static int kernel_bo_export(struct ork_device *dev, uint32_t handle, int *fd)
{
	return drmPrimeHandleToFD(fd_of(dev), handle, DRM_CLOEXEC | DRM_RDWR, fd) ? -errno : 0;
}

/* The driver has no place in its file for imported memory. */
static int kernel_bo_map(struct ork_device *dev, const struct ork_bo *bo, void **ptr)
{
	const bool imported = bo->dmabuf >= 0;
	void *mapped = mmap(NULL, bo->args.size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			    imported ? bo->dmabuf : fd_of(dev), imported ? 0 : (off_t)bo->args.mmap_offset);

	if (mapped == MAP_FAILED)
		return -errno;
	*ptr = mapped;
	return 0;
}

static void kernel_bo_unmap(struct ork_device *dev, void *ptr, size_t bytes)
{
	(void)dev;
	munmap(ptr, bytes);
}

static int kernel_bo_sync(struct ork_device *dev, const struct drm_ork_sync_range *ranges, uint32_t count)
{
	struct drm_ork_bo_sync args = { .ranges = { sizeof(*ranges), count, (uintptr_t)ranges } };

	return call(dev, DRM_IOCTL_ORK_BO_SYNC, &args);
}

static int kernel_bo_wrap(struct ork_device *dev, const void *ptr, struct drm_ork_bo_create *args)
{
	struct drm_ork_bo_user user = { .ptr = (uintptr_t)ptr, .size_bytes = args->size_bytes };
	const int err = call(dev, DRM_IOCTL_ORK_BO_USER, &user);

	args->handle = user.handle;
	return err;
}

static int kernel_vm_create(struct ork_device *dev, uint32_t *vm)
{
	struct drm_ork_vm_create args = { 0 };
	const int err = call(dev, DRM_IOCTL_ORK_VM_CREATE, &args);

	*vm = args.vm;
	return err;
}

static int kernel_vm_map(struct ork_device *dev, struct drm_ork_vm_map *args)
{
	return call(dev, DRM_IOCTL_ORK_VM_MAP, args);
}

static void kernel_vm_unmap(struct ork_device *dev, uint32_t vm, uint64_t va)
{
	struct drm_ork_vm_unmap args = { .vm = vm, .va = va };

	call(dev, DRM_IOCTL_ORK_VM_UNMAP, &args);
}

static int kernel_prog_create(struct ork_device *dev, const struct ork_commands *commands, uint32_t *program,
			      struct ork_refusal *refusal)
{
	struct drm_ork_prog_create args = {
		.words = { sizeof(*commands->words), commands->word_count, (uintptr_t)commands->words },
		.tasks = { sizeof(*commands->tasks), commands->task_count, (uintptr_t)commands->tasks },
		.slots = { sizeof(*commands->slots), commands->slot_count, (uintptr_t)commands->slots },
		.vm = commands->vm,
	};
	const int err = call(dev, DRM_IOCTL_ORK_PROG_CREATE, &args);

	*program = args.handle;
	*refusal = (struct ork_refusal){ args.reject, args.reject_task, args.reject_word };
	return err;
}

static void kernel_prog_destroy(struct ork_device *dev, uint32_t program)
{
	struct drm_ork_prog_destroy args = { .handle = program };

	call(dev, DRM_IOCTL_ORK_PROG_DESTROY, &args);
}

static const struct ork_backend kernel_backend = {
	.name = "kernel",
	.close = kernel_close,
	.query = kernel_query,
	.query_vm = kernel_query_vm,
	.bo_create = kernel_bo_create,
	.bo_wrap = kernel_bo_wrap,
	.bo_close = kernel_bo_close,
	.bo_import = kernel_bo_import,
	.bo_export = kernel_bo_export,
	.bo_map = kernel_bo_map,
	.bo_unmap = kernel_bo_unmap,
	.bo_sync = kernel_bo_sync,
	.vm_create = kernel_vm_create,
	.vm_map = kernel_vm_map,
	.vm_unmap = kernel_vm_unmap,
	.prog_create = kernel_prog_create,
	.prog_destroy = kernel_prog_destroy,
	.fence_init = kernel_fence_init,
	.fence_exit = kernel_fence_exit,
	.submit = kernel_submit,
	.fences_wait = kernel_fences_wait,
	.fence_fd = kernel_fence_fd,
};

/* Opens the node if it belongs to the driver. */
static int open_node(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	drmVersionPtr version;
	bool ours;

	if (fd < 0)
		return -errno;
	version = drmGetVersion(fd);
	ours = version && strcmp(version->name, DRIVER_NAME) == 0;
	drmFreeVersion(version);
	if (ours)
		return fd;
	close(fd);
	return -ENODEV;
}

/* The first render node of the driver. A node that may not be opened is reported only if no other one is found. */
static int find_node(void)
{
	drmDevicePtr devices[MAX_NODES];
	const int count = drmGetDevices2(0, devices, MAX_NODES);
	int found = -ENODEV;
	int i;

	for (i = 0; i < count && found < 0; i++) {
		int fd;

		if (!(devices[i]->available_nodes & 1 << DRM_NODE_RENDER))
			continue;
		fd = open_node(devices[i]->nodes[DRM_NODE_RENDER]);
		if (fd >= 0 || fd == -EACCES)
			found = fd;
	}
	if (count > 0)
		drmFreeDevices(devices, count);
	return found;
}

/* The page of ended jobs, or NULL. */
static const struct drm_ork_ended *map_ended(int fd)
{
	const void *page = mmap(NULL, sizeof(struct drm_ork_ended), PROT_READ, MAP_SHARED, fd, DRM_ORK_ENDED_OFFSET);

	return page == MAP_FAILED ? NULL : page;
}

int ork_kernel_open(const char *path, struct ork_device **dev)
{
	struct kernel_device *kernel;
	const int fd = path ? open_node(path) : find_node();

	if (fd < 0)
		return fd;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel) {
		close(fd);
		return -ENOMEM;
	}
	kernel->base.backend = &kernel_backend;
	kernel->fd = fd;
	kernel->ended = map_ended(fd);
	*dev = &kernel->base;
	return 0;
}
