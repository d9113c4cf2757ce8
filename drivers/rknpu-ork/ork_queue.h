/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_QUEUE_H
#define ORK_QUEUE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include <uapi/drm/rknpu_ork.h>

struct drm_device;
struct drm_file;
struct ork_core;
struct ork_device;
struct ork_file;
struct ork_job;
struct ork_part;
struct ork_queue;

/* Who sees the end of a job can submit the next one before the first one's memory is back. */
#define ORK_QUEUE_SPARES 2

/**
 * struct ork_lane - a queue's parts for one core
 */
struct ork_lane {
	/** @queue: queue */
	struct ork_queue *queue;

	/** @core: core; NULL if the queue does not use it */
	struct ork_core *core;

	/** @entity: what the scheduler sees of it */
	struct drm_sched_entity entity;

	/** @lock: protects @waiting and @closed, and keeps arming and queueing together */
	struct mutex lock;

	/** @waiting: parts that are not with the scheduler yet, in order */
	struct list_head waiting;

	/** @closed: no part goes to the scheduler any more */
	bool closed;

	/** @load: parts that have not ended; less than its core's if others have some */
	atomic_t load;

	/** @handed_on: those that do not wait here any more */
	atomic_t handed_on;

	/** @scheduled: those of them that the scheduler has not given to the core yet */
	atomic_t scheduled;

	/** @feed: gives waiting parts to the scheduler */
	struct work_struct feed;

	/** @spare_lock: protects @spares and @spare_count; taken in hard interrupt context */
	spinlock_t spare_lock;

	/** @spares: memory for parts, each with an unused scheduler job */
	struct list_head spares;

	/** @spare_count: number of them */
	unsigned int spare_count;
};

/**
 * struct ork_queue - what jobs are submitted to
 */
struct ork_queue {
	/** @ref: one for the handle, one per part and per pending @ork_lane.feed */
	struct kref ref;

	/** @core_mask: cores that it may use */
	u32 core_mask;

	/** @priority: &enum drm_ork_priority */
	u32 priority;

	/** @wedges: parts that wedged a core since a job ended well */
	atomic_t wedges;

	/** @lost: it wedged cores too often; it runs nothing any more */
	bool lost;

	/** @spares: memory for the next jobs, or NULL */
	struct ork_job *spares[ORK_QUEUE_SPARES];

	/** @release: frees it, which takes locks that are not for interrupts */
	struct work_struct release;

	/** @ork: device */
	struct ork_device *ork;

	/** @lanes: by core */
	struct ork_lane lanes[DRM_ORK_MAX_CORES];
};

struct ork_queue *ork_queue_lookup(struct ork_file *priv, u32 id);
void ork_queue_put(struct ork_queue *queue);
int ork_queue_open_default(struct ork_device *ork, struct ork_file *priv);
void ork_queue_close_all(struct ork_file *priv, bool drop);

struct ork_job *ork_queue_take_job(struct ork_queue *queue);
void ork_queue_keep_job(struct ork_queue *queue, struct ork_job *job);
struct ork_part *ork_queue_take_part(struct ork_lane *lane);
bool ork_queue_keep_part(struct ork_part *part);

void ork_queue_add(struct ork_queue *queue, struct ork_part *part);
void ork_queue_part_taken(struct ork_part *part);
void ork_queue_part_ended(struct ork_part *part);
void ork_queue_judge(struct ork_part *part, int error);

int ork_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);

#endif
