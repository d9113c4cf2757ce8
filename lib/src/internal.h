/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_INTERNAL_H
#define ORK_INTERNAL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/rknpu_ork.h>
#include <ork.h>

#include "plan.h"

/*
 * What a device can do, in the terms of the kernel interface. Both backends serve the same calls: the driver through
 * its ioctls (device_kernel.c), the model inside the process (device_model.c). Each returns 0 or a negative errno value
 * and may put a sentence about a failure into the device with ork_fail().
 */
struct ork_backend {
	const char *name;
	void (*close)(struct ork_device *dev);
	int (*query)(struct ork_device *dev, struct drm_ork_device_info *info);
	int (*query_vm)(struct ork_device *dev, struct drm_ork_vm_info *info);
	int (*bo_create)(struct ork_device *dev, struct drm_ork_bo_create *args);
	void (*bo_close)(struct ork_device *dev, uint32_t handle);
	int (*bo_map)(struct ork_device *dev, const struct drm_ork_bo_create *bo, void **ptr);
	void (*bo_unmap)(struct ork_device *dev, void *ptr, size_t bytes);
	int (*bo_sync)(struct ork_device *dev, const struct drm_ork_sync_range *ranges, uint32_t count);
	int (*vm_map)(struct ork_device *dev, struct drm_ork_vm_map *args);
	void (*vm_unmap)(struct ork_device *dev, uint64_t va);
	int (*prog_create)(struct ork_device *dev, struct drm_ork_prog_create *args);
	void (*prog_destroy)(struct ork_device *dev, uint32_t handle);
	/* Submits the job and waits until it has ended. out_syncs are the backend's own business. */
	int (*run)(struct ork_device *dev, const struct drm_ork_job *job);
};

#define ORK_ERROR_CHARS 256

/* A buffer that matmul copies its operands through. It grows and is kept. */
struct ork_stage {
	struct ork_bo *bo; /* NULL before the first use */
	uint32_t va;
	uint8_t *cpu;
};

struct ork_device {
	const struct ork_backend *backend;
	struct ork_limits limits;     /* of the hardware, fixed at open */
	uint32_t core_mask;
	uint32_t max_timeout_ms;
	unsigned int user_bos;        /* buffers that the user has not destroyed */
	struct ork_weights *weights;  /* all weights of this device: their programs name the stages */
	struct ork_stage stage_a;
	struct ork_stage stage_c;
	char error[ORK_ERROR_CHARS];  /* sentence about the last failed call */
};

struct ork_bo {
	struct ork_device *dev;
	struct drm_ork_bo_create args; /* handle, size, flags, mmap offset */
	void *cpu;                     /* NULL until mapped for the CPU */
	uint64_t va;                   /* 0 until mapped for the NPU */
};

/* Programs that one weights object keeps, one per (rows, cores): enough for decode, a prefill chunk and its rest. */
#define ORK_WEIGHTS_PROGRAMS 4

struct ork_program {
	uint32_t handle;        /* 0: empty */
	uint32_t cores_asked;   /* key, with plan.rows */
	uint32_t core_mask;     /* key */
	uint64_t last_use;
	struct ork_plan plan;
};

struct ork_weights {
	struct ork_device *dev;
	struct ork_weights *prev, *next;
	struct ork_bo *bo;
	uint32_t va;
	uint32_t k, n;          /* as the user gave them */
	uint32_t k_pad, n_pad;  /* as packed */
	uint64_t uses;
	struct ork_program programs[ORK_WEIGHTS_PROGRAMS];
};

/* Stores the sentence in the device and returns err. */
int ork_fail(struct ork_device *dev, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

int ork_kernel_open(const char *path, struct ork_device **dev);
int ork_model_open(struct ork_device **dev);

/*
 * ork_bo_create() and ork_bo_destroy() for the library's own buffers, which do not keep the device from being closed.
 */
int ork_bo_create_internal(struct ork_device *dev, size_t size_bytes, uint32_t flags, struct ork_bo **bo);
void ork_bo_free(struct ork_bo *bo);

/*
 * Makes the stage at least size_bytes large. Programs of all weights are destroyed first if its address has to change.
 */
int ork_stage_grow(struct ork_device *dev, struct ork_stage *stage, size_t size_bytes);
void ork_stage_free(struct ork_stage *stage);

/* The weights' program for this many rows; created if it is not kept yet. */
int ork_program_get(struct ork_weights *weights, uint32_t rows, uint32_t cores, uint32_t core_mask,
		    struct ork_program **program);
void ork_programs_destroy(struct ork_weights *weights);

#endif
