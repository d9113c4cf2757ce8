/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model_device.h"

static struct model_device *model_of(struct ork_device *dev)
{
	return (struct model_device *)dev;
}

/* Takes over the memory, unless there is no handle for it. */
static int add(struct model_device *model, void *memory, size_t bytes, struct model_bo **bo, uint32_t *handle)
{
	struct model_bo *added = memory == MAP_FAILED ? NULL : calloc(1, sizeof(*added));

	if (!added || model_handle_new(&model->bos, added, handle)) {
		if (memory != MAP_FAILED)
			munmap(memory, bytes);
		free(added);
		return -ENOMEM;
	}
	added->memory = memory;
	added->bytes = bytes;
	added->references = 1;
	*bo = added;
	return 0;
}

int model_bo_create(struct ork_device *dev, struct drm_ork_bo_create *args)
{
	void *pages = mmap(NULL, args->size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct model_bo *bo;

	return add(model_of(dev), pages, args->size_bytes, &bo, &args->handle);
}

static bool is_same_memory(const struct model_bo *bo, const struct stat *file)
{
	return bo && bo->shared && bo->device == file->st_dev && bo->inode == file->st_ino;
}

/* Keeps a descriptor of the file that the memory is of. */
static int set_shared(struct model_bo *bo, int fd)
{
	struct stat file;

	if (fstat(fd, &file))
		return -errno;
	bo->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (bo->fd < 0)
		return -errno;
	bo->shared = true;
	bo->device = file.st_dev;
	bo->inode = file.st_ino;
	return 0;
}

/* Like the kernel, finds memory that is known already under the handle that it has. */
int model_bo_import(struct ork_device *dev, int fd, struct drm_ork_bo_create *args)
{
	struct model_device *model = model_of(dev);
	struct model_bo *bo;
	struct stat file;
	void *pages;
	uint32_t i;
	int err;

	if (fstat(fd, &file))
		return -errno;
	args->size_bytes = (uint64_t)file.st_size;
	for (i = 0; i < model->bos.count; i++) {
		if (is_same_memory(model->bos.objects[i], &file)) {
			args->handle = i + 1;
			return 0;
		}
	}
	pages = mmap(NULL, args->size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED)
		return -EINVAL;
	err = add(model, pages, args->size_bytes, &bo, &args->handle);
	if (err)
		return err;
	err = set_shared(bo, fd);
	if (err)
		model_bo_release(model, args->handle);
	return err;
}

static int write_all(int fd, const uint8_t *bytes, size_t count)
{
	ssize_t written;

	for (; count; count -= (size_t)written, bytes += written) {
		written = write(fd, bytes, count);
		if (written <= 0)
			return -EIO;
	}
	return 0;
}

/* The memory becomes that of a file, at the address where it has been. */
static int share(struct model_bo *bo, int fd)
{
	int err = write_all(fd, bo->memory, bo->bytes);

	if (err)
		return err;
	if (mmap(bo->memory, bo->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return -errno;
	return set_shared(bo, fd);
}

int model_bo_export(struct ork_device *dev, uint32_t handle, int *fd)
{
	struct model_bo *bo = model_handle_get(&model_of(dev)->bos, handle);
	int memfd, err;

	if (bo->shared) {
		*fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 0);
		return *fd < 0 ? -errno : 0;
	}
	memfd = memfd_create("ork", MFD_CLOEXEC);
	if (memfd < 0)
		return -errno;
	err = share(bo, memfd);
	if (err) {
		close(memfd);
		return err;
	}
	*fd = memfd;
	return 0;
}

/* A mapping holds the buffer, as in the driver. */
void model_bo_release(struct model_device *model, uint32_t handle)
{
	struct model_bo *bo = model_handle_get(&model->bos, handle);

	if (!bo || --bo->references)
		return;
	model_handle_free(&model->bos, handle);
	munmap(bo->memory, bo->bytes);
	if (bo->shared)
		close(bo->fd);
	free(bo);
}

void model_bo_close(struct ork_device *dev, uint32_t handle)
{
	model_bo_release(model_of(dev), handle);
}

/* The CPU uses the memory of the buffer itself. */
int model_bo_map(struct ork_device *dev, const struct ork_bo *bo, void **ptr)
{
	*ptr = ((struct model_bo *)model_handle_get(&model_of(dev)->bos, bo->args.handle))->memory;
	return 0;
}

void model_bo_unmap(struct ork_device *dev, void *ptr, size_t bytes)
{
	(void)dev;
	(void)ptr;
	(void)bytes;
}

/* The model reads and writes the same memory as the CPU: there is no cache in between. */
int model_bo_sync(struct ork_device *dev, const struct drm_ork_sync_range *ranges, uint32_t count)
{
	(void)dev;
	(void)ranges;
	(void)count;
	return 0;
}
