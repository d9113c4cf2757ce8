/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>

#include "ref.h"
#include "request.h"
#include "types.h"

int ork_ref_matmul(const struct ork_ref_desc *desc)
{
	const struct ork_operand *operand;
	enum ork_dtype c_type;

	if (!desc || !desc->a || !desc->b || !desc->c || !desc->m || !desc->k || !desc->n)
		return -EINVAL;
	if (desc->lda < desc->k || desc->ldb < desc->n || desc->ldc < desc->n || desc->k_slice % ORK_GROUP_K)
		return -EINVAL;
	if (desc->m > ORK_MAX_DIM || desc->k > ORK_MAX_DIM || desc->n > ORK_MAX_DIM)
		return -E2BIG;
	operand = ork_operand_find(desc->type);
	if (!operand)
		return -EINVAL;
	c_type = desc->c_type ? desc->c_type : ork_default_c_type(operand);
	if (!ork_c_type_valid(operand, c_type))
		return -EINVAL;
	if (c_type == ORK_I8 && !ork_requant_valid(&desc->requant))
		return -EINVAL;
	if (ork_default_c_type(operand) == ORK_F32)
		return ork_ref_float(desc, c_type);
	return ork_ref_integer(desc, c_type);
}
