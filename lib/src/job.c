/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/eventfd.h>

#include "job.h"

/* The lowest count cores of the mask. */
static uint32_t lowest_cores(uint32_t mask, uint32_t count)
{
	uint32_t picked = 0;

	for (; count; count--) {
		picked |= mask & -mask;
		mask &= mask - 1;
	}
	return picked;
}

/* Where the NPU works: the buffer itself, or a stage for the buffer's or the caller's memory. */
static int prepare_place(struct ork_device *dev, uint32_t vm, struct ork_place *place, uint64_t stage_bytes,
			 struct ork_stage **stage)
{
	uint32_t va;
	void *cpu;
	int err;

	if (!place->copied)
		return ork_bo_address_in(place->bo, vm, &va);
	if (place->bo) {
		err = ork_bo_map(place->bo, &cpu);
		if (err)
			return err;
		place->data = (uint8_t *)cpu + place->offset_bytes;
	}
	return ork_stage_get(dev, vm, stage_bytes, stage);
}

/* Everything that a run needs before it can be submitted, A included. */
static int prepare(struct ork_run *run)
{
	struct ork_device *dev = run->req.dev;
	struct ork_program_key key;
	int err;

	ork_pass_key(&run->pass, &key);
	err = ork_program_get(dev, &key, &run->program);
	if (err)
		return err;
	run->plan = run->program->plan;
	run->parts = run->program->parts;
	err = prepare_place(dev, key.vm, &run->req.a, ork_shape_a_bytes(&run->plan.shape), &run->a);
	if (!err)
		err = prepare_place(dev, key.vm, &run->req.c, ork_shape_c_bytes(&run->plan.shape), &run->c);
	if (err)
		return err;
	return ork_run_copy_in(run);
}

static int prepare_all(struct ork_job *job)
{
	uint32_t i, parts = 0;
	int err;

	for (i = 0; i < job->run_count; i++) {
		err = prepare(&job->runs[i]);
		if (err)
			return err;
		parts += job->runs[i].parts;
	}
	job->fences = calloc(parts, sizeof(struct ork_fence *));
	if (!job->fences)
		return ork_fail(job->dev, -ENOMEM, "out of memory");
	for (; job->fence_count < parts; job->fence_count++) {
		job->fences[job->fence_count] = ork_fence_get(job->dev);
		if (!job->fences[job->fence_count])
			return ork_fail(job->dev, -ENOMEM, "cannot create a fence");
	}
	return 0;
}

/* The bytes of a run that the NPU reads or writes: of a stage, or of a buffer in place. */
static struct ork_job_cache bytes_of(const struct ork_run *run, const struct ork_place *place,
				     const struct ork_stage *stage, uint64_t stage_bytes, uint32_t cols)
{
	const struct ork_shape *shape = &run->plan.shape;

	if (stage)
		return (struct ork_job_cache){ .handle = stage->bo->args.handle, .size_bytes = stage_bytes };
	return (struct ork_job_cache){
		.handle = place->bo->args.handle,
		.offset_bytes = place->offset_bytes +
				ork_place_offset(place, run->pass.first_batch, run->pass.first_row),
		.size_bytes = ork_place_extent(place, shape->batch, shape->rows, cols),
	};
}

static uint64_t address_of(const struct ork_place *place, const struct ork_stage *stage, uint32_t vm,
			   const struct ork_job_cache *bytes)
{
	return (stage ? stage->va : place->bo->va[vm]) + bytes->offset_bytes;
}

static bool is_shared(const struct ork_place *place)
{
	return !place->copied && place->bo->shared;
}

/* Access of the CPU to imported memory is the caller's and goes through whoever exported it. */
static struct ork_job_cache cached(const struct ork_place *place, const struct ork_stage *stage, struct ork_job_cache bytes)
{
	return stage || place->bo->dmabuf < 0 ? bytes : (struct ork_job_cache){ .size_bytes = 0 };
}

/* Stages of C are never written by the CPU, but a buffer may have been. */
static void describe(const struct ork_run *run, uint32_t part, struct ork_launch *launch)
{
	const struct ork_request *req = &run->req;
	const struct ork_shape *shape = &run->plan.shape;
	const uint32_t cores = run->plan.cores;
	const struct ork_job_cache a = bytes_of(run, &req->a, run->a, ork_shape_a_bytes(shape), req->k);
	const struct ork_job_cache c = bytes_of(run, &req->c, run->c, ork_shape_c_bytes(shape), req->n);

	*launch = (struct ork_launch){
		.program = run->program->handles[part],
		.task_count = ork_program_part_tasks(req->dev, run->program, part),
		/* One core is left to the driver, which knows the idle ones. */
		.split = cores > 1,
		.core_mask = cores > 1 ? lowest_cores(req->core_mask, cores) : req->core_mask,
		.timeout_ms = req->timeout_ms,
		.implicit_sync = is_shared(&req->a) || is_shared(&req->c),
		.addresses = {
			[ORK_SLOT_A] = address_of(&req->a, run->a, req->weights->vm, &a),
			[ORK_SLOT_B] = req->weights->va + run->pass.first_batch * shape->b_batch_bytes,
			[ORK_SLOT_C] = address_of(&req->c, run->c, req->weights->vm, &c),
		},
		.out = cached(&req->c, run->c, c),
	};
	if (part > 0)
		return;
	launch->clean[0] = cached(&req->a, run->a, a);
	if (!run->c)
		launch->clean[1] = cached(&req->c, NULL, c);
}

