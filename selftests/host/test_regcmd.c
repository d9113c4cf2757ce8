/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <string.h>

#include "regcmd.h"
#include "tap.h"

struct expected {
	uint32_t reg;
	uint32_t value;
};

/*
 * NPU reference 3.13: captured int8 row-major program of M=4, K=32, N=32; QD_EN and 0x4050 as decided in 0.4 (D4, D5).
 */
static const struct expected captured[] = {
	{ 0x4004, 0xe },	{ 0x100c, 0x20000000 }, { 0x1010, 0x50 },	{ 0x1014, 0x9 },
	{ 0x1020, 0x00010004 }, { 0x1024, 0x001f0020 }, { 0x1028, 1 },		{ 0x102c, 4 },
	{ 0x1030, 0x400 },	{ 0x1034, 0x20 },	{ 0x1038, 0x01010020 }, { 0x1040, 0xb1 },
	{ 0x1044, 1 },		{ 0x104c, 0xb },	{ 0x1050, 0x10000 },	{ 0x1054, 0x10000 },
	{ 0x1058, 0x10000 },	{ 0x105c, 0x10000 },	{ 0x1060, 0 },		{ 0x1064, 0 },
	{ 0x1068, 0 },		{ 0x1070, 0x11223340 }, { 0x1074, 0 },		{ 0x1078, 0x000f000f },
	{ 0x107c, 2 },		{ 0x1080, 0 },		{ 0x1084, 0x00010004 }, { 0x1088, 0x20 },
	{ 0x1100, 0 },		{ 0x1104, 0 },		{ 0x1110, 0x55667780 }, { 0x1140, 0 },
	{ 0x1144, 0 },		{ 0x1148, 0 },		{ 0x114c, 0 },		{ 0x1150, 0 },
	{ 0x1154, 0 },		{ 0x1158, 0 },		{ 0x115c, 0 },		{ 0x1160, 0 },
	{ 0x1164, 0 },		{ 0x1168, 0 },		{ 0x116c, 0 },		{ 0x1170, 0 },
	{ 0x1174, 0 },		{ 0x1178, 0 },		{ 0x117c, 0 },		{ 0x1180, 0 },
	{ 0x1184, 0 },		{ 0x3010, 1 },		{ 0x3014, 0x00030000 }, { 0x3018, 0x1f },
	{ 0x301c, 0 },		{ 0x3030, 0 },		{ 0x400c, 0x1e4 },	{ 0x4010, 0x80000000 },
	{ 0x4014, 0 },		{ 0x4020, 0x99aabbc0 }, { 0x4024, 0x10 },	{ 0x4030, 0 },
	{ 0x4034, 3 },		{ 0x4038, 0x00070007 }, { 0x403c, 0x001f001f }, { 0x4040, 0x53 },
	{ 0x4044, 0 },		{ 0x4048, 0 },		{ 0x404c, 0 },		{ 0x4050, 0x7fe },
	{ 0x4054, 0 },		{ 0x4058, 0x1f },	{ 0x405c, 0x00030000 }, { 0x4060, 0x53 },
	{ 0x4064, 0 },		{ 0x4068, 0 },		{ 0x406c, 0 },		{ 0x4070, 0x383 },
	{ 0x4074, 0 },		{ 0x4078, 1 },		{ 0x407c, 0 },		{ 0x4080, 0 },
	{ 0x4084, 1 },		{ 0x4088, 0 },		{ 0x4090, 0 },		{ 0x4094, 0 },
	{ 0x4098, 0 },		{ 0x409c, 0 },		{ 0x40a0, 0 },		{ 0x40a4, 0 },
	{ 0x40a8, 0 },		{ 0x40ac, 0 },		{ 0x40c0, 0x80 },	{ 0x40c4, 0 },
	{ 0x4100, 0 },		{ 0x4104, 0 },		{ 0x4108, 0 },		{ 0x410c, 0 },
	{ 0x4110, 0 },		{ 0x4114, 0 },		{ 0x4118, 0 },		{ 0x411c, 0 },
	{ 0x4120, 0 },		{ 0x4124, 0 },		{ 0x4128, 0 },		{ 0x412c, 0 },
};

