/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

#include "program_maker.h"

#include <string.h>

#include "tap.h"
#include "task_maker.h"

static uint32_t below(uint64_t *random, uint32_t n)
{
	return (uint32_t)(random_u64(random) >> 32) % n;
}

static bool one_in(uint64_t *random, uint32_t n)
{
	return below(random, n) == 0;
}

/* Mostly small: what is special about a size is seldom its magnitude, and the model has to compute it. */
static uint32_t small_number(uint64_t *random, uint32_t max)
{
	uint32_t range = 1 + below(random, one_in(random, 16) ? max : one_in(random, 4) ? max / 8 + 1 : max / 64 + 1);

	return 1 + below(random, range);
}

static void make_mappings(struct witness *w, uint64_t *random)
{
	static const uint64_t starts[WITNESS_MAPPINGS] = { 0x1000, 0x20000000, 0x80000000, 0xf0000000 };
	uint32_t i;

	for (i = 0; i < WITNESS_MAPPINGS; i++) {
		uint64_t pages = 1 + below(random, one_in(random, 3) ? 0xfff : 64);

		w->mappings[i].start = starts[i];
		w->mappings[i].end = i == 3 ? 0xfffff000 : starts[i] + pages * 4096;
		w->mappings[i].writable = i != 1 || one_in(random, 8);
	}
}

/* An address whose bytes end where the mapping does, begin where it does, or lie anywhere. */
static uint32_t place(const struct witness_mapping *mapping, uint64_t bytes, uint64_t *random)
{
	uint64_t room = mapping->end - mapping->start;

	if (bytes > room || one_in(random, 4))
		return (uint32_t)mapping->start;
	if (one_in(random, 2))
		return (uint32_t)(mapping->end - bytes) & ~15u;
	return (uint32_t)(mapping->start + random_u64(random) % (room - bytes + 1)) & ~15u;
}

/* Geometry that nobody uses but the registers can say. */
static void bend(struct task_shape *s, uint64_t *random)
{
	switch (below(random, 6)) {
	case 0:
		s->line = below(random, 64);
		break;
	case 1:
		s->surf += below(random, 64) - 16;
		break;
	case 2:
		s->stride += below(random, 16);
		break;
	case 3:
		s->notch = below(random, 32);
		break;
	case 4:
		s->dw = s->dh;
		s->dh = s->m / s->dw;
		break;
	case 5:
		s->lines = !s->lines;
		break;
	}
}

static void make_shape(struct task_shape *s, uint64_t *random)
{
	const struct task_type *type = &task_types[one_in(random, 2) ? 0 : below(random, task_type_count)];
	enum task_form form = (enum task_form)below(random, TASK_FORMS);
	uint32_t m = small_number(random, 512), k, n, extra;

	k = type->k_group * small_number(random, 10752 / type->k_group);
	n = type->kernel_group * small_number(random, 2048 / type->kernel_group);
	extra = form == TASK_PANEL ? 1 + below(random, 8) : m + below(random, 16);
	if (form == TASK_PANEL)
		m = extra * ((m + extra - 1) / extra);
	task_shape_init(s, type, form, m, k, n, extra);
	/* The other rounding, 3.10. */
	if (one_in(random, 4))
		s->entries = s->w * ((k * type->in_bits / 8 + 63) / 64);
	s->data_banks = (s->h * s->entries * 64 + 32767) / 32768;
	s->weight_banks = 12 - s->data_banks;
	if (one_in(random, 3) && s->weight_banks > 2)
		s->weight_banks -= below(random, 3);
	while (one_in(random, 3))
		bend(s, random);
}

static uint64_t features_bytes(const struct task_shape *s)
{
	int64_t surf = (int32_t)(s->surf << 4) >> 4, line = s->lines ? s->line : s->w;
	int64_t plane = surf + (s->lines ? 1 : 4) * (int64_t)s->w;
	int64_t planes = s->k * s->type->in_bits / 8 / 16;

	return 16 * ((s->h - 1) * line + s->w + (planes - 1) * plane);
}

static uint64_t output_bytes(const struct task_shape *s)
{
	uint64_t surfaces = s->n * s->type->out_bytes / 16;

	return 16 * ((surfaces - 1) * s->stride + (s->dh - 1) * (uint64_t)(s->dw + s->notch) + s->dw);
}

static void place_shape(struct task_shape *s, const struct witness *w, uint64_t *random)
{
	s->a = place(&w->mappings[below(random, 2)], features_bytes(s), random);
	s->b = place(&w->mappings[one_in(random, 2) ? 3 : 1], (uint64_t)s->k * s->type->in_bits / 8 * s->n, random);
	s->c = place(&w->mappings[2 + below(random, 2)], output_bytes(s), random);
}

static void give_slots(struct witness_task *task, uint64_t *random)
{
	static const uint16_t registers[] = { 0x1070, 0x1110, 0x4020 };
	uint32_t i;

	memset(task->slot, 0, sizeof(task->slot));
	if (!one_in(random, 4))
		return;
	for (i = 0; i < 3; i++) {
		int word = task_find(task->words, task->count, registers[i]);

		if (one_in(random, 4))
			continue;
		task->slot[word] = (uint8_t)(1 + (one_in(random, 4) ? below(random, WITNESS_SLOTS) : i));
		task->words[word] = task_word(registers[i], one_in(random, 2) ? 0 : below(random, 0x10000) & ~15u);
	}
}

