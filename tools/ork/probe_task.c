/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of the library: how matrices lie in memory, and which words make a task. */
#include "layout.h"
#include "regcmd.h"

#include "operands.h"
#include "probe.h"

#define MAX_TASKS 2

/* Small whole numbers, so that sums are exact in every type, and those of int4 fit the int16 that a task writes. */
struct probe_data {
	const struct probe_case *what;
	uint32_t tasks, k_packed;
	int8_t *a, *b;           /* A of all tasks, one below the other; B[k_packed][n] */
	struct probe_bo in, weights, out;
	uint32_t a_bytes, c_bytes; /* of one task */
};

static int8_t *small_numbers(size_t count, uint64_t *state)
{
	int8_t *data = random_matrix(ORK_I8, count, state);
	size_t i;

	for (i = 0; data && i < count; i++)
		data[i] = (int8_t)((uint8_t)data[i] % 5 - 2);
	return data;
}

/* In the library's type for the operand, from malloc(). */
static void *encode(const struct ork_operand *operand, const int8_t *numbers, size_t count)
{
	static const uint16_t halves[] = { 0xc000, 0xbc00, 0, 0x3c00, 0x4000 };
	void *data = malloc(count * operand->user_bytes);
	size_t i;

	if (!data)
		return NULL;
	if (operand->user_bytes == 1)
		return memcpy(data, numbers, count);
	for (i = 0; i < count; i++)
		((uint16_t *)data)[i] = halves[numbers[i] + 2];
	return data;
}

static int fill(const struct probe_data *data)
{
	const struct probe_case *what = data->what;
	const struct ork_operand *operand = what->result->operand;
	const struct ork_a_shape shape = { .rows = what->m, .k = what->k, .k_slice = what->k, .slices = 1 };
	const struct ork_part part = { .rows = data->k_packed, .cols = what->n };
	const size_t rows_elements = (size_t)what->m * what->k;
	char *a = encode(operand, data->a, data->tasks * rows_elements);
	void *b = encode(operand, data->b, (size_t)data->k_packed * what->n);
	uint32_t i;

	for (i = 0; a && b && i < data->tasks; i++)
		ork_pack_a(operand, (char *)data->in.ptr + i * data->a_bytes, a + i * rows_elements * operand->user_bytes,
			   what->k, &shape);
	if (a && b)
		ork_pack_weights(operand, data->weights.ptr, data->k_packed, &part, b, what->n);
	/* What is not written shall not look right. */
	memset(data->out.ptr, 0x55, data->out.bytes);
	free(a);
	free(b);
	return a && b ? 0 : -ENOMEM;
}

static int create(const struct probe_device *probe, struct probe_data *data)
{
	const struct probe_case *what = data->what;
	const struct ork_operand *operand = what->result->operand;
	uint64_t state = 1;
	int err;

	data->tasks = what->reuse ? 2 : 1;
	data->k_packed = what->k_packed ? what->k_packed : what->k;
	data->a_bytes = what->m * ork_operand_bytes(operand, what->k);
	data->c_bytes = what->m * what->n * what->result->bytes;
	data->a = small_numbers((size_t)data->tasks * what->m * what->k, &state);
	data->b = small_numbers((size_t)data->k_packed * what->n, &state);
	if (!data->a || !data->b)
		return -ENOMEM;
	err = probe_bo_create(probe, data->tasks * data->a_bytes, &data->in);
	if (!err)
		err = probe_bo_create(probe, (uint64_t)what->n * ork_operand_bytes(operand, data->k_packed), &data->weights);
	if (!err)
		err = probe_bo_create(probe, data->tasks * data->c_bytes, &data->out);
	return err ? err : fill(data);
}

static void destroy(const struct probe_device *probe, struct probe_data *data)
{
	probe_bo_destroy(probe, &data->in);
	probe_bo_destroy(probe, &data->weights);
	probe_bo_destroy(probe, &data->out);
	free(data->a);
	free(data->b);
}

static int submit(const struct probe_device *probe, const struct probe_data *data, struct probe_verdict *verdict)
{
	const struct probe_case *what = data->what;
	uint64_t words[MAX_TASKS * ORK_TASK_WORDS];
	struct ork_regcmd rc = { .words = words, .capacity = MAX_TASKS * ORK_TASK_WORDS };
	struct ork_task task = {
		.result = what->result, .rows = what->m, .k = what->k, .cols = what->n,
		.a_pitch_bytes = ork_operand_bytes(what->result->operand, what->k),
		.b_va = data->weights.va,
		.c_pitch_bytes = what->n * what->result->bytes,
		.data_banks = what->data_banks, .weight_banks = what->weight_banks,
		.requant = { .scale = 1 },
	};
	uint32_t i;
	int err = 0;

	for (i = 0; i < data->tasks && !err; i++) {
		task.a_va = data->in.va + i * data->a_bytes;
		task.c_va = data->out.va + i * data->c_bytes;
		task.weight_reuse = i > 0;
		err = ork_regcmd_task(&rc, &task);
	}
	return err ? err : probe_submit(probe, words, data->tasks, verdict);
}

/* Whether an element of C, as a task of the type writes it, is the number. */
static bool is(enum ork_dtype type, const void *c, size_t index, int32_t number)
{
	switch (type) {
	case ORK_I16:
		return ((const int16_t *)c)[index] == number;
	case ORK_I32:
		return ((const int32_t *)c)[index] == number;
	default:
		return ((const float *)c)[index] == (float)number;
	}
}

/* NPU reference 4.4: a cube has planes of one atom per row. */
static size_t place(const struct probe_case *what, uint32_t row, uint32_t col)
{
	const uint32_t atom = ORK_ATOM_BYTES / what->result->bytes;

	if (what->result->operand->form == ORK_FORM_ROWS)
		return (size_t)row * what->n + col;
	return ((size_t)(col / atom) * what->m + row) * atom + col % atom;
}

static uint64_t count_wrong(const struct probe_data *data, uint32_t task)
{
	const struct probe_case *what = data->what;
	const int8_t *a = data->a + (size_t)task * what->m * what->k;
	const char *c = (const char *)data->out.ptr + task * data->c_bytes;
	uint32_t i, j, l;
	uint64_t wrong = 0;
	int32_t sum;

	for (i = 0; i < what->m; i++) {
		for (j = 0; j < what->n; j++) {
			for (l = 0, sum = 0; l < what->k; l++)
				sum += a[(size_t)i * what->k + l] * data->b[(size_t)l * what->n + j];
			wrong += !is(what->result->type, c, place(what, i, j), sum);
		}
	}
	return wrong;
}

int probe_run(const struct probe_device *probe, const struct probe_case *what, struct probe_verdict *verdict)
{
	struct probe_data data = { .what = what };
	int err = create(probe, &data);

	*verdict = (struct probe_verdict){ .outcome = PROBE_WORKS };
	if (!err)
		err = submit(probe, &data, verdict);
	if (!err && verdict->outcome == PROBE_WORKS) {
		/* With reuse the second task is the one in question. */
		verdict->elements = (uint64_t)what->m * what->n;
		verdict->wrong = count_wrong(&data, data.tasks - 1);
		if (verdict->wrong)
			verdict->outcome = PROBE_WRONG;
	}
	destroy(probe, &data);
	return err;
}
