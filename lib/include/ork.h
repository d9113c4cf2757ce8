/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_H
#define ORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * libork: exact integer matrix products on the NPU of the RK3588.
 *
 *     C[M][N] = A[M][K] * B[K][N]
 *
 * Conventions
 *
 *   - Calls that can fail return 0 or a negative errno value and then have changed nothing, except that a call which
 *     starts work may leave its output undefined. ork_error() tells the reason in words. The library never prints,
 *     exits or aborts, starts no threads and has no global state.
 *   - Matrices are row-major. "ld" (leading dimension) is the distance between the starts of two rows, in elements, at
 *     least the row length. M, N and K are 1 to ORK_MAX_DIM; shapes that the hardware does not take are padded inside.
 *   - Whoever creates an object destroys it, before the device that it belongs to is closed. Destroying NULL does
 *     nothing.
 *   - A device and its objects are used by one thread at a time. Different devices are independent of each other.
 *
 * Errors that every call may return: -EINVAL for values that the description rules out (a null pointer, a size of 0, an
 * object of another device), -ENOMEM, -ENODEV after the hardware went away.
 */

#define ORK_VERSION_MAJOR 0
#define ORK_VERSION_MINOR 1
#define ORK_VERSION_PATCH 0

/* Largest M, N and K that the calls take. */
#define ORK_MAX_DIM 1048576

/* Cores of the largest supported NPU. */
#define ORK_MAX_CORES 3

struct ork_device;
struct ork_bo;
struct ork_weights;

/* Version of the library that is running, for example "0.1.0". */
const char *ork_version(void);

/* Meaning of a negative errno value that this library returned. Never NULL. */
const char *ork_strerror(int err);

/* --- Device ----------------------------------------------------------------------------------------------------- */

/*
 * Opens an NPU.
 *
 *   device: "model" for the NPU model inside this process, which needs no hardware and no driver; a path of a render
 *           node; NULL: the value of the environment variable ORK_DEVICE, and if that is unset or empty the first
 *           render node of the driver rknpu-ork.
 *
 * -ENODEV: there is no such node, or it belongs to another driver. Other errors are those of open(2).
 */
int ork_open(const char *device, struct ork_device **dev);

/* Closes the device. -EBUSY: weights or buffers of it still exist; it stays open. */
int ork_close(struct ork_device *dev);

/*
 * One sentence about the last failed call on this device or its objects; "" if none failed yet. Valid until the next
 * call on the device. Never NULL.
 */
const char *ork_error(const struct ork_device *dev);

struct ork_info {
	const char *backend;         /* "kernel" or "model" */
	uint32_t hw_version;         /* as the NPU reports it */
	uint32_t cores;              /* cores that can run jobs */
	uint32_t core_mask;          /* bit n: the core that the SoC calls n */
	uint32_t cbuf_banks;         /* on-chip buffer banks per core */
	uint32_t cbuf_bank_bytes;
	uint32_t max_tasks;          /* largest number of tasks in one program */
	uint32_t default_timeout_ms; /* of a job that does not give one */
	uint32_t max_timeout_ms;
	/* Since the driver was loaded, by all processes (model: since this device was opened), per core. */
	uint64_t jobs_done[ORK_MAX_CORES];
	uint64_t resets[ORK_MAX_CORES];
	/* Address space of this device handle. */
	uint64_t vm_total_bytes;
	uint64_t vm_used_bytes;
	uint64_t vm_largest_hole_bytes;
};

/* Facts and counters of the device, as they are now. */
int ork_query(struct ork_device *dev, struct ork_info *info);

/* --- Buffers ---------------------------------------------------------------------------------------------------- */

/* The CPU maps the buffer write-combined: no ork_bo_sync() is needed, but CPU reads are slow. */
#define ORK_BO_WC (1u << 0)

/*
 * Makes a buffer that the CPU and the NPU can use. It reads as 0.
 *
 *   size_bytes: 1 to 4 GiB - 4096; rounded up to pages. -E2BIG above.
 *   flags:      0 (cached) or ORK_BO_WC.
 */
