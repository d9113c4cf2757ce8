// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Jobs
 *
 * A job names a range of a program's tasks. The range is placed on one core or cut over
 * several; each piece is a part, which is what the core's scheduler queues and the core runs as
 * one chain with one interrupt.
 *
 * Fences: a part has a hardware fence, signalled by the core (ork_core.c, ork_reset.c), and the
 * scheduler's own "finished" fence, which also signals when a part is killed in the queue. The
 * user's fence is the job's: it counts the parts' finished fences and keeps the first error.
 *
 * Order in SUBMIT: check and allocate everything, then arm, then queue. After arming nothing
 * can fail.
 */

#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_syncobj.h>

#include "ork_array.h"
#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_job.h"
#include "ork_prog.h"

#define ORK_SUBMIT_MAX_JOBS 4096

/* dma_fence_free() frees the job through its fence. */
static_assert(!offsetof(struct ork_job, done));

static const char *ork_fence_driver_name(struct dma_fence *fence)
{
	return "rknpu-ork";
}

static const char *ork_hw_fence_timeline_name(struct dma_fence *fence)
{
	return "core";
}

static const char *ork_job_timeline_name(struct dma_fence *fence)
{
	return "job";
}

static const struct dma_fence_ops ork_hw_fence_ops = {
	.get_driver_name = ork_fence_driver_name,
	.get_timeline_name = ork_hw_fence_timeline_name,
};

static const struct dma_fence_ops ork_job_fence_ops = {
	.get_driver_name = ork_fence_driver_name,
	.get_timeline_name = ork_job_timeline_name,
};

struct ork_vm *ork_part_vm(const struct ork_part *part)
{
	return part->prog->vm;
}

/**
 * ork_part_signal - the core is done with a part
 * @part: part; may be freed by the time this returns
 * @error: negative errno or 0
 */
void ork_part_signal(struct ork_part *part, int error)
{
	struct dma_fence *fence = dma_fence_get(part->hw_fence);

	/* Newer schedulers hand the hardware fence's error on, older ones do not. */
	if (error) {
		dma_fence_set_error(&part->base.s_fence->finished, error);
		dma_fence_set_error(fence, error);
	}

	dma_fence_signal(fence);
	dma_fence_put(fence);
}

static void ork_part_finished(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct ork_part *part = container_of(cb, struct ork_part, finished);
	struct ork_job *job = part->job;
	int error;

	if (fence->error)
		atomic_cmpxchg(&job->error, 0, fence->error);

	if (!atomic_dec_and_test(&job->pending))
		return;

	error = atomic_read(&job->error);
	if (error)
		dma_fence_set_error(&job->done, error);
	dma_fence_signal(&job->done);
}

static struct dma_fence *ork_sched_run(struct drm_sched_job *base)
{
	struct ork_part *part = container_of(base, struct ork_part, base);
	struct ork_core *core = part->core;
	int ret;

	/* Killed with its process while it was queued. */
	if (base->s_fence->finished.error)
		return NULL;

	dma_fence_init(part->hw_fence, &ork_hw_fence_ops, &core->fence_lock,
		       core->fence_context, ++core->fence_seqno);
	dma_fence_get(part->hw_fence);

	ret = ork_core_start(core, part);
	if (ret) {
		dma_fence_put(part->hw_fence);
		return ERR_PTR(ret);
	}

	return part->hw_fence;
}

/* A part whose fence was never initialised owns plain memory. */
static void ork_part_put_fence(struct ork_part *part)
{
	if (part->hw_fence->ops)
		dma_fence_put(part->hw_fence);
	else
		kfree(part->hw_fence);
}

static void ork_part_release(struct work_struct *work)
{
	struct ork_part *part = container_of(work, struct ork_part, release);
	struct ork_core *core = part->core;

	ork_prog_put(part->prog);
	ork_part_put_fence(part);
	dma_fence_put(&part->job->done);
	kfree(part);

	if (atomic_dec_and_test(&core->queued))
		wake_up(&core->idle);
}

static void ork_sched_free(struct drm_sched_job *base)
{
	struct ork_part *part = container_of(base, struct ork_part, base);

	drm_sched_job_cleanup(base);
	queue_work(part->core->ork->wq, &part->release);
}

const struct drm_sched_backend_ops ork_sched_ops = {
	.run_job = ork_sched_run,
	.free_job = ork_sched_free,
};

static struct ork_job *ork_job_create(void)
{
	struct ork_job *job = kzalloc(sizeof(*job), GFP_KERNEL);

	if (!job)
		return NULL;

	spin_lock_init(&job->lock);
	dma_fence_init(&job->done, &ork_job_fence_ops, &job->lock, dma_fence_context_alloc(1), 1);
	get_task_comm(job->comm, current);
	job->pid = task_tgid_nr(current);
	return job;
}

static struct ork_part *ork_part_create(struct ork_file *priv, struct ork_core *core,
					struct ork_job *job, struct ork_prog *prog,
					u32 first, u32 count, u32 timeout_ms)
{
	struct ork_part *part = kzalloc(sizeof(*part), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!part)
		return ERR_PTR(-ENOMEM);

	part->hw_fence = kzalloc(sizeof(*part->hw_fence), GFP_KERNEL);
	if (!part->hw_fence)
		goto err_free;

	ret = ork_sched_job_init(&part->base, &priv->entity[core->index], priv);
	if (ret)
		goto err_fence;

	INIT_WORK(&part->release, ork_part_release);
	part->core = core;
	part->first_task = first;
	part->task_count = count;
	part->command_va = ork_prog_task_va(prog, first);
	part->command_amount = ork_prog_task_amount(prog, first);
	part->timeout = msecs_to_jiffies(timeout_ms);
	part->prog = prog;
	ork_prog_get(prog);
	part->job = job;
	dma_fence_get(&job->done);
	return part;

err_fence:
	kfree(part->hw_fence);
err_free:
	kfree(part);
	return ERR_PTR(ret);
}

