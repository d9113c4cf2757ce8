/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_BACKEND_H
#define ORK_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include <drm/rknpu_ork.h>
#include <ork.h>

/*
 * What a device can do. Two backends serve the same calls: the driver through its ioctls (device_kernel.c), the model
 * inside the process (device_model.c).
 */

/* Address slots of all programs: the stages of A and C, and the weights. */
enum ork_slot {
	ORK_SLOT_A,
	ORK_SLOT_B,
	ORK_SLOT_C,
	ORK_SLOTS,
};

/* Register commands to be made a program. Their address words hold offsets that are added to a job's addresses. */
struct ork_commands {
	const uint64_t *words;
	uint32_t word_count;
	const struct drm_ork_task *tasks;
	const struct drm_ork_slot *slots;
	uint32_t task_count;
	uint32_t slot_count;
	uint32_t vm;                  /* that the jobs' addresses belong to */
};

/* Why a program was refused. */
struct ork_refusal {
	uint32_t reject; /* enum drm_ork_reject */
	uint32_t task;
	uint32_t word;
};

#define ORK_REASON_CHARS 160

/* The end of one job. Recycled, because making one costs a system call. */
struct ork_fence {
	struct ork_fence *next;        /* in the list of idle fences */
	uint64_t id;                   /* kernel: number of the job */
	uint32_t syncobj;              /* kernel: gets the job's fence */
	int status;                    /* model: result of the job */
	char reason[ORK_REASON_CHARS]; /* of a failed job */
};

/* Bytes of a buffer that caches have to be clean of. */
struct ork_job_cache {
	uint32_t handle;
	uint64_t offset_bytes, size_bytes;
};

/* Most ranges that a job cleans before it starts: A and C. */
#define ORK_JOB_CLEANS 2

/* All tasks of a program, run once. */
struct ork_launch {
	uint32_t program;
	uint32_t task_count;
	bool split;                    /* over all cores of the mask; else on one of them */
	uint32_t core_mask;
	uint32_t timeout_ms;
	bool implicit_sync;            /* wait for others who work in the buffers, and let them wait */
	uint64_t addresses[ORK_SLOTS];
	struct ork_job_cache clean[ORK_JOB_CLEANS]; /* what the CPU may have written before; size 0: none */
	struct ork_job_cache out;      /* what the NPU writes */
	struct ork_fence *fence;       /* idle; gets the end of the job */
	struct ork_fence *after;       /* of a job that was started before, which has to end first; NULL: none */
};

/* Each returns 0 or a negative errno value and may put a sentence about a failure into the device with ork_fail(). */
struct ork_backend {
	const char *name;
	void (*close)(struct ork_device *dev);
	int (*query)(struct ork_device *dev, struct drm_ork_device_info *info);
	int (*query_vm)(struct ork_device *dev, uint32_t vm, struct drm_ork_vm_info *info);
	int (*bo_create)(struct ork_device *dev, struct drm_ork_bo_create *args);
	/*
	 * A buffer of args->size_bytes, whole pages, that the NPU only reads and the CPU does not map. It has the
	 * memory at ptr, which must not change and stays mapped as long as the buffer exists.
	 */
	int (*bo_wrap)(struct ork_device *dev, const void *ptr, struct drm_ork_bo_create *args);
	void (*bo_close)(struct ork_device *dev, uint32_t handle);
	/* A handle of the memory, which may be one that the device has already, and its size. */
	int (*bo_import)(struct ork_device *dev, int fd, struct drm_ork_bo_create *args);
	int (*bo_export)(struct ork_device *dev, uint32_t handle, int *fd);
	int (*bo_map)(struct ork_device *dev, const struct ork_bo *bo, void **ptr);
	void (*bo_unmap)(struct ork_device *dev, void *ptr, size_t bytes);
	int (*bo_sync)(struct ork_device *dev, const struct drm_ork_sync_range *ranges, uint32_t count);
	/* VM 0 is there; the others go with the device. */
	int (*vm_create)(struct ork_device *dev, uint32_t *vm);
	int (*vm_map)(struct ork_device *dev, struct drm_ork_vm_map *args);
	void (*vm_unmap)(struct ork_device *dev, uint32_t vm, uint64_t va);
	int (*prog_create)(struct ork_device *dev, const struct ork_commands *commands, uint32_t *program,
			   struct ork_refusal *refusal);
	void (*prog_destroy)(struct ork_device *dev, uint32_t program);
	int (*fence_init)(struct ork_device *dev, struct ork_fence *fence);
	void (*fence_exit)(struct ork_device *dev, struct ork_fence *fence);
	/* Starts the jobs in order and tells how many were started, all unless it fails. */
	int (*submit)(struct ork_device *dev, const struct ork_launch *launches, uint32_t count, uint32_t *started);
	/*
	 * Waits for the end of all jobs and returns the error of the first that failed, or 0; -ETIME: not all have ended.
	 * Negative timeout: no limit.
	 */
	int (*fences_wait)(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int64_t timeout_ms);
	/* A new descriptor that polls readable when the jobs of all fences have ended. */
	int (*fence_fd)(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int *fd);
};

#endif
