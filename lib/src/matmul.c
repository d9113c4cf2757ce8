/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "chain.h"
#include "job.h"

/* While the NPU computes a pass, the CPU fetches the result of the one before and prepares the next. */
static int run_passes(const struct ork_request *req)
{
	const uint64_t passes = ork_request_passes(req);
	struct ork_job *running = NULL, *next;
	uint64_t i;
	int err = 0, finished;

	for (i = 0; i < passes && !err; i++) {
		next = NULL;
		err = ork_job_start_pass(req, i, &next);
		finished = running ? ork_job_finish(running) : 0;
		if (!err)
			err = finished;
		running = next;
	}
	if (!running)
		return err;
	finished = ork_job_finish(running);
	return err ? err : finished;
}

int ork_matmul(struct ork_device *dev, const struct ork_matmul_desc *desc, const struct ork_matmul_opts *opts)
{
	struct ork_request req;
	const int err = ork_request_init_data(&req, dev, desc, opts);

	return err ? err : run_passes(&req);
}

static uint64_t cost_on_one_core(const struct ork_request *req)
{
	struct ork_program_key key;
	struct ork_pass pass;
	struct ork_plan plan;

	ork_request_pass(req, 0, &pass);
	ork_pass_key(&pass, &key);
	key.cores = 1;
	ork_program_plan(req->dev, &key, &plan);
	return plan.cost_ns * ork_request_passes(req);
}

/*
 * Products that run together need not be split if each core gets work anyway: none of them is longer than a core's
 * share of all.
 */
static void choose_cores(struct ork_request *reqs, size_t count)
{
	uint64_t total = 0, longest = 0, cost;
	size_t i;

	for (i = 0; i < count; i++) {
		cost = cost_on_one_core(&reqs[i]);
		total += cost;
		if (cost > longest)
			longest = cost;
	}
	for (i = 0; i < count; i++)
		if (!reqs[i].cores && longest * (uint64_t)__builtin_popcount(reqs[i].core_mask) <= total)
			reqs[i].cores = 1;
}

static int init_requests(struct ork_device *dev, struct ork_request *reqs, const struct ork_matmul_desc *descs,
			 size_t count, const struct ork_matmul_opts *opts)
{
	size_t i;
	int err;

	for (i = 0; i < count; i++) {
		err = ork_request_init_data(&reqs[i], dev, &descs[i], opts);
		if (err)
			return err;
	}
	if (opts && opts->in_order)
		return ork_chain_check(reqs, count);
	if (count > 1)
		choose_cores(reqs, count);
	return 0;
}

int ork_matmul_submit(struct ork_device *dev, const struct ork_matmul_desc *descs, size_t count,
		      const struct ork_matmul_opts *opts, struct ork_job **job)
{
	struct ork_request *reqs;
	int err;

	if (!dev)
		return -EINVAL;
	if (!descs || !count || !job)
		return ork_fail(dev, -EINVAL, "ork_matmul_submit: descs or job is NULL, or count is 0");
	if (count > ORK_MAX_DIM)
		return ork_fail(dev, -E2BIG, "ork_matmul_submit: %zu products are above %d", count, ORK_MAX_DIM);
	reqs = calloc(count, sizeof(*reqs));
	if (!reqs)
		return ork_fail(dev, -ENOMEM, "out of memory");
	err = init_requests(dev, reqs, descs, count, opts);
	if (!err)
		err = ork_job_start(dev, reqs, count, opts && opts->in_order, job);
	free(reqs);
	if (!err)
		dev->user_jobs++;
	return err;
}

void ork_job_destroy(struct ork_job *job)
{
	if (!job)
		return;
	job->dev->backend->fences_wait(job->dev, job->fences, job->fence_count, -1);
	job->dev->user_jobs--;
	ork_job_free(job);
}
