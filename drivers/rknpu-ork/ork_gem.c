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

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include <drm/drm_utils.h>

#include "ork_array.h"
#include "ork_drv.h"
#include "ork_gem.h"
#include "ork_gem_user.h"

#define ORK_SYNC_MAX_RANGES 65536

/*
 * The helper's fault handler counts pages from the start of the area, which is no longer that of
 * the BO when an munmap() has taken its head. The area holds the pages, so no lock is needed.
 */
static vm_fault_t ork_gem_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	pgoff_t page = vmf->pgoff - drm_vma_node_start(&obj->vma_node);

	if (page >= obj->size >> PAGE_SHIFT)
		return VM_FAULT_SIGBUS;

	return vmf_insert_pfn(vmf->vma, vmf->address,
			      page_to_pfn(to_drm_gem_shmem_obj(obj)->pages[page]));
}

static void ork_gem_vm_open(struct vm_area_struct *vma)
{
	drm_gem_shmem_vm_ops.open(vma);
}

static void ork_gem_vm_close(struct vm_area_struct *vma)
{
	drm_gem_shmem_vm_ops.close(vma);
}

static const struct vm_operations_struct ork_gem_vm_ops = {
	.fault = ork_gem_fault,
	.open = ork_gem_vm_open,
	.close = ork_gem_vm_close,
};

static int ork_gem_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	int ret;

	if (to_ork_bo(obj)->no_mmap)
		return -EINVAL;

	/*
	 * mmap() of a dma-buf may start anywhere, but the helper drops that offset, and with it on
	 * some kernels the place in the file: refuse the first, restore the second.
	 */
	if (vma->vm_pgoff != drm_vma_node_start(&obj->vma_node))
		return -EINVAL;

	ret = drm_gem_shmem_object_mmap(obj, vma);
	if (!ret && !obj->import_attach)
		vma->vm_pgoff = drm_vma_node_start(&obj->vma_node);

	return ret;
}

static const struct drm_gem_object_funcs ork_gem_funcs = {
	.free = drm_gem_shmem_object_free,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = ork_gem_mmap,
	.vm_ops = &ork_gem_vm_ops,
};

struct drm_gem_object *ork_gem_create_object(struct drm_device *drm, size_t size)
{
	struct ork_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return ERR_PTR(-ENOMEM);

	bo->base.base.funcs = &ork_gem_funcs;
	return &bo->base.base;
}

/**
 * ork_gem_create - make a BO
 * @drm: device
 * @size: bytes; rounded up to pages
 * @flags: DRM_ORK_BO_*
 *
 * Return: the object with one reference, -EINVAL for a size of 0 or one that no VM could hold,
 * -ENOMEM.
 */
struct drm_gem_object *ork_gem_create(struct drm_device *drm, u64 size, u32 flags)
{
	struct drm_gem_shmem_object *shmem;

	if (!size || size > ORK_BO_MAX_BYTES)
		return ERR_PTR(-EINVAL);

	shmem = drm_gem_shmem_create(drm, PAGE_ALIGN(size));
	/* Shmem's lack of memory for an inode; here it would mean no room in an address space. */
	if (shmem == ERR_PTR(-ENOSPC))
		return ERR_PTR(-ENOMEM);
	if (IS_ERR(shmem))
		return ERR_CAST(shmem);

	shmem->map_wc = flags & DRM_ORK_BO_WC;
	to_ork_bo(&shmem->base)->no_mmap = flags & DRM_ORK_BO_NO_MMAP;
	return &shmem->base;
}

int ork_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_bo_create *args = data;
	struct drm_gem_object *obj;
	int ret;

	if (args->flags & ~(DRM_ORK_BO_WC | DRM_ORK_BO_NO_MMAP))
		return -EINVAL;

	obj = ork_gem_create(drm, args->size_bytes, args->flags);
	if (IS_ERR(obj))
		return PTR_ERR(obj);

	args->mmap_offset = 0;
	if (!(args->flags & DRM_ORK_BO_NO_MMAP))
		args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);

	/* Last, because from here on another thread can close the handle. */
	ret = drm_gem_handle_create(file, obj, &args->handle);
	drm_gem_object_put(obj);
	return ret;
}

/**
 * ork_sync_open - check a range and hold its BO
 * @file: whose handle it is
 * @range: range
 * @sync: filled in; to be closed with ork_sync_close()
 *
 * Of an imported BO, @sync has the dma-buf, and ork_sync_run() does nothing.
 *
 * Return: 0, -EINVAL for a range that is not in the BO or a BO of user memory, -ENOENT, -ENOMEM.
 */
