/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdio.h>

#include "json.h"

void json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			printf("\\u%04x", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

unsigned long long tensor_bytes(const struct ork_pack_tensor *tensor)
{
	const unsigned long long matrices = tensor->batch * tensor->groups;

	return matrices * (tensor->matrix_bytes + (tensor->scaled ? tensor->n * sizeof(float) : 0));
}

const char *tensor_type(const struct ork_pack_tensor *tensor)
{
	switch (tensor->type) {
	case ORK_I4:
		return "i4";
	case ORK_I8:
		return "i8";
	case ORK_F16:
		return "f16";
	default:
		return "bf16";
	}
}

void json_tensor(const struct ork_pack_tensor *tensor)
{
	printf("\"name\": ");
	json_string(tensor->name);
	printf(", \"type\": \"%s\", \"k\": %zu, \"n\": %zu, \"batch\": %zu, \"groups\": %zu, \"k_slice\": %zu, "
	       "\"hadamard\": %zu, \"scaled\": %s, \"bytes\": %llu",
	       tensor_type(tensor), tensor->k, tensor->n, tensor->batch, tensor->groups, tensor->k_slice,
	       tensor->hadamard, tensor->scaled ? "true" : "false", tensor_bytes(tensor));
}
