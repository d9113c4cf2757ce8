// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Submit
 *
 * Each job of the array goes through the same steps: look up what it names, place its tasks on
 * cores, make the parts, queue them. A step that fails undoes those before it, and the call ends
 * there; jobs that were queued stay queued.
 *
 * A core cannot be interrupted within a part. So what it gets of a job is cut into short parts,
 * which the queue's lane hands on one after the other: other queues have their turn in between, and
 * a job of any length costs them no more than a few of its parts.
 */

#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "ork_array.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_fdinfo.h"
#include "ork_fences.h"
#include "ork_gem.h"
#include "ork_job.h"
#include "ork_prog.h"
#include "ork_queue.h"
#include "ork_result.h"
#include "ork_submit.h"
#include "ork_vm.h"

#define ORK_JOB_MAX_CACHE 4096

/*
 * Jobs of a file that have not ended; the last as many can be asked about (ork_result.c). Each part
 * but a core's first counts like a job: its memory is not all charged to a cgroup.
 */
#define ORK_MAX_QUEUED 8192

/* Addresses are added to 32-bit values of atoms. */
#define ORK_ADDRESS_ALIGN 16

/**
 * struct ork_submit - a job on its way into the queues
 */
struct ork_submit {
	/** @ork: device */
	struct ork_device *ork;

	/** @file: who submits */
	struct drm_file *file;

	/** @args: what was asked for */
	const struct drm_ork_job *args;

	/** @id: number that the job gets in its file */
	u64 id;

	/** @queue: queue, holds a reference */
	struct ork_queue *queue;

	/** @prog: program, holds a reference */
	struct ork_prog *prog;

	/** @ranges: which core runs what */
	struct drm_ork_range ranges[ORK_MAX_CORES];

	/** @range_count: number of ranges */
	unsigned int range_count;

	/** @parts: what the ranges are cut into, not queued yet; one range's follow each other */
	struct list_head parts;

	/** @addresses: for the program's address slots */
	u64 addresses[DRM_ORK_MAX_SLOTS];

	/** @job: the job */
	struct ork_job *job;

	/** @fences: explicit synchronisation */
	struct ork_fences fences;

	/** @implicit: implicit synchronisation; empty if the job does not want it */
	struct ork_implicit implicit;
};

static u32 ork_submit_cores(const struct ork_submit *submit)
{
	u32 mask = submit->queue->core_mask;
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (mask & BIT(i) && READ_ONCE(submit->ork->core[i]->lost))
			mask &= ~BIT(i);

	return mask;
}

static unsigned int ork_least_busy_core(struct ork_device *ork, u32 mask)
{
	unsigned int i, best = __ffs(mask);

	for (i = best + 1; i < ORK_MAX_CORES; i++)
		if (mask & BIT(i) &&
		    atomic_read(&ork->core[i]->queued) < atomic_read(&ork->core[best]->queued))
			best = i;

	return best;
}

static bool ork_tasks_valid(const struct ork_prog *prog, u32 first, u32 count)
{
	return count && first < prog->task_count && count <= prog->task_count - first &&
	       !prog->tasks[first].reuses;
}

static int ork_submit_add_range(struct ork_submit *submit, u32 core, u32 first, u32 count)
{
	if (!ork_tasks_valid(submit->prog, first, count))
		return -EINVAL;

	submit->ranges[submit->range_count++] = (struct drm_ork_range){
		.core = core,
		.first_task = first,
		.task_count = count,
	};
	return 0;
}

static int ork_submit_split(struct ork_submit *submit)
{
	const struct drm_ork_job *args = submit->args;
	u32 cores = hweight32(args->core_mask);
	u32 core, slot = 0;
	int ret = 0;

	for (core = 0; !ret && core < ORK_MAX_CORES; core++) {
		u32 first, end;

		if (!(args->core_mask & BIT(core)))
			continue;

		first = (u64)slot * args->task_count / cores;
		slot++;
		end = (u64)slot * args->task_count / cores;
		if (first < end)
			ret = ork_submit_add_range(submit, core, args->first_task + first,
						   end - first);
	}

	return ret;
}

