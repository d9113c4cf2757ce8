/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "internal.h"
#include "regcmd.h"

/*
 * Programs of one weights object. The tasks read rows of the A stage and write the C stage:
 *
 *   A stage: A[rows][k], contiguous.
 *   C stage: one block per N tile, C[rows][tile columns], contiguous. Blocks of their own keep the pitch of C within
 *            the 8192 atoms that NOTCH can express and as small as possible, which is also faster (NPU reference 3.9).
 */
static void task_of_tile(const struct ork_weights *weights, const struct ork_plan *plan, const struct ork_tile *tile,
			 struct ork_task_i8 *task)
{
	const struct ork_device *dev = weights->dev;
	const uint32_t c_pitch_bytes = tile->cols * (uint32_t)sizeof(int32_t);

	*task = (struct ork_task_i8){
		.rows = tile->rows,
		.k = plan->k,
		.cols = tile->cols,
		.a_va = dev->stage_a.va + tile->row * plan->k,
		.a_pitch_bytes = plan->k,
		.b_va = weights->va + tile->col * plan->k,
		.c_va = dev->stage_c.va + tile->col * plan->rows * (uint32_t)sizeof(int32_t) +
			tile->row * c_pitch_bytes,
		.c_pitch_bytes = c_pitch_bytes,
		.data_banks = plan->data_banks,
		.weight_banks = plan->weight_banks,
	};
}

static int write_tasks(const struct ork_weights *weights, const struct ork_plan *plan, struct ork_regcmd *rc,
		       struct drm_ork_task *tasks)
{
	const uint32_t count = ork_plan_tasks(plan);
	struct ork_task_i8 task;
	struct ork_tile tile;
	uint32_t i;
	int err;

	for (i = 0; i < count; i++) {
		tasks[i] = (struct drm_ork_task){ .first_word = (uint32_t)rc->count,
						  .enable_map = DRM_ORK_ENABLE_CONV };
		ork_plan_tile(plan, i, &tile);
		task_of_tile(weights, plan, &tile, &task);
		err = ork_regcmd_task_i8(rc, &task);
		if (err)
			return ork_fail(weights->dev, err, "task %u does not fit the registers of the NPU", i);
		tasks[i].word_count = (uint32_t)rc->count - tasks[i].first_word;
	}
	return 0;
}

static const char *reject_text(uint32_t reject)
{
	static const char *const texts[] = {
		[DRM_ORK_REJECT_TARGET] = "the target is not CNA, CORE or DPU",
		[DRM_ORK_REJECT_REGISTER] = "the register must not be written",
		[DRM_ORK_REJECT_FIELD] = "a value does not fit its field",
		[DRM_ORK_REJECT_MISSING] = "a register is missing",
		[DRM_ORK_REJECT_UNSUPPORTED] = "the driver does not support this mode",
		[DRM_ORK_REJECT_ADDRESS] = "an address is misaligned or not mapped",
		[DRM_ORK_REJECT_SHAPE] = "sizes contradict each other",
		[DRM_ORK_REJECT_BANKS] = "on-chip banks are too small",
		[DRM_ORK_REJECT_REUSE] = "on-chip data must not be reused",
		[DRM_ORK_REJECT_OUTPUT] = "the output does not fit its type",
		[DRM_ORK_REJECT_TASK] = "the task table is wrong",
	};

	if (reject >= sizeof(texts) / sizeof(texts[0]) || !texts[reject])
		return "the reason is unknown";
	return texts[reject];
}

static int create(struct ork_weights *weights, struct ork_program *program)
{
	const uint32_t count = ork_plan_tasks(&program->plan);
	struct ork_regcmd rc = { .capacity = (size_t)count * ORK_TASK_I8_WORDS };
	struct drm_ork_task *tasks = calloc(count, sizeof(*tasks));
	struct drm_ork_prog_create args = { 0 };
	int err;

	rc.words = calloc(rc.capacity, sizeof(*rc.words));
	if (!tasks || !rc.words) {
		err = ork_fail(weights->dev, -ENOMEM, "out of memory");
		goto out;
	}
	err = write_tasks(weights, &program->plan, &rc, tasks);
	if (err)
		goto out;
	args.words = (struct drm_ork_array){ sizeof(*rc.words), (uint32_t)rc.count, (uintptr_t)rc.words };
	args.tasks = (struct drm_ork_array){ sizeof(*tasks), count, (uintptr_t)tasks };
	err = weights->dev->backend->prog_create(weights->dev, &args);
	if (!err)
		program->handle = args.handle;
	else if (args.reject)
		ork_fail(weights->dev, err, "the driver refused task %u at word %u: %s", args.reject_task,
			 args.reject_word, reject_text(args.reject));
	else
		ork_fail(weights->dev, err, "cannot create a program of %u tasks: %s", count, ork_strerror(err));
out:
	free(tasks);
	free(rc.words);
	return err;
}

static void destroy(struct ork_weights *weights, struct ork_program *program)
{
	if (program->handle)
		weights->dev->backend->prog_destroy(weights->dev, program->handle);
	*program = (struct ork_program){ 0 };
}

void ork_programs_destroy(struct ork_weights *weights)
{
	int i;

	for (i = 0; i < ORK_WEIGHTS_PROGRAMS; i++)
		destroy(weights, &weights->programs[i]);
}

int ork_program_get(struct ork_weights *weights, uint32_t rows, uint32_t cores, uint32_t core_mask,
		    struct ork_program **program)
{
	struct ork_limits limits = weights->dev->limits;
	struct ork_program *oldest = &weights->programs[0];
	int i, err;

	weights->uses++;
	for (i = 0; i < ORK_WEIGHTS_PROGRAMS; i++) {
		struct ork_program *entry = &weights->programs[i];

		if (entry->handle && entry->plan.rows == rows && entry->cores_asked == cores &&
		    entry->core_mask == core_mask) {
			entry->last_use = weights->uses;
			*program = entry;
			return 0;
		}
		if (entry->last_use < oldest->last_use)
			oldest = entry;
	}
	destroy(weights, oldest);
	limits.cores = (uint32_t)__builtin_popcount(core_mask);
	err = ork_plan_make(&oldest->plan, &limits, rows, weights->k_pad, weights->n_pad, cores);
	if (err)
		return ork_fail(weights->dev, err, "no plan for M = %u, K = %u, N = %u", rows, weights->k, weights->n);
	err = create(weights, oldest);
	if (err)
		return err;
	oldest->cores_asked = cores;
	oldest->core_mask = core_mask;
	oldest->last_use = weights->uses;
	*program = oldest;
	return 0;
}