int ork_bo_create(struct ork_device *dev, size_t size_bytes, uint32_t flags, struct ork_bo **bo);
void ork_bo_destroy(struct ork_bo *bo);

/* Size in bytes after rounding. */
size_t ork_bo_size(const struct ork_bo *bo);

/* The buffer in the CPU's address space. Mapped once; the pointer is valid until ork_bo_destroy(). */
int ork_bo_map(struct ork_bo *bo, void **ptr);

/*
 * Address of the buffer for the NPU, a multiple of 4096. Mapped once; valid until ork_bo_destroy().
 * -ENOSPC: the address space has no hole that is large enough (ork_query() tells the largest).
 */
int ork_bo_address(struct ork_bo *bo, uint32_t *address);

enum ork_sync_op {
	ORK_SYNC_TO_DEVICE, /* the CPU wrote, the NPU will read or write next */
	ORK_SYNC_TO_CPU,    /* the NPU wrote, the CPU will read next */
};

/* Bytes [offset_bytes, offset_bytes + size_bytes) of a buffer. size_bytes is not 0. */
struct ork_sync_range {
	struct ork_bo *bo;
	enum ork_sync_op op;
	size_t offset_bytes;
	size_t size_bytes;
};

/*
 * CPU caches are not coherent with the NPU: synchronises count ranges in one call. All are checked before the first
 * one.
 */
int ork_bo_sync(struct ork_device *dev, const struct ork_sync_range *ranges, size_t count);

/* --- Matrix product --------------------------------------------------------------------------------------------- */

/*
 * Packs B[K][N] (int8, ldb >= N elements per row) once into the order that the NPU streams weights in, ready for any M.
 * b is not needed afterwards.
 *
 * -ENOTSUP: K > 10240. -E2BIG: a dimension is above ORK_MAX_DIM or the packed weights reach 4 GiB. -ENOSPC as for
 * ork_bo_address().
 */
int ork_weights_create_i8(struct ork_device *dev, const int8_t *b, size_t ldb, size_t k, size_t n,
			  struct ork_weights **weights);
void ork_weights_destroy(struct ork_weights *weights);

/* Bytes of memory that the packed weights occupy. */
size_t ork_weights_bytes(const struct ork_weights *weights);

/* All members 0 ask for the defaults. */
struct ork_matmul_opts {
	uint32_t cores; /* cores to split the product over; 0: chosen by a cost model. Small products may use fewer */
	uint32_t core_mask;  /* cores that may be used; 0: all */
	uint32_t timeout_ms; /* time without progress after which the product is given up; 0: the driver's default */
};

/*
 * C[M][N] = A[M][K] * B[K][N] in int32, exact. Returns when C is complete.
 *
 *   weights: packed B, of this device.
 *   a:       int8, lda >= K elements per row. Read only.
 *   c:       ldc >= N elements per row. Only the N elements of each row are written. Must not overlap a.
 *   opts:    NULL for the defaults.
 *
 * A repeated call with the same M, weights and cores allocates nothing.
 *
 * -ETIMEDOUT: the NPU hung and was reset. -EIO: it met an address that is not mapped. C is then undefined; the device
 * stays usable. -E2BIG: M is above ORK_MAX_DIM. -ENOSPC as for ork_bo_address().
 */
int ork_matmul_i8(struct ork_device *dev, struct ork_weights *weights, const int8_t *a, size_t lda, size_t m,
		  int32_t *c, size_t ldc, const struct ork_matmul_opts *opts);

/* The same product on the CPU, straight from its definition, to check results against. Needs no device. */
int ork_ref_matmul_i8(const int8_t *a, size_t lda, const int8_t *b, size_t ldb, int32_t *c, size_t ldc, size_t m,
		      size_t k, size_t n);

#ifdef __cplusplus
}
#endif

#endif
