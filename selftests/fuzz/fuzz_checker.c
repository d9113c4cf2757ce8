/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Coverage-guided fuzzing of the program checker. The input names a program that is valid, and then what is done to it: values,
 * whole words, order, number, slots, and further tasks. So the fuzzer starts where the checker says yes, and single bytes
 * lead it through each of its rules.
 *
 * Checked for every input: the checker survives (sanitizers), names a word that exists, asks about no more ranges than a task
 * has, never accepts a first task that reuses, and never accepts with limits on what it refuses with limits off. One accepted
 * program in MODEL_EVERY also runs on the model, which is not instrumented here; it has a fuzzer of its own.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/task_maker.h"
#include "../host/witness.h"

#define MODEL_EVERY 256
#define MODEL_WORK (1u << 16)

struct input {
	const uint8_t *at;
	size_t left;
};

/* Called by libFuzzer, which has no header for it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An input that ends early goes on with zeros. */
static uint32_t take(struct input *in, size_t bytes)
{
	uint32_t value = 0;

	if (bytes > in->left)
		bytes = in->left;
	memcpy(&value, in->at, bytes);
	in->at += bytes;
	in->left -= bytes;
	return value;
}

static void take_shape(struct input *in, struct task_shape *shape)
{
	const struct task_type *type = &task_types[take(in, 1) % task_type_count];
	enum task_form form = (enum task_form)(take(in, 1) % TASK_FORMS);
	uint32_t extra = 1 + take(in, 1), m = 1 + take(in, 1);
	uint32_t k = type->k_group * (1 + take(in, 1)), n = type->kernel_group * (1 + take(in, 1) % 64);

	if (form == TASK_PANEL)
		m = extra * (1 + m % 8);
	else
		extra += m;
	task_shape_init(shape, type, form, m, k, n, extra);
	shape->a = take(in, 2) << 4;
	shape->b = 0x20000000 + (take(in, 2) << 4);
	shape->c = 0x80000000 + (take(in, 2) << 4);
}

static void add_task(struct witness *w, const struct task_shape *shape)
{
	struct witness_task *task = &w->tasks[w->task_count];

	if (w->task_count == WITNESS_TASKS)
		return;
	memset(task->slot, 0, sizeof(task->slot));
	task->count = task_make(shape, task->words);
	w->task_count++;
}

static void copy_task(struct witness *w, const struct witness_task *from)
{
	if (w->task_count < WITNESS_TASKS)
		w->tasks[w->task_count++] = *from;
}

static void set_value(struct witness_task *task, uint32_t at, uint32_t value)
{
	u64 word = task->words[at];

	task->words[at] = ORK_WORD(word >> 48, value, word);
}

static void remove_word(struct witness_task *task, uint32_t at)
{
	memmove(task->words + at, task->words + at + 1, (task->count - at - 1) * sizeof(task->words[0]));
	memmove(task->slot + at, task->slot + at + 1, task->count - at - 1);
	task->count--;
}

static void change_task(struct input *in, struct witness *w)
{
	uint32_t what = take(in, 1), which = take(in, 1);
	struct witness_task *task = &w->tasks[which % w->task_count];
	struct task_shape shape;
	uint32_t at, value;

	if (!task->count)
		return;
	at = take(in, 1) % task->count;
	value = (uint32_t)(task->words[at] >> 16);
	switch (what % 12) {
	case 0: set_value(task, at, take(in, 4)); break;
	case 1: set_value(task, at, value ^ 1u << take(in, 1) % 32); break;
	case 2: set_value(task, at, value + take(in, 1) - 128); break;
	case 3: set_value(task, at, value + (take(in, 2) << 16)); break;
	case 4: task->words[at] = (u64)take(in, 4) << 32 | take(in, 4); break;
	case 5: task->slot[at] = (uint8_t)(take(in, 1) % (WITNESS_SLOTS + 1)); break;
	case 6: remove_word(task, at); break;
	case 7:
		if (task->count < WITNESS_WORDS) {
			task->slot[task->count] = 0;
			task->words[task->count++] = task->words[at];
		}
		break;
	case 8:
		task->words[at] ^= (u64)take(in, 2);
		break;
	case 9: copy_task(w, task); break;
	case 10:
		take_shape(in, &shape);
		add_task(w, &shape);
		break;
	case 11:
		at = (uint32_t)task_find(task->words, task->count, 0x1040);
		if (at < task->count)
			set_value(task, at, (uint32_t)(task->words[at] >> 16) ^ take(in, 1) << 12);
		break;
	}
}

static void take_program(struct input *in, struct witness *w)
{
	static const struct witness_mapping mappings[WITNESS_MAPPINGS] = {
		{ 0x1000, 0x101000, true }, { 0x20000000, 0x20400000, false }, { 0x80000000, 0x80800000, true },
		{ 0xfff00000, 0xfffff000, true },
	};
	struct task_shape shape;

	memcpy(w->mappings, mappings, sizeof(mappings));
	w->task_count = 0;
	take_shape(in, &shape);
	add_task(w, &shape);
	while (in->left)
		change_task(in, w);
}

static void must(bool holds, const struct witness *w, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s; %s\n", what, w->finding);
	abort();
}

static void check_limits_off(struct witness *w)
{
	uint32_t reject = witness_check(w, true);

	must(!w->finding[0], w, "rules with limits off");
	must(!reject || witness_check(w, false), w, "what is refused with limits off is refused with them on");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct witness w;
	static uint64_t accepted;
	struct input in = { data, size };
	bool limits_off = take(&in, 1) & 1;
	uint32_t reject;

	take_program(&in, &w);
	if (limits_off)
		check_limits_off(&w);
	reject = witness_check(&w, false);
	must(!w.finding[0], &w, "rules");
	if (!reject && accepted++ % MODEL_EVERY == 0)
		must(witness_run(&w, MODEL_WORK) != WITNESS_DISAGREES, &w, "the model agrees");
	return 0;
}