static int ork_submit_given_ranges(struct ork_submit *submit)
{
	const struct drm_ork_job *args = submit->args;
	struct drm_ork_range *ranges, few[ORK_MAX_CORES];
	u32 i, seen = 0;
	int ret = 0;

	if (args->core_mask || args->first_task || args->task_count || !args->ranges.count)
		return -EINVAL;

	ranges = ork_array_copy_few(&args->ranges, sizeof(*ranges), ORK_MAX_CORES, few,
				    ORK_MAX_CORES);
	if (IS_ERR(ranges))
		return PTR_ERR(ranges);

	for (i = 0; !ret && i < args->ranges.count; i++) {
		const struct drm_ork_range *range = &ranges[i];

		if (range->pad || range->core >= ORK_MAX_CORES ||
		    BIT(range->core) & (seen | ~ork_submit_cores(submit))) {
			ret = -EINVAL;
			break;
		}
		seen |= BIT(range->core);
		ret = ork_submit_add_range(submit, range->core, range->first_task,
					   range->task_count);
	}

	return ret;
}

static int ork_submit_place(struct ork_submit *submit)
{
	const struct drm_ork_job *args = submit->args;

	if (args->placement == DRM_ORK_PLACE_RANGES)
		return ork_submit_given_ranges(submit);

	if (args->ranges.count || !args->core_mask ||
	    args->core_mask & ~ork_submit_cores(submit) ||
	    !ork_tasks_valid(submit->prog, args->first_task, args->task_count))
		return -EINVAL;

	switch (args->placement) {
	case DRM_ORK_PLACE_AUTO:
		return ork_submit_add_range(submit,
					    ork_least_busy_core(submit->ork, args->core_mask),
					    args->first_task, args->task_count);
	case DRM_ORK_PLACE_SPLIT:
		return ork_submit_split(submit);
	default:
		return -EINVAL;
	}
}

/* An address is good if one mapping holds everything that the tasks touch through its slot. */
static int ork_submit_address(struct ork_submit *submit, u32 i, u64 address)
{
	const struct ork_prog_slot *slot = &submit->prog->slots[i];

	if (address >= SZ_4G || !IS_ALIGNED(address, ORK_ADDRESS_ALIGN))
		return -EINVAL;

	submit->addresses[i] = address;
	if (!slot->end)
		return 0;

	submit->job->slots[i] = ork_mapping_find(submit->prog->vm, address + slot->start,
						 slot->end - slot->start, slot->write);
	return submit->job->slots[i] ? 0 : -EINVAL;
}

static int ork_submit_addresses(struct ork_submit *submit)
{
	const struct drm_ork_array *array = &submit->args->addresses;
	u64 *addresses, few[DRM_ORK_MAX_SLOTS];
	int ret = 0;
	u32 i;

	if (array->count != submit->prog->slot_count)
		return -EINVAL;

	if (array->count && array->stride != sizeof(*addresses))
		return -EINVAL;

	addresses = ork_array_copy_few(array, sizeof(*addresses), DRM_ORK_MAX_SLOTS, few,
				       DRM_ORK_MAX_SLOTS);
	if (IS_ERR(addresses))
		return PTR_ERR(addresses);

	for (i = 0; !ret && i < array->count; i++)
		ret = ork_submit_address(submit, i, addresses[i]);

	return ret;
}

/* Ranges for the device are done when all are known to be good, the others when the job ends. */
static int ork_submit_open_cache(struct ork_submit *submit, const struct drm_ork_sync_range *ranges,
				 u32 count)
{
	struct ork_job *job = submit->job;
	u32 i, kept = 0;
	int ret;

	job->cache = job->cache_few;
	if (count > ORK_JOB_CACHE_FEW)
		job->cache = kvmalloc_array(count, sizeof(*job->cache),
					    GFP_KERNEL_ACCOUNT);
	if (!job->cache)
		return -ENOMEM;

	for (; job->cache_count < count; job->cache_count++) {
		ret = ork_sync_open(submit->file, &ranges[job->cache_count],
				    &job->cache[job->cache_count]);
		if (ret)
			return ret;

		/* The end of a job is no place to ask an exporter. */
		if (job->cache[job->cache_count].import) {
			ork_sync_close(&job->cache[job->cache_count]);
			return -EINVAL;
		}
	}

	for (i = 0; i < count; i++) {
		struct ork_sync sync = job->cache[i];

		if (sync.op == DRM_ORK_SYNC_TO_CPU) {
			job->cache[kept++] = sync;
			job->cache_bytes += sync.size;
			continue;
		}
		ork_sync_run(&sync);
		ork_sync_close(&sync);
	}
	job->cache_count = kept;
	return 0;
}

