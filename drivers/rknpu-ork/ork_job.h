/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_JOB_H
#define ORK_JOB_H

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include <uapi/drm/rknpu_ork.h>

#include "ork_cmd.h"
#include "ork_gem.h"

struct ork_core;
struct ork_device;
struct ork_file;
struct ork_mapping;
struct ork_prog;
struct ork_queue;
struct ork_result;
struct ork_usage;
struct ork_vm;

/* Ranges that a job has room for without an allocation. */
#define ORK_JOB_CACHE_FEW 4

/**
 * struct ork_job - what the user submitted: some parts on each of its cores
 */
struct ork_job {
	/** @ref: one for whoever makes it, one per part */
	struct kref ref;

	/** @prog: program, holds a reference */
	struct ork_prog *prog;

	/** @weight: how many it counts for among the queued jobs of its file */
	int weight;

	/** @pending: parts that have not ended */
	atomic_t pending;

	/** @running: parts whose core is not done with them */
	atomic_t running;

	/** @error: first error of a part, or 0; then no other part is started any more */
	atomic_t error;

	/** @slots: mappings of the addresses that came with the job; hold references */
	struct ork_mapping *slots[DRM_ORK_MAX_SLOTS];

	/** @cache: ranges to synchronise for the CPU at the end; hold their BOs */
	struct ork_sync *cache;

	/** @cache_few: room for a few of them */
	struct ork_sync cache_few[ORK_JOB_CACHE_FEW];

	/** @cache_count: number of ranges */
	u32 cache_count;

	/** @cache_bytes: their length */
	u64 cache_bytes;

	/** @result: what becomes of it; holds a reference */
	struct ork_result *result;

	/** @usage: of the file; holds a reference */
	struct ork_usage *usage;

	/** @queue: gets its memory back; who has a reference to the job holds it */
	struct ork_queue *queue;

	/** @comm: name of the process that submitted it */
	char comm[TASK_COMM_LEN];

	/** @pid: its process id */
	pid_t pid;
};

/**
 * struct ork_part - range of a program's tasks that runs on one core, as one chain
 */
struct ork_part {
	/**
	 * @hw_fence: signals to the scheduler when the core is done with it; initialised when the
	 * scheduler starts it, and then the part lives as long as it. First, because
	 * dma_fence_free() frees it
	 */
	struct dma_fence hw_fence;

	/**
	 * @base: scheduler job. One that was not used stays as it is when the memory is used for
	 * the next part of the lane; all below is cleared then
	 */
	struct drm_sched_job base;

	/** @job: what it is a part of; holds a reference */
	struct ork_job *job;

	/** @core: where it runs */
	struct ork_core *core;

	/** @queue: how it gets there; holds a reference */
	struct ork_queue *queue;

	/** @cmd: its copy of the commands, if the program has address slots */
	struct ork_cmd cmd;

	/** @started: by the scheduler: @hw_fence is initialised */
	bool started;

	/**
	 * @waits: for fences, so it has to go through the scheduler. Only the job's first part on
	 * a core does; the others follow it
	 */
	bool waits;

	/** @scheduled: with the scheduler, which has not given it to the core yet */
	bool scheduled;

	/** @holders: the scheduler, if used, and who tells that it has ended */
	atomic_t holders;

	/** @finished: calls back when the scheduler knows that the part has ended */
	struct dma_fence_cb finished;

	/**
	 * @release: drops the references if one is the last; from a work item because that may
	 * sleep and take locks
	 */
	struct work_struct release;

	/** @first_task: index in the program */
	u32 first_task;

	/** @task_count: number of tasks */
	u32 task_count;

	/** @command_va: address of the first task's commands */
	u32 command_va;

	/** @timeout: jiffies without progress after which it is given up */
	unsigned long timeout;

	/**
	 * @node: in the parts of a job that is not queued yet; in the lane's waiting parts,
	 * protected by its lock; in the core's armed or ended parts, protected by its part_lock;
	 * then in the lane's spares, protected by its spare_lock
	 */
	struct list_head node;

	/** @start: when the core began with it, or 0 */
	ktime_t start;

	/** @end: when the core was done with it */
	ktime_t end;

	/** @tasks_done: tasks that had ended then */
	u32 tasks_done;

	/** @deadline: jiffies when that is. Protected by the core's part_lock */
	unsigned long deadline;
};

extern const struct drm_sched_backend_ops ork_sched_ops;

struct ork_vm *ork_part_vm(const struct ork_part *part);
u32 ork_part_task_va(const struct ork_part *part, u32 task);
const u64 *ork_part_task_image(const struct ork_part *part, u32 task);
u32 ork_part_task_words(const struct ork_part *part, u32 task);
u32 ork_part_task_amount(const struct ork_part *part, u32 task);
bool ork_part_dropped(const struct ork_part *part);
void ork_part_done(struct ork_part *part);
void ork_part_signal(struct ork_part *part, int error);

struct ork_job *ork_job_create(struct ork_file *priv, struct ork_queue *queue,
			       struct ork_prog *prog, u64 id);
void ork_job_put(struct ork_job *job);
void ork_job_fail(struct ork_job *job, int error);

struct ork_part *ork_part_create(struct ork_device *ork, struct ork_queue *queue,
				 struct ork_job *job, struct ork_file *owner,
				 const struct drm_ork_range *range, const u64 *addresses,
				 u32 timeout_ms);
void ork_part_destroy(struct ork_part *part);
void ork_part_discard(struct ork_part *part);
bool ork_part_start(struct ork_part *part);
void ork_part_schedule(struct ork_part *part);
void ork_part_abandon(struct ork_part *part);
void ork_job_queue(struct ork_job *job, struct list_head *parts);

#endif
