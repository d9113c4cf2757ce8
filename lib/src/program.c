/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "regcmd.h"

/* Task descriptions that are collected for one part. */
struct part {
	struct ork_regcmd rc;
	struct drm_ork_task *tasks;
	struct drm_ork_slot *slots; /* ORK_SLOTS per task */
};

void ork_program_plan(const struct ork_device *dev, const struct ork_program_key *key, struct ork_plan *plan)
{
	struct ork_limits limits = dev->limits;

	limits.cores = (uint32_t)__builtin_popcount(key->core_mask);
	ork_plan_make(plan, &limits, &key->shape, key->cores);
}

uint32_t ork_program_part_tasks(const struct ork_device *dev, const struct ork_program *program, uint32_t part)
{
	const uint64_t rest = ork_plan_tasks(&program->plan) - (uint64_t)part * dev->limits.max_tasks;

	return rest < dev->limits.max_tasks ? (uint32_t)rest : dev->limits.max_tasks;
}

/* Addresses are offsets from those of the job. They fit 32 bits because buffers are smaller than 4 GiB. */
static void task_of_tile(const struct ork_program *program, const struct ork_tile *tile, struct ork_task *task)
{
	const struct ork_plan *plan = &program->plan;
	const struct ork_shape *shape = &plan->shape;

	*task = (struct ork_task){
		.result = shape->result,
		.rows = tile->rows,
		.k = shape->k_slice,
		.cols = tile->cols,
		.a_va = (uint32_t)ork_tile_a_offset(shape, tile),
		.a_pitch_bytes = ork_tile_a_pitch(shape),
		.b_va = (uint32_t)ork_tile_b_offset(shape, tile),
		.c_va = (uint32_t)ork_tile_c_offset(shape, tile),
		.c_pitch_bytes = ork_tile_c_pitch(shape, tile),
		.data_banks = plan->data_banks,
		.weight_banks = plan->weight_banks,
		.requant = program->key.requant,
	};
}

static int write_tasks(struct ork_device *dev, const struct ork_program *program, uint64_t first, uint32_t count,
		       struct part *part)
{
	struct ork_task task;
	struct ork_tile tile;
	uint32_t i, word;
	int err;

	for (i = 0; i < count; i++) {
		word = (uint32_t)part->rc.count;
		ork_plan_tile(&program->plan, first + i, &tile);
		task_of_tile(program, &tile, &task);
		task.weight_reuse = ork_plan_reuses_weights(&program->plan, first, count, i);
		err = ork_regcmd_task(&part->rc, &task);
		if (err)
			return ork_fail(dev, err, "task %u does not fit the registers of the NPU", i);
		part->tasks[i] = (struct drm_ork_task){ .first_word = word,
							.word_count = ORK_TASK_WORDS,
							.enable_map = DRM_ORK_ENABLE_CONV };
		part->slots[ORK_SLOTS * i + 0] = (struct drm_ork_slot){ word + ORK_TASK_A_WORD, ORK_SLOT_A };
		part->slots[ORK_SLOTS * i + 1] = (struct drm_ork_slot){ word + ORK_TASK_B_WORD, ORK_SLOT_B };
		part->slots[ORK_SLOTS * i + 2] = (struct drm_ork_slot){ word + ORK_TASK_C_WORD, ORK_SLOT_C };
	}
	return 0;
}

int ork_program_words(struct ork_device *dev, const struct ork_program_key *key, uint64_t *words, size_t count)
{
	struct ork_program program = { .key = *key };
	struct part part = { .rc = { .words = words, .capacity = count } };
	uint32_t tasks;
	int err = 0;

	ork_program_plan(dev, key, &program.plan);
	tasks = ork_program_part_tasks(dev, &program, 0);
	if (count < (size_t)tasks * ORK_TASK_WORDS)
		return (int)(tasks * ORK_TASK_WORDS);
	part.tasks = calloc(tasks, sizeof(*part.tasks));
	part.slots = calloc((size_t)tasks * ORK_SLOTS, sizeof(*part.slots));
	if (!part.tasks || !part.slots)
		err = ork_fail(dev, -ENOMEM, "out of memory");
	else
		err = write_tasks(dev, &program, 0, tasks, &part);
	free(part.tasks);
	free(part.slots);
	return err ? err : (int)part.rc.count;
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
		[DRM_ORK_REJECT_SLOT] = "an address slot is wrong",
	};

	if (reject >= sizeof(texts) / sizeof(texts[0]) || !texts[reject])
		return "the reason is unknown";
	return texts[reject];
}

static int create_part(struct ork_device *dev, struct ork_program *program, uint32_t index, struct part *part)
{
	const uint32_t count = ork_program_part_tasks(dev, program, index);
	struct ork_refusal refusal = { 0 };
	struct ork_commands commands;
	int err;

	part->rc.count = 0;
	err = write_tasks(dev, program, (uint64_t)index * dev->limits.max_tasks, count, part);
	if (err)
		return err;
	commands = (struct ork_commands){
		.words = part->rc.words,
		.word_count = (uint32_t)part->rc.count,
		.tasks = part->tasks,
		.slots = part->slots,
		.task_count = count,
		.slot_count = ORK_SLOTS * count,
		.vm = program->key.vm,
	};
	err = dev->backend->prog_create(dev, &commands, &program->handles[index], &refusal);
	if (err && refusal.reject)
		return ork_fail(dev, err, "the driver refused task %u at word %u: %s", refusal.task, refusal.word,
				reject_text(refusal.reject));
	if (err)
		return ork_fail(dev, err, "cannot create a program of %u tasks: %s", count, ork_strerror(err));
	return 0;
}

