/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Programs of libork before the driver's checker: whatever the planner makes of a shape, the driver must take it, and
 * no task may leave the buffers that the job supplies.
 */

#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "request.h"
#include "tap.h"

#include "../../drivers/rknpu-ork/ork_regcmd.h"

static const struct ork_regcmd_limits limits = { .cbuf_banks = 12, .cbuf_bank_bytes = 32768 };

/* Sizes of the buffers behind the slots of the program that is made. */
static uint64_t slot_bytes[ORK_SLOTS];
static unsigned int tasks_checked;

struct context {
	const struct ork_commands *commands;
	uint32_t first_slot; /* of the task */
	uint32_t first_word;
};

static int slot_of_word(void *opaque, u32 word)
{
	const struct context *context = opaque;
	uint32_t i;

	for (i = 0; i < ORK_SLOTS; i++)
		if (context->commands->slots[context->first_slot + i].word == context->first_word + word)
			return (int)context->commands->slots[context->first_slot + i].slot;
	return -1;
}

static bool stays_inside(void *opaque, const struct ork_regcmd_access *access)
{
	(void)opaque;
	return access->slot >= 0 && access->start + access->size <= slot_bytes[access->slot] &&
	       access->write == (access->slot == ORK_SLOT_C);
}

static int check_program(struct ork_device *dev, const struct ork_commands *commands, uint32_t *program,
			 struct ork_refusal *refusal)
{
	struct context context = { .commands = commands };
	struct ork_regcmd_state state;
	uint32_t i, w, bad = 0;
	u64 words[128];

	(void)dev;
	memset(&state, 0, sizeof(state));
	for (i = 0; i < commands->task_count; i++) {
		struct ork_regcmd_task task = {
			.words = words, .count = commands->tasks[i].word_count, .limits = &limits,
			.slot = slot_of_word, .allowed = stays_inside, .opaque = &context,
		};

		context.first_slot = i * ORK_SLOTS;
		context.first_word = commands->tasks[i].first_word;
		for (w = 0; w < task.count; w++)
			words[w] = commands->words[context.first_word + w];
		*refusal = (struct ork_refusal){ ork_regcmd_check(&state, &task, &bad), i, bad };
		if (refusal->reject)
			return -EINVAL;
		tasks_checked++;
	}
	*program = 1;
	return 0;
}

static void forget_program(struct ork_device *dev, uint32_t program)
{
	(void)dev;
	(void)program;
}

static const struct ork_backend checker = {
	.name = "checker", .prog_create = check_program, .prog_destroy = forget_program
};

static struct ork_device dev = {
	.backend = &checker,
	.limits = { .cores = 3, .cbuf_banks = 12, .cbuf_bank_bytes = 32768, .max_tasks = 4095 },
	.core_mask = 7,
};

/* From the first to the last byte of A and of C in place. */
static uint64_t a_extent(const struct ork_shape *shape)
{
	return (shape->batch - 1) * shape->a_batch_bytes + (uint64_t)(shape->rows - 1) * shape->a_pitch_bytes +
	       (uint64_t)ork_operand_bytes(shape->result->operand, shape->k_slice) * shape->slices;
}

static uint64_t c_extent(const struct ork_shape *shape)
{
	return (shape->batch - 1) * shape->c_batch_bytes + (uint64_t)(shape->rows - 1) * shape->c_pitch_bytes +
	       (uint64_t)shape->cols * shape->result->bytes;
}