/* If not all can be submitted, waits for those that were. */
static int submit(struct ork_job *job)
{
	struct ork_launch *launches = calloc(job->fence_count, sizeof(*launches));
	uint32_t run, part, count = 0, started = 0;
	int err;

	if (!launches)
		return ork_fail(job->dev, -ENOMEM, "out of memory");
	for (run = 0; run < job->run_count; run++) {
		for (part = 0; part < job->runs[run].parts; part++) {
			describe(&job->runs[run], part, &launches[count]);
			launches[count].fence = job->fences[count];
			if (job->in_order && count)
				launches[count].after = job->fences[count - 1];
			count++;
		}
	}
	err = job->dev->backend->submit(job->dev, launches, count, &started);
	if (err)
		job->dev->backend->fences_wait(job->dev, job->fences, started, -1);
	free(launches);
	return err;
}

/* Gives back what the job holds, once nothing is in flight. */
static void release(struct ork_job *job)
{
	uint32_t i;

	for (i = 0; i < job->run_count; i++) {
		ork_program_put(job->dev, job->runs[i].program);
		ork_stage_put(job->dev, job->runs[i].a);
		ork_stage_put(job->dev, job->runs[i].c);
	}
	for (i = 0; i < job->fence_count; i++)
		ork_fence_put(job->dev, job->fences[i]);
	free(job->runs);
	free(job->fences);
	job->runs = NULL;
	job->fences = NULL;
	job->run_count = 0;
	job->fence_count = 0;
}

static struct ork_job *job_new(struct ork_device *dev, uint64_t runs)
{
	struct ork_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->dev = dev;
	job->runs = calloc(runs, sizeof(*job->runs));
	if (job->runs)
		return job;
	free(job);
	return NULL;
}

static void add_run(struct ork_job *job, const struct ork_request *req, uint64_t index)
{
	struct ork_run *run = &job->runs[job->run_count++];

	run->req = *req;
	ork_request_pass(&run->req, index, &run->pass);
}

static int start(struct ork_job *job, struct ork_job **started)
{
	int err = prepare_all(job);
	uint32_t i;

	if (!err)
		err = submit(job);
	if (err) {
		ork_job_free(job);
		return err;
	}
	/* The driver keeps a program while its jobs run. */
	for (i = 0; i < job->run_count; i++) {
		ork_program_put(job->dev, job->runs[i].program);
		job->runs[i].program = NULL;
	}
	*started = job;
	return 0;
}

int ork_job_start(struct ork_device *dev, const struct ork_request *reqs, size_t count, bool in_order,
		  struct ork_job **job)
{
	uint64_t passes = 0, i;
	struct ork_job *created;
	size_t r;

	for (r = 0; r < count; r++)
		passes += ork_request_passes(&reqs[r]);
	created = job_new(dev, passes);
	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->in_order = in_order;
	for (r = 0; r < count; r++)
		for (i = 0; i < ork_request_passes(&reqs[r]); i++)
			add_run(created, &reqs[r], i);
	return start(created, job);
}

int ork_job_start_pass(const struct ork_request *req, uint64_t index, struct ork_job **job)
{
	struct ork_job *created = job_new(req->dev, 1);

	if (!created)
		return ork_fail(req->dev, -ENOMEM, "out of memory");
	add_run(created, req, index);
	return start(created, job);
}

int ork_job_wait(struct ork_job *job, int64_t timeout_ms)
{
	uint32_t i;
	int err;

	if (!job)
		return -EINVAL;
	if (job->ended)
		return job->result;
	err = job->dev->backend->fences_wait(job->dev, job->fences, job->fence_count, timeout_ms);
	if (err == -ETIME)
		return ork_fail(job->dev, err, "the job has not ended yet");
	job->ended = true;
	job->result = err;
	for (i = 0; i < job->run_count && !err; i++)
		ork_run_copy_out(&job->runs[i]);
	release(job);
	return err;
}

int ork_job_fd(struct ork_job *job, int *fd)
{
	int err;

	if (!job)
		return -EINVAL;
	if (!fd)
		return ork_fail(job->dev, -EINVAL, "ork_job_fd: fd is NULL");
	if (!job->ended) {
		err = job->dev->backend->fence_fd(job->dev, job->fences, job->fence_count, fd);
		return err ? ork_fail(job->dev, err, "ork_job_fd: %s", ork_strerror(err)) : 0;
	}
	*fd = eventfd(1, EFD_CLOEXEC);
	return *fd < 0 ? ork_fail(job->dev, -errno, "ork_job_fd: %s", ork_strerror(-errno)) : 0;
}

void ork_job_free(struct ork_job *job)
{
	release(job);
	free(job);
}

int ork_job_finish(struct ork_job *job)
{
	const int result = ork_job_wait(job, -1);

	ork_job_free(job);
	return result;
}