static int create_parts(struct ork_device *dev, struct ork_program *program)
{
	const uint32_t most = ork_program_part_tasks(dev, program, 0);
	struct part part = { .rc.capacity = (size_t)most * ORK_TASK_WORDS };
	uint32_t i;
	int err = 0;

	part.rc.words = calloc(part.rc.capacity, sizeof(*part.rc.words));
	part.tasks = calloc(most, sizeof(*part.tasks));
	part.slots = calloc((size_t)most * ORK_SLOTS, sizeof(*part.slots));
	if (!part.rc.words || !part.tasks || !part.slots)
		err = ork_fail(dev, -ENOMEM, "out of memory");
	for (i = 0; i < program->parts && !err; i++)
		err = create_part(dev, program, i, &part);
	free(part.rc.words);
	free(part.tasks);
	free(part.slots);
	return err;
}

static void program_free(struct ork_device *dev, struct ork_program *program)
{
	uint32_t i;

	for (i = 0; i < program->parts; i++)
		if (program->handles[i])
			dev->backend->prog_destroy(dev, program->handles[i]);
	free(program);
}

static int create(struct ork_device *dev, const struct ork_program_key *key, struct ork_program **program)
{
	struct ork_program *created = NULL;
	struct ork_plan plan;
	uint64_t parts;
	int err;

	ork_program_plan(dev, key, &plan);
	parts = (ork_plan_tasks(&plan) + dev->limits.max_tasks - 1) / dev->limits.max_tasks;
	created = calloc(1, sizeof(*created) + parts * sizeof(created->handles[0]));
	if (!created)
		return ork_fail(dev, -ENOMEM, "out of memory");
	created->key = *key;
	created->plan = plan;
	created->parts = (uint32_t)parts;
	err = create_parts(dev, created);
	if (err) {
		program_free(dev, created);
		return err;
	}
	*program = created;
	return 0;
}

static bool same_shape(const struct ork_shape *a, const struct ork_shape *b)
{
	return a->result == b->result && a->batch == b->batch && a->rows == b->rows && a->k_slice == b->k_slice &&
	       a->slices == b->slices && a->cols == b->cols && a->b_slice_bytes == b->b_slice_bytes &&
	       a->b_batch_bytes == b->b_batch_bytes && a->a_pitch_bytes == b->a_pitch_bytes &&
	       a->a_batch_bytes == b->a_batch_bytes && a->c_pitch_bytes == b->c_pitch_bytes &&
	       a->c_batch_bytes == b->c_batch_bytes;
}

static bool same_key(const struct ork_program_key *a, const struct ork_program_key *b)
{
	return same_shape(&a->shape, &b->shape) && a->requant.scale == b->requant.scale &&
	       a->requant.shift == b->requant.shift && a->requant.offset == b->requant.offset && a->cores == b->cores &&
	       a->core_mask == b->core_mask && a->vm == b->vm;
}

/* The place of the key's program, else an empty one, else that of the program which was not used for longest. */
static struct ork_program **find_place(struct ork_device *dev, const struct ork_program_key *key)
{
	struct ork_program **place = NULL;
	int i;

	for (i = 0; i < ORK_PROGRAMS; i++) {
		struct ork_program **at = &dev->programs[i];

		if (*at && same_key(&(*at)->key, key))
			return at;
		if (!*at && (!place || *place))
			place = at;
		else if (*at && !(*at)->users && (!place || (*place && (*at)->last_use < (*place)->last_use)))
			place = at;
	}
	return place;
}

static void use(struct ork_device *dev, struct ork_program *program)
{
	program->users++;
	program->last_use = ++dev->program_uses;
}

int ork_program_get(struct ork_device *dev, const struct ork_program_key *key, struct ork_program **program)
{
	struct ork_program **place = find_place(dev, key);
	int err;

	if (place && *place && same_key(&(*place)->key, key)) {
		use(dev, *place);
		*program = *place;
		return 0;
	}
	err = create(dev, key, program);
	if (err)
		return err;
	use(dev, *program);
	if (!place)
		return 0;
	if (*place)
		program_free(dev, *place);
	(*program)->kept = true;
	*place = *program;
	return 0;
}

void ork_program_put(struct ork_device *dev, struct ork_program *program)
{
	if (program && !--program->users && !program->kept)
		program_free(dev, program);
}

void ork_programs_free(struct ork_device *dev)
{
	int i;

	for (i = 0; i < ORK_PROGRAMS; i++) {
		if (dev->programs[i])
			program_free(dev, dev->programs[i]);
		dev->programs[i] = NULL;
	}
}