/*
 * Shape-dependent registers of the int8 4x64x64 and 144x224x64 columns of NPU reference 3.12, in row-major form (3.9).
 */
static const struct expected small_shape[] = {
	{ 0x1010, 0x50 },	{ 0x1020, 0x00010004 }, { 0x1024, 0x003f0040 }, { 0x102c, 4 },
	{ 0x1030, 0x1000 },	{ 0x1034, 0x40 },	{ 0x1038, 0x01010040 }, { 0x1040, 0xb1 },
	{ 0x1044, 1 },		{ 0x107c, 4 },		{ 0x1080, 0 },		{ 0x1084, 0x00010004 },
	{ 0x1088, 0x40 },	{ 0x3014, 0x00030000 }, { 0x3018, 0x3f },	{ 0x4024, 0x10 },
	{ 0x4034, 3 },		{ 0x4038, 0x000f000f }, { 0x403c, 0x003f003f }, { 0x4058, 0x3f },
	{ 0x405c, 0x00030000 }, { 0x40c0, 0x80 },
};
static const struct expected large_shape[] = {
	{ 0x1010, 0x910 },	{ 0x1020, 0x00010090 }, { 0x1024, 0x00df00e0 }, { 0x102c, 0x90 },
	{ 0x1030, 0x3800 },	{ 0x1034, 0xe0 },	{ 0x1038, 0x01010040 }, { 0x1040, 0xa2 },
	{ 0x1044, 4 },		{ 0x107c, 14 },		{ 0x1080, 0 },		{ 0x1084, 0x00010090 },
	{ 0x1088, 0xe0 },	{ 0x3014, 0x008f0000 }, { 0x3018, 0x3f },	{ 0x4024, 0x10 },
	{ 0x4034, 0x8f },	{ 0x4038, 0x000f000f }, { 0x403c, 0x003f003f }, { 0x4058, 0x3f },
	{ 0x405c, 0x008f0000 }, { 0x40c0, 0x80 },
};

/* NPU reference 3.12: fp16 to fp16, 8x64x32, row-major. */
static const struct expected f16_f16[] = {
	{ 0x4004, 0xe },	{ 0x100c, 0x20000120 }, { 0x1010, 0x90 },	{ 0x1020, 0x00010008 },
	{ 0x1024, 0x003f0040 }, { 0x102c, 8 },		{ 0x1030, 0x1000 },	{ 0x1034, 0x80 },
	{ 0x1038, 0x01010020 }, { 0x1040, 0xb1 },	{ 0x1044, 2 },		{ 0x107c, 8 },
	{ 0x1080, 0 },		{ 0x1084, 0x00010008 }, { 0x1088, 0x40 },	{ 0x3010, 0x201 },
	{ 0x3014, 0x00070000 }, { 0x3018, 0x1f },	{ 0x400c, 0x1e4 },	{ 0x4010, 0x48000002 },
	{ 0x4024, 0x10 },	{ 0x4034, 7 },		{ 0x4038, 0x00030003 }, { 0x403c, 0x001f001f },
	{ 0x4050, 0x126 },	{ 0x4058, 0x1f },	{ 0x405c, 0x00070000 }, { 0x4084, 0x00010001 },
	{ 0x40c0, 0x20 },
};

/* NPU reference 3.13, the fp16 twin: fp16 to fp32, 4x32x16, row-major. */
static const struct expected f16_f32[] = {
	{ 0x100c, 0x20000120 }, { 0x1030, 0x400 },	{ 0x1034, 0x40 },	{ 0x1038, 0x01010010 },
	{ 0x107c, 4 },		{ 0x3010, 0x201 },	{ 0x3018, 0xf },	{ 0x4010, 0xa8000002 },
	{ 0x4038, 0x00030003 }, { 0x403c, 0x000f000f }, { 0x4050, 0x36e },	{ 0x4058, 0xf },
	{ 0x4084, 1 },		{ 0x40c0, 0x40 },
};

/* NPU reference 3.3: what bf16 changes in it. */
static const struct expected bf16_f32[] = {
	{ 0x100c, 0x200001b0 }, { 0x3010, 0x301 },	{ 0x4010, 0xac000003 }, { 0x4050, 0x36e },
	{ 0x4084, 1 },		{ 0x40c0, 0x40 },
};

