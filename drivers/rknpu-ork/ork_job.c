// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Jobs
 *
 * A job names a range of a program's tasks. The range is placed on one core or cut over several,
 * and what a core gets is cut again (ork_submit.c). Each piece is a part, which is what the core's
 * scheduler queues and the core runs as one chain with one interrupt. A core's parts of a job run
 * in order, and others get their turn in between. When one ends with an error, those that have not
 * been started are not started any more.
 *
 * Fences: a part that the scheduler started has a hardware fence, signalled by the core (ork_run.c,
 * ork_reset.c), and the scheduler's own "finished" fence, which also signals when a part is killed
 * in the queue. The user's fence is the job's: it counts the parts that have ended and keeps the
 * first error.
 *
 * Everything is allocated before the first part is queued; after that nothing can fail. The queue
 * keeps the memory of two jobs and, for each core, of parts that did without the scheduler, so
 * that a job whose like has ended allocates nothing (ork_result.c has the rest).
 */

#include <linux/sched.h>
#include <linux/slab.h>

#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_ended.h"
#include "ork_fdinfo.h"
#include "ork_gem.h"
#include "ork_job.h"
#include "ork_prog.h"
#include "ork_queue.h"
#include "ork_result.h"
#include "ork_run.h"
#include "ork_trace.h"
#include "ork_vm.h"

static_assert(!offsetof(struct ork_part, hw_fence));

static const char *ork_fence_driver_name(struct dma_fence *fence)
{
	return "rknpu-ork";
}

static const char *ork_hw_fence_timeline_name(struct dma_fence *fence)
{
	return "core";
}

static const struct dma_fence_ops ork_hw_fence_ops = {
	.get_driver_name = ork_fence_driver_name,
	.get_timeline_name = ork_hw_fence_timeline_name,
};

struct ork_vm *ork_part_vm(const struct ork_part *part)
{
	return part->job->prog->vm;
}

/* Where the commands of a part's task, counted from its first one, begin in the part's. */
static u32 ork_part_task_offset(const struct ork_part *part, u32 task)
{
	const struct ork_prog_task *tasks = part->job->prog->tasks + part->first_task;

	return tasks[task].first_word - tasks[0].first_word;
}

/* Their address. */
u32 ork_part_task_va(const struct ork_part *part, u32 task)
{
	return part->command_va + ork_part_task_offset(part, task) * sizeof(u64);
}

/* The same for the CPU. */
const u64 *ork_part_task_image(const struct ork_part *part, u32 task)
{
	const struct ork_prog *prog = part->job->prog;

	if (part->cmd.chunk)
		return part->cmd.words + ork_part_task_offset(part, task);

	return prog->command.words + prog->tasks[part->first_task + task].first_word;
}

/* Number of their words. */
u32 ork_part_task_words(const struct ork_part *part, u32 task)
{
	return part->job->prog->tasks[part->first_task + task].word_count;
}

/* Value of REGISTER_AMOUNTS that fetches it. */
u32 ork_part_task_amount(const struct ork_part *part, u32 task)
{
	return part->job->prog->tasks[part->first_task + task].amount;
}

/**
 * ork_job_fail - start no part of a job any more
 * @job: job
 * @error: negative errno that the job ends with if this is its first
 */
void ork_job_fail(struct ork_job *job, int error)
{
	atomic_cmpxchg(&job->error, 0, error);
}

/**
 * ork_part_dropped - tell whether a part is not to be started any more
 * @part: part
 *
 * Return: whether its queue is lost or another part of its job has ended with an error.
 */
bool ork_part_dropped(const struct ork_part *part)
{
	return READ_ONCE(part->queue->lost) || atomic_read(&part->job->error);
}

/**
 * ork_part_done - a part's results are in memory
 * @part: part that ended without error, not signalled yet
 */
void ork_part_done(struct ork_part *part)
{
	struct ork_job *job = part->job;
	u32 i;

	if (!atomic_dec_and_test(&job->running))
		return;

	/* Good parts of a job that hangs later do not excuse it. */
	ork_queue_judge(part, 0);
	for (i = 0; i < job->cache_count; i++)
		ork_sync_run(&job->cache[i]);
}

