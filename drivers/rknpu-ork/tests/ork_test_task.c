// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

#include "ork_test_task.h"

/* Hardware reference 3.12: int8, 4 x 64 x 64, cube. */
static const struct {
	u16 reg;
	u32 value;
} ork_test_good[] = {
	{ 0x4004, 0xe }, { 0x100c, 0 }, { 0x1010, 0x50 }, { 0x1014, 0x9 }, { 0x1020, 0x00010004 },
	{ 0x1024, 0x003f0040 }, { 0x1028, 1 }, { 0x102c, 4 }, { 0x1030, 0x1000 }, { 0x1034, 0x40 },
	{ 0x1038, 0x01010040 }, { 0x1040, 0xb1 }, { 0x1044, 1 }, { 0x104c, 0xb },
	{ 0x1050, 0x10000 }, { 0x1054, 0x10000 }, { 0x1058, 0x10000 }, { 0x105c, 0x10000 },
	{ 0x1070, ORK_TEST_A }, { 0x1078, 0x000f000f }, { 0x107c, 4 }, { 0x1080, 0 },
	{ 0x1084, 0x00010004 }, { 0x1088, 0x40 }, { 0x1110, ORK_TEST_B }, { 0x3010, 0 },
	{ 0x3014, 0x00030000 }, { 0x3018, 0x3f }, { 0x400c, 0x1e4 }, { 0x4010, 0x80000000 },
	{ 0x4020, ORK_TEST_C }, { 0x4024, 0x40 }, { 0x4030, 0 }, { 0x4034, 3 }, { 0x4038, 0 },
	{ 0x403c, 0x003f003f }, { 0x4040, 0x53 }, { 0x4050, 0x7fe }, { 0x4058, 0x3f },
	{ 0x405c, 0x00030000 }, { 0x4060, 0x53 }, { 0x4070, 0x383 }, { 0x4078, 1 }, { 0x4080, 0 },
	{ 0x4084, 1 }, { 0x4088, 0 }, { 0x40c0, 0x200 },
};

void ork_test_task_init(struct ork_test_task *task)
{
	u32 i;

	memset(task, 0, sizeof(*task));
	task->count = ARRAY_SIZE(ork_test_good);
	task->deny = -1;
	for (i = 0; i < ORK_TEST_WORDS; i++)
		task->slots[i] = -1;
	for (i = 0; i < task->count; i++)
		ork_test_task_set(task, ork_test_good[i].reg, ork_test_good[i].value);
}

/* Return: index of the word, or that of the next free one. */
u32 ork_test_task_find(const struct ork_test_task *task, u16 reg)
{
	u32 i;

	for (i = 0; i < ORK_TEST_WORDS - 1; i++)
		if (!task->words[i] || (u16)task->words[i] == reg)
			break;
	return i;
}

void ork_test_task_set(struct ork_test_task *task, u16 reg, u32 value)
{
	u16 target = reg < 0x3000 ? ORK_TARGET_CNA :
		     reg < 0x4000 ? ORK_TARGET_CORE : ORK_TARGET_DPU;

	task->words[ork_test_task_find(task, reg)] = ORK_WORD(target, value, reg);
}

static int ork_test_slot(void *opaque, u32 word)
{
	struct ork_test_task *task = opaque;

	return task->slots[word];
}

static bool ork_test_allowed(void *opaque, const struct ork_regcmd_access *access)
{
	struct ork_test_task *task = opaque;

	if (task->accesses == ORK_TEST_ACCESSES)
		return false;

	task->access[task->accesses] = *access;
	return task->deny != (int)task->accesses++;
}

u32 ork_test_task_check(struct ork_test_task *task, struct ork_regcmd_state *state)
{
	static const struct ork_regcmd_limits limits = {
		.cbuf_banks = 12,
		.cbuf_bank_bytes = 32768,
	};
	const struct ork_regcmd_task check = {
		.words = task->words,
		.count = task->count,
		.limits = &limits,
		.unchecked_limits = task->unchecked,
		.slot = ork_test_slot,
		.allowed = ork_test_allowed,
		.opaque = task,
	};

	task->accesses = 0;
	return ork_regcmd_check(state, &check, &task->bad_word);
}
