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
 * libork: matrix products on the NPU of the RK3588, exact to the bit.
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
 *     nothing. Objects must not be used after that.
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
struct ork_job;

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

/* Closes the device. -EBUSY: weights, buffers or jobs of it still exist; it stays open. */
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
/* No job that uses the buffer may be in flight. */
void ork_bo_destroy(struct ork_bo *bo);

/*
 * A buffer for the memory of a dma-buf, of this or any other device. fd stays the caller's and may be closed.
 *
 * A product does not synchronise the CPU's caches of such a buffer, since it may be that no CPU ever touches it.
 * Access of the CPU, to which a product belongs that copies A or C (ork_plan_explain() says whether), begins with
 * ork_bo_sync() ORK_SYNC_TO_CPU and ends with ORK_SYNC_TO_DEVICE, or the same by DMA_BUF_IOCTL_SYNC. Memory of another
 * driver is synchronised whole, by that driver.
 *
 * Products that use it in place wait for what other drivers do in it, and other drivers, or poll(2) on the dma-buf,
 * wait for them (implicit fences). The in-process model takes any descriptor whose memory can be mapped, of
 * memfd_create(2) for example.
 *
 * -EEXIST: the device has a buffer for this memory already. -EINVAL also if fd is no dma-buf, or its size no multiple
 * of 4096. -E2BIG as above.
 */
int ork_bo_import(struct ork_device *dev, int fd, struct ork_bo **bo);

/* A new dma-buf of the buffer's memory, for ork_bo_import() and other devices. The caller closes it. */
int ork_bo_export(struct ork_bo *bo, int *fd);

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

/* --- Types ------------------------------------------------------------------------------------------------------ */

/*
 * Types of matrix elements. A and B have the same type; what C can be:
 *
 *   A, B      C
 *   ORK_I8    ORK_I32: the exact sum, modulo 2^32 (K up to 131071 cannot overflow).
 *             ORK_I8: that sum requantised, see struct ork_requant.
 *   ORK_I4    ORK_I32: the exact sum.
 *   ORK_F16   ORK_F32: for each aligned group of 32 k the products are added exactly and rounded once to binary32; the
 *             groups are added in binary32, in order, from +0. Where K is cut into slices (ork_weights_k_slice()), each
 *             slice is summed like this and the slices are added in binary32, in order. All roundings are to nearest,
 *             ties to even. Values must be finite.
 *             ORK_F16: that result rounded to binary16, from 65520 on to infinity. How silicon rounds here is not
 *             published; the in-process model does it like this.
 *   ORK_BF16  ORK_F32: as for ORK_F16, but on silicon the last bits may differ.
 */
enum ork_dtype {
	ORK_DEFAULT = 0, /* for C: ORK_I32 for integers, ORK_F32 for floating point */
	ORK_I4,          /* one int8_t per element, -8 to 7; packed inside */
	ORK_I8,          /* int8_t */
	ORK_I16,         /* int16_t; not for A, B or C */
	ORK_I32,         /* int32_t */
	ORK_F16,         /* IEEE binary16, in a uint16_t */
	ORK_BF16,        /* upper half of binary32, in a uint16_t */
	ORK_F32,         /* float */
};

/* Bytes of one element in the caller's matrices; 0: no such type, or ORK_DEFAULT. */
size_t ork_dtype_bytes(enum ork_dtype type);

/*
 * From sums to int8: out = sat8(half_even((sum * scale) / 2^shift) + offset), where half_even() rounds to the nearest
 * integer, ties to even, and sat8() limits to -128..127.
 */
struct ork_requant {
	int32_t scale;  /* -32768 to 32767 */
	uint32_t shift; /* 0 to 63 */
	int32_t offset;
};

/* --- Weights ---------------------------------------------------------------------------------------------------- */

/* Members that are 0 ask for nothing special. */
struct ork_weights_desc {
	enum ork_dtype type; /* ORK_I4, ORK_I8, ORK_F16 or ORK_BF16 */
	const void *b;       /* B[K][N]; not needed after the call */
	size_t ldb;          /* at least N */
	size_t k, n;
	size_t batch;        /* number of B matrices; 0: 1 */
	size_t b_stride;     /* elements from one B to the next; any value if batch is at most 1 */
	/*
	 * Rows and columns that there is room for, if B shall grow: at least k and n. Of a dimension that grows, k or n
	 * may be 0 (not both), and b is NULL then.
	 */
	size_t k_capacity;   /* 0: k */
	size_t n_capacity;   /* 0: n */
	size_t max_k_slice;  /* longest K slice, a multiple of 32 up to 10240; 0: see ork_weights_k_slice() */
};

