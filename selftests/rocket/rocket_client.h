/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ROCKET_CLIENT_H
#define ROCKET_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A client of the mainline driver "rocket", by nothing but its uapi header. Calls return 0 or a negative errno; who gets one
 * decides what it means.
 */

struct rocket_bo {
	int fd;
	uint32_t handle;
	uint32_t address; /* where the NPU sees it; of this fd only */
	size_t bytes;
	void *map;
};

struct rocket_task {
	uint32_t address;
	uint32_t words;
};

/* Opens the node of the driver "rocket". */
int rocket_open(void);

int rocket_bo_create(int fd, size_t bytes, struct rocket_bo *bo);
void rocket_bo_destroy(struct rocket_bo *bo);

/* Hands the memory to the NPU, and takes it back when jobs that write it are done. */
int rocket_bo_to_npu(struct rocket_bo *bo);
int rocket_bo_wait(struct rocket_bo *bo, int64_t timeout_ms);

/* One job: its tasks run one after the other on one core. Jobs that write the same output wait for each other. */
int rocket_submit(int fd, const struct rocket_task *tasks, uint32_t count, const struct rocket_bo *in,
		  const struct rocket_bo *out);

/* The same job several times, in one call. */
int rocket_submit_jobs(int fd, const struct rocket_task *tasks, uint32_t count, uint32_t jobs, const struct rocket_bo *in,
		       const struct rocket_bo *out);

#endif