/* NPU reference 3.12: int4 to int16, 4x128x128, cube; QD_EN as decided in 0.4 (D4). */
static const struct expected i4_i16[] = {
	{ 0x4004, 0xe },	{ 0x100c, 0x360 },	{ 0x1010, 0x50 },	{ 0x1020, 0x00010004 },
	{ 0x1024, 0x007f0080 }, { 0x102c, 4 },		{ 0x1030, 0x2000 },	{ 0x1034, 0x40 },
	{ 0x1038, 0x01010080 }, { 0x1040, 0xb1 },	{ 0x1044, 1 },		{ 0x107c, 4 },
	{ 0x1080, 0 },		{ 0x1084, 0x00010004 }, { 0x1088, 0x80 },	{ 0x3010, 0x601 },
	{ 0x3014, 0x00030000 }, { 0x3018, 0x7f },	{ 0x4010, 0x38000006 }, { 0x4024, 0x40 },
	{ 0x4034, 3 },		{ 0x4038, 0 },		{ 0x403c, 0x007f007f }, { 0x4050, 0x7fe },
	{ 0x4058, 0x7f },	{ 0x405c, 0x00030000 }, { 0x4084, 1 },		{ 0x40c0, 0x200 },
};

/* NPU reference 3.4: one row, where the stride between planes is negative. */
static const struct expected i4_one_row[] = {
	{ 0x107c, 4 }, { 0x1080, 0x0ffffffd }, { 0x4024, 0x10 }, { 0x4038, 0 }, { 0x40c0, 0x80 },
};

/* NPU reference 3.3 and 3.14: int8 to int8 with scale -3, shift 7, offset -2. */
static const struct expected i8_i8[] = {
	{ 0x100c, 0x20000000 }, { 0x3010, 1 },		{ 0x4010, 0 },		{ 0x4038, 0x00010001 },
	{ 0x4050, 0x124 },	{ 0x4080, 0xfffffffe }, { 0x4084, 0xfffd },	{ 0x4088, 7 },
	{ 0x40c0, 0x20 },
};

static uint64_t word_of(const struct expected *e)
{
	const uint64_t target = e->reg < 0x3000 ? 0x0201 : e->reg < 0x4000 ? 0x0801 : 0x1001;

	return target << 48 | (uint64_t)e->value << 16 | e->reg;
}

static struct ork_task captured_task = {
	.rows = 4,
	.k = 32,
	.cols = 32,
	.a_va = 0x11223340,
	.a_pitch_bytes = 32,
	.b_va = 0x55667780,
	.c_va = 0x99aabbc0,
	.c_pitch_bytes = 128,
	.data_banks = 1,
	.weight_banks = 11,
	.requant = { .scale = 1 },
};

static void program_equals_captured_program(void)
{
	uint64_t words[ORK_TASK_WORDS] = { 0 };
	struct ork_regcmd rc = { .words = words, .capacity = ORK_TASK_WORDS };
	size_t count = sizeof(captured) / sizeof(captured[0]), i;

	ok(ork_regcmd_task(&rc, &captured_task) == 0 && rc.count == count && count == ORK_TASK_WORDS,
	   "a task is a complete program of %zu words", count);
	for (i = 0; i < count; i++)
		if (words[i] != word_of(&captured[i]))
			break;
	if (!ok(i == count, "every word equals the captured int8 4x32x32 row-major program"))
		note("word %zu is 0x%016llx, not 0x%016llx", i, (unsigned long long)words[i],
		     (unsigned long long)word_of(&captured[i]));
}

static const struct ork_result *result_of(enum ork_dtype type, enum ork_dtype c_type)
{
	return ork_result_find(ork_operand_find(type), c_type, 1);
}

static void registers_are_those_of_the_table(const struct ork_task *task, const struct expected *table, size_t count)
{
	uint64_t words[ORK_TASK_WORDS];
	struct ork_regcmd rc = { .words = words, .capacity = ORK_TASK_WORDS };
	size_t found = 0, i, j;

	ork_regcmd_task(&rc, task);
	for (i = 0; i < count; i++)
		for (j = 0; j < rc.count; j++)
			found += words[j] == word_of(&table[i]);
	ok(found == count, "registers of %s to %s %ux%ux%u are those of the reference table",
	   task->result->operand->name, ork_dtype_name(task->result->type), task->rows, task->k, task->cols);
}