/* One part less; in any context. */
static void ork_job_part_ended(struct ork_job *job, int error)
{
	if (error)
		ork_job_fail(job, error);

	if (!atomic_dec_and_test(&job->pending))
		return;

	/* Who sees the end of the job can submit another one. */
	atomic_sub(job->weight, &job->usage->queued);
	error = atomic_read(&job->error);
	if (error)
		dma_fence_set_error(&job->result->done, error);
	ork_fence_signal(&job->result->done, job->queue->ork->detached_ops);
	ork_ended_show(&job->usage->ended, job->result->id, error);
}

static struct dma_fence *ork_part_run(struct ork_part *part)
{
	struct ork_core *core = part->core;
	int ret;

	/* Killed with its process while it was queued. */
	if (part->base.s_fence->finished.error)
		return NULL;
	if (ork_part_dropped(part))
		return ERR_PTR(-ECANCELED);

	dma_fence_init(&part->hw_fence, &ork_hw_fence_ops, &core->fence_lock,
		       core->fence_context, ++core->fence_seqno);
	part->started = true;
	dma_fence_get(&part->hw_fence);

	ret = ork_run_part(core, part);
	if (ret) {
		dma_fence_put(&part->hw_fence);
		return ERR_PTR(ret);
	}

	return &part->hw_fence;
}

static struct dma_fence *ork_sched_run(struct drm_sched_job *base)
{
	struct ork_part *part = container_of(base, struct ork_part, base);
	struct dma_fence *fence = ork_part_run(part);

	/* The scheduler, which does not know of the end before this returns, holds the part. */
	ork_queue_part_taken(part);
	return fence;
}

/*
 * For the next part, or with its fence, or as plain memory; in any context. Return: false if none
 * of them is possible.
 */
static bool ork_part_free(struct ork_part *part)
{
	if (part->base.s_fence)
		return ork_queue_keep_part(part);

	if (part->started)
		dma_fence_put(&part->hw_fence);
	else
		kfree(part);
	return true;
}

/* In any context. */
static void ork_job_free(struct ork_job *job)
{
	ork_result_put(job->result);
	ork_usage_put(job->usage);
	ork_queue_keep_job(job->queue, job);
}

static void ork_job_release(struct kref *ref)
{
	struct ork_job *job = container_of(ref, struct ork_job, ref);
	u32 i;

	for (i = 0; i < job->cache_count; i++)
		ork_sync_close(&job->cache[i]);
	if (job->cache != job->cache_few)
		kvfree(job->cache);

	for (i = 0; i < DRM_ORK_MAX_SLOTS; i++)
		if (job->slots[i])
			ork_mapping_put(job->slots[i]);

	ork_prog_put(job->prog);
	ork_job_free(job);
}

void ork_job_put(struct ork_job *job)
{
	kref_put(&job->ref, ork_job_release);
}

/* A part of the queue has been freed. */
static void ork_part_gone(struct ork_queue *queue, struct ork_core *core)
{
	ork_queue_put(queue);
	if (atomic_dec_and_test(&core->queued))
		wake_up(&core->idle);
}

static void ork_part_release(struct work_struct *work)
{
	struct ork_part *part = container_of(work, struct ork_part, release);
	struct ork_queue *queue = part->queue;
	struct ork_core *core = part->core;

	ork_cmd_free(&part->cmd);
	if (part->job)
		ork_job_put(part->job);
	if (!ork_part_free(part))
		ork_part_discard(part);
	ork_part_gone(queue, core);
}

/* Drops a reference that is not the last one. */
static bool ork_drop(struct kref *ref)
{
	return refcount_dec_not_one(&ref->refcount);
}

/*
 * Drops the reference of a part. Return: false if something had to be released; what was dropped
 * until then, the job has no more.
 */
static bool ork_job_drop(struct ork_job *job)
{
	u32 i;

	if (ork_drop(&job->ref))
		return true;
	if (job->cache && job->cache != job->cache_few)
		return false;

	for (; job->cache_count; job->cache_count--)
		if (!ork_drop(&job->cache[job->cache_count - 1].obj->refcount))
			return false;

	for (i = 0; i < DRM_ORK_MAX_SLOTS; i++) {
		if (job->slots[i] && !ork_drop(&job->slots[i]->ref))
			return false;
		job->slots[i] = NULL;
	}

	if (!ork_drop(&job->prog->ref))
		return false;

	ork_job_free(job);
	return true;
}

