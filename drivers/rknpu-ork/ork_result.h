/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_RESULT_H
#define ORK_RESULT_H

#include <linux/dma-fence.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct ork_file;

/**
 * struct ork_result - what became of a job; outlives it
 */
struct ork_result {
	/**
	 * @done: the user's fence: signals when all parts have ended. The result lives as long as
	 * it. First, because dma_fence_free() frees it
	 */
	struct dma_fence done;

	/** @done_lock: lock of @done on older kernels (ork_compat.h) */
	spinlock_t done_lock;

	/** @id: number of the job in its file */
	u64 id;

	/** @retired: too old to be asked for. Protected by the ring's lock */
	bool retired;

	/** @unseen: RCU grace period after which nobody sees a retired one any more */
	unsigned long unseen;

	/** @submitted: when the job was queued */
	ktime_t submitted;

	/** @cores: where its parts are */
	u32 cores;

	/** @lock: protects the members below; taken in hard interrupt context */
	spinlock_t lock;

	/** @started: when the first part began, or 0 */
	ktime_t started;

	/** @ended: when the last part that has ended did, or 0 */
	ktime_t ended;

	/** @tasks_done: tasks that have ended, in all parts */
	u32 tasks_done;

	/** @fault_va: address that the MMU could not translate */
	u32 fault_va;
};

struct ork_result *ork_result_create(struct ork_file *priv, u64 id);
void ork_result_put(struct ork_result *result);

void ork_result_started(struct ork_result *result, ktime_t when);
void ork_result_ended(struct ork_result *result, ktime_t when, u32 tasks);
void ork_result_fault(struct ork_result *result, u32 va);

int ork_result_reserve(struct ork_file *priv, u64 id);
void ork_result_keep(struct ork_file *priv, u64 id, struct ork_result *result);
void ork_result_close_all(struct ork_file *priv);

int ork_ioctl_job_wait(struct drm_device *drm, void *data, struct drm_file *file);

#endif