static void too_large_values_are_refused(void)
{
	uint64_t words[ORK_TASK_WORDS];
	struct ork_regcmd rc = { .words = words, .capacity = ORK_TASK_WORDS };
	struct ork_task task = captured_task;

	task.cols = 8224;
	ok(ork_regcmd_task(&rc, &task) == -ERANGE, "N that the DPU cannot hold is refused, not cut");
	task = captured_task;
	task.rows = 1023;
	rc = (struct ork_regcmd){ .words = words, .capacity = ORK_TASK_WORDS };
	ok(ork_regcmd_task(&rc, &task) == -ERANGE, "M that FEATURE_GRAINS cannot hold is refused");
	task = captured_task;
	task.c_pitch_bytes = 8193 * 16;
	rc = (struct ork_regcmd){ .words = words, .capacity = ORK_TASK_WORDS };
	ok(ork_regcmd_task(&rc, &task) == -ERANGE, "a pitch of C that NOTCH cannot hold is refused");
	rc = (struct ork_regcmd){ .words = words, .capacity = ORK_TASK_WORDS - 1 };
	ok(ork_regcmd_task(&rc, &captured_task) == -ENOSPC && rc.count == ORK_TASK_WORDS - 1,
	   "a word too many is refused, not written");
}

#define CHECK_TABLE(task, table) registers_are_those_of_the_table(task, table, sizeof(table) / sizeof((table)[0]))

static void int8_follows_the_tables(void)
{
	struct ork_task task = captured_task;

	task.c_pitch_bytes = 32;
	task.result = result_of(ORK_I8, ORK_I8);
	task.requant = (struct ork_requant){ .scale = -3, .shift = 7, .offset = -2 };
	CHECK_TABLE(&task, i8_i8);
	task = captured_task;
	task.k = 64;
	task.cols = 64;
	task.a_pitch_bytes = 64;
	task.c_pitch_bytes = 256;
	CHECK_TABLE(&task, small_shape);
	task.rows = 144;
	task.k = 224;
	task.a_pitch_bytes = 224;
	task.data_banks = 2;
	task.weight_banks = 10;
	CHECK_TABLE(&task, large_shape);
}

static void float_follows_the_tables(void)
{
	struct ork_task task = captured_task;

	task.result = result_of(ORK_F16, ORK_F32);
	task.cols = 16;
	task.a_pitch_bytes = 64;
	task.c_pitch_bytes = 64;
	CHECK_TABLE(&task, f16_f32);
	task.result = result_of(ORK_BF16, ORK_F32);
	CHECK_TABLE(&task, bf16_f32);
	task.result = result_of(ORK_F16, ORK_F16);
	task.rows = 8;
	task.k = 64;
	task.cols = 32;
	task.a_pitch_bytes = 128;
	task.c_pitch_bytes = 64;
	CHECK_TABLE(&task, f16_f16);
}

static void int4_follows_the_tables(void)
{
	struct ork_task task = captured_task;

	task.result = result_of(ORK_I4, ORK_I32);
	task.k = 128;
	task.cols = 128;
	CHECK_TABLE(&task, i4_i16);
	task.rows = 1;
	task.k = 64;
	task.cols = 64;
	CHECK_TABLE(&task, i4_one_row);
}

static void address_words_are_where_slots_expect_them(void)
{
	uint64_t words[ORK_TASK_WORDS];
	struct ork_regcmd rc = { .words = words, .capacity = ORK_TASK_WORDS };

	ork_regcmd_task(&rc, &captured_task);
	ok((words[ORK_TASK_A_WORD] & 0xffff) == 0x1070 && (words[ORK_TASK_B_WORD] & 0xffff) == 0x1110 &&
		   (words[ORK_TASK_C_WORD] & 0xffff) == 0x4020,
	   "address words are at their positions");
}

int main(void)
{
	captured_task.result = result_of(ORK_I8, ORK_I32);
	program_equals_captured_program();
	int8_follows_the_tables();
	float_follows_the_tables();
	int4_follows_the_tables();
	address_words_are_where_slots_expect_them();
	too_large_values_are_refused();
	return done();
}
