// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Queues and fairness between them
 *
 * Current kernels' DRM scheduler serves jobs in the order in which they were queued, whoever queued
 * them. A client with hundreds of queued jobs would make another one wait for all of them. So a
 * queue's parts for a core wait here, in its lane, and the scheduler sees only the next two: what
 * another queue brings waits for at most these and what is on the core.
 *
 * A queue whose jobs wedge a core again and again, none of them ending well in between, is lost:
 * everything in it ends with -ECANCELED. Its file's other queues are not touched.
 *
 * While a core has parts of one lane only, there is nothing to schedule: those that wait for no
 * fence are given to the core here, because to go through the scheduler and its threads takes
 * longer than many a part runs. Nobody is passed: when another queue's part comes, those that
 * follow go through the scheduler as well, until the core has again parts of one lane only.
 *
 * The lane's lock is never taken on the way to a fence's signal; the end of a part, which is
 * signalled in any context, only kicks the work item that feeds the scheduler. The work item
 * allocates nothing, and neither do arming and queueing.
 */

#include <linux/capability.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include <drm/drm_drv.h>

#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_job.h"
#include "ork_queue.h"

/* One that runs and one that follows it, so that the core need not wait for us. */
#define ORK_LANE_HANDED_ON 2

/* As many parts has a core of the longest job. */
#define ORK_LANE_SPARES 64

/* A queue is lost with this many wedges in a row. */
#define ORK_QUEUE_MAX_WEDGES 4

#define ORK_MAX_QUEUES 64

/* What was handed on gets this long to run when its queue, or its file, is closed. */
#define ORK_CLOSE_MS 1000

static void ork_lane_fini(struct ork_lane *lane)
{
	struct ork_part *part;

	while ((part = ork_queue_take_part(lane)))
		ork_part_discard(part);
	mutex_destroy(&lane->lock);
}

static void ork_queue_free(struct work_struct *work)
{
	struct ork_queue *queue = container_of(work, struct ork_queue, release);
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		ork_lane_fini(&queue->lanes[i]);
	for (i = 0; i < ORK_QUEUE_SPARES; i++)
		kfree(queue->spares[i]);
	kfree(queue);
}

static void ork_queue_release(struct kref *ref)
{
	struct ork_queue *queue = container_of(ref, struct ork_queue, ref);

	queue_work(queue->ork->wq, &queue->release);
}

/* In any context. */
void ork_queue_put(struct ork_queue *queue)
{
	kref_put(&queue->ref, ork_queue_release);
}

/* Return: memory of a job that has ended, or NULL. */
struct ork_job *ork_queue_take_job(struct ork_queue *queue)
{
	struct ork_job *job = NULL;
	unsigned int i;

	for (i = 0; !job && i < ORK_QUEUE_SPARES; i++)
		job = xchg(&queue->spares[i], NULL);

	return job;
}

/* In any context. */
void ork_queue_keep_job(struct ork_queue *queue, struct ork_job *job)
{
	unsigned int i;

	for (i = 0; i < ORK_QUEUE_SPARES; i++)
		if (!cmpxchg(&queue->spares[i], NULL, job))
			return;

	kfree(job);
}

/* Return: memory of a part of this lane that has ended, with its unused scheduler job, or NULL. */
struct ork_part *ork_queue_take_part(struct ork_lane *lane)
{
	struct ork_part *part;

	spin_lock_irq(&lane->spare_lock);
	part = list_first_entry_or_null(&lane->spares, struct ork_part, node);
	if (part) {
		list_del_init(&part->node);
		lane->spare_count--;
	}
	spin_unlock_irq(&lane->spare_lock);

	return part;
}

/**
 * ork_queue_keep_part - keep the memory of a part for the next one, in any context
 * @part: part that has ended, with an unused scheduler job; it still holds the queue
 *
 * Return: false if the lane has enough.
 */