/*
 * Mostly others hold what the part does, and to drop its references is possible anywhere. The work
 * item does what is left.
 */
static void ork_part_drop(struct ork_part *part)
{
	struct ork_queue *queue = part->queue;
	struct ork_core *core = part->core;

	if (ork_cmd_drop(&part->cmd) && ork_job_drop(part->job)) {
		part->job = NULL;
		if (ork_part_free(part)) {
			ork_part_gone(queue, core);
			return;
		}
	}

	queue_work(core->ork->wq, &part->release);
}

/* The scheduler may be done with a part while its end is still being told. */
static void ork_part_let_go(struct ork_part *part)
{
	if (atomic_dec_and_test(&part->holders))
		ork_part_drop(part);
}

static void ork_part_ended(struct ork_part *part, int error)
{
	/* Before the user is told: who then submits the next job finds the core free. */
	ork_queue_part_ended(part);
	ork_job_part_ended(part->job, error);
	ork_part_let_go(part);
}

static void ork_part_finished(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct ork_part *part = container_of(cb, struct ork_part, finished);

	/* What the scheduler says of a part that it dropped with its queue. */
	ork_part_ended(part, fence->error == -ESRCH ? -ECANCELED : fence->error);
}

/**
 * ork_part_signal - the core is done with a part
 * @part: part; may be freed by the time this returns
 * @error: negative errno or 0
 */
void ork_part_signal(struct ork_part *part, int error)
{
	struct dma_fence *fence;

	/* A part that could not be started has used nothing. */
	if (part->start) {
		atomic64_add(ktime_to_ns(ktime_sub(part->end, part->start)),
			     &part->job->usage->busy_ns[part->core->index]);
		ork_result_ended(part->job->result, part->end, part->tasks_done);
	}

	if (!part->started) {
		ork_part_ended(part, error);
		return;
	}

	fence = dma_fence_get(&part->hw_fence);
	if (error)
		dma_fence_set_error(fence, error);
	/* Newer schedulers hand the hardware fence's error on, older ones do not. */
	if (error && part->base.s_fence)
		dma_fence_set_error(&part->base.s_fence->finished, error);

	dma_fence_signal(fence);
	dma_fence_put(fence);
}

static void ork_sched_free(struct drm_sched_job *base)
{
	struct ork_part *part = container_of(base, struct ork_part, base);

	drm_sched_job_cleanup(base);
	ork_part_let_go(part);
}

const struct drm_sched_backend_ops ork_sched_ops = {
	.run_job = ork_sched_run,
	.free_job = ork_sched_free,
};

/**
 * ork_job_create - make a job without parts
 * @priv: file
 * @queue: where it goes to
 * @prog: program
 * @id: number that it gets in its file
 *
 * Return: the job with one reference, or NULL when out of memory.
 */
struct ork_job *ork_job_create(struct ork_file *priv, struct ork_queue *queue,
			       struct ork_prog *prog, u64 id)
{
	struct ork_job *job = ork_queue_take_job(queue);

	if (!job)
		job = kmalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return NULL;

	memset(job, 0, sizeof(*job));
	job->result = ork_result_create(priv, id);
	if (!job->result) {
		kfree(job);
		return NULL;
	}

	kref_init(&job->ref);
	job->queue = queue;
	ork_prog_get(prog);
	job->prog = prog;
	job->usage = ork_usage_get(priv->usage);
	get_task_comm(job->comm, current);
	job->pid = task_tgid_nr(current);
	return job;
}

static int ork_part_place(struct ork_device *ork, struct ork_part *part, struct ork_prog *prog,
			  const u64 *addresses)
{
	u32 base = prog->tasks[part->first_task].first_word;
	int ret;

	if (!prog->slot_count) {
		part->command_va = prog->command.va + base * sizeof(u64);
		return 0;
	}

	ret = ork_prog_instantiate(ork, prog, part->first_task, part->task_count, addresses,
				   &part->cmd);
	part->command_va = part->cmd.va;
	return ret;
}

/* Memory for a part, with a scheduler job. */
static struct ork_part *ork_part_alloc(struct ork_lane *lane, struct ork_file *owner)
{
	struct ork_part *part = ork_queue_take_part(lane);
	int ret;

	if (part) {
		memset_after(part, 0, base);
		return part;
	}

