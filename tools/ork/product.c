/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <string.h>

#include "product.h"
#include "tool.h"

static const struct product_type types[] = {
	{ "i8", "int8 to int32", ORK_I8, ORK_I32, 1024 },
	{ "i8q", "int8 to int8", ORK_I8, ORK_I8, 1024 },
	{ "i4", "int4 to int32", ORK_I4, ORK_I32, 2048 },
	{ "f16", "float16 to float32", ORK_F16, ORK_F32, 512 },
	{ "f16f16", "float16 to float16", ORK_F16, ORK_F16, 512 },
	{ "bf16", "bfloat16 to float32", ORK_BF16, ORK_F32, 512 },
};

const struct product_type *const default_product_type = &types[0];

const struct product_type *find_product_type(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(name, types[i].name) == 0)
			return &types[i];
	return NULL;
}

int parse_product_type(const char *text, const struct product_type **type)
{
	*type = find_product_type(text);
	if (*type)
		return EXIT_OK;
	return complain(EXIT_USAGE, "--type takes i8, i8q, i4, f16, f16f16 or bf16, not \"%s\"", text);
}

int parse_cores(const char *text, unsigned long *cores)
{
	if (strcmp(text, "auto") == 0) {
		*cores = 0;
		return EXIT_OK;
	}
	if (parse_number(text, 1, ORK_MAX_CORES, cores) == 0)
		return EXIT_OK;
	return complain(EXIT_USAGE, "--cores takes 1, 2, 3 or auto, not \"%s\"", text);
}

struct ork_requant usual_requant(size_t k)
{
	struct ork_requant requant = { .scale = 1, .shift = 7 };

	for (; k >= 4; k /= 4)
		requant.shift++;
	return requant;
}