static bool is_accepted(const struct ork_operand *operand, enum ork_dtype c_type, const struct ork_shape *shape,
			uint32_t cores)
{
	struct ork_program_key key = {
		.shape = *shape, .requant = { .scale = 1 }, .cores = cores, .core_mask = 7
	};
	struct ork_program *program;

	if (shape->result->type == ORK_I8)
		key.requant = (struct ork_requant){ .scale = -20000, .shift = 20, .offset = -5 };
	slot_bytes[ORK_SLOT_A] = shape->a_pitch_bytes ? a_extent(shape) : ork_shape_a_bytes(shape);
	slot_bytes[ORK_SLOT_B] = shape->b_batch_bytes * shape->batch;
	slot_bytes[ORK_SLOT_C] = shape->c_pitch_bytes ? c_extent(shape) : ork_shape_c_bytes(shape);
	if (ork_program_get(&dev, &key, &program)) {
		note("%s to %s M=%u K=%u*%u N=%u batch=%u cores=%u: %s", operand->name, ork_dtype_name(c_type),
		     shape->rows, shape->slices, shape->k_slice, shape->cols, shape->batch, cores, ork_error(&dev));
		return false;
	}
	ork_program_put(&dev, program);
	return true;
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)(random_u64(state) % limit);
}

/* Small and large sizes alike, in units of step. */
static uint32_t random_size(uint64_t *state, uint32_t step, uint32_t largest)
{
	const uint32_t bits = 1 + below(state, 20);
	uint32_t size = (1 + below(state, 1u << bits)) * step;

	return size < largest ? size : largest / step * step;
}

/* Weights with room to grow, and A and C in place with gaps, as far as the hardware and 4 GiB of addresses go. */
static void place_operands(struct ork_shape *shape, uint64_t *state)
{
	const struct ork_operand *operand = shape->result->operand;
	const uint32_t slice_bytes = ork_operand_bytes(operand, shape->k_slice);
	const uint32_t a_row = slice_bytes * shape->slices, c_row = shape->cols * shape->result->bytes;

	shape->b_slice_bytes = (uint64_t)slice_bytes * (shape->cols + below(state, 3) * operand->group_n);
	shape->b_batch_bytes = shape->b_slice_bytes * (shape->slices + below(state, 2));
	if (operand->form == ORK_FORM_ROWS && below(state, 2)) {
		shape->a_pitch_bytes = a_row + 16 * below(state, 9);
		shape->a_batch_bytes = (uint64_t)shape->rows * shape->a_pitch_bytes + 16 * below(state, 9);
		if (a_extent(shape) >> 32)
			shape->a_pitch_bytes = 0;
	}
	if (operand->form == ORK_FORM_ROWS && shape->slices == 1 && c_row < 130000 && below(state, 2)) {
		shape->c_pitch_bytes = c_row + 16 * below(state, 9);
		shape->c_batch_bytes = (uint64_t)shape->rows * shape->c_pitch_bytes + 16 * below(state, 9);
		if (c_extent(shape) >> 32)
			shape->c_pitch_bytes = 0;
	}
}

static void programs_are_accepted(enum ork_dtype type, enum ork_dtype c_type)
{
	const struct ork_operand *operand = ork_operand_find(type);
	unsigned int tried, accepted = 0;
	uint64_t state = type * 10 + c_type;

	for (tried = 0; tried < 100; tried++) {
		struct ork_shape shape = {
			.batch = 1 + (below(&state, 4) ? 0 : below(&state, 20)),
			.rows = random_size(&state, 1, 5000),
			.k_slice = random_size(&state, 32, 10240),
			.slices = 1 + (below(&state, 4) ? 0 : below(&state, 20)),
			.cols = random_size(&state, operand->group_n, 50000),
		};

		shape.result = ork_result_find(operand, c_type, shape.slices);
		place_operands(&shape, &state);
		ork_plan_pass(&shape, 64 << 20);
		accepted += is_accepted(operand, c_type, &shape, below(&state, 4));
	}
	ok(accepted == tried, "the driver accepts %u of %u programs of %s to %s", accepted, tried, operand->name,
	   ork_dtype_name(c_type));
}

int main(void)
{
	programs_are_accepted(ORK_I8, ORK_I32);
	programs_are_accepted(ORK_I8, ORK_I8);
	programs_are_accepted(ORK_I4, ORK_I32);
	programs_are_accepted(ORK_F16, ORK_F32);
	programs_are_accepted(ORK_F16, ORK_F16);
	programs_are_accepted(ORK_BF16, ORK_F32);
	note("%u tasks were checked", tasks_checked);
	ork_programs_free(&dev);
	return done();
}
