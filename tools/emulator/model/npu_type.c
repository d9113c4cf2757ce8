/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_type.h"

#include <string.h>

static const struct npu_type types[] = {
	{ NPU_INT8, false, 8, 32, 32, 64 },
	{ NPU_INT16, false, 16, 16, 32, 0 },
	{ NPU_FP16, true, 16, 16, 32, 32 },
	{ NPU_BF16, true, 16, 16, 32, 0 },
	{ NPU_INT4, false, 4, 64, 32, 0 },
	{ NPU_TF32, true, 32, 16, 16, 0 },
};

const struct npu_type *npu_type(uint32_t precision)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((uint32_t)types[i].input == precision)
			return &types[i];
	return NULL;
}

uint32_t npu_precision_bytes(uint32_t precision)
{
	switch (precision) {
	case NPU_INT8: return 1;
	case NPU_INT16:
	case NPU_FP16:
	case NPU_BF16: return 2;
	case NPU_INT32:
	case NPU_FP32: return 4;
	}
	return 0;
}

static int32_t nibble_at(const uint8_t *packed, size_t index)
{
	int32_t nibble = packed[index / 2] >> (index % 2 * 4) & 0xf;

	return nibble < 8 ? nibble : nibble - 16;
}

int32_t npu_integer_at(const struct npu_type *type, const uint8_t *packed, size_t index)
{
	int16_t wide;

	switch (type->bits) {
	case 4: return nibble_at(packed, index);
	case 8: return (int8_t)packed[index];
	}
	memcpy(&wide, packed + 2 * index, sizeof(wide));
	return wide;
}

struct npu_real npu_real_at(const struct npu_type *type, const uint8_t *packed, size_t index)
{
	uint32_t word;
	uint16_t half;

	if (type->bits == 32) {
		memcpy(&word, packed + 4 * index, sizeof(word));
		return npu_real_tf32(word);
	}
	memcpy(&half, packed + 2 * index, sizeof(half));
	return type->input == NPU_FP16 ? npu_real_fp16(half) : npu_real_bf16(half);
}