bool ork_queue_keep_part(struct ork_part *part)
{
	struct ork_lane *lane = &part->queue->lanes[part->core->index];
	unsigned long flags;
	bool keep;

	spin_lock_irqsave(&lane->spare_lock, flags);
	keep = lane->spare_count < ORK_LANE_SPARES;
	if (keep) {
		list_add(&part->node, &lane->spares);
		lane->spare_count++;
	}
	spin_unlock_irqrestore(&lane->spare_lock, flags);

	return keep;
}

/* Starts a part without the scheduler if it and the core allow that. */
static bool ork_lane_start(struct ork_lane *lane, struct ork_part *part)
{
	lockdep_assert_held(&lane->lock);

	return !part->waits && !READ_ONCE(lane->queue->lost) && !atomic_read(&lane->scheduled) &&
	       atomic_read(&lane->load) == atomic_read(&lane->core->load) && ork_part_start(part);
}

static void ork_lane_feed_locked(struct ork_lane *lane)
{
	struct ork_part *part;

	lockdep_assert_held(&lane->lock);

	while (!lane->closed && atomic_read(&lane->handed_on) < ORK_LANE_HANDED_ON) {
		part = list_first_entry_or_null(&lane->waiting, struct ork_part, node);
		if (!part)
			return;

		list_del_init(&part->node);
		atomic_inc(&lane->handed_on);
		if (ork_lane_start(lane, part))
			continue;
		part->scheduled = true;
		atomic_inc(&lane->scheduled);
		ork_part_schedule(part);
	}
}

/* A part has ended, or never begins. */
static void ork_lane_unload(struct ork_lane *lane)
{
	atomic_dec(&lane->load);
	atomic_dec(&lane->core->load);
}

/* Ends what waits, and from now on takes nothing. */
static void ork_lane_stop(struct ork_lane *lane)
{
	struct ork_part *part, *next;
	LIST_HEAD(abandoned);

	mutex_lock(&lane->lock);
	lane->closed = true;
	list_splice_init(&lane->waiting, &abandoned);
	mutex_unlock(&lane->lock);

	list_for_each_entry_safe(part, next, &abandoned, node) {
		list_del_init(&part->node);
		ork_lane_unload(lane);
		ork_part_abandon(part);
	}
}

static void ork_lane_feed(struct work_struct *work)
{
	struct ork_lane *lane = container_of(work, struct ork_lane, feed);

	if (READ_ONCE(lane->queue->lost))
		ork_lane_stop(lane);

	mutex_lock(&lane->lock);
	ork_lane_feed_locked(lane);
	mutex_unlock(&lane->lock);
	ork_queue_put(lane->queue);
}

/* Feeds the scheduler from a work item; the caller has a reference to the queue. */
static void ork_lane_kick(struct ork_lane *lane)
{
	kref_get(&lane->queue->ref);
	if (!queue_work(lane->core->ork->wq, &lane->feed))
		ork_queue_put(lane->queue);
}

/*
 * The scheduler's own wait (drm_sched_entity_flush) has no end unless the process exits, and one
 * for each entity then.
 */
static long ork_lane_flush(struct ork_lane *lane, long patience)
{
	return wait_event_timeout(lane->core->idle, !atomic_read(&lane->handed_on), patience);
}

/*
 * Parts that wait here end with -ECANCELED. Those that were handed on get a chance to run for
 * @patience jiffies.
 *
 * Return: what is left of @patience.
 */
static long ork_queue_close(struct ork_queue *queue, long patience)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (queue->lanes[i].core)
			ork_lane_stop(&queue->lanes[i]);

	for (i = 0; i < ORK_MAX_CORES; i++) {
		struct ork_lane *lane = &queue->lanes[i];

		if (!lane->core)
			continue;
		patience = ork_lane_flush(lane, patience);
		drm_sched_entity_fini(&lane->entity);
	}

	ork_queue_put(queue);
	return patience;
}

