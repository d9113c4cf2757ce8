// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Buffers of user memory
 *
 * Weights lie in files, and what a process maps of a file is the page cache. A BO of such pages
 * spares the copy. The pages are pinned when it is made and stay until it is freed, whatever
 * becomes of the process's mapping. They are pinned for reading, so the NPU may only read, and so
 * may not be shared with drivers that write.
 *
 * They may be dirty in the CPU's caches, for good reasons that are not ours. So they are only ever
 * cleaned (DMA_TO_DEVICE), once: an invalidation could lose what somebody wrote to the file.
 *
 * They may be charged to another cgroup than that of the process which pins them, so they count
 * against its RLIMIT_MEMLOCK, as pinned pages do elsewhere in the kernel (RDMA, io_uring, amdxdna).
 *
 * The object is one of the shmem helper whose page table is there from the start, so that the
 * helper never takes pages of its own; the rest of the driver sees no difference.
 */

#include <linux/capability.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_prime.h>

#include "ork_drv.h"
#include "ork_gem.h"
#include "ork_gem_user.h"

/* The process may have gone by the time when the pages do. */
static int ork_gem_user_charge(struct ork_bo *bo, unsigned long count)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct mm_struct *mm = current->mm;

	if (atomic64_add_return(count, &mm->pinned_vm) > limit && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(count, &mm->pinned_vm);
		return -ENOMEM;
	}

	mmgrab(mm);
	bo->user_mm = mm;
	return 0;
}

static void ork_gem_user_unpin(struct ork_bo *bo)
{
	unpin_user_pages(bo->user_pages, bo->user_count);
	kvfree(bo->user_pages);
	if (!bo->user_mm)
		return;

	atomic64_sub(bo->base.base.size >> PAGE_SHIFT, &bo->user_mm->pinned_vm);
	mmdrop(bo->user_mm);
}

static void ork_gem_user_free(struct drm_gem_object *obj)
{
	struct ork_bo *bo = to_ork_bo(obj);

	if (bo->base.sgt) {
		dma_unmap_sgtable(obj->dev->dev, bo->base.sgt, DMA_TO_DEVICE, 0);
		sg_free_table(bo->base.sgt);
		kfree(bo->base.sgt);
		/* The helper would unmap it in the other direction too. */
		bo->base.sgt = NULL;
	}

	ork_gem_user_unpin(bo);
	drm_gem_shmem_object_free(obj);
}

static struct dma_buf *ork_gem_user_export(struct drm_gem_object *obj, int flags)
{
	return ERR_PTR(-EINVAL);
}

static const struct drm_gem_object_funcs ork_gem_user_funcs = {
	.free = ork_gem_user_free,
	.export = ork_gem_user_export,
};

/**
 * ork_gem_is_user - whether a BO is of user memory, which the NPU must not write
 * @obj: BO
 */
bool ork_gem_is_user(const struct drm_gem_object *obj)
{
	return obj->funcs == &ork_gem_user_funcs;
}

/* Pins all pages or none. */
static int ork_gem_user_pin(struct ork_bo *bo, u64 ptr, unsigned long count)
{
	long pinned;
	int ret = ork_gem_user_charge(bo, count);

	if (ret)
		return ret;

	bo->user_pages = kvmalloc_array(count, sizeof(*bo->user_pages), GFP_KERNEL_ACCOUNT);
	if (!bo->user_pages)
		return -ENOMEM;

	while (bo->user_count < count) {
		pinned = pin_user_pages_fast(ptr + bo->user_count * PAGE_SIZE,
					     count - bo->user_count, FOLL_LONGTERM,
					     bo->user_pages + bo->user_count);
		if (pinned <= 0)
			return pinned ?: -EFAULT;

		bo->user_count += pinned;
		cond_resched();
	}

	return 0;
}

static int ork_gem_user_map(struct ork_bo *bo)
{
	struct drm_device *drm = bo->base.base.dev;
	struct sg_table *sgt;
	int ret;

	sgt = drm_prime_pages_to_sg(drm, bo->user_pages, bo->user_count);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);

	ret = dma_map_sgtable(drm->dev, sgt, DMA_TO_DEVICE, 0);
	if (ret) {
		sg_free_table(sgt);
		kfree(sgt);
		return ret;
	}

	bo->base.sgt = sgt;
	return 0;
}

int ork_ioctl_bo_user(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_bo_user *args = data;
	struct drm_gem_object *obj;
	struct ork_bo *bo;
	u64 end;
	int ret;

	if (args->flags || !args->size_bytes || args->size_bytes > ORK_BO_MAX_BYTES ||
	    !PAGE_ALIGNED(args->ptr | args->size_bytes) ||
	    check_add_overflow(args->ptr, args->size_bytes, &end) || end > ULONG_MAX)
		return -EINVAL;

	obj = ork_gem_create(drm, args->size_bytes, 0);
	if (IS_ERR(obj))
		return PTR_ERR(obj);

	bo = to_ork_bo(obj);
	obj->funcs = &ork_gem_user_funcs;

	ret = ork_gem_user_pin(bo, args->ptr, args->size_bytes >> PAGE_SHIFT);
	if (!ret)
		ret = ork_gem_user_map(bo);
	/* Last, because from here on another thread can close the handle. */
	if (!ret)
		ret = drm_gem_handle_create(file, obj, &args->handle);

	drm_gem_object_put(obj);
	return ret;
}
