/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TYPES_H
#define ORK_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ork.h>

/*
 * What the element types mean to the NPU. Everything that differs between types stands in two tables: operands (A and
 * B have the same type) and what a task writes.
 */

/* K comes in groups of 32 for every type below (NPU reference 4.2). */
#define ORK_GROUP_K 32

/* Bytes of one step of the NPU's addressing. */
#define ORK_ATOM_BYTES 16

/* Precision codes (NPU reference 3.3). */
enum ork_precision {
	ORK_PRECISION_INT8 = 0,
	ORK_PRECISION_INT16 = 1,
	ORK_PRECISION_FP16 = 2,
	ORK_PRECISION_BF16 = 3,
	ORK_PRECISION_INT32 = 4,
	ORK_PRECISION_FP32 = 5,
	ORK_PRECISION_INT4 = 6,
};

/* How A and C lie in the stages. */
enum ork_form {
	/* A[rows][k] and C[rows][cols] (NPU reference 3.9). */
	ORK_FORM_ROWS,
	/*
	 * Planes of one atom per row: A[k / 32][rows][32], C[cols / 8][rows][8] (NPU reference 4.1, 4.4). int4 has
	 * been seen to work with several rows in this form only (3.15).
	 */
	ORK_FORM_CUBE,
};

struct ork_operand {
	enum ork_dtype type;
	const char *name;
	uint32_t bits;      /* of one element as the NPU reads it */
	size_t user_bytes;  /* of one element in the caller's matrices */
	uint32_t group_n;   /* kernels that are computed together */
	enum ork_precision precision;
	enum ork_form form;
	uint32_t macs_per_ns; /* of one core at 1 GHz (NPU reference 3.6) */
	uint32_t max_k;     /* in one task, for any values */
};

/* Largest K of one task: 10752 works, 10784 hangs; the vendor's limit is kept (NPU reference 6.1, D10). */
#define ORK_MAX_K_TASK 10240


/* What one task writes. */
struct ork_result {
	const struct ork_operand *operand;
	enum ork_dtype type;
	enum ork_precision precision;
	uint32_t bytes;     /* of one element */
	bool od_bypass;     /* BS_OW_CFG bit 1 (NPU reference 3.3) */
	bool fp32_to_fp16;  /* OUT_CVT_SCALE bit 16 */
};

/* NULL: A and B cannot have this type. */
const struct ork_operand *ork_operand_find(enum ork_dtype type);

/* Type of C if the caller leaves it open: the one that loses nothing. */
enum ork_dtype ork_default_c_type(const struct ork_operand *operand);

/* Whether C of this type can be had, directly or from partial sums. */
bool ork_c_type_valid(const struct ork_operand *operand, enum ork_dtype c_type);

/*
 * What the tasks of a product write: C itself, or partial sums that become C on the CPU if K is cut into more than one
 * slice. c_type is valid for the operand.
 */
const struct ork_result *ork_result_find(const struct ork_operand *operand, enum ork_dtype c_type, uint32_t slices);

const char *ork_dtype_name(enum ork_dtype type);

/* Bytes of count elements; count is a multiple of 32. */
static inline uint32_t ork_operand_bytes(const struct ork_operand *operand, uint32_t count)
{
	return (uint32_t)((uint64_t)count * operand->bits / 8);
}

/* 16-byte surfaces that a kernel group yields; SIZE_E holds one less (NPU reference 3.7). */
static inline uint32_t ork_result_surfaces(const struct ork_result *result)
{
	return result->operand->group_n * result->bytes / ORK_ATOM_BYTES;
}

#endif
