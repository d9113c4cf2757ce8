/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PACK_TENSOR_H
#define ORK_PACK_TENSOR_H

#include <ork_pack.h>

#include "source.h"

/*
 * One tensor on its way from a model to an orkpack file, some columns at a time.
 */

struct pack_options {
	enum ork_dtype type; /* ORK_I8, ORK_I4 or ORK_F16 */
	size_t group;        /* k that share a scale; 0: all */
	bool hadamard;
};

/* Called with the share that is done, 0 to 1. */
struct pack_progress {
	void (*report)(void *opaque, double share);
	void *opaque;
};

/*
 * What the tensor becomes, but for the K slice and the bytes. Returns 0, or -1 with a reason of up to
 * SOURCE_REASON_CHARS characters that names the tensor.
 */
int pack_describe(const struct source *source, const struct source_tensor *tensor, const char *name,
		  const struct pack_options *options, struct ork_pack_tensor *packed, char *reason);

/*
 * Writes the tensor as described. error: root mean square of what rounding changed, as a share of that of the weights.
 * Returns as pack_describe(), but does not name the tensor.
 */
int pack_tensor(const struct source *source, const struct source_tensor *tensor, const struct ork_pack_tensor *packed,
		struct ork_pack_writer *writer, const struct pack_progress *progress, double *error, char *reason);

#endif
