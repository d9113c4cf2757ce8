// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Fairness between files
 *
 * Current kernels' DRM scheduler serves jobs in the order in which they were queued, whoever queued
 * them. A client with hundreds of queued jobs would make another one wait for all of them. So a
 * file's parts for a core wait here, and the scheduler sees only the next two: what another file
 * queues waits for at most these and what is on the core.
 *
 * The lock is never taken on the way to a fence's signal; the end of a part, which is signalled in
 * any context, only kicks the work item that feeds the scheduler. The work item allocates nothing,
 * and neither do arming and queueing.
 */

#include <linux/slab.h>

#include "ork_core.h"
#include "ork_drv.h"
#include "ork_job.h"
#include "ork_queue.h"

/* One that is about to run and one that follows it, so that the core need not wait for us. */
#define ORK_QUEUE_SCHEDULED 2

static void ork_queue_feed_locked(struct ork_queue *queue)
{
	struct ork_part *part;

	lockdep_assert_held(&queue->lock);

	while (!queue->closed && atomic_read(&queue->scheduled) < ORK_QUEUE_SCHEDULED) {
		part = list_first_entry_or_null(&queue->waiting, struct ork_part, node);
		if (!part)
			return;

		list_del_init(&part->node);
		atomic_inc(&queue->scheduled);
		ork_part_schedule(part);
	}
}

static void ork_queue_feed(struct work_struct *work)
{
	struct ork_queue *queue = container_of(work, struct ork_queue, feed);

	mutex_lock(&queue->lock);
	ork_queue_feed_locked(queue);
	mutex_unlock(&queue->lock);
	ork_queue_put(queue);
}

/**
 * ork_queue_create - make a file's queue for a core
 * @core: core
 *
 * Return: the queue, to be closed and put, or an error.
 */
struct ork_queue *ork_queue_create(struct ork_core *core)
{
	struct drm_gpu_scheduler *sched = &core->sched;
	struct ork_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	int ret;

	if (!queue)
		return ERR_PTR(-ENOMEM);

	ret = drm_sched_entity_init(&queue->entity, DRM_SCHED_PRIORITY_NORMAL, &sched, 1, NULL);
	if (ret) {
		kfree(queue);
		return ERR_PTR(ret);
	}

	kref_init(&queue->ref);
	queue->core = core;
	mutex_init(&queue->lock);
	INIT_LIST_HEAD(&queue->waiting);
	INIT_WORK(&queue->feed, ork_queue_feed);
	return queue;
}

static void ork_queue_release(struct kref *ref)
{
	struct ork_queue *queue = container_of(ref, struct ork_queue, ref);

	mutex_destroy(&queue->lock);
	kfree(queue);
}

void ork_queue_put(struct ork_queue *queue)
{
	kref_put(&queue->ref, ork_queue_release);
}

/**
 * ork_queue_add - queue a part
 * @queue: queue
 * @part: part
 */
void ork_queue_add(struct ork_queue *queue, struct ork_part *part)
{
	bool closed;

	mutex_lock(&queue->lock);
	closed = queue->closed;
	if (!closed)
		list_add_tail(&part->node, &queue->waiting);
	ork_queue_feed_locked(queue);
	mutex_unlock(&queue->lock);

	if (closed)
		ork_part_abandon(part);
}

/**
 * ork_queue_part_ended - make room for the next part
 * @queue: queue; the caller's part still holds a reference
 */
void ork_queue_part_ended(struct ork_queue *queue)
{
	atomic_dec(&queue->scheduled);
	kref_get(&queue->ref);
	if (!queue_work(queue->core->ork->wq, &queue->feed))
		ork_queue_put(queue);
}

/**
 * ork_queue_close - end a queue
 * @queue: queue
 * @drop: do not give what is with the scheduler a chance to run
 *
 * Parts that wait here end with -ECANCELED.
 */
void ork_queue_close(struct ork_queue *queue, bool drop)
{
	struct ork_part *part, *next;
	LIST_HEAD(abandoned);

	mutex_lock(&queue->lock);
	queue->closed = true;
	list_splice_init(&queue->waiting, &abandoned);
	mutex_unlock(&queue->lock);

	if (drop)
		drm_sched_entity_fini(&queue->entity);
	else
		drm_sched_entity_destroy(&queue->entity);

	list_for_each_entry_safe(part, next, &abandoned, node) {
		list_del_init(&part->node);
		ork_part_abandon(part);
	}
}