static void make_task(struct witness_task *task, const struct task_shape *shape, uint64_t *random)
{
	u64 words[TASK_MAX_WORDS];
	uint32_t i;

	task->count = task_make(shape, words);
	for (i = 0; i < task->count; i++)
		task->words[i] = words[i];
	give_slots(task, random);
}

/* The next task of a chain: the same product a bit further on, or another one. */
static void next_shape(struct task_shape *s, const struct witness *w, uint64_t *random)
{
	uint32_t kept = below(random, 4), a = s->a, b = s->b;

	if (kept == 3) {
		make_shape(s, random);
		place_shape(s, w, random);
		s->reuse = one_in(random, 8) ? 0x1000u << below(random, 2) : 0;
		return;
	}
	place_shape(s, w, random);
	s->reuse = 0;
	if (kept & 1) {
		s->a = a;
		s->reuse |= one_in(random, 2) ? 0x1000 : 0;
	}
	if (kept & 2) {
		s->b = b;
		s->reuse |= one_in(random, 2) ? 0x2000 : 0;
	}
}

void program_make(struct witness *w, uint64_t *random)
{
	struct task_shape shape;
	uint32_t i;

	make_mappings(w, random);
	make_shape(&shape, random);
	place_shape(&shape, w, random);
	shape.reuse = one_in(random, 64) ? 0x1000u << below(random, 2) : 0;
	w->task_count = one_in(random, 2) ? 1 : 1 + below(random, 4);
	for (i = 0; i < w->task_count; i++) {
		make_task(&w->tasks[i], &shape, random);
		next_shape(&shape, w, random);
	}
}

static uint32_t odd_value(uint32_t old, const struct witness_task *task, uint64_t *random)
{
	uint32_t other = (uint32_t)(task->words[below(random, task->count)] >> 16);

	switch (below(random, 9)) {
	case 0: return old ^ 1u << below(random, 32);
	case 1: return old + 1;
	case 2: return old - 1;
	case 3: return old << 1;
	case 4: return old >> 1;
	case 5: return other;
	case 6: return old + (16u << below(random, 12));
	case 7: return old & ~(0xffffu << (16 * below(random, 2)));
	default: return one_in(random, 2) ? 0 : (uint32_t)random_u64(random) >> below(random, 32);
	}
}

static void remove_word(struct witness_task *task, uint32_t at)
{
	memmove(task->words + at, task->words + at + 1, (task->count - at - 1) * sizeof(task->words[0]));
	memmove(task->slot + at, task->slot + at + 1, task->count - at - 1);
	task->count--;
}

static void repeat_word(struct witness_task *task, uint32_t at)
{
	if (task->count == WITNESS_WORDS)
		return;
	task->words[task->count] = task->words[at];
	task->slot[task->count++] = task->slot[at];
}

static void swap_words(struct witness_task *task, uint32_t a, uint32_t b)
{
	u64 word = task->words[a];
	uint8_t slot = task->slot[a];

	task->words[a] = task->words[b];
	task->slot[a] = task->slot[b];
	task->words[b] = word;
	task->slot[b] = slot;
}

static void set_reuse(struct witness_task *task, uint64_t *random)
{
	int at = task_find(task->words, task->count, 0x1040);

	if (at >= 0)
		task->words[at] ^= (u64)(0x1000u << below(random, 2)) << 16;
}

static void change_value(struct witness_task *task, uint32_t at, uint64_t *random)
{
	u64 word = task->words[at];
	uint32_t value = odd_value((uint32_t)(word >> 16), task, random);

	task->words[at] = ORK_WORD(word >> 48, value, word);
}

static void mutate_once(struct witness *w, uint64_t *random)
{
	struct witness_task *task = &w->tasks[below(random, w->task_count)];
	uint32_t at;

	if (!task->count)
		return;
	at = below(random, task->count);
	switch (below(random, 16)) {
	case 0:
		remove_word(task, at);
		break;
	case 1:
		repeat_word(task, at);
		break;
	case 2:
	case 3:
		swap_words(task, at, below(random, task->count));
		break;
	case 4:
		task->words[at] = one_in(random, 2) ? random_u64(random) : task->words[at] ^ 4u << below(random, 12);
		break;
	case 5:
		task->slot[at] = (uint8_t)below(random, WITNESS_SLOTS + 1);
		break;
	case 6:
		set_reuse(task, random);
		break;
	case 7:
		*task = w->tasks[below(random, w->task_count)];
		break;
	case 8:
		repeat_word(task, at);
		change_value(task, at, random);
		break;
	default:
		change_value(task, at, random);
		break;
	}
}

void program_mutate(struct witness *w, uint64_t *random)
{
	do
		mutate_once(w, random);
	while (one_in(random, 2));
}
