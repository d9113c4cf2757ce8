/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MODEL_DEVICE_H
#define ORK_MODEL_DEVICE_H

#include <npu_model.h>
#include <sys/types.h>

#include "internal.h"
#include "model_memory.h"

/*
 * The NPU inside the process: device_model.c opens it and owns addresses, model_bo.c the buffers, model_program.c the
 * programs, model_run.c the jobs. It plays the driver's part towards three model cores, and knows no more of a program
 * than the driver's trailer and start sequence: what a program means is between the library and the model.
 */

#define MODEL_REPORT_CHARS 160

struct model_core {
	struct model_device *model;
	struct npu_core *npu;
	uint64_t jobs_done;
	uint64_t resets;
	const struct model_memory *memory; /* VM of the job */
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
	bool wrapped;            /* the memory is somebody else's, and only read */
	unsigned int references; /* the handle and every mapping */
	bool shared;             /* exported or imported: the memory is that of a file */
	int fd;                  /* the file; with the two others, which tell files apart, only if shared */
	dev_t device;
	ino_t inode;
};

/* Where a task's words lie, for the start registers. */
struct model_task {
	uint32_t va;
	uint32_t amount;
};

/* An address word: a job's address is added to the offset. */
struct model_slot {
	uint64_t *word;
	uint32_t offset;
	uint32_t slot;
};

struct model_program {
	uint8_t *memory;
	uint32_t vm;
	uint64_t va;
	struct model_slot *slots;
	uint32_t slot_count;
	uint32_t count;
	struct model_task tasks[];
};

struct model_device {
	struct ork_device base;
	struct model_memory vms[ORK_VMS];
	uint32_t last_vm;
	struct model_handles bos;      /* struct model_bo */
	struct model_handles programs; /* struct model_program */
	struct model_core cores[DRM_ORK_MAX_CORES];
};

int model_handle_new(struct model_handles *handles, void *object, uint32_t *handle);
void *model_handle_get(const struct model_handles *handles, uint32_t handle);
void model_handle_free(struct model_handles *handles, uint32_t handle);

int model_bo_wrap(struct ork_device *dev, const void *ptr, struct drm_ork_bo_create *args);
int model_bo_create(struct ork_device *dev, struct drm_ork_bo_create *args);
int model_bo_import(struct ork_device *dev, int fd, struct drm_ork_bo_create *args);
int model_bo_export(struct ork_device *dev, uint32_t handle, int *fd);
int model_bo_map(struct ork_device *dev, const struct ork_bo *bo, void **ptr);
void model_bo_unmap(struct ork_device *dev, void *ptr, size_t bytes);
int model_bo_sync(struct ork_device *dev, const struct drm_ork_sync_range *ranges, uint32_t count);
void model_bo_close(struct ork_device *dev, uint32_t handle);
void model_bo_release(struct model_device *model, uint32_t handle);
int model_prog_create(struct ork_device *dev, const struct ork_commands *commands, uint32_t *handle,
		      struct ork_refusal *refusal);
void model_prog_destroy(struct ork_device *dev, uint32_t handle);
int model_submit(struct ork_device *dev, const struct ork_launch *launches, uint32_t count, uint32_t *started);
int model_fence_init(struct ork_device *dev, struct ork_fence *fence);
void model_fence_exit(struct ork_device *dev, struct ork_fence *fence);
int model_fences_wait(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int64_t timeout_ms);
int model_fence_fd(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int *fd);

#endif