/*
 * Packs B once into the order that the NPU streams weights in, ready for any M. They are resident until they are
 * destroyed and take ork_weights_bytes(), no more.
 *
 * -EINVAL also for int4 values outside -8..7. -E2BIG: a dimension is above ORK_MAX_DIM or the packed weights reach
 * 4 GiB. -ENOSPC as for ork_bo_address().
 */
int ork_weights_create(struct ork_device *dev, const struct ork_weights_desc *desc, struct ork_weights **weights);

/*
 * Appends count rows B[count][N] or columns B[K][count] to each matrix of the weights, as the cache of keys and values
 * of a language model needs it: scores take K^T, to which each token adds a column, and the output takes V, to which it
 * adds a row. What is there is not packed again, and only the bytes that change are written and made visible to the NPU
 * (one call of the driver).
 *
 *   ldb:      at least N, or count.
 *   b_stride: elements from the rows (columns) of one matrix to those of the next; any value if there is one matrix.
 *
 * Jobs in flight compute with the weights that they were submitted with. A new program is made when a product needs
 * one more kernel group of columns or one more slice of rows than before.
 *
 * -ENOSPC: more than the capacity. -EINVAL also if the matrices have no columns (rows) yet, and for int4 values outside
 * -8..7.
 */
int ork_weights_append_rows(struct ork_weights *weights, const void *b, size_t ldb, size_t count, size_t b_stride);
int ork_weights_append_columns(struct ork_weights *weights, const void *b, size_t ldb, size_t count, size_t b_stride);

/* No job that uses the weights may be in flight. */
void ork_weights_destroy(struct ork_weights *weights);

/* Bytes of memory that the packed weights occupy, unused capacity included. */
size_t ork_weights_bytes(const struct ork_weights *weights);

/*
 * K of the slices that the weights are packed in, a multiple of 32; K rounded up if there is one slice. A task of the
 * NPU computes with one slice of a tile of C; the CPU adds the slices.
 *
 * Slices have up to 2 KiB per column (K of 4096 for ORK_I4, 2048 for ORK_I8, 1024 for 16 bits), unless max_k_slice says
 * otherwise. Then the on-chip buffer holds two kernel groups and 128 rows of A, which take about as long to multiply as
 * the next kernel group to load. With longer slices it holds fewer rows and products of many rows load the weights more
 * often; with one slice a product of few rows has less overhead, and C can be used in place.
 *
 * For int4 slices are at most as long as these weights allow without overflow of the NPU's int16 results for any A, at
 * least 480. Weights whose K can grow have slices of up to 1024, because products compute with whole slices; int4
 * weights that can grow have slices of up to 480.
 */
size_t ork_weights_k_slice(const struct ork_weights *weights);

/* --- Matrix product --------------------------------------------------------------------------------------------- */

/* All members 0 ask for the defaults. */
struct ork_matmul_opts {
	uint32_t cores; /* cores to split a product over; 0: chosen by a cost model. Small products may use fewer */
	uint32_t core_mask;  /* cores that may be used; 0: all */
	uint32_t timeout_ms; /* time without progress after which a job is given up; 0: the driver's default */
	uint32_t in_order;   /* 1: products of one ork_matmul_submit() are a chain, see there */
};

/*
 * A product, or a batch of them: C[i] = A[i] * B[i] for i < batch. A batch uses the B matrices of its weights in turn,
 * or the only one for all.
 */
struct ork_matmul_desc {
	struct ork_weights *weights; /* packed B, of this device */
	enum ork_dtype c_type;
	size_t m;
	const void *a;   /* type of the weights, read only */
	size_t lda;      /* at least K */
	void *c;         /* only the N elements of each row are written; must not overlap a */
	size_t ldc;      /* at least N */
	size_t batch;    /* 0: 1; if the weights have more than one B: their number */
	size_t a_stride; /* elements from one A to the next, and so on; any value if batch is at most 1 */
	size_t c_stride;
	struct ork_requant requant; /* only for c_type ORK_I8 */
	/*
	 * Buffers of this device that A and C lie in, with the bytes before them, multiples of the element; a or c is
	 * NULL then. The NPU works in the buffer itself if that is possible, else A and C are copied as if they were in
	 * the caller's memory; ork_plan_explain() tells which, and why.
	 *
	 *   In place: offsets, lda, ldc and strides are multiples of 16 bytes, and
	 *     A: the type is not ORK_I4; K is the sum of the weights' K slices, as it is if K is a multiple of 32 and
	 *        there is one.
	 *     C: the type is what a task writes (not for A of ORK_I4), there is one K slice, N is a multiple of 32
	 *        (16 for floating point), and ldc is at most 128 KiB.
	 *
	 * The library cleans and invalidates the CPU's caches for A and C. Nobody else may touch the bytes from the
	 * first to the last of A or C, gaps between rows included, while the job is in flight.
	 */
	struct ork_bo *a_bo, *c_bo;
	size_t a_offset_bytes, c_offset_bytes;
};

