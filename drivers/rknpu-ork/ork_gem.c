// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Buffer objects
 *
 * A BO is a shmem object: pages come when it is first mapped, by the CPU or into a VM, and stay
 * until it is freed. It knows nothing of NPU addresses; mappings (ork_vm.c) hold a reference to
 * it, so it may outlive its handle and its file.
 *
 * The NPU does not snoop CPU caches. Cached BOs are synchronised by DRM_IOCTL_ORK_BO_SYNC,
 * range by range. All work here may sleep; the only lock is the one inside the shmem helper.
 */

#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include <drm/drm_gem_shmem_helper.h>

#include "ork_array.h"
#include "ork_drv.h"
#include "ork_gem.h"

/* Addresses of the NPU are 32 bits wide, and page 0 is never mapped. */
#define ORK_BO_MAX_BYTES (SZ_4G - PAGE_SIZE)

#define ORK_SYNC_MAX_RANGES 65536

static const struct drm_gem_object_funcs ork_gem_funcs = {
	.free = drm_gem_shmem_object_free,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

struct drm_gem_object *ork_gem_create_object(struct drm_device *drm, size_t size)
{
	struct drm_gem_shmem_object *shmem = kzalloc(sizeof(*shmem), GFP_KERNEL);

	if (!shmem)
		return ERR_PTR(-ENOMEM);

	shmem->base.funcs = &ork_gem_funcs;
	return &shmem->base;
}

/**
 * ork_gem_create - make a BO
 * @drm: device
 * @size: bytes; rounded up to pages
 * @wc: map write-combined on the CPU
 *
 * Return: the object with one reference, -EINVAL for a size of 0 or one that no VM could hold,
 * -ENOMEM.
 */
struct drm_gem_object *ork_gem_create(struct drm_device *drm, u64 size, bool wc)
{
	struct drm_gem_shmem_object *shmem;

	if (!size || size > ORK_BO_MAX_BYTES)
		return ERR_PTR(-EINVAL);

	shmem = drm_gem_shmem_create(drm, PAGE_ALIGN(size));
	if (IS_ERR(shmem))
		return ERR_CAST(shmem);

	shmem->map_wc = wc;
	return &shmem->base;
}

int ork_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_bo_create *args = data;
	struct drm_gem_object *obj;
	int ret;

	if (args->flags & ~DRM_ORK_BO_WC)
		return -EINVAL;

	obj = ork_gem_create(drm, args->size_bytes, args->flags & DRM_ORK_BO_WC);
	if (IS_ERR(obj))
		return PTR_ERR(obj);

	args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);

	/* Last, because from here on another thread can close the handle. */
	ret = drm_gem_handle_create(file, obj, &args->handle);
	drm_gem_object_put(obj);
	return ret;
}

static void ork_sync_segments(struct device *dev, struct sg_table *sgt,
			      const struct drm_ork_sync_range *range)
{
	u64 skip = range->offset_bytes, left = range->size_bytes;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 bytes = sg_dma_len(sg);
		dma_addr_t addr = sg_dma_address(sg);

		if (skip >= bytes) {
			skip -= bytes;
			continue;
		}

		addr += skip;
		bytes = min(bytes - skip, left);
		skip = 0;

		if (range->op == DRM_ORK_SYNC_TO_DEVICE)
			dma_sync_single_for_device(dev, addr, bytes, DMA_BIDIRECTIONAL);
		else
			dma_sync_single_for_cpu(dev, addr, bytes, DMA_BIDIRECTIONAL);

		left -= bytes;
		if (!left)
			return;
	}
}

static struct drm_gem_object *ork_sync_check(struct drm_file *file,
					     const struct drm_ork_sync_range *range)
{
	struct drm_gem_object *obj;

	if (range->op > DRM_ORK_SYNC_TO_CPU || !range->size_bytes)
		return ERR_PTR(-EINVAL);

	obj = drm_gem_object_lookup(file, range->handle);
	if (!obj)
		return ERR_PTR(-ENOENT);

	if (range->offset_bytes >= obj->size ||
	    range->size_bytes > obj->size - range->offset_bytes) {
		drm_gem_object_put(obj);
		return ERR_PTR(-EINVAL);
	}

	return obj;
}

static int ork_sync_one(struct drm_file *file, const struct drm_ork_sync_range *range,
			bool check_only)
{
	struct drm_gem_object *obj = ork_sync_check(file, range);
	struct drm_gem_shmem_object *shmem;
	struct sg_table *sgt;

	if (IS_ERR(obj))
		return PTR_ERR(obj);

	shmem = to_drm_gem_shmem_obj(obj);

	/* A write-combined BO has no cache lines. */
	if (!check_only && !shmem->map_wc) {
		sgt = drm_gem_shmem_get_pages_sgt(shmem);
		if (IS_ERR(sgt)) {
			drm_gem_object_put(obj);
			return PTR_ERR(sgt);
		}
		ork_sync_segments(obj->dev->dev, sgt, range);
	}

	drm_gem_object_put(obj);
	return 0;
}

int ork_ioctl_bo_sync(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_bo_sync *args = data;
	struct drm_ork_sync_range *ranges;
	int ret = 0;
	u32 i;

	ranges = ork_array_copy(&args->ranges, sizeof(*ranges), ORK_SYNC_MAX_RANGES);
	if (IS_ERR(ranges))
		return PTR_ERR(ranges);

	for (i = 0; !ret && i < args->ranges.count; i++)
		ret = ork_sync_one(file, &ranges[i], true);

	for (i = 0; !ret && i < args->ranges.count; i++)
		ret = ork_sync_one(file, &ranges[i], false);

	kvfree(ranges);
	return ret;
}