	part = kzalloc(sizeof(*part), GFP_KERNEL_ACCOUNT);
	if (!part)
		return ERR_PTR(-ENOMEM);

	ret = ork_sched_job_init(&part->base, &lane->entity, owner);
	if (ret) {
		kfree(part);
		return ERR_PTR(ret);
	}

	return part;
}

/**
 * ork_part_discard - free a part that nothing else is left of, but its unused scheduler job
 * @part: part
 */
void ork_part_discard(struct ork_part *part)
{
	drm_sched_job_cleanup(&part->base);
	kfree(part);
}

/**
 * ork_part_create - make a part of a job
 * @ork: device
 * @queue: where it goes to; uses the range's core
 * @job: job
 * @owner: file
 * @range: core and tasks, checked
 * @addresses: one per address slot of the program, checked
 * @timeout_ms: time without progress after which it is given up
 *
 * Return: the part, to be queued or destroyed, or an error.
 */
struct ork_part *ork_part_create(struct ork_device *ork, struct ork_queue *queue,
				 struct ork_job *job, struct ork_file *owner,
				 const struct drm_ork_range *range, const u64 *addresses,
				 u32 timeout_ms)
{
	struct ork_part *part = ork_part_alloc(&queue->lanes[range->core], owner);
	int ret;

	if (IS_ERR(part))
		return part;

	INIT_WORK(&part->release, ork_part_release);
	INIT_LIST_HEAD(&part->node);
	part->core = ork->core[range->core];
	part->first_task = range->first_task;
	part->task_count = range->task_count;
	part->timeout = msecs_to_jiffies(timeout_ms);

	ret = ork_part_place(ork, part, job->prog, addresses);
	if (ret) {
		ork_part_discard(part);
		return ERR_PTR(ret);
	}

	kref_get(&queue->ref);
	part->queue = queue;
	kref_get(&job->ref);
	part->job = job;
	return part;
}

/**
 * ork_part_destroy - undo ork_part_create() of a part that was not queued
 * @part: part
 */
void ork_part_destroy(struct ork_part *part)
{
	ork_cmd_free(&part->cmd);
	ork_job_put(part->job);
	ork_queue_put(part->queue);
	ork_part_discard(part);
}

/**
 * ork_part_start - start a part at once, without the scheduler
 * @part: part; its queue's lock is held
 *
 * Return: whether it was started; it was not if the core has no power.
 */
bool ork_part_start(struct ork_part *part)
{
	bool signalling;

	if (!ork_run_get_active(part->core))
		return false;

	signalling = dma_fence_begin_signalling();
	atomic_set(&part->holders, 1);
	ork_run_accept(part->core, part);
	dma_fence_end_signalling(signalling);

	return true;
}

/**
 * ork_part_schedule - give a part to the scheduler
 * @part: part; its queue's lock is held
 */
void ork_part_schedule(struct ork_part *part)
{
	bool signalling = dma_fence_begin_signalling();

	atomic_set(&part->holders, 2);
	drm_sched_job_arm(&part->base);
	dma_fence_add_callback(&part->base.s_fence->finished, &part->finished, ork_part_finished);
	drm_sched_entity_push_job(&part->base);

	dma_fence_end_signalling(signalling);
}

/**
 * ork_part_abandon - end a part that never got to the scheduler
 * @part: part; not freed here, because the caller may hold locks of BOs
 */
void ork_part_abandon(struct ork_part *part)
{
	ork_job_part_ended(part->job, -ECANCELED);
	drm_sched_job_cleanup(&part->base);
	ork_part_drop(part);
}

/**
 * ork_job_queue - queue all parts of a job
 * @job: job
 * @parts: its parts, linked by their node; those of one core run in this order
 */
void ork_job_queue(struct ork_job *job, struct list_head *parts)
{
	struct ork_part *part, *next;

	list_for_each_entry(part, parts, node)
		atomic_inc(&job->pending);
	atomic_set(&job->running, atomic_read(&job->pending));
	job->result->submitted = ktime_get();
	trace_ork_submit(job);

	/* A part that is queued may be gone. */
	list_for_each_entry_safe(part, next, parts, node) {
		list_del_init(&part->node);
		atomic_inc(&part->core->queued);
		ork_queue_add(part->queue, part);
	}
}
