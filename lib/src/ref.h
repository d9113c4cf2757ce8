/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REF_H
#define ORK_REF_H

#include <ork.h>

/* The two kinds of ork_ref_matmul(). The arguments have been checked. -ENOMEM. */
int ork_ref_integer(const struct ork_ref_desc *desc, enum ork_dtype c_type);
int ork_ref_float(const struct ork_ref_desc *desc, enum ork_dtype c_type);

#endif
