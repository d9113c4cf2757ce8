/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "types.h"

/* The int16 output of int4 saturates; up to here it cannot: 480 * 8 * 8 = 30720 (NPU reference 5.4). */
#define MAX_K_I4 480

enum operand_index { I4, I8, F16, BF16, OPERANDS };

/* NPU reference 3.3, 3.6, 4.2. */
static const struct ork_operand operands[OPERANDS] = {
	[I4] = { ORK_I4, "i4", 4, 1, 64, ORK_PRECISION_INT4, ORK_FORM_CUBE, 2048, MAX_K_I4 },
	[I8] = { ORK_I8, "i8", 8, 1, 32, ORK_PRECISION_INT8, ORK_FORM_ROWS, 1024, ORK_MAX_K_TASK },
	[F16] = { ORK_F16, "f16", 16, 2, 16, ORK_PRECISION_FP16, ORK_FORM_ROWS, 512, ORK_MAX_K_TASK },
	[BF16] = { ORK_BF16, "bf16", 16, 2, 16, ORK_PRECISION_BF16, ORK_FORM_ROWS, 512, ORK_MAX_K_TASK },
};

/* The first result of an operand is the one that partial sums are made of. NPU reference 3.3. */
static const struct ork_result results[] = {
	{ &operands[I4], ORK_I16, ORK_PRECISION_INT16, 2, true, false },
	{ &operands[I8], ORK_I32, ORK_PRECISION_INT32, 4, true, false },
	{ &operands[I8], ORK_I8, ORK_PRECISION_INT8, 1, false, false },
	{ &operands[F16], ORK_F32, ORK_PRECISION_FP32, 4, true, false },
	{ &operands[F16], ORK_F16, ORK_PRECISION_FP16, 2, true, true },
	{ &operands[BF16], ORK_F32, ORK_PRECISION_FP32, 4, true, false },
};

#define RESULTS (sizeof(results) / sizeof(results[0]))

const struct ork_operand *ork_operand_find(enum ork_dtype type)
{
	int i;

	for (i = 0; i < OPERANDS; i++)
		if (operands[i].type == type)
			return &operands[i];
	return NULL;
}

enum ork_dtype ork_default_c_type(const struct ork_operand *operand)
{
	return operand->precision == ORK_PRECISION_FP16 || operand->precision == ORK_PRECISION_BF16 ? ORK_F32 : ORK_I32;
}

bool ork_c_type_valid(const struct ork_operand *operand, enum ork_dtype c_type)
{
	size_t i;

	if (c_type == ork_default_c_type(operand))
		return true;
	for (i = 0; i < RESULTS; i++)
		if (results[i].operand == operand && results[i].type == c_type)
			return c_type != ORK_I16;
	return false;
}

const struct ork_result *ork_result_find(const struct ork_operand *operand, enum ork_dtype c_type, uint32_t slices)
{
	const struct ork_result *sums = NULL;
	size_t i;

	for (i = 0; i < RESULTS; i++) {
		if (results[i].operand != operand)
			continue;
		if (!sums)
			sums = &results[i];
		if (slices == 1 && results[i].type == c_type)
			return &results[i];
	}
	return sums;
}

size_t ork_dtype_bytes(enum ork_dtype type)
{
	switch (type) {
	case ORK_I4:
	case ORK_I8:
		return 1;
	case ORK_I16:
	case ORK_F16:
	case ORK_BF16:
		return 2;
	case ORK_I32:
	case ORK_F32:
		return 4;
	default:
		return 0;
	}
}

const char *ork_dtype_name(enum ork_dtype type)
{
	static const char *const names[] = {
		[ORK_I4] = "i4",   [ORK_I8] = "i8",     [ORK_I16] = "i16", [ORK_I32] = "i32",
		[ORK_F16] = "f16", [ORK_BF16] = "bf16", [ORK_F32] = "f32",
	};

	if (!ork_dtype_bytes(type))
		return "unknown";
	return names[type];
}