static void ork_lane_init(struct ork_lane *lane, struct ork_queue *queue)
{
	lane->queue = queue;
	mutex_init(&lane->lock);
	INIT_LIST_HEAD(&lane->waiting);
	spin_lock_init(&lane->spare_lock);
	INIT_LIST_HEAD(&lane->spares);
	INIT_WORK(&lane->feed, ork_lane_feed);
}

static int ork_lane_open(struct ork_lane *lane, struct ork_core *core, u32 priority)
{
	static const enum drm_sched_priority priorities[] = {
		[DRM_ORK_PRIORITY_NORMAL] = DRM_SCHED_PRIORITY_NORMAL,
		[DRM_ORK_PRIORITY_LOW] = ORK_SCHED_PRIORITY_LOW,
		[DRM_ORK_PRIORITY_HIGH] = DRM_SCHED_PRIORITY_HIGH,
	};
	struct drm_gpu_scheduler *sched = &core->sched;
	int ret = drm_sched_entity_init(&lane->entity, priorities[priority], &sched, 1, NULL);

	if (!ret)
		lane->core = core;
	return ret;
}

static struct ork_queue *ork_queue_create(struct ork_device *ork, u32 core_mask, u32 priority)
{
	struct ork_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int ret = 0;

	if (!queue)
		return ERR_PTR(-ENOMEM);

	kref_init(&queue->ref);
	INIT_WORK(&queue->release, ork_queue_free);
	queue->ork = ork;
	queue->core_mask = core_mask;
	queue->priority = priority;
	for (i = 0; i < ORK_MAX_CORES; i++)
		ork_lane_init(&queue->lanes[i], queue);

	for (i = 0; !ret && i < ORK_MAX_CORES; i++)
		if (ork->core[i] && core_mask & BIT(i))
			ret = ork_lane_open(&queue->lanes[i], ork->core[i], priority);

	if (ret) {
		ork_queue_close(queue, 0);
		return ERR_PTR(ret);
	}

	return queue;
}

struct ork_queue *ork_queue_lookup(struct ork_file *priv, u32 id)
{
	struct ork_queue *queue;

	xa_lock(&priv->queues);
	queue = xa_load(&priv->queues, id);
	if (queue)
		kref_get(&queue->ref);
	xa_unlock(&priv->queues);

	return queue;
}

/* Return: 0 with the queue's number in @id, or an error. */
static int ork_queue_open(struct ork_device *ork, struct ork_file *priv, u32 core_mask,
			  u32 priority, u32 *id)
{
	struct ork_queue *queue = ork_queue_create(ork, core_mask, priority);
	int ret;

	if (IS_ERR(queue))
		return PTR_ERR(queue);

	ret = xa_alloc(&priv->queues, id, queue, XA_LIMIT(0, ORK_MAX_QUEUES - 1), GFP_KERNEL);
	if (ret)
		ork_queue_close(queue, 0);

	return ret == -EBUSY ? -ENOSPC : ret;
}

/**
 * ork_queue_open_default - make a file's queue 0
 * @ork: device
 * @priv: file without queues
 *
 * Return: 0 or an error.
 */
int ork_queue_open_default(struct ork_device *ork, struct ork_file *priv)
{
	u32 id;

	return ork_queue_open(ork, priv, ork_cores_present(ork), DRM_ORK_PRIORITY_NORMAL, &id);
}

/**
 * ork_queue_close_all - end all queues of a file
 * @priv: file
 * @drop: do not give what was handed on a chance to run
 */
void ork_queue_close_all(struct ork_file *priv, bool drop)
{
	long patience = drop ? 0 : msecs_to_jiffies(ORK_CLOSE_MS);
	struct ork_queue *queue;
	unsigned long id;

	xa_for_each(&priv->queues, id, queue) {
		xa_erase(&priv->queues, id);
		patience = ork_queue_close(queue, patience);
	}
}

