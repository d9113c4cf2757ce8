/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_FENCES_H
#define ORK_FENCES_H

#include <linux/types.h>
#include <linux/ww_mutex.h>

struct dma_fence;
struct drm_file;
struct drm_gem_object;
struct drm_ork_array;
struct drm_sched_job;
struct drm_syncobj;
struct dma_fence_chain;
struct ork_job;

/* Fences of each kind that a job needs no allocation for. */
#define ORK_FENCES_FEW 2

/**
 * struct ork_out_sync - syncobj that gets a job's fence
 */
struct ork_out_sync {
	/** @syncobj: holds a reference */
	struct drm_syncobj *syncobj;

	/** @chain: node for a point of a timeline, or NULL for a binary syncobj */
	struct dma_fence_chain *chain;

	/** @point: point of the timeline */
	u64 point;
};

/**
 * struct ork_fences - what a job waits for and what it signals
 */
struct ork_fences {
	/** @in: fences to wait for; hold references */
	struct dma_fence **in;

	/** @in_count: number of fences in @in */
	u32 in_count;

	/** @in_few: room for a few of them */
	struct dma_fence *in_few[ORK_FENCES_FEW];

	/** @out: syncobjs to signal */
	struct ork_out_sync *out;

	/** @out_few: room for a few of them */
	struct ork_out_sync out_few[ORK_FENCES_FEW];

	/** @out_count: number of syncobjs in @out */
	u32 out_count;
};

int ork_fences_open(struct ork_fences *fences, struct drm_file *file,
		    const struct drm_ork_array *in, const struct drm_ork_array *out);
int ork_fences_add(const struct ork_fences *fences, struct drm_sched_job *base);
void ork_fences_publish(struct ork_fences *fences, struct dma_fence *done);
void ork_fences_close(struct ork_fences *fences);

/**
 * struct ork_implicit - BOs whose users wait for a job
 */
struct ork_implicit {
	/** @objs: BOs, each once; the job holds them */
	struct drm_gem_object **objs;

	/** @writes: the job writes the BO at the same index */
	bool *writes;

	/** @count: number of BOs */
	u32 count;

	/** @ticket: of the locks */
	struct ww_acquire_ctx ticket;
};

int ork_implicit_lock(struct ork_implicit *implicit, struct ork_job *job);
int ork_implicit_add(const struct ork_implicit *implicit, struct drm_sched_job *base);
void ork_implicit_publish(struct ork_implicit *implicit, struct dma_fence *done);
void ork_implicit_unlock(struct ork_implicit *implicit);

#endif
