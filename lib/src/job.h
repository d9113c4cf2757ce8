/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_JOB_H
#define ORK_JOB_H

#include "request.h"

/* One pass in flight. */
struct ork_run {
	struct ork_pass pass;
	struct ork_request req;      /* pass.req points here */
	struct ork_program *program; /* until it has been submitted */
	struct ork_plan plan;
	struct ork_stage *a, *c;     /* NULL: in place */
	uint32_t parts;
};

struct ork_job {
	struct ork_device *dev;
	struct ork_run *runs;
	struct ork_fence **fences;   /* of all parts of all runs */
	uint32_t run_count;
	uint32_t fence_count;
	bool in_order;               /* each run after the one before it */
	bool ended;
	int result;
};

/* Starts the passes of all requests, one after another if in_order is set. */
int ork_job_start(struct ork_device *dev, const struct ork_request *reqs, size_t count, bool in_order,
		  struct ork_job **job);
/* Starts only the pass with the given index. */
int ork_job_start_pass(const struct ork_request *req, uint64_t index, struct ork_job **job);

/* Waits until the job has ended, then frees it. Returns its result. */
int ork_job_finish(struct ork_job *job);
void ork_job_free(struct ork_job *job);

/* Copies A into the stage of a run, and C out of it, if there are stages. */
int ork_run_copy_in(const struct ork_run *run);
void ork_run_copy_out(const struct ork_run *run);

#endif