/* Undoes ork_part_create() of a part that was not armed. */
static void ork_part_destroy(struct ork_part *part)
{
	drm_sched_job_cleanup(&part->base);
	ork_prog_put(part->prog);
	dma_fence_put(&part->job->done);
	kfree(part->hw_fence);
	kfree(part);
}

static void ork_job_queue(struct ork_job *job, struct ork_part **parts, unsigned int count)
{
	bool signalling = dma_fence_begin_signalling();
	unsigned int i;

	atomic_set(&job->pending, count);

	for (i = 0; i < count; i++) {
		struct ork_part *part = parts[i];

		atomic_inc(&part->core->queued);
		drm_sched_job_arm(&part->base);
		dma_fence_add_callback(&part->base.s_fence->finished, &part->finished,
				       ork_part_finished);
		drm_sched_entity_push_job(&part->base);
	}

	dma_fence_end_signalling(signalling);
}

static u32 ork_cores_usable(struct ork_device *ork)
{
	u32 mask = 0;
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i] && !READ_ONCE(ork->core[i]->lost))
			mask |= BIT(i);

	return mask;
}

static u32 ork_least_busy_core(struct ork_device *ork, u32 mask)
{
	unsigned int i, best = __ffs(mask);

	for (i = best + 1; i < ORK_MAX_CORES; i++)
		if (mask & BIT(i) &&
		    atomic_read(&ork->core[i]->queued) < atomic_read(&ork->core[best]->queued))
			best = i;

	return BIT(best);
}

static int ork_submit_check(struct ork_device *ork, const struct drm_ork_job *args)
{
	if (args->flags || args->placement > DRM_ORK_PLACE_SPLIT ||
	    args->timeout_ms > ORK_MAX_TIMEOUT_MS || !args->task_count)
		return -EINVAL;

	if (!args->core_mask || args->core_mask & ~ork_cores_usable(ork))
		return -EINVAL;

	return 0;
}

static int ork_submit_parts(struct ork_device *ork, struct ork_file *priv,
			    const struct drm_ork_job *args, struct ork_prog *prog,
			    struct ork_job *job)
{
	struct ork_part *parts[ORK_MAX_CORES];
	u32 timeout_ms = args->timeout_ms ?: ORK_DEFAULT_TIMEOUT_MS;
	u32 mask = args->core_mask;
	unsigned int i, cores, slot = 0, count = 0;
	int ret = 0;

	if (args->placement == DRM_ORK_PLACE_AUTO)
		mask = ork_least_busy_core(ork, mask);
	cores = hweight32(mask);

	for (i = 0; i < ORK_MAX_CORES; i++) {
		u32 first, end;

		if (!(mask & BIT(i)))
			continue;

		first = slot * args->task_count / cores;
		end = (slot + 1) * args->task_count / cores;
		slot++;
		if (first == end)
			continue;

		parts[count] = ork_part_create(priv, ork->core[i], job, prog,
					       args->first_task + first, end - first, timeout_ms);
		if (IS_ERR(parts[count])) {
			ret = PTR_ERR(parts[count]);
			break;
		}
		count++;
	}

	if (!ret)
		ork_job_queue(job, parts, count);
	else
		while (count)
			ork_part_destroy(parts[--count]);

	return ret;
}

static int ork_submit_one(struct ork_device *ork, struct drm_file *file,
			  const struct drm_ork_job *args)
{
	struct ork_file *priv = file->driver_priv;
	struct drm_syncobj *out = NULL;
	struct ork_prog *prog;
	struct ork_job *job;
	int ret;

	ret = ork_submit_check(ork, args);
	if (ret)
		return ret;

	prog = ork_prog_lookup(priv, args->prog);
	if (!prog)
		return -ENOENT;

	ret = -EINVAL;
	if (args->first_task >= prog->task_count ||
	    args->task_count > prog->task_count - args->first_task)
		goto out_prog;

	if (args->out_sync) {
		out = drm_syncobj_find(file, args->out_sync);
		ret = -ENOENT;
		if (!out)
			goto out_prog;
	}

	ret = -ENOMEM;
	job = ork_job_create();
	if (!job)
		goto out_sync;

	ret = ork_submit_parts(ork, priv, args, prog, job);
	if (!ret && out)
		drm_syncobj_replace_fence(out, &job->done);

	dma_fence_put(&job->done);
out_sync:
	if (out)
		drm_syncobj_put(out);
out_prog:
	ork_prog_put(prog);
	return ret;
}

int ork_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_device *ork = to_ork_device(drm);
	struct ork_file *priv = file->driver_priv;
	struct drm_ork_submit *args = data;
	struct drm_ork_job *jobs;
	int ret = 0, cookie;

	args->done = 0;
	if (args->flags)
		return -EINVAL;

	jobs = ork_array_copy(&args->jobs, sizeof(*jobs), ORK_SUBMIT_MAX_JOBS);
	if (IS_ERR(jobs))
		return PTR_ERR(jobs);

	if (!drm_dev_enter(drm, &cookie)) {
		kvfree(jobs);
		return -ENODEV;
	}

	mutex_lock(&priv->submit_lock);
	for (; args->done < args->jobs.count; args->done++) {
		ret = ork_submit_one(ork, file, &jobs[args->done]);
		if (ret)
			break;
	}
	mutex_unlock(&priv->submit_lock);

	drm_dev_exit(cookie);
	kvfree(jobs);
	return ret;
}
