/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PACK_H
#define ORK_PACK_H

#include <stdbool.h>
#include <ork.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Files of packed weights ("orkpack"), and weights that take turns in memory. Part of libork; the conventions are those
 * of ork.h. The format is specified in Documentation/orkpack.rst.
 *
 * A file holds named tensors in the layout that the NPU reads, with their scales. Opening it reads the index, loading a
 * tensor maps its pages for the NPU: nothing is packed again.
 *
 * Calls without a device tell about a failure in `reason`, a buffer of ORK_PACK_REASON_BYTES bytes or NULL. The
 * sentence does not name the file.
 */

#define ORK_PACK_REASON_BYTES 256

/* Longest name of a tensor, in bytes without the terminating 0. */
#define ORK_PACK_MAX_NAME 1023

struct ork_pack;
struct ork_pack_writer;
struct ork_residency;

/*
 * A tensor: batch independent B[K][N]. If it has groups, each B is cut into groups of consecutive k, each with scales of
 * its own: then it holds batch * groups matrices, and k is that of one group.
 */
struct ork_pack_tensor {
	const char *name;     /* UTF-8 without control characters */
	enum ork_dtype type;  /* ORK_I4, ORK_I8, ORK_F16 or ORK_BF16 */
	size_t k, n;          /* of one matrix */
	size_t batch;         /* at least 1 */
	size_t groups;        /* at least 1 */
	size_t k_slice;       /* see ork_weights_k_slice() */
	size_t hadamard;      /* B was multiplied by a Hadamard matrix of this order (ork_quant.h); 0: it was not */
	bool scaled;          /* the real B[k][n] of matrix i is the stored one times scales[i * N + n] */
	/* Filled in by the reader, ignored by the writer: */
	const float *scales;  /* [batch * groups][N]; NULL: not scaled */
	uint64_t offset_bytes; /* of the packed matrices in the file */
	uint64_t matrix_bytes; /* of one packed matrix; they follow each other without gaps */
};

/* --- Reading ---------------------------------------------------------------------------------------------------- */

/*
 * Opens a file and checks its header and its index, but not the weights: that takes as long as reading them, see
 * ork_pack_verify(). The file must not be changed while it is open: a shorter one kills the process that touches what is
 * missing (SIGBUS), as with every mapped file.
 *
 * -EBADMSG: it is no orkpack file, truncated, damaged or made by somebody hostile. -ENOTSUP: its version is not known.
 * -ENOENT, -EACCES, ...: as open(2).
 */
int ork_pack_open(const char *path, struct ork_pack **pack, char *reason);

/* Weights that were loaded from the file stay usable. */
void ork_pack_close(struct ork_pack *pack);

/* Number of tensors. They are numbered from 0 in the order of their names (strcmp). */
size_t ork_pack_count(const struct ork_pack *pack);

/* The tensor, or NULL if there is none with this number. Valid until the file is closed. */
const struct ork_pack_tensor *ork_pack_tensor(const struct ork_pack *pack, size_t index);

/* -ENOENT: there is no tensor of that name. */
int ork_pack_find(const struct ork_pack *pack, const char *name, size_t *index);

/* Reads the weights and the scales of a tensor and compares their checksums. -EBADMSG: they are damaged. -EIO. */
int ork_pack_verify(const struct ork_pack *pack, size_t index, char *reason);

/*
 * Rows [first_k, first_k + rows) of a matrix of a tensor as B[rows][N], in the elements that struct ork_weights_desc
 * has. -EINVAL: there are no such rows.
 */
int ork_pack_read(const struct ork_pack *pack, size_t index, size_t matrix, size_t first_k, size_t rows, void *b,
		  size_t ldb);

/*
 * Matrices [first, first + count) of a tensor as resident weights with a batch of count. The pages of the file are the
 * memory of the weights; nothing is packed.
 *
 * -E2BIG: they reach 4 GiB. -ENOSPC as for ork_bo_address().
 */
