// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Synchronisation of jobs
 *
 * Explicit: syncobjs, binary or points of a timeline, in and out. Implicit: the fences of the
 * job's BOs, for those who share them by dma-buf or wait for a BO; only for jobs that ask for it,
 * because it locks every BO of the job.
 *
 * What can fail happens before the job is armed: a node for each timeline point and room for each
 * BO's fence are allocated then.
 */

#include <linux/dma-fence-chain.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>
#include <drm/gpu_scheduler.h>

#include "ork_array.h"
#include "ork_fences.h"
#include "ork_job.h"
#include "ork_prog.h"
#include "ork_vm.h"

/* The scheduler and timelines keep something for each until the job has ended. */
#define ORK_MAX_SYNCS 64

static int ork_in_open(struct ork_fences *fences, struct drm_file *file,
		       const struct drm_ork_sync *syncs, u32 count)
{
	int ret;

	fences->in = fences->in_few;
	if (count > ORK_FENCES_FEW)
		fences->in = kvcalloc(count, sizeof(*fences->in), GFP_KERNEL_ACCOUNT);
	if (!fences->in)
		return -ENOMEM;

	for (; fences->in_count < count; fences->in_count++) {
		const struct drm_ork_sync *sync = &syncs[fences->in_count];

		if (sync->flags)
			return -EINVAL;

		ret = drm_syncobj_find_fence(file, sync->handle, sync->point,
					     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
					     &fences->in[fences->in_count]);
		if (ret)
			return ret;
	}

	return 0;
}

static int ork_out_open(struct ork_fences *fences, struct drm_file *file,
			const struct drm_ork_sync *syncs, u32 count)
{
	fences->out = fences->out_few;
	if (count > ORK_FENCES_FEW)
		fences->out = kvcalloc(count, sizeof(*fences->out), GFP_KERNEL_ACCOUNT);
	if (!fences->out)
		return -ENOMEM;

	for (; fences->out_count < count; fences->out_count++) {
		const struct drm_ork_sync *sync = &syncs[fences->out_count];
		struct ork_out_sync *out = &fences->out[fences->out_count];

		if (sync->flags)
			return -EINVAL;

		if (sync->point) {
			out->chain = dma_fence_chain_alloc();
			if (!out->chain)
				return -ENOMEM;
		}

		out->point = sync->point;
		out->syncobj = drm_syncobj_find(file, sync->handle);
		if (!out->syncobj) {
			dma_fence_chain_free(out->chain);
			return -ENOENT;
		}
	}

	return 0;
}

/**
 * ork_fences_open - look up what a job waits for and signals
 * @fences: filled in; to be closed with ork_fences_close(), also after an error
 * @file: whose handles they are
 * @in: array of &struct drm_ork_sync to wait for
 * @out: array of &struct drm_ork_sync to signal
 *
 * Waits for fences that do not exist yet.
 *
 * Return: 0, -ENOENT, -EINVAL, -ENOMEM, -ETIME if a fence does not come, -ERESTARTSYS.
 */
int ork_fences_open(struct ork_fences *fences, struct drm_file *file,
		    const struct drm_ork_array *in, const struct drm_ork_array *out)
{
	struct drm_ork_sync *syncs, few[ORK_FENCES_FEW];
	int ret = 0;

	syncs = ork_array_copy_few(out, sizeof(*syncs), ORK_MAX_SYNCS, few, ORK_FENCES_FEW);
	if (IS_ERR(syncs))
		return PTR_ERR(syncs);
	if (syncs)
		ret = ork_out_open(fences, file, syncs, out->count);
	ork_array_free(syncs, few);
	if (ret)
		return ret;

	syncs = ork_array_copy_few(in, sizeof(*syncs), ORK_MAX_SYNCS, few, ORK_FENCES_FEW);
	if (IS_ERR(syncs))
		return PTR_ERR(syncs);
	if (syncs)
		ret = ork_in_open(fences, file, syncs, in->count);
	ork_array_free(syncs, few);
	return ret;
}

/**
 * ork_fences_add - make a part wait
 * @fences: what it waits for
 * @base: part, not armed
 *
 * Return: 0 or -ENOMEM.
 */
int ork_fences_add(const struct ork_fences *fences, struct drm_sched_job *base)
{
	u32 i;
	int ret;

	for (i = 0; i < fences->in_count; i++) {
		/* Takes the reference, also when it fails. */
		ret = drm_sched_job_add_dependency(base, dma_fence_get(fences->in[i]));
		if (ret)
			return ret;
	}

	return 0;
}

/**
 * ork_fences_publish - give a queued job's fence to those who wait for it
 * @fences: syncobjs
 * @done: the job's fence
 */
