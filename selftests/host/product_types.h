/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_HOST_PRODUCT_TYPES_H
#define ORK_HOST_PRODUCT_TYPES_H

#include <ork.h>

#include "tap.h"

/* All that a product can be made of. */
struct product_type {
	const char *name;
	enum ork_dtype type, c_type;
};

static const struct product_type product_types[] = {
	{ "int8 to int32", ORK_I8, ORK_I32 },       { "int8 to int8", ORK_I8, ORK_I8 },
	{ "int4 to int32", ORK_I4, ORK_I32 },       { "float16 to float32", ORK_F16, ORK_F32 },
	{ "float16 to float16", ORK_F16, ORK_F16 }, { "bfloat16 to float32", ORK_BF16, ORK_F32 },
};

#define PRODUCT_TYPES (sizeof(product_types) / sizeof(product_types[0]))

/* Random elements. Floating point with exponents that make rounding matter but not overflow. */
static inline void fill_type(enum ork_dtype type, void *data, size_t count, uint64_t *state)
{
	uint16_t *halves = (uint16_t *)data;
	int8_t *bytes = (int8_t *)data;
	size_t i;

	for (i = 0; i < count; i++) {
		const uint16_t bits = (uint16_t)random_u64(state);

		switch (type) {
		case ORK_F16:
			/* Now and then a subnormal number. */
			halves[i] = (uint16_t)(bits % 64 == 5 ? bits & 0x83ff : (bits & 0x9fff) + 0x1c00);
			break;
		case ORK_BF16:
			halves[i] = (uint16_t)((bits & 0x87ff) + 0x3c00);
			break;
		case ORK_I4:
			bytes[i] = (int8_t)((bits & 15) - 8);
			break;
		default:
			bytes[i] = (int8_t)bits;
		}
	}
}

#endif
