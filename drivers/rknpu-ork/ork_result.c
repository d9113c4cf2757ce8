// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Results of jobs
 *
 * A file's jobs are numbered in the order in which they were submitted. The file keeps what became
 * of the last ORK_RESULTS_KEPT of them, ended or not, so the memory is bounded; a job that is older
 * still runs and signals its fence.
 *
 * A result that nobody but the ring holds when it is that old is retired: from then on nobody gets
 * a reference, except one who found the fence before, under RCU. When their time is over, a new job
 * takes the memory. That is when the ring has come round, some jobs later.
 *
 * The cores write a result, from the hard interrupt on; ork_result.lock is the innermost lock. The
 * end of a job is its fence, not its result.
 */

#include <linux/dma-fence.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <drm/drm_utils.h>

#include "ork_compat.h"
#include "ork_drv.h"
#include "ork_result.h"
#include "ork_submit.h"

/* More than one call of DRM_IOCTL_ORK_SUBMIT can queue. */
#define ORK_RESULTS_KEPT 8192

/* At 20 us a job, an RCU grace period is over. */
#define ORK_RESULTS_RETIRED 1024

#define ORK_RESULTS_RING (ORK_RESULTS_KEPT + ORK_RESULTS_RETIRED)

static_assert(!offsetof(struct ork_result, done));

static const char *ork_result_driver_name(struct dma_fence *fence)
{
	return "rknpu-ork";
}

static const char *ork_result_timeline_name(struct dma_fence *fence)
{
	return "job";
}

static const struct dma_fence_ops ork_result_fence_ops = {
	.get_driver_name = ork_result_driver_name,
	.get_timeline_name = ork_result_timeline_name,
};

/* Nobody holds it but the ring, nor will. */
static bool ork_result_forgotten(const struct ork_result *result)
{
	return result->retired && kref_read(&result->done.refcount) == 1 &&
	       poll_state_synchronize_rcu(result->unseen);
}

/* Takes what is in the new job's place out of the ring; the place itself stays reserved. */
static struct ork_result *ork_result_take(struct ork_file *priv, u64 id)
{
	struct ork_result *result;

	xa_lock(&priv->results);
	result = xa_load(&priv->results, id % ORK_RESULTS_RING);
	if (result && ork_result_forgotten(result))
		__xa_store(&priv->results, id % ORK_RESULTS_RING, XA_ZERO_ENTRY, GFP_NOWAIT);
	else
		result = NULL;
	xa_unlock(&priv->results);

	return result;
}

struct ork_result *ork_result_create(struct ork_file *priv, u64 id)
{
	struct ork_result *result = ork_result_take(priv, id);

	if (!result)
		result = kmalloc(sizeof(*result), GFP_KERNEL_ACCOUNT);
	if (!result)
		return NULL;

	memset(result, 0, sizeof(*result));
	spin_lock_init(&result->lock);
	/* With a context of its own: jobs end in any order. */
	ork_fence_init(&result->done, &ork_result_fence_ops, &result->done_lock);
	return result;
}

static void ork_result_get(struct ork_result *result)
{
	dma_fence_get(&result->done);
}

void ork_result_put(struct ork_result *result)
{
	dma_fence_put(&result->done);
}

void ork_result_started(struct ork_result *result, ktime_t when)
{
	unsigned long flags;

	spin_lock_irqsave(&result->lock, flags);
	if (!result->started)
		result->started = when;
	spin_unlock_irqrestore(&result->lock, flags);
}

void ork_result_ended(struct ork_result *result, ktime_t when, u32 tasks)
{
	unsigned long flags;

	spin_lock_irqsave(&result->lock, flags);
	result->ended = max(result->ended, when);
	result->tasks_done += tasks;
	spin_unlock_irqrestore(&result->lock, flags);
}

void ork_result_fault(struct ork_result *result, u32 va)
{
	unsigned long flags;

	spin_lock_irqsave(&result->lock, flags);
	result->fault_va = va;
	spin_unlock_irqrestore(&result->lock, flags);
}