int ork_pack_load(struct ork_device *dev, struct ork_pack *pack, size_t index, size_t first, size_t count,
		  struct ork_weights **weights);

/* --- Writing ---------------------------------------------------------------------------------------------------- */

/*
 * Starts a file. It appears under its name in ork_pack_finish(); until then an older file of that name is unchanged, and
 * what is written has a temporary name beside it.
 */
int ork_pack_create(const char *path, struct ork_pack_writer **writer, char *reason);

/*
 * Starts a tensor. k_slice 0 asks for the usual one: equal slices, for ORK_I4 of at most 480 k, which is right for all
 * weights; ork_i4_k_slice() finds longer ones. -EINVAL: the description is wrong. -EBUSY: the tensor before it is not
 * complete. -E2BIG: a matrix reaches 4 GiB.
 */
int ork_pack_begin(struct ork_pack_writer *writer, const struct ork_pack_tensor *tensor, char *reason);

/*
 * Columns [first, first + columns) of a matrix of the tensor, each once, in any order, all K of each: bt[columns][K] is a
 * part of B transposed, in the order that models have their weights in. Elements are those of struct ork_weights_desc;
 * int4 values must be -8 to 7.
 *
 *   first:   a multiple of 64
 *   columns: a multiple of 64, or less up to the end of the matrix
 *   scales:  one per column; NULL if the tensor is not scaled
 *
 * -EINVAL: also for columns that were put before. After an error that is not -EINVAL, only ork_pack_abandon() makes sense.
 */
int ork_pack_put(struct ork_pack_writer *writer, size_t matrix, size_t first, size_t columns, const void *bt, size_t ldb,
		 const float *scales, char *reason);

/*
 * Completes the file on the disk, gives it its name, and frees the writer, in any case. -EEXIST: two tensors have the
 * same name. -EBUSY: the last tensor is not complete.
 */
int ork_pack_finish(struct ork_pack_writer *writer, char *reason);

/* Removes what was written and frees the writer. NULL does nothing. */
void ork_pack_abandon(struct ork_pack_writer *writer);

/* --- Residency -------------------------------------------------------------------------------------------------- */

/*
 * Weights of a file that take turns in memory: more than one 4 GiB address space of the NPU holds, and more than there is
 * memory for. What is asked for is loaded, in as many address spaces as it takes; what was not used for longest goes when
 * the budget is full. A miss costs a mapping, never packing.
 *
 *   budget_bytes: most that is resident at a time
 *
 * The file may be closed meanwhile. -ENOMEM.
 */
int ork_residency_create(struct ork_device *dev, struct ork_pack *pack, uint64_t budget_bytes,
			 struct ork_residency **residency);

/* All weights have been put back. */
void ork_residency_destroy(struct ork_residency *residency);

/*
 * B number b (below its batch) of a tensor as weights, with all its groups as their batch. They stay in place until they
 * are put back as often as they were got: weights that are never put back are pinned. The caller does not destroy them.
 *
 * -E2BIG: it is larger than the budget or than 3 GiB. -EBUSY: what is in use leaves no room for it. Other errors as for
 * ork_pack_load(), but never -ENOSPC.
 */
int ork_residency_get(struct ork_residency *residency, size_t index, size_t b, struct ork_weights **weights);

/* No job that uses them may be in flight. */
void ork_residency_put(struct ork_residency *residency, size_t index, size_t b);

struct ork_residency_info {
	uint64_t budget_bytes;
	uint64_t resident_bytes;
	uint64_t pinned_bytes;    /* of them, in use */
	uint64_t hits, misses;    /* of ork_residency_get(), since the object was made */
	uint64_t evictions;
	uint32_t vms;             /* address spaces */
};

void ork_residency_query(const struct ork_residency *residency, struct ork_residency_info *info);

#ifdef __cplusplus
}
#endif

#endif