static int ork_submit_cache(struct ork_submit *submit)
{
	const struct drm_ork_array *array = &submit->args->cache;
	struct drm_ork_sync_range *ranges, few[ORK_JOB_CACHE_FEW];
	int ret;

	ranges = ork_array_copy_few(array, sizeof(*ranges), ORK_JOB_MAX_CACHE, few,
				    ORK_JOB_CACHE_FEW);
	if (IS_ERR_OR_NULL(ranges))
		return PTR_ERR(ranges);

	ret = ork_submit_open_cache(submit, ranges, array->count);
	ork_array_free(ranges, few);
	return ret;
}

static int ork_submit_wait_for(struct ork_submit *submit, struct ork_part *part)
{
	int ret = ork_fences_add(&submit->fences, &part->base);

	part->waits = submit->fences.in_count || submit->implicit.count;
	return ret ?: ork_implicit_add(&submit->implicit, &part->base);
}

static void ork_submit_destroy_parts(struct ork_submit *submit)
{
	struct ork_part *part, *next;

	list_for_each_entry_safe(part, next, &submit->parts, node)
		ork_part_destroy(part);
}

/*
 * How many tasks the next part of what is left of a range gets. What follows must not begin with a
 * task that uses what the one before it left on the chip. Only a single task can be beyond the
 * limits: ork_prog_limit_run() sees to that.
 */
static u32 ork_submit_cut(const struct ork_submit *submit, const struct drm_ork_range *left)
{
	const struct ork_prog_task *tasks = &submit->prog->tasks[left->first_task];
	u64 before = left->first_task ? tasks[-1].moved : 0;
	u32 count = min_t(u32, left->task_count, ORK_PART_MAX_TASKS);

	while (count > 1 && (tasks[count - 1].moved - before > ORK_PART_MAX_BYTES ||
			     (count < left->task_count && tasks[count].reuses)))
		count--;

	return count;
}

/* With its own copy of the commands, if the program has slots. */
static int ork_submit_create_part(struct ork_submit *submit, const struct drm_ork_range *range)
{
	u32 timeout_ms = submit->args->timeout_ms ?: ORK_DEFAULT_TIMEOUT_MS;
	struct ork_part *part;

	part = ork_part_create(submit->ork, submit->queue, submit->job,
			       submit->file->driver_priv, range, submit->addresses, timeout_ms);
	if (IS_ERR(part))
		return PTR_ERR(part);

	list_add_tail(&part->node, &submit->parts);
	submit->job->result->cores |= BIT(range->core);
	return 0;
}

static int ork_submit_cut_range(struct ork_submit *submit, struct drm_ork_range left)
{
	struct drm_ork_range range = left;
	int ret = 0;

	while (!ret && left.task_count) {
		range.first_task = left.first_task;
		range.task_count = ork_submit_cut(submit, &left);
		left.first_task += range.task_count;
		left.task_count -= range.task_count;
		ret = ork_submit_create_part(submit, &range);
		if (left.task_count)
			submit->job->weight++;
	}

	return ret;
}

static int ork_submit_create_parts(struct ork_submit *submit)
{
	int ret = 0;
	u32 i;

	submit->job->weight = 1;
	for (i = 0; !ret && i < submit->range_count; i++)
		ret = ork_submit_cut_range(submit, submit->ranges[i]);
	if (ret)
		ork_submit_destroy_parts(submit);

	return ret;
}

static int ork_submit_queue(struct ork_submit *submit)
{
	struct ork_file *priv = submit->file->driver_priv;
	const struct ork_core *core = NULL;
	struct ork_part *part;
	int ret = ork_result_reserve(priv, submit->id);

	list_for_each_entry(part, &submit->parts, node) {
		/* Those behind a core's first part cannot pass it. */
		if (!ret && part->core != core)
			ret = ork_submit_wait_for(submit, part);
		core = part->core;
	}
	if (ret)
		return ret;

	ork_result_keep(priv, submit->id, submit->job->result);
	ork_job_queue(submit->job, &submit->parts);
	return 0;
}

