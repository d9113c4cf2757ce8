/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "tensor.h"

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

void tensor_json(struct json *json, const struct ork_pack_tensor *tensor)
{
	json_text(json, "name", tensor->name);
	json_text(json, "type", tensor_type(tensor));
	json_number(json, "k", tensor->k);
	json_number(json, "n", tensor->n);
	json_number(json, "batch", tensor->batch);
	json_number(json, "groups", tensor->groups);
	json_number(json, "k_slice", tensor->k_slice);
	json_number(json, "hadamard", tensor->hadamard);
	json_bool(json, "scaled", tensor->scaled);
	json_number(json, "bytes", tensor_bytes(tensor));
}
