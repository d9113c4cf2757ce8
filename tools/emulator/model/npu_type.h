/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_TYPE_H
#define NPU_TYPE_H

#include "npu_fp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Precision codes, NPU reference 3.3. */
enum npu_precision {
	NPU_INT8 = 0,
	NPU_INT16 = 1,
	NPU_FP16 = 2,
	NPU_BF16 = 3,
	NPU_INT32 = 4, /* DPU only */
	NPU_FP32 = 5,  /* DPU only */
	NPU_INT4 = 6,
	NPU_TF32 = 7, /* CNA and CORE only */
};

/* An input type and the shape that the MAC array has with it (NPU reference 3.6, 4.2). */
struct npu_type {
	enum npu_precision input;
	bool real;               /* sums are fp32 bit patterns; else int32 */
	uint8_t bits;            /* of an element */
	uint8_t kernel_group;    /* Ng, kernels of a weight tile */
	uint8_t channel_group;   /* Kg, channels of a weight tile */
	uint8_t depthwise_group; /* channels of a depthwise group; 0: not known */
};

/* NULL if the MAC array has no such type. */
const struct npu_type *npu_type(uint32_t precision);

static inline size_t npu_type_bytes(const struct npu_type *type, size_t elements)
{
	return elements * type->bits / 8;
}

/* Bytes of an element in memory, for the types that the DPU reads and writes; 0 if it does not. */
uint32_t npu_precision_bytes(uint32_t precision);

/* Element number index of packed elements; even elements of int4 are in the low nibble (NPU reference 0.4, D14). */
int32_t npu_integer_at(const struct npu_type *type, const uint8_t *packed, size_t index);
struct npu_real npu_real_at(const struct npu_type *type, const uint8_t *packed, size_t index);

#endif
