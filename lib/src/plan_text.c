/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <inttypes.h>

#include "plan.h"
#include "text.h"

static void add_shape(struct ork_text *text, const struct ork_shape *shape)
{
	const struct ork_operand *operand = shape->result->operand;

	ork_text_add(text, "shape: ");
	if (shape->batch > 1)
		ork_text_add(text, "%" PRIu32 " products of ", shape->batch);
	ork_text_add(text,
		     "M=%" PRIu32 " K=%" PRIu32 " N=%" PRIu32
		     ", %s to %s, padded to K groups of %d and N groups of %" PRIu32 "\n",
		     shape->rows, shape->k_slice * shape->slices, shape->cols, operand->name,
		     ork_dtype_name(shape->result->type), ORK_GROUP_K, operand->group_n);
	if (shape->slices > 1)
		ork_text_add(text, "K: %" PRIu32 " slices of %" PRIu32 ", added on the CPU; longer ones %s\n",
			     shape->slices, shape->k_slice,
			     operand->bits == 4 ? "could overflow int16 or leave fewer rows of A on the chip" :
						  "leave fewer rows of A on the chip");
	else
		ork_text_add(text, "K: one slice\n");
}

static void add_cores(struct ork_text *text, const struct ork_plan *plan)
{
	static const char *const splits[] = {
		[ORK_SPLIT_NONE] = "no split", [ORK_SPLIT_BATCH] = "each core takes products of the batch",
		[ORK_SPLIT_N] = "each core takes columns of C", [ORK_SPLIT_M] = "each core takes rows of C",
	};
	int i;

	ork_text_add(text, "cores: %" PRIu32 ", %s; estimates:", plan->cores, splits[plan->split]);
	for (i = 0; i < ORK_MAX_CORES; i++)
		if (plan->costs_ns[i])
			ork_text_add(text, " %" PRIu64 " us on %d", plan->costs_ns[i] / 1000, i + 1);
	ork_text_add(text, "\n");
}

static void add_reuse(struct ork_text *text, const struct ork_plan *plan)
{
	if (plan->keep_weights)
		ork_text_add(text, "reuse: weights of an N tile fit their banks and stay for its M tiles\n");
	else if (plan->m_tiles > 1)
		ork_text_add(text, "reuse: no weights, which is cheaper than smaller N tiles\n");
	else
		ork_text_add(text, "reuse: no weights, they are used once\n");
	if (plan->n_tiles > 1)
		ork_text_add(text, "reuse: no features, %s\n",
			     plan->keep_weights || plan->m_tiles > 1 ? "the next task has other rows" :
								       "few next to the weights of an N tile");
}

void ork_plan_text(struct ork_text *text, const struct ork_plan *plan, const struct ork_limits *limits)
{
	const struct ork_shape *shape = &plan->shape;
	const struct ork_operand *operand = shape->result->operand;
	const uint32_t group_bytes = operand->group_n * ork_operand_bytes(operand, shape->k_slice);
	const uint64_t weight_room = (uint64_t)plan->weight_banks * limits->cbuf_bank_bytes;

	add_shape(text, shape);
	add_cores(text, plan);
	ork_text_add(text,
		     "tiles: %" PRIu32 " of M with up to %" PRIu32 " rows, %" PRIu32 " of N with up to %" PRIu32
		     " columns; %" PRIu64 " tasks\n",
		     plan->m_tiles, plan->tile_rows, plan->n_tiles, plan->tile_cols, ork_plan_tasks(plan));
	ork_text_add(text,
		     "banks: %" PRIu32 " features, %" PRIu32 " weights of %" PRIu32 "; a kernel group has %" PRIu32
		     " bytes, %s\n",
		     plan->data_banks, plan->weight_banks, limits->cbuf_banks, group_bytes,
		     weight_room >= 2 * (uint64_t)group_bytes ? "so that the next one loads while one computes" :
								"so that loading and computing take turns");
	add_reuse(text, plan);
}
