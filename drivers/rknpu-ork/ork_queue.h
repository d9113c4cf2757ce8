/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_QUEUE_H
#define ORK_QUEUE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

struct ork_core;
struct ork_part;

/**
 * struct ork_queue - a file's parts for one core
 */
struct ork_queue {
	/** @ref: one for the file, one per part */
	struct kref ref;

	/** @core: core */
	struct ork_core *core;

	/** @entity: what the scheduler sees of it */
	struct drm_sched_entity entity;

	/** @lock: protects @waiting and @closed, and keeps arming and queueing together */
	struct mutex lock;

	/** @waiting: parts that are not with the scheduler yet, in order */
	struct list_head waiting;

	/** @closed: no part goes to the scheduler any more */
	bool closed;

	/** @scheduled: parts that are with the scheduler and have not ended */
	atomic_t scheduled;

	/** @feed: gives waiting parts to the scheduler */
	struct work_struct feed;
};

struct ork_queue *ork_queue_create(struct ork_core *core);
void ork_queue_put(struct ork_queue *queue);
void ork_queue_add(struct ork_queue *queue, struct ork_part *part);
void ork_queue_part_ended(struct ork_queue *queue);
void ork_queue_close(struct ork_queue *queue, bool drop);

#endif
