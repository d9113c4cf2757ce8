/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

#define PAGE_BYTES ((size_t)4096)
#define BO_MAX_BYTES ((UINT64_C(1) << 32) - PAGE_BYTES)

static int too_large(struct ork_device *dev, size_t size_bytes)
{
	return ork_fail(dev, -E2BIG, "a buffer of %zu bytes does not fit the NPU's 4 GiB of addresses", size_bytes);
}

/* Enters a buffer with a handle into the list of the device. */
static void add(struct ork_device *dev, struct ork_bo *bo)
{
	bo->dev = dev;
	bo->link = &dev->bos;
	bo->next = dev->bos;
	if (bo->next)
		bo->next->link = &bo->next;
	dev->bos = bo;
}

int ork_bo_create_internal(struct ork_device *dev, size_t size_bytes, uint32_t flags, struct ork_bo **bo)
{
	struct ork_bo *created;
	int err;

	if (size_bytes > BO_MAX_BYTES)
		return too_large(dev, size_bytes);
	created = calloc(1, sizeof(*created));
	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->dmabuf = -1;
	created->args.size_bytes = (size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	created->args.flags = flags & ORK_BO_WC ? DRM_ORK_BO_WC : 0;
	err = dev->backend->bo_create(dev, &created->args);
	if (err) {
		free(created);
		return ork_fail(dev, err, "cannot create a buffer of %zu bytes: %s", size_bytes, ork_strerror(err));
	}
	add(dev, created);
	*bo = created;
	return 0;
}

int ork_bo_wrap(struct ork_device *dev, const void *ptr, size_t size_bytes, struct ork_bo **bo)
{
	struct ork_bo *created = calloc(1, sizeof(*created));
	int err;

	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->dmabuf = -1;
	created->args.size_bytes = size_bytes;
	created->read_only = true;
	err = dev->backend->bo_wrap(dev, ptr, &created->args);
	if (err) {
		free(created);
		return ork_fail(dev, err, "cannot make a buffer of %zu mapped bytes: %s", size_bytes, ork_strerror(err));
	}
	add(dev, created);
	*bo = created;
	return 0;
}

void ork_bo_free(struct ork_bo *bo)
{
	const struct ork_backend *backend;
	uint32_t vm;

	if (!bo)
		return;
	backend = bo->dev->backend;
	for (vm = 0; vm < ORK_VMS; vm++)
		if (bo->va[vm])
			backend->vm_unmap(bo->dev, vm, bo->va[vm]);
	if (bo->cpu)
		backend->bo_unmap(bo->dev, bo->cpu, bo->args.size_bytes);
	backend->bo_close(bo->dev, bo->args.handle);
	if (bo->dmabuf >= 0)
		close(bo->dmabuf);
	*bo->link = bo->next;
	if (bo->next)
		bo->next->link = bo->link;
	free(bo);
}

int ork_bo_create(struct ork_device *dev, size_t size_bytes, uint32_t flags, struct ork_bo **bo)
{
	int err;

	if (!dev)
		return -EINVAL;
	if (!bo || !size_bytes || flags & ~ORK_BO_WC)
		return ork_fail(dev, -EINVAL, "ork_bo_create: bo is NULL, the size is 0 or a flag is unknown");
	err = ork_bo_create_internal(dev, size_bytes, flags, bo);
	if (!err)
		dev->user_bos++;
	return err;
}

/* The kernel gives a handle once per device, so that a second buffer would lose it to the first. */
static int check_new(struct ork_device *dev, uint32_t handle)
{
	const struct ork_bo *bo;

	for (bo = dev->bos; bo; bo = bo->next)
		if (bo->args.handle == handle)
			return ork_fail(dev, -EEXIST, "the device has a buffer for this memory already");
	return 0;
}

static int import(struct ork_device *dev, int fd, struct ork_bo *bo)
{
	int err = dev->backend->bo_import(dev, fd, &bo->args);

	if (err)
		return ork_fail(dev, err, "cannot import descriptor %d: %s", fd, ork_strerror(err));
	err = check_new(dev, bo->args.handle);
	if (err)
		return err;
	if (bo->args.size_bytes % PAGE_BYTES || !bo->args.size_bytes)
		err = ork_fail(dev, -EINVAL, "descriptor %d has %llu bytes, which are no pages", fd,
			       (unsigned long long)bo->args.size_bytes);
	else if (bo->args.size_bytes > BO_MAX_BYTES)
		err = too_large(dev, bo->args.size_bytes);
	/* For mapping it later. */
	if (!err) {
		bo->dmabuf = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		err = bo->dmabuf < 0 ? ork_fail(dev, -errno, "cannot duplicate descriptor %d", fd) : 0;
	}
	if (err)
		dev->backend->bo_close(dev, bo->args.handle);
	return err;
}

int ork_bo_import(struct ork_device *dev, int fd, struct ork_bo **bo)
{
	struct ork_bo *imported;
	int err;

	if (!dev)
		return -EINVAL;
	if (!bo || fd < 0)
		return ork_fail(dev, -EINVAL, "ork_bo_import: bo is NULL or fd negative");
	imported = calloc(1, sizeof(*imported));
	if (!imported)
		return ork_fail(dev, -ENOMEM, "out of memory");
	err = import(dev, fd, imported);
	if (err) {
		free(imported);
		return err;
	}
	imported->shared = true;
	add(dev, imported);
	dev->user_bos++;
	*bo = imported;
	return 0;
}

int ork_bo_export(struct ork_bo *bo, int *fd)
{
	int err;

	if (!bo)
		return -EINVAL;
	if (!fd)
		return ork_fail(bo->dev, -EINVAL, "ork_bo_export: fd is NULL");
	err = bo->dev->backend->bo_export(bo->dev, bo->args.handle, fd);
	if (err)
		return ork_fail(bo->dev, err, "cannot export a buffer: %s", ork_strerror(err));
	bo->shared = true;
	return 0;
}

void ork_bo_destroy(struct ork_bo *bo)
{
	if (!bo)
		return;
	bo->dev->user_bos--;
	ork_bo_free(bo);
}

size_t ork_bo_size(const struct ork_bo *bo)
{
	return bo ? bo->args.size_bytes : 0;
}

int ork_bo_map(struct ork_bo *bo, void **ptr)
{
	int err;

	if (!bo)
		return -EINVAL;
	if (!ptr)
		return ork_fail(bo->dev, -EINVAL, "ork_bo_map: ptr is NULL");
	if (!bo->cpu) {
		err = bo->dev->backend->bo_map(bo->dev, bo, &bo->cpu);
		if (err)
			return ork_fail(bo->dev, err, "cannot map %zu bytes for the CPU: %s", ork_bo_size(bo),
					ork_strerror(err));
	}
	*ptr = bo->cpu;
	return 0;
}

static int map_for_npu(struct ork_bo *bo, uint32_t vm_number)
{
	struct drm_ork_vm_map map = {
		.vm = vm_number, .handle = bo->args.handle, .size_bytes = bo->args.size_bytes,
		.flags = bo->read_only ? DRM_ORK_MAP_READ_ONLY : 0,
	};
	struct drm_ork_vm_info vm = { 0 };
	int err;

	err = bo->dev->backend->vm_map(bo->dev, &map);
	if (err == -ENOSPC && !bo->dev->backend->query_vm(bo->dev, vm_number, &vm))
		return ork_fail(bo->dev, err,
				"no room for %zu bytes in the NPU's addresses: the largest hole has %llu bytes; destroy buffers or "
				"weights first, or let weights take turns (ork_residency_create)",
				ork_bo_size(bo), (unsigned long long)vm.largest_hole_bytes);
	if (err)
		return ork_fail(bo->dev, err, "cannot map %zu bytes for the NPU: %s", ork_bo_size(bo),
				ork_strerror(err));
	bo->va[vm_number] = map.va;
	return 0;
}

int ork_bo_address_in(struct ork_bo *bo, uint32_t vm, uint32_t *address)
{
	const int err = bo->va[vm] ? 0 : map_for_npu(bo, vm);

	*address = (uint32_t)bo->va[vm];
	return err;
}

int ork_bo_address(struct ork_bo *bo, uint32_t *address)
{
	uint32_t found;
	int err;

	if (!bo)
		return -EINVAL;
	if (!address)
		return ork_fail(bo->dev, -EINVAL, "ork_bo_address: address is NULL");
	err = ork_bo_address_in(bo, 0, &found);
	if (!err)
		*address = found;
	return err;
}

static int check_range(struct ork_device *dev, const struct ork_sync_range *range)
{
	if (!range->bo || range->bo->dev != dev)
		return ork_fail(dev, -EINVAL, "ork_bo_sync: a buffer is NULL or of another device");
	if (range->op != ORK_SYNC_TO_DEVICE && range->op != ORK_SYNC_TO_CPU)
		return ork_fail(dev, -EINVAL, "ork_bo_sync: the direction is unknown");
	if (!range->size_bytes || range->offset_bytes > ork_bo_size(range->bo) ||
	    range->size_bytes > ork_bo_size(range->bo) - range->offset_bytes)
		return ork_fail(dev, -EINVAL, "ork_bo_sync: the range is empty or lies outside the buffer");
	return 0;
}

/* Ranges that are handed to the backend in one call without allocating memory. */
#define RANGES_PER_CALL 128

int ork_bo_sync(struct ork_device *dev, const struct ork_sync_range *ranges, size_t count)
{
	struct drm_ork_sync_range out[RANGES_PER_CALL];
	uint32_t filled = 0;
	size_t i;
	int err;

	if (!dev)
		return -EINVAL;
	if (!ranges || !count)
		return ork_fail(dev, -EINVAL, "ork_bo_sync: there are no ranges");
	for (i = 0; i < count; i++) {
		err = check_range(dev, &ranges[i]);
		if (err)
			return err;
	}
	for (i = 0; i < count; i++) {
		out[filled++] = (struct drm_ork_sync_range){
			.handle = ranges[i].bo->args.handle,
			.op = ranges[i].op == ORK_SYNC_TO_DEVICE ? DRM_ORK_SYNC_TO_DEVICE : DRM_ORK_SYNC_TO_CPU,
			.offset_bytes = ranges[i].offset_bytes,
			.size_bytes = ranges[i].size_bytes,
		};
		if (filled < RANGES_PER_CALL && i + 1 < count)
			continue;
		err = dev->backend->bo_sync(dev, out, filled);
		if (err)
			return ork_fail(dev, err, "cannot synchronise caches: %s", ork_strerror(err));
		filled = 0;
	}
	return 0;
}