/*
 * Computes the product. Returns when C is complete. A repeated call of the same shape makes no buffers and no programs.
 * A large product is computed in passes, so that no more than about 64 MiB of A and of C are staged at a time.
 *
 * -ETIMEDOUT: the NPU hung and was reset. -EIO: it met an address that is not mapped. C is then undefined; the device
 * stays usable. -EINVAL also for int4 values outside -8..7. -E2BIG: M is above ORK_MAX_DIM. -ENOSPC as for
 * ork_bo_address().
 */
int ork_matmul(struct ork_device *dev, const struct ork_matmul_desc *desc, const struct ork_matmul_opts *opts);

/*
 * Starts count products together, in one call of the driver (per 4096 jobs), and returns without waiting. Several jobs
 * may be in flight. A that is copied has been read when the call returns; C that is copied is written by
 * ork_job_wait(). The copies, padded, stay in memory that the NPU can address until the job is waited for. -ENOSPC if
 * they do not fit. Other errors as for ork_matmul(); then nothing is in flight.
 *
 * Products are independent of each other and may run at the same time, each on one core if there are enough of them.
 * With opts->in_order they are a chain instead: each starts when the one before it is complete, on as many cores as it
 * takes for itself. So A of a product may be C of an earlier one, int8 or float16 for example, if the NPU uses both in
 * place.
 *
 * -EINVAL also if, in a chain, a copy would come too early or too late for what an earlier product writes.
 *
 * On the in-process model the call computes the products itself.
 */
int ork_matmul_submit(struct ork_device *dev, const struct ork_matmul_desc *descs, size_t count,
		      const struct ork_matmul_opts *opts, struct ork_job **job);

/*
 * Waits until the job has ended and writes C. Negative timeout_ms: no limit. Further calls return the same result.
 *
 * -ETIME: it has not ended in time; it goes on. Otherwise as ork_matmul(); after an error of one product C of all of
 * them is undefined.
 */
int ork_job_wait(struct ork_job *job, int64_t timeout_ms);

/*
 * A new file descriptor that becomes readable (poll(2)) when the job has ended, for event loops; ork_job_wait() does
 * the rest. The caller closes it.
 */
int ork_job_fd(struct ork_job *job, int *fd);

/* Waits for the job if it is in flight, without writing C. */
void ork_job_destroy(struct ork_job *job);

/*
 * How ork_matmul() would compute the product, and why, in a few lines of English, each ending in a newline: padding, K
 * slices, cores with their estimated costs, tiles, on-chip banks, copies of A and C. What is in A and C is not looked
 * at; a and c may be NULL. Returns the length as snprintf() does, or a negative errno value. text may be NULL if size
 * is 0.
 */
int ork_plan_explain(struct ork_device *dev, const struct ork_matmul_desc *desc, const struct ork_matmul_opts *opts,
		     char *text, size_t size);

/* Register commands of one task of ork_plan_words(). */
#define ORK_WORDS_PER_TASK 104

/*
 * The register commands that ork_matmul() would have the NPU run, for "ork regcmd" and other people who look at them: the
 * tasks of the product's first program, ORK_WORDS_PER_TASK words each, without the trailers that the driver adds. In place
 * of the addresses of A, B and C they have offsets, which the driver adds to the addresses of each job.
 *
 * Returns the number of words. Writes them if count is at least that. a and c may be NULL, and words if count is 0.
 */
int ork_plan_words(struct ork_device *dev, const struct ork_matmul_desc *desc, const struct ork_matmul_opts *opts,
		   uint64_t *words, size_t count);

/* --- Reference -------------------------------------------------------------------------------------------------- */

struct ork_ref_desc {
	enum ork_dtype type;   /* of A and B */
	enum ork_dtype c_type;
	size_t m, k, n;
	const void *a;
	size_t lda;
	const void *b;
	size_t ldb;
	void *c;
	size_t ldc;
	size_t k_slice; /* as ork_weights_k_slice() tells, for floating point; 0: one slice */
	struct ork_requant requant;
};

/* The same product on the CPU, straight from its definition, to check results against. Needs no device. */
int ork_ref_matmul(const struct ork_ref_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
