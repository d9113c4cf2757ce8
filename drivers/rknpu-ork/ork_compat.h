/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_COMPAT_H
#define ORK_COMPAT_H

/*
 * The only place that knows kernel versions. Each helper has the newest kernel's meaning; an older
 * kernel's way of saying it stands in the other branch. ORK_HAVE_* come from the Makefile, which
 * looks into the headers where stable kernels took over a newer kernel's interface.
 */

#include <linux/dma-fence.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/version.h>

#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_prime.h>
#include <drm/gpu_scheduler.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define ORK_DMA_BUF_NS "DMA_BUF"
#else
#define ORK_DMA_BUF_NS DMA_BUF
#endif

/*
 * A fence outlives its driver, and the module, in sync files and in other drivers' buffers. Newer
 * kernels take it away from the driver when it has signalled, if its lock is its own. On older ones
 * it gets the operations of the kernel's own signalled fence then.
 */
#ifdef ORK_HAVE_FENCE_DETACH
static inline const struct dma_fence_ops *ork_fence_detached_ops(void)
{
	return NULL;
}

static inline void ork_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops,
				  spinlock_t *lock)
{
	dma_fence_init(fence, ops, NULL, dma_fence_context_alloc(1), 1);
}

static inline void ork_fence_signal(struct dma_fence *fence, const struct dma_fence_ops *detached)
{
	dma_fence_signal(fence);
}
#else
static inline const struct dma_fence_ops *ork_fence_detached_ops(void)
{
	struct dma_fence *stub = dma_fence_get_stub();
	const struct dma_fence_ops *ops = stub->ops;

	dma_fence_put(stub);
	return ops;
}

static inline void ork_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops,
				  spinlock_t *lock)
{
	spin_lock_init(lock);
	dma_fence_init(fence, ops, lock, dma_fence_context_alloc(1), 1);
}

static inline void ork_fence_signal(struct dma_fence *fence, const struct dma_fence_ops *detached)
{
	dma_fence_signal(fence);
	WRITE_ONCE(fence->ops, detached);
}
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define ork_iommu_paging_domain_alloc iommu_paging_domain_alloc
#else
static inline struct iommu_domain *ork_iommu_paging_domain_alloc(struct device *dev)
{
	struct iommu_domain *domain = iommu_domain_alloc(dev->bus);

	return domain ?: ERR_PTR(-ENOMEM);
}
#endif

/*
 * Goes from one domain to another at once. The IOMMU core's own calls know only the way over the
 * default domain, which doubles the work.
 */
static inline int ork_iommu_switch(struct device *dev, struct iommu_domain *from,
				   struct iommu_domain *to)
{
#ifdef ORK_HAVE_ATTACH_OLD
	return to->ops->attach_dev(to, dev, from);
#else
	return to->ops->attach_dev(to, dev);
#endif
}

static inline int ork_iommu_map(struct iommu_domain *domain, unsigned long iova,
				phys_addr_t paddr, size_t size, int prot)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	return iommu_map(domain, iova, paddr, size, prot, GFP_KERNEL);
#else
	return iommu_map(domain, iova, paddr, size, prot);
#endif
}

static inline int ork_gem_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return drm_gem_vmap(obj, map);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return drm_gem_vmap_unlocked(obj, map);
#else
	return drm_gem_shmem_vmap(to_drm_gem_shmem_obj(obj), map);
#endif
}

static inline void ork_gem_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	drm_gem_vunmap(obj, map);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	drm_gem_vunmap_unlocked(obj, map);
#else
	drm_gem_shmem_vunmap(to_drm_gem_shmem_obj(obj), map);
#endif
}

/* The driver keeps time per job (ork_run.c), so the scheduler's own timeout is off. */
static inline int ork_sched_init(struct drm_gpu_scheduler *sched,
				 const struct drm_sched_backend_ops *ops,
				 u32 credits, const char *name, struct device *dev)
{
#ifdef ORK_HAVE_SCHED_INIT_ARGS
	const struct drm_sched_init_args args = {
		.ops = ops,
#ifdef ORK_HAVE_SCHED_NUM_RQS
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
#endif
		.credit_limit = credits,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = name,
		.dev = dev,
	};

	return drm_sched_init(sched, &args);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return drm_sched_init(sched, ops, NULL, DRM_SCHED_PRIORITY_COUNT, credits, 0,
			      MAX_SCHEDULE_TIMEOUT, NULL, NULL, name, dev);
#else
	return drm_sched_init(sched, ops, credits, 0, MAX_SCHEDULE_TIMEOUT, NULL, NULL,
			      name, dev);
#endif
}

/* The lowest priority has another name in older kernels. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define ORK_SCHED_PRIORITY_LOW DRM_SCHED_PRIORITY_LOW
#else
#define ORK_SCHED_PRIORITY_LOW DRM_SCHED_PRIORITY_MIN
#endif

static inline int ork_sched_job_init(struct drm_sched_job *job,
				     struct drm_sched_entity *entity,
				     void *owner)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return drm_sched_job_init(job, entity, 1, owner, 0);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return drm_sched_job_init(job, entity, 1, owner);
#else
	return drm_sched_job_init(job, entity, owner);
#endif
}

static inline void ork_vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

static inline int ork_pm_get_if_active(struct device *dev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return pm_runtime_get_if_active(dev);
#else
	return pm_runtime_get_if_active(dev, true);
#endif
}

/* platform_driver.remove() lost its return value. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define ork_remove_t void
#define ORK_REMOVED
#else
#define ork_remove_t int
#define ORK_REMOVED 0
#endif

/* What sharing by dma-buf needs beyond importing pages is the default in newer kernels. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define ORK_DRM_PRIME
#else
#define ORK_DRM_PRIME \
	.prime_handle_to_fd = drm_gem_prime_handle_to_fd, \
	.prime_fd_to_handle = drm_gem_prime_fd_to_handle, \
	.gem_prime_mmap = drm_gem_prime_mmap,
#endif

/* Offsets of newer kernels' files are signed unless they say otherwise. */
#ifdef FOP_UNSIGNED_OFFSET
#define ORK_FOP_FLAGS .fop_flags = FOP_UNSIGNED_OFFSET,
#else
#define ORK_FOP_FLAGS
#endif

/* Older kernels demand a date in the DRM driver. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define ORK_DRM_DATE
#else
#define ORK_DRM_DATE .date = "2026",
#endif

#endif
