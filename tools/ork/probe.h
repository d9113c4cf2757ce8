/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PROBE_H
#define ORK_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Of the library, not of its interface: what types mean to the NPU. */
#include "types.h"

/* Programs that libork would not make, to find out what the hardware does with them. Talks to the driver directly. */

struct probe_device {
	int fd;
	uint32_t core;
	uint32_t timeout_ms; /* of a job */
};

/* Returns 0 or a negative errno value. */
int probe_open(const char *node, struct probe_device *probe);
void probe_close(struct probe_device *probe);

/* C[m][n] = A[m][k] * B[k][n] in one task. */
struct probe_case {
	const struct ork_result *result;
	uint32_t m, k, n;
	uint32_t k_packed;   /* K that the weights are packed for; 0: k. The task takes the first k and knows nothing of more */
	uint32_t data_banks, weight_banks;
	bool reuse;          /* a second task multiplies other rows with the weights that the first has left on the chip */
};

enum probe_outcome {
	PROBE_WORKS,
	PROBE_WRONG,
	PROBE_HANGS,    /* the core was reset */
	PROBE_FAULTS,   /* it met an address that is not mapped */
	PROBE_REFUSED,  /* by the driver's checker */
};

struct probe_verdict {
	enum probe_outcome outcome;
	uint64_t wrong, elements;
	uint32_t reject;     /* enum drm_ork_reject */
};

/* Runs it. Returns 0, or a negative errno value if it could not be run; -EPERM: only root may. */
int probe_run(const struct probe_device *probe, const struct probe_case *what, struct probe_verdict *verdict);

/* --- Between the files of probe ----------------------------------------------------------------------------------- */

struct probe_bo {
	uint32_t handle;
	uint32_t va;
	uint64_t bytes;
	void *ptr;
};

/* Mapped for both sides, write-combined. Returns 0 or a negative errno value. */
int probe_bo_create(const struct probe_device *probe, uint64_t bytes, struct probe_bo *bo);
void probe_bo_destroy(const struct probe_device *probe, struct probe_bo *bo);

/* Runs tasks of ORK_TASK_WORDS words each. Fills in outcome and reject. Returns as probe_run(). */
int probe_submit(const struct probe_device *probe, uint64_t *words, uint32_t tasks, struct probe_verdict *verdict);

#endif