void ork_fences_publish(struct ork_fences *fences, struct dma_fence *done)
{
	u32 i;

	for (i = 0; i < fences->out_count; i++) {
		struct ork_out_sync *out = &fences->out[i];

		if (out->chain) {
			drm_syncobj_add_point(out->syncobj, out->chain, done, out->point);
			out->chain = NULL;
		} else {
			drm_syncobj_replace_fence(out->syncobj, done);
		}
	}
}

void ork_fences_close(struct ork_fences *fences)
{
	u32 i;

	for (i = 0; i < fences->in_count; i++)
		dma_fence_put(fences->in[i]);
	ork_array_free(fences->in, fences->in_few);

	for (i = 0; i < fences->out_count; i++) {
		drm_syncobj_put(fences->out[i].syncobj);
		dma_fence_chain_free(fences->out[i].chain);
	}
	ork_array_free(fences->out, fences->out_few);
}

static void ork_implicit_name(struct ork_implicit *implicit, struct drm_gem_object *obj, bool write)
{
	u32 i;

	for (i = 0; i < implicit->count; i++)
		if (implicit->objs[i] == obj)
			break;

	implicit->objs[i] = obj;
	implicit->writes[i] |= write;
	if (i == implicit->count)
		implicit->count++;
}

static u32 ork_implicit_max(struct ork_prog *prog)
{
	struct ork_mapping *mapping;
	unsigned long page;
	u32 count = prog->slot_count;

	xa_for_each(&prog->names, page, mapping)
		count++;

	return count;
}

static void ork_implicit_collect(struct ork_implicit *implicit, struct ork_job *job)
{
	struct ork_prog *prog = job->prog;
	struct ork_mapping *mapping;
	unsigned long page;
	u32 i;

	xa_for_each(&prog->names, page, mapping)
		ork_implicit_name(implicit, mapping->obj,
				  xa_get_mark(&prog->names, page, ORK_PROG_WRITES));

	for (i = 0; i < prog->slot_count; i++)
		if (job->slots[i])
			ork_implicit_name(implicit, job->slots[i]->obj, prog->slots[i].write);
}

static void ork_implicit_free(struct ork_implicit *implicit)
{
	kvfree(implicit->objs);
	kvfree(implicit->writes);
	implicit->count = 0;
}

/**
 * ork_implicit_lock - lock the BOs of a job and make room for its fence
 * @implicit: filled in; to be unlocked with ork_implicit_unlock()
 * @job: job with its mappings
 *
 * Return: 0, -ENOMEM, -EINTR.
 */
int ork_implicit_lock(struct ork_implicit *implicit, struct ork_job *job)
{
	u32 i, max = ork_implicit_max(job->prog);
	int ret = -ENOMEM;

	implicit->objs = kvcalloc(max, sizeof(*implicit->objs), GFP_KERNEL_ACCOUNT);
	implicit->writes = kvcalloc(max, sizeof(*implicit->writes), GFP_KERNEL_ACCOUNT);
	if (!implicit->objs || !implicit->writes)
		goto err_free;

	ork_implicit_collect(implicit, job);

	ret = drm_gem_lock_reservations(implicit->objs, implicit->count, &implicit->ticket);
	if (ret)
		goto err_free;

	for (i = 0; i < implicit->count; i++) {
		ret = dma_resv_reserve_fences(implicit->objs[i]->resv, 1);
		if (ret) {
			ork_implicit_unlock(implicit);
			return ret;
		}
	}

	return 0;

err_free:
	ork_implicit_free(implicit);
	return ret;
}

/**
 * ork_implicit_add - make a part wait for the other users of its BOs
 * @implicit: locked BOs
 * @base: part, not armed
 *
 * Return: 0 or -ENOMEM.
 */
int ork_implicit_add(const struct ork_implicit *implicit, struct drm_sched_job *base)
{
	u32 i;
	int ret;

	for (i = 0; i < implicit->count; i++) {
		ret = drm_sched_job_add_implicit_dependencies(base, implicit->objs[i],
							      implicit->writes[i]);
		if (ret)
			return ret;
	}

	return 0;
}

/**
 * ork_implicit_publish - let other users of the BOs wait for the job
 * @implicit: locked BOs
 * @done: the job's fence
 */
void ork_implicit_publish(struct ork_implicit *implicit, struct dma_fence *done)
{
	u32 i;

	for (i = 0; i < implicit->count; i++)
		dma_resv_add_fence(implicit->objs[i]->resv, done,
				   implicit->writes[i] ? DMA_RESV_USAGE_WRITE :
							 DMA_RESV_USAGE_READ);
}

void ork_implicit_unlock(struct ork_implicit *implicit)
{
	if (!implicit->count)
		return;

	drm_gem_unlock_reservations(implicit->objs, implicit->count, &implicit->ticket);
	ork_implicit_free(implicit);
}