/**
 * ork_queue_add - queue a part
 * @queue: queue
 * @part: part
 */
void ork_queue_add(struct ork_queue *queue, struct ork_part *part)
{
	struct ork_lane *lane = &queue->lanes[part->core->index];
	bool closed;

	mutex_lock(&lane->lock);
	closed = lane->closed;
	if (!closed) {
		atomic_inc(&lane->load);
		atomic_inc(&lane->core->load);
		list_add_tail(&part->node, &lane->waiting);
	}
	/* Pairs with the barrier of ork_queue_part_ended(). */
	smp_mb();
	ork_lane_feed_locked(lane);
	mutex_unlock(&lane->lock);

	if (closed)
		ork_part_abandon(part);
}

/**
 * ork_queue_part_taken - what the core gets from now on comes after a part
 * @part: part that the scheduler has given to the core, or could not; it still holds the queue
 */
void ork_queue_part_taken(struct ork_part *part)
{
	part->scheduled = false;
	atomic_dec(&part->queue->lanes[part->core->index].scheduled);
}

/**
 * ork_queue_part_ended - make room for the next part
 * @part: part that has ended; it still holds the queue
 */
void ork_queue_part_ended(struct ork_part *part)
{
	struct ork_lane *lane = &part->queue->lanes[part->core->index];

	/* Its process was killed, and the scheduler has dropped it. */
	if (part->scheduled)
		ork_queue_part_taken(part);
	ork_lane_unload(lane);
	/*
	 * The queue's end may wait for this. It is a full barrier: either we see what
	 * ork_queue_add() brings, or it sees that there is room.
	 */
	if (atomic_dec_and_test(&lane->handed_on))
		wake_up(&lane->core->idle);
	if (!list_empty(&lane->waiting))
		ork_lane_kick(lane);
}

/**
 * ork_queue_judge - count how a part ended
 * @part: part that ran; it still holds the queue
 * @error: 0 if with it all of its job has ended well, otherwise the core had to be reset for it
 */
void ork_queue_judge(struct ork_part *part, int error)
{
	struct ork_queue *queue = part->queue;
	unsigned int i;

	if (!error) {
		atomic_set(&queue->wedges, 0);
		return;
	}

	if (atomic_inc_return(&queue->wedges) != ORK_QUEUE_MAX_WEDGES)
		return;

	WRITE_ONCE(queue->lost, true);
	for (i = 0; i < ORK_MAX_CORES; i++)
		if (queue->lanes[i].core)
			ork_lane_kick(&queue->lanes[i]);
}

int ork_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_device *ork = to_ork_device(drm);
	struct drm_ork_queue_create *args = data;
	u32 present;
	int ret, cookie;

	if (args->flags || args->priority > DRM_ORK_PRIORITY_HIGH)
		return -EINVAL;
	if (args->priority == DRM_ORK_PRIORITY_HIGH && !capable(CAP_SYS_NICE))
		return -EACCES;

	if (!drm_dev_enter(drm, &cookie))
		return -ENODEV;

	present = ork_cores_present(ork);
	if (args->core_mask & ~present)
		ret = -EINVAL;
	else
		ret = ork_queue_open(ork, file->driver_priv, args->core_mask ?: present,
				     args->priority, &args->queue);

	drm_dev_exit(cookie);
	return ret;
}

int ork_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_queue_destroy *args = data;
	struct ork_file *priv = file->driver_priv;
	struct ork_queue *queue;
	int cookie;

	if (args->pad || !args->queue)
		return -EINVAL;

	if (!drm_dev_enter(drm, &cookie))
		return -ENODEV;

	queue = xa_erase(&priv->queues, args->queue);
	if (queue)
		ork_queue_close(queue, msecs_to_jiffies(ORK_CLOSE_MS));

	drm_dev_exit(cookie);
	return queue ? 0 : -ENOENT;
}
