/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_JOB_H
#define ORK_JOB_H

#include <linux/dma-fence.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

struct drm_device;
struct drm_file;
struct ork_core;
struct ork_device;
struct ork_prog;
struct ork_vm;

/**
 * struct ork_job - what the user submitted: one part, or one part per core
 */
struct ork_job {
	/** @done: the user's fence: signals when all parts have ended. The job is freed with it */
	struct dma_fence done;

	/** @lock: lock of @done */
	spinlock_t lock;

	/** @pending: parts that have not ended */
	atomic_t pending;

	/** @error: first error of a part, or 0 */
	atomic_t error;

	/** @comm: name of the process that submitted it */
	char comm[TASK_COMM_LEN];

	/** @pid: its process id */
	pid_t pid;
};

/**
 * struct ork_part - range of a program's tasks that runs on one core
 */
struct ork_part {
	/** @base: scheduler job */
	struct drm_sched_job base;

	/** @job: what it is a part of; holds a reference */
	struct ork_job *job;

	/** @core: where it runs */
	struct ork_core *core;

	/** @prog: program, holds a reference */
	struct ork_prog *prog;

	/**
	 * @hw_fence: signals when the core is done with it; allocated with the part,
	 * initialised when it starts
	 */
	struct dma_fence *hw_fence;

	/** @finished: calls back when the scheduler sees the end of the part */
	struct dma_fence_cb finished;

	/**
	 * @release: drops the references; from a work item because that may sleep and take
	 * locks
	 */
	struct work_struct release;

	/** @first_task: index in the program */
	u32 first_task;

	/** @task_count: number of tasks */
	u32 task_count;

	/** @command_va: address of the first task's commands */
	u32 command_va;

	/** @command_amount: first value of REGISTER_AMOUNTS */
	u32 command_amount;

	/** @timeout: jiffies without progress after which it is given up */
	unsigned long timeout;

	/** @deadline: jiffies when that is. Protected by the core's part_lock */
	unsigned long deadline;
};

extern const struct drm_sched_backend_ops ork_sched_ops;

struct ork_vm *ork_part_vm(const struct ork_part *part);
void ork_part_signal(struct ork_part *part, int error);

int ork_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file);

#endif
