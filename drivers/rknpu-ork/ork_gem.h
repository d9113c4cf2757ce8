/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_GEM_H
#define ORK_GEM_H

#include <linux/sizes.h>
#include <linux/types.h>

#include <drm/drm_gem_shmem_helper.h>

struct dma_buf;
struct drm_device;
struct drm_file;
struct drm_gem_object;
struct drm_ork_sync_range;
struct sg_table;

/* Addresses of the NPU are 32 bits wide, and page 0 is never mapped. */
#define ORK_BO_MAX_BYTES (SZ_4G - PAGE_SIZE)

/**
 * struct ork_bo - buffer object
 */
struct ork_bo {
	/** @base: shmem object */
	struct drm_gem_shmem_object base;

	/** @no_mmap: DRM_ORK_BO_NO_MMAP */
	bool no_mmap;

	/** @user_pages: pinned pages of user memory (ork_gem_user.c); else NULL */
	struct page **user_pages;

	/** @user_count: number of pinned pages */
	unsigned long user_count;

	/** @user_mm: process whose limit of locked memory they count against, or NULL */
	struct mm_struct *user_mm;
};

static inline struct ork_bo *to_ork_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct ork_bo, base);
}

/**
 * struct ork_sync - checked byte range of a BO whose caches are to be synchronised
 */
struct ork_sync {
	/** @obj: BO, holds a reference */
	struct drm_gem_object *obj;

	/** @import: dma-buf of an imported BO, whose exporter has to do it; else NULL */
	struct dma_buf *import;

	/** @sgt: its pages; NULL if there is nothing to do */
	struct sg_table *sgt;

	/** @op: &enum drm_ork_sync_op */
	u32 op;

	/** @offset: first byte */
	u64 offset;

	/** @size: bytes */
	u64 size;
};

struct drm_gem_object *ork_gem_create(struct drm_device *drm, u64 size, u32 flags);
struct drm_gem_object *ork_gem_create_object(struct drm_device *drm, size_t size);

int ork_sync_open(struct drm_file *file, const struct drm_ork_sync_range *range,
		  struct ork_sync *sync);
void ork_sync_close(struct ork_sync *sync);
void ork_sync_run(const struct ork_sync *sync);

int ork_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_bo_sync(struct drm_device *drm, void *data, struct drm_file *file);

#endif