int ork_sync_open(struct drm_file *file, const struct drm_ork_sync_range *range,
		  struct ork_sync *sync)
{
	struct drm_gem_shmem_object *shmem;
	struct drm_gem_object *obj;
	int ret = -EINVAL;

	if (range->op > DRM_ORK_SYNC_TO_CPU || !range->size_bytes)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, range->handle);
	if (!obj)
		return -ENOENT;

	if (range->offset_bytes >= obj->size ||
	    range->size_bytes > obj->size - range->offset_bytes || ork_gem_is_user(obj))
		goto err_put;

	*sync = (struct ork_sync){
		.obj = obj,
		.op = range->op,
		.offset = range->offset_bytes,
		.size = range->size_bytes,
	};

	if (obj->import_attach) {
		sync->import = obj->import_attach->dmabuf;
		return 0;
	}

	/* A write-combined BO has no cache lines. */
	shmem = to_drm_gem_shmem_obj(obj);
	if (shmem->map_wc)
		return 0;

	sync->sgt = drm_gem_shmem_get_pages_sgt(shmem);
	ret = PTR_ERR_OR_ZERO(sync->sgt);
	if (ret)
		goto err_put;

	return 0;

err_put:
	drm_gem_object_put(obj);
	return ret;
}

void ork_sync_close(struct ork_sync *sync)
{
	drm_gem_object_put(sync->obj);
}

/**
 * ork_sync_run - synchronise a range
 * @sync: range; may be called in any context
 */
void ork_sync_run(const struct ork_sync *sync)
{
	struct device *dev = sync->obj->dev->dev;
	u64 skip = sync->offset, left = sync->size;
	struct scatterlist *sg;
	unsigned int i;

	if (!sync->sgt)
		return;

	for_each_sgtable_dma_sg(sync->sgt, sg, i) {
		u64 bytes = sg_dma_len(sg);
		dma_addr_t addr = sg_dma_address(sg);

		if (skip >= bytes) {
			skip -= bytes;
			continue;
		}

		addr += skip;
		bytes = min(bytes - skip, left);
		skip = 0;

		if (sync->op == DRM_ORK_SYNC_TO_DEVICE)
			dma_sync_single_for_device(dev, addr, bytes, DMA_BIDIRECTIONAL);
		else
			dma_sync_single_for_cpu(dev, addr, bytes, DMA_BIDIRECTIONAL);

		left -= bytes;
		if (!left)
			return;
	}
}

/*
 * Only the exporter knows how its memory gets to the CPU and back, and does it for all of the
 * buffer. It may sleep and waits for the fences of other drivers.
 */
static int ork_sync_run_import(const struct ork_sync *sync)
{
	if (sync->op == DRM_ORK_SYNC_TO_CPU)
		return dma_buf_begin_cpu_access(sync->import, DMA_BIDIRECTIONAL);

	return dma_buf_end_cpu_access(sync->import, DMA_BIDIRECTIONAL);
}

int ork_ioctl_bo_sync(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_bo_sync *args = data;
	struct drm_ork_sync_range *ranges;
	struct ork_sync *syncs;
	u32 i, count;
	int ret = 0;

	ranges = ork_array_copy(&args->ranges, sizeof(*ranges), ORK_SYNC_MAX_RANGES);
	if (IS_ERR(ranges))
		return PTR_ERR(ranges);
	if (!ranges)
		return -EINVAL;

	syncs = kvmalloc_array(args->ranges.count, sizeof(*syncs), GFP_KERNEL_ACCOUNT);
	if (!syncs) {
		kvfree(ranges);
		return -ENOMEM;
	}

	for (count = 0; count < args->ranges.count; count++) {
		ret = ork_sync_open(file, &ranges[count], &syncs[count]);
		if (ret)
			break;
	}

	for (i = 0; i < count; i++) {
		if (!ret && syncs[i].import)
			ret = ork_sync_run_import(&syncs[i]);
		else if (!ret)
			ork_sync_run(&syncs[i]);
		ork_sync_close(&syncs[i]);
	}

	kvfree(syncs);
	kvfree(ranges);
	return ret;
}

int ork_ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_bo_wait *args = data;
	long ret;

	if (args->flags & ~DRM_ORK_WAIT_WRITE)
		return -EINVAL;

	ret = drm_gem_dma_resv_wait(file, args->handle, !(args->flags & DRM_ORK_WAIT_WRITE),
				    drm_timeout_abs_to_jiffies(args->timeout_ns));
	switch (ret) {
	case -EINVAL:
		return -ENOENT;
	case -ETIME:
		return -ETIMEDOUT;
	default:
		return ret;
	}
}