/**
 * ork_result_reserve - make room for a result, so that keeping it cannot fail
 * @priv: file
 * @id: number of the job
 *
 * A job that is not queued after all leaves its room to its successor in the ring.
 *
 * Return: 0 or -ENOMEM.
 */
int ork_result_reserve(struct ork_file *priv, u64 id)
{
	return xa_reserve(&priv->results, id % ORK_RESULTS_RING, GFP_KERNEL);
}

static void ork_result_retire(struct ork_file *priv, u64 id)
{
	struct ork_result *result;

	xa_lock(&priv->results);
	result = xa_load(&priv->results, id % ORK_RESULTS_RING);
	/* Who was overtaken by many jobs may find a new one here. */
	if (result && result->id <= id && kref_read(&result->done.refcount) == 1) {
		result->retired = true;
		result->unseen = get_state_synchronize_rcu();
	}
	xa_unlock(&priv->results);
}

/**
 * ork_result_keep - keep a job's result for the file
 * @priv: file
 * @id: number of the job, reserved
 * @result: result of the job
 */
void ork_result_keep(struct ork_file *priv, u64 id, struct ork_result *result)
{
	struct ork_result *old;

	result->id = id;
	ork_result_get(result);
	old = xa_store(&priv->results, id % ORK_RESULTS_RING, result, GFP_NOWAIT);
	if (old)
		ork_result_put(old);

	if (id > ORK_RESULTS_KEPT)
		ork_result_retire(priv, id - ORK_RESULTS_KEPT);
}

void ork_result_close_all(struct ork_file *priv)
{
	struct ork_result *result;
	unsigned long i;

	xa_for_each(&priv->results, i, result)
		ork_result_put(result);
	xa_destroy(&priv->results);
}

static struct ork_result *ork_result_lookup(struct ork_file *priv, u64 id)
{
	struct ork_result *result;

	xa_lock(&priv->results);
	result = xa_load(&priv->results, id % ORK_RESULTS_RING);
	if (result && result->id == id && !result->retired)
		ork_result_get(result);
	else
		result = NULL;
	xa_unlock(&priv->results);

	return result;
}

static u32 ork_result_state(const struct ork_result *result, int status)
{
	if (status)
		return DRM_ORK_JOB_ENDED;

	return result->started ? DRM_ORK_JOB_RUNNING : DRM_ORK_JOB_QUEUED;
}

static void ork_result_report(struct ork_result *result, struct drm_ork_job_wait *args)
{
	int status = dma_fence_get_status(&result->done);

	spin_lock_irq(&result->lock);
	args->state = ork_result_state(result, status);
	args->error = min(status, 0);
	args->cores = result->cores;
	args->tasks_done = result->tasks_done;
	args->submitted_ns = ktime_to_ns(result->submitted);
	args->started_ns = ktime_to_ns(result->started);
	args->ended_ns = status ? ktime_to_ns(result->ended) : 0;
	args->fault_va = result->fault_va;
	spin_unlock_irq(&result->lock);
}

/* Return: 0 when the job has ended, -ETIMEDOUT, -ENOENT or -ERESTARTSYS. */
static int ork_result_wait(struct ork_file *priv, u64 id, struct drm_ork_job_wait *args)
{
	struct ork_result *result = ork_result_lookup(priv, id);
	long ret;

	if (!result)
		return -ENOENT;

	ret = dma_fence_wait_timeout(&result->done, true,
				     drm_timeout_abs_to_jiffies(args->timeout_ns));
	ork_result_report(result, args);
	ork_result_put(result);

	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIMEDOUT;
}

int ork_ioctl_job_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_job_wait *args = data;
	u64 id = args->id;
	u64 end = id + (args->count ?: 1);
	int ret;

	if (args->pad || args->count > ORK_SUBMIT_MAX_JOBS)
		return -EINVAL;

	do {
		ret = ork_result_wait(file->driver_priv, id++, args);
	} while (!ret && !args->error && id != end);

	/* A call that a signal has interrupted is made again as it was. */
	if (ret != -ERESTARTSYS)
		args->id = id - 1;
	return ret;
}
