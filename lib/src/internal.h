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

#include "backend.h"
#include "plan.h"

#define ORK_ERROR_CHARS 256

/* A buffer that products copy A or C through, mapped for the CPU and the NPU. */
struct ork_stage {
	struct ork_stage *next; /* in the list of idle stages */
	struct ork_bo *bo;
	uint32_t va;
	uint8_t *cpu;
};

/* Programs that a device keeps. They belong to a shape, not to buffers, so one serves all layers of a network. */
#define ORK_PROGRAMS 64

struct ork_device {
	const struct ork_backend *backend;
	struct ork_limits limits;     /* of the hardware, fixed at open */
	uint32_t core_mask;
	uint32_t max_timeout_ms;
	struct ork_bo *bos;           /* all, the library's own included */
	unsigned int user_bos;        /* objects that the user has not destroyed */
	unsigned int user_weights;
	unsigned int user_jobs;
	struct ork_stage *idle_stages;
	struct ork_fence *idle_fences;
	struct ork_program *programs[ORK_PROGRAMS]; /* NULL: empty */
	uint64_t program_uses;
	char error[ORK_ERROR_CHARS];  /* sentence about the last failed call */
};

struct ork_bo {
	struct ork_device *dev;
	struct drm_ork_bo_create args; /* handle, size, flags, mmap offset */
	int dmabuf;                    /* of an imported buffer, else -1 */
	bool shared;                   /* imported or exported: others may work in it too */
	void *cpu;                     /* NULL until mapped for the CPU */
	uint64_t va;                   /* 0 until mapped for the NPU */
	struct ork_bo *next, **link;   /* in the list of the device, and what leads here */
};

/*
 * Packed B matrices. K is cut into slices of equal size, because a K range of a packed matrix is not contiguous (NPU
 * reference 3.6): slice after slice, each in kernel-group order.
 */
struct ork_weights {
	struct ork_device *dev;
	const struct ork_operand *operand;
	struct ork_bo *bo;
	uint8_t *packed;        /* the buffer, for the CPU */
	uint32_t va;
	uint32_t k, n;          /* as the user gave them */
	uint32_t k_capacity, n_capacity;
	uint32_t k_slice;       /* padded */
	uint32_t slices;        /* in use, as n_pad */
	uint32_t n_pad;
	uint32_t batch;
	uint64_t slice_bytes;   /* from one slice to the next, capacity included */
	uint64_t batch_bytes;   /* from one matrix to the next */
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

/* An idle stage of at least size_bytes, for as long as the caller wants it. */
int ork_stage_get(struct ork_device *dev, uint64_t size_bytes, struct ork_stage **stage);
void ork_stage_put(struct ork_device *dev, struct ork_stage *stage);
void ork_stages_free(struct ork_device *dev);

/* A fence that no job uses. NULL: out of memory, or the backend has no more. */
struct ork_fence *ork_fence_get(struct ork_device *dev);
void ork_fence_put(struct ork_device *dev, struct ork_fence *fence);
void ork_fences_free(struct ork_device *dev);

#endif
