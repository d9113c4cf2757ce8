/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MODEL_DEVICE_H
#define ORK_MODEL_DEVICE_H

#include <npu_model.h>

#include "internal.h"
#include "model_memory.h"

/*
 * The NPU inside the process: device_model.c is the buffers and addresses, model_run.c the programs and jobs. It plays
 * the driver's part towards three model cores, and knows no more of a program than the driver's trailer and start
 * sequence: what a program means is between the library and the model.
 */

#define MODEL_REPORT_CHARS 160

struct model_core {
	struct model_device *model;
	struct npu_core *npu;
	uint64_t jobs_done;
	uint64_t resets;
	bool faulted;                    /* since the start of the job: an access to unmapped memory */
	uint32_t fault_va;
	char report[MODEL_REPORT_CHARS]; /* what the model said last */
};

/* Handles are indices + 1. */
struct model_handles {
	void **objects;
	uint32_t count;
};

struct model_bo {
	uint8_t *memory;
	size_t bytes;
	unsigned int references; /* the handle and every mapping */
};

/* Where a task's words lie, for the start registers. */
struct model_task {
	uint32_t va;
	uint32_t amount;
};

struct model_program {
	uint8_t *memory;
	uint64_t va;
	uint32_t count;
	struct model_task tasks[];
};

struct model_device {
	struct ork_device base;
	struct model_memory memory;
	struct model_handles bos;      /* struct model_bo */
	struct model_handles programs; /* struct model_program */
	struct model_core cores[DRM_ORK_MAX_CORES];
};

int model_handle_new(struct model_handles *handles, void *object, uint32_t *handle);
void *model_handle_get(const struct model_handles *handles, uint32_t handle);
void model_handle_free(struct model_handles *handles, uint32_t handle);

int model_prog_create(struct ork_device *dev, struct drm_ork_prog_create *args);
void model_prog_destroy(struct ork_device *dev, uint32_t handle);
int model_run(struct ork_device *dev, const struct drm_ork_job *job);

#endif