static int ork_submit_count(struct ork_submit *submit)
{
	atomic_t *queued = &submit->job->usage->queued;
	int ret, weight = submit->job->weight, count = atomic_read(queued);

	do {
		if (count >= ORK_MAX_QUEUED)
			return -EBUSY;
	} while (!atomic_try_cmpxchg(queued, &count, count + weight));

	ret = ork_submit_queue(submit);
	if (ret)
		atomic_sub(weight, queued);
	return ret;
}

static int ork_submit_parts(struct ork_submit *submit)
{
	int ret = 0;

	if (submit->args->flags & DRM_ORK_JOB_IMPLICIT_SYNC)
		ret = ork_implicit_lock(&submit->implicit, submit->job);
	if (ret)
		return ret;

	ret = ork_submit_count(submit);
	if (!ret) {
		ork_implicit_publish(&submit->implicit, &submit->job->result->done);
		ork_fences_publish(&submit->fences, &submit->job->result->done);
	}

	ork_implicit_unlock(&submit->implicit);
	return ret;
}

/* Parts come before the locks of BOs: memory for commands is a BO, too, with a lock of its own. */
static int ork_submit_run(struct ork_submit *submit)
{
	int ret;

	ret = ork_submit_place(submit);
	if (!ret)
		ret = ork_submit_addresses(submit);
	if (!ret)
		ret = ork_submit_cache(submit);
	if (!ret)
		ret = ork_submit_create_parts(submit);
	if (ret)
		return ret;

	ret = ork_submit_parts(submit);
	if (ret)
		ork_submit_destroy_parts(submit);
	return ret;
}

/* Waiting for a fence that does not exist yet must not keep the device from going away. */
static int ork_submit_plugged(struct ork_submit *submit)
{
	int ret, cookie;

	ret = ork_fences_open(&submit->fences, submit->file, &submit->args->in_syncs,
			      &submit->args->out_syncs);
	if (ret)
		return ret;

	if (!drm_dev_enter(&submit->ork->drm, &cookie))
		return -ENODEV;

	ret = ork_submit_run(submit);
	drm_dev_exit(cookie);
	return ret;
}

static int ork_submit_open(struct ork_submit *submit)
{
	int ret;

	if (READ_ONCE(submit->queue->lost))
		return -ECANCELED;

	submit->job = ork_job_create(submit->file->driver_priv, submit->queue, submit->prog,
				     submit->id);
	if (!submit->job)
		return -ENOMEM;

	ret = ork_submit_plugged(submit);
	ork_fences_close(&submit->fences);
	ork_job_put(submit->job);
	return ret;
}

static int ork_submit_one(struct ork_device *ork, struct drm_file *file,
			  const struct drm_ork_job *args, u64 id)
{
	struct ork_submit submit = { .ork = ork, .file = file, .args = args, .id = id };
	int ret;

	INIT_LIST_HEAD(&submit.parts);

	if (args->flags & ~DRM_ORK_JOB_IMPLICIT_SYNC || args->timeout_ms > ORK_MAX_TIMEOUT_MS)
		return -EINVAL;

	submit.queue = ork_queue_lookup(file->driver_priv, args->queue);
	/* All files lose their queues when the device goes away. */
	if (!submit.queue)
		return drm_dev_is_unplugged(&ork->drm) ? -ENODEV : -ENOENT;

	submit.prog = ork_prog_lookup(file->driver_priv, args->prog);
	ret = submit.prog ? ork_submit_open(&submit) : -ENOENT;

	if (submit.prog)
		ork_prog_put(submit.prog);
	ork_queue_put(submit.queue);
	return ret;
}

int ork_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_device *ork = to_ork_device(drm);
	struct drm_ork_submit *args = data;
	struct ork_file *priv = file->driver_priv;
	struct drm_ork_job *jobs, one;
	int ret = 0;

	args->done = 0;
	if (args->flags || !args->jobs.count)
		return -EINVAL;

	jobs = ork_array_copy_few(&args->jobs, sizeof(*jobs), ORK_SUBMIT_MAX_JOBS, &one, 1);
	if (IS_ERR(jobs))
		return PTR_ERR(jobs);

	args->first_id = atomic64_add_return(args->jobs.count, &priv->jobs) - args->jobs.count + 1;
	for (; args->done < args->jobs.count; args->done++) {
		ret = ork_submit_one(ork, file, &jobs[args->done], args->first_id + args->done);
		if (ret)
			break;
	}

	ork_array_free(jobs, &one);
	return ret;
}
