/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TENSOR_H
#define ORK_TENSOR_H

#include <ork_pack.h>

#include "json.h"

/* Bytes of its weights and scales. */
unsigned long long tensor_bytes(const struct ork_pack_tensor *tensor);

/* i8, i4, f16 or bf16. */
const char *tensor_type(const struct ork_pack_tensor *tensor);

/* What the index knows of a tensor, as members of the open object. */
void tensor_json(struct json *json, const struct ork_pack_tensor *tensor);

#endif
