/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

#include "task_maker.h"

#include <string.h>

#define ATOM 16u
#define ENTRY 64u
#define BANK 32768u
#define BANKS 12u

const struct task_type task_types[] = {
	{ "int8 to int32", 0, 0x80000000, 7, 1, 8, 4, 32, 32 },
	{ "int8 to fp32", 0, 0xa0000000, 7, 1, 8, 4, 32, 32 },
	{ "int8 to int8", 0, 0x00000000, 1, 1, 8, 1, 32, 32 },
	{ "int16 to int32", 1, 0x84000001, 3, 1, 16, 4, 16, 32 },
	{ "fp16 to fp32", 2, 0xa8000002, 3, 1, 16, 4, 16, 32 },
	{ "fp16 to fp16", 2, 0x48000002, 1, 0x10001, 16, 2, 16, 32 },
	{ "bf16 to fp32", 3, 0xac000003, 3, 1, 16, 4, 16, 32 },
	{ "int4 to int16", 6, 0x38000006, 7, 1, 4, 2, 64, 32 },
	{ "tf32 to fp32", 7, 0xb4000005, 3, 1, 32, 4, 16, 16 },
};

const unsigned int task_type_count = sizeof(task_types) / sizeof(task_types[0]);

static uint32_t round_up_div(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static void set_features(struct task_shape *s, enum task_form form, uint32_t extra)
{
	uint32_t row_atoms = s->k * s->type->in_bits / 8 / ATOM;
	uint32_t m = s->m;

	s->w = form == TASK_CUBE || form == TASK_ROWS ? 1 : form == TASK_PANEL ? extra : m;
	s->h = m / s->w;
	s->lines = form == TASK_ROWS || form == TASK_TILE || form == TASK_PANEL;

	switch (form) {
	case TASK_CUBE:
		s->line = 4;
		s->surf = m - 4;
		break;
	case TASK_ROWS:
		s->line = row_atoms;
		s->surf = 0;
		break;
	case TASK_TILE:
		s->line = extra;
		s->surf = extra - m;
		break;
	case TASK_PANEL:
		s->line = extra * row_atoms;
		s->surf = 0;
		break;
	default:
		s->line = 4 * m;
		s->surf = 0u - 3 * m;
		break;
	}
}

static void set_output(struct task_shape *s, enum task_form form, uint32_t extra)
{
	bool rows = form == TASK_ROWS || form == TASK_PANEL;

	s->dw = rows || form == TASK_CUBE ? 1 : s->m;
	s->dh = s->m / s->dw;
	s->stride = rows ? 1 : form == TASK_TILE ? extra : s->m;
	s->notch = rows ? s->n * s->type->out_bytes / ATOM - 1 : 0;
}

void task_shape_init(struct task_shape *s, const struct task_type *type, enum task_form form, uint32_t m, uint32_t k,
		     uint32_t n, uint32_t extra)
{
	memset(s, 0, sizeof(*s));
	s->type = type;
	s->m = m;
	s->k = k;
	s->n = n;
	set_features(s, form, extra);
	set_output(s, form, extra);
	s->entries = round_up_div(s->w * k * type->in_bits / 8, ENTRY);
	s->data_banks = round_up_div(s->h * s->entries * ENTRY, BANK);
	s->weight_banks = BANKS - s->data_banks;
}

u64 task_word(uint16_t reg, uint32_t value)
{
	u64 target = reg < 0x3000 ? 0x0201 : reg < 0x4000 ? 0x0801 : 0x1001;

	return target << 48 | (u64)value << 16 | reg;
}

struct writer {
	u64 *words;
	uint32_t count;
};

static void put(struct writer *w, uint16_t reg, uint32_t value)
{
	w->words[w->count++] = task_word(reg, value);
}

static void put_features(struct writer *w, const struct task_shape *s)
{
	const struct task_type *t = s->type;
	uint32_t k_bytes = s->k * t->in_bits / 8;
	uint16_t reg;

	put(w, 0x100c, (uint32_t)s->lines << 29 | t->precision << 7 | t->precision << 4);
	put(w, 0x1010, ((s->h + 1) & 0x3ff) << 4);
	put(w, 0x1014, 0x9);
	put(w, 0x1020, s->w << 16 | s->h);
	put(w, 0x1024, (s->k - 1) << 16 | s->k);
	put(w, 0x1028, s->w);
	put(w, 0x102c, s->m);
	put(w, 0x1030, k_bytes * s->n);
	put(w, 0x1034, k_bytes);
	put(w, 0x1038, 0x01010000 | s->n);
	put(w, 0x1040, s->reuse | s->weight_banks << 4 | s->data_banks);
	put(w, 0x1044, s->entries);
	put(w, 0x104c, 0xb);
	for (reg = 0x1050; reg <= 0x105c; reg += 4)
		put(w, reg, 0x10000);
	put(w, 0x1070, s->a);
	put(w, 0x1078, 0x000f000f);
	put(w, 0x107c, s->line & 0x0fffffff);
	put(w, 0x1080, s->surf & 0x0fffffff);
	put(w, 0x1084, s->w << 16 | s->h);
	put(w, 0x1088, s->k);
	put(w, 0x1110, s->b);
}

static void put_output(struct writer *w, const struct task_shape *s)
{
	uint32_t e = s->type->size_e;

	put(w, 0x400c, 0x1e4);
	put(w, 0x4010, s->type->data_format);
	put(w, 0x4020, s->c);
	put(w, 0x4024, s->stride << 4);
	put(w, 0x4030, s->dw - 1);
	put(w, 0x4034, s->dh - 1);
	put(w, 0x4038, s->notch << 16 | s->notch);
	put(w, 0x403c, (s->n - 1) << 16 | (s->n - 1));
	put(w, 0x4040, 0x53);
	put(w, 0x4050, e << 8 | e << 5 | e << 2 | 2);
	put(w, 0x4058, s->n - 1);
	put(w, 0x405c, (s->dh - 1) << 16 | (s->dw - 1));
	put(w, 0x4060, 0x53);
	put(w, 0x4070, 0x383);
	put(w, 0x4078, 1);
	put(w, 0x4080, 0);
	put(w, 0x4084, s->type->scale);
	put(w, 0x4088, 0);
	put(w, 0x40c0, s->stride * (e + 1) << 4);
}

uint32_t task_make(const struct task_shape *s, u64 *words)
{
	struct writer w = { words, 0 };

	put(&w, 0x4004, 0xe);
	put_features(&w, s);
	put(&w, 0x3010, s->type->precision << 8 | 1);
	put(&w, 0x3014, (s->h - 1) << 16 | (s->w - 1));
	put(&w, 0x3018, s->n - 1);
	put_output(&w, s);
	return w.count;
}

int task_find(const u64 *words, uint32_t count, uint16_t reg)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if ((uint16_t)words[i] == reg)
			return (int)i;
	return -1;
}
