/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_JSON_H
#define ORK_JSON_H

#include <ork_pack.h>

/* Prints a JSON string. */
void json_string(const char *text);

/* Prints what the index knows of a tensor, without the braces around it. */
void json_tensor(const struct ork_pack_tensor *tensor);

/* Bytes of its weights and scales. */
unsigned long long tensor_bytes(const struct ork_pack_tensor *tensor);

/* i8, i4, f16 or bf16. */
const char *tensor_type(const struct ork_pack_tensor *tensor);

#endif
