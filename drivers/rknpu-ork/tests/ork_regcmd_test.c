// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* The program checker in the kernel: one case per rule. selftests/host has more. */

#include <linux/module.h>

#include "ork_test_task.h"

struct ork_regcmd_case {
	const char *what;
	u16 reg;
	u32 value;
	u32 reject;
};

static const struct ork_regcmd_case ork_regcmd_cases[] = {
	{ "QD_EN", 0x3010, 1, DRM_ORK_REJECT_NONE },
	{ "fp32 output", 0x4010, 0xa0000000, DRM_ORK_REJECT_NONE },
	{ "precisions that differ", 0x100c, 0x10, DRM_ORK_REJECT_UNSUPPORTED },
	{ "a bit outside the fields", 0x100c, 0x80000000, DRM_ORK_REJECT_FIELD },
	{ "a kernel of 3x3", 0x1038, 0x03030040, DRM_ORK_REJECT_UNSUPPORTED },
	{ "FC_DATA_BANK", 0x1040, 0x1b1, DRM_ORK_REJECT_UNSUPPORTED },
	{ "reuse in the first task", 0x1040, 0x20b1, DRM_ORK_REJECT_REUSE },
	{ "thirteen banks", 0x1040, 0xc1, DRM_ORK_REJECT_BANKS },
	{ "no weight bank", 0x1040, 0x0b, DRM_ORK_REJECT_BANKS },
	{ "DATA_ENTRIES too large", 0x1044, 2, DRM_ORK_REJECT_BANKS },
	{ "K above the limit", 0x1024, 0x2a1f2a20, DRM_ORK_REJECT_SHAPE },
	{ "N of 0", 0x1038, 0x01010000, DRM_ORK_REJECT_SHAPE },
	{ "too many weight bytes", 0x1030, 0x2000, DRM_ORK_REJECT_SHAPE },
	{ "planes that lie backwards", 0x1080, 0x0fffff00, DRM_ORK_REJECT_ADDRESS },
	{ "a misaligned address", 0x4020, ORK_TEST_C + 8, DRM_ORK_REJECT_ADDRESS },
	{ "SIZE_E of 3", 0x4050, 0x36e, DRM_ORK_REJECT_OUTPUT },
	{ "one NOTCH half", 0x4038, 0x00010000, DRM_ORK_REJECT_OUTPUT },
	{ "SIZE_C_WDMA", 0x4058, 0x0010003f, DRM_ORK_REJECT_UNSUPPORTED },
};

KUNIT_ARRAY_PARAM_DESC(ork_regcmd, ork_regcmd_cases, what);

static void *ork_regcmd_alloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static void ork_regcmd_gives_the_reason(struct kunit *test)
{
	const struct ork_regcmd_case *param = test->param_value;
	struct ork_regcmd_state *state = ork_regcmd_alloc(test, sizeof(*state));
	struct ork_test_task *task = ork_regcmd_alloc(test, sizeof(*task));

	ork_test_task_init(task);
	ork_test_task_set(task, param->reg, param->value);
	KUNIT_EXPECT_EQ(test, ork_test_task_check(task, state), param->reject);
	if (param->reject)
		KUNIT_EXPECT_LT(test, task->bad_word, task->count);
}

static void ork_regcmd_names_the_forbidden_word(struct kunit *test)
{
	struct ork_regcmd_state *state = ork_regcmd_alloc(test, sizeof(*state));
	struct ork_test_task *task = ork_regcmd_alloc(test, sizeof(*task));

	ork_test_task_init(task);
	task->words[7] = ORK_WORD(ORK_TARGET_PC, 0, 0x10);
	KUNIT_EXPECT_EQ(test, ork_test_task_check(task, state), DRM_ORK_REJECT_TARGET);
	KUNIT_EXPECT_EQ(test, task->bad_word, 7);

	memset(state, 0, sizeof(*state));
	task->words[7] = ORK_WORD(ORK_TARGET_CNA, 0xe, 0x1004);
	KUNIT_EXPECT_EQ(test, ork_test_task_check(task, state), DRM_ORK_REJECT_REGISTER);
	KUNIT_EXPECT_EQ(test, task->bad_word, 7);
}

static void ork_regcmd_needs_every_word(struct kunit *test)
{
	struct ork_regcmd_state *state = ork_regcmd_alloc(test, sizeof(*state));
	struct ork_test_task *task = ork_regcmd_alloc(test, sizeof(*task));
	u32 i, count;

	ork_test_task_init(task);
	count = task->count;
	for (i = 0; i < count; i++) {
		ork_test_task_init(task);
		task->words[i] = task->words[count - 1];
		task->count = count - 1;
		memset(state, 0, sizeof(*state));
		KUNIT_EXPECT_EQ(test, ork_test_task_check(task, state), DRM_ORK_REJECT_MISSING);
	}
}

static void ork_regcmd_reuse_follows_its_twin(struct kunit *test)
{
	struct ork_regcmd_state *state = ork_regcmd_alloc(test, sizeof(*state));
	struct ork_test_task *task = ork_regcmd_alloc(test, sizeof(*task));

	ork_test_task_init(task);
	KUNIT_ASSERT_EQ(test, ork_test_task_check(task, state), DRM_ORK_REJECT_NONE);
	KUNIT_EXPECT_FALSE(test, state->reuses);

	ork_test_task_set(task, 0x1040, 0x20b1);
	KUNIT_ASSERT_EQ(test, ork_test_task_check(task, state), DRM_ORK_REJECT_NONE);
	KUNIT_EXPECT_TRUE(test, state->reuses);

	ork_test_task_set(task, 0x1110, ORK_TEST_B + 4096);
	KUNIT_EXPECT_EQ(test, ork_test_task_check(task, state), DRM_ORK_REJECT_REUSE);
}

static void ork_regcmd_trailer_links(struct kunit *test)
{
	u64 words[ORK_TRAILER_WORDS];

	ork_regcmd_trailer(words, 0xff451100, 0x37, 0xd);
	KUNIT_EXPECT_EQ(test, words[0], 0x0101ff4511000010ull);
	KUNIT_EXPECT_EQ(test, words[1], 0x0101000000370014ull);
	KUNIT_EXPECT_EQ(test, words[2], 0x0041000000000000ull);
	KUNIT_EXPECT_EQ(test, words[3], 0x00810000000d0008ull);

	ork_regcmd_trailer(words, 0, 0, 0xd);
	KUNIT_EXPECT_EQ(test, words[0], 0);
}

static struct kunit_case ork_regcmd_tests[] = {
	KUNIT_CASE_PARAM(ork_regcmd_gives_the_reason, ork_regcmd_gen_params),
	KUNIT_CASE(ork_regcmd_names_the_forbidden_word),
	KUNIT_CASE(ork_regcmd_needs_every_word),
	KUNIT_CASE(ork_regcmd_reuse_follows_its_twin),
	KUNIT_CASE(ork_regcmd_trailer_links),
	{}
};

static struct kunit_suite ork_regcmd_suite = {
	.name = "ork_regcmd",
	.test_cases = ork_regcmd_tests,
};

kunit_test_suite(ork_regcmd_suite);

MODULE_DESCRIPTION("KUnit tests of rknpu-ork");
MODULE_LICENSE("GPL");
