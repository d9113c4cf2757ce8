// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Which bytes the checker asks about: exact ranges, and offsets in slots. */

#include "ork_test_task.h"

struct ork_access_fixture {
	struct ork_regcmd_state state;
	struct ork_test_task task;
};

static int ork_access_init(struct kunit *test)
{
	struct ork_access_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	if (!fix)
		return -ENOMEM;

	ork_test_task_init(&fix->task);
	test->priv = fix;
	return 0;
}

static u32 ork_access_check(struct kunit *test)
{
	struct ork_access_fixture *fix = test->priv;

	memset(&fix->state, 0, sizeof(fix->state));
	return ork_test_task_check(&fix->task, &fix->state);
}

static void ork_access_expect(struct kunit *test, u32 i, int slot, u32 start, u64 size, bool write)
{
	const struct ork_access_fixture *fix = test->priv;
	const struct ork_regcmd_access *access = &fix->task.access[i];

	KUNIT_ASSERT_LT(test, i, fix->task.accesses);
	KUNIT_EXPECT_EQ(test, access->slot, slot);
	KUNIT_EXPECT_EQ(test, access->start, start);
	KUNIT_EXPECT_EQ(test, access->size, size);
	KUNIT_EXPECT_EQ(test, access->write, write);
}

static void ork_access_is_exact(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ork_access_check(test), DRM_ORK_REJECT_NONE);
	ork_access_expect(test, 0, -1, ORK_TEST_A, 4 * 64, false);
	ork_access_expect(test, 1, -1, ORK_TEST_B, 64 * 64, false);
	ork_access_expect(test, 2, -1, ORK_TEST_C, 4 * 64 * 4, true);
}

static void ork_access_knows_strides(struct kunit *test)
{
	struct ork_access_fixture *fix = test->priv;

	/* Row-major features in rows of 8 atoms; row-major output in rows of 64. */
	ork_test_task_set(&fix->task, 0x100c, 0x20000000);
	ork_test_task_set(&fix->task, 0x107c, 8);
	ork_test_task_set(&fix->task, 0x4024, 0x10);
	ork_test_task_set(&fix->task, 0x4038, 0x003f003f);
	ork_test_task_set(&fix->task, 0x40c0, 0x80);
	KUNIT_ASSERT_EQ(test, ork_access_check(test), DRM_ORK_REJECT_NONE);
	ork_access_expect(test, 0, -1, ORK_TEST_A, (3 * 8 + 4) * 16, false);
	ork_access_expect(test, 2, -1, ORK_TEST_C, (3 * 64 + 16) * 16, true);
}

static void ork_access_beyond_4_gib_is_told(struct kunit *test)
{
	struct ork_access_fixture *fix = test->priv;

	ork_test_task_set(&fix->task, 0x1080, 0x07fffff0);
	ork_access_check(test);
	KUNIT_ASSERT_GE(test, fix->task.accesses, 1);
	KUNIT_EXPECT_GT(test, fix->task.access[0].size, 4ull << 30);
}

static void ork_access_that_is_denied_refuses_the_task(struct kunit *test)
{
	static const u16 registers[] = { 0x1070, 0x1110, 0x4020 };
	struct ork_access_fixture *fix = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		fix->task.deny = i;
		KUNIT_EXPECT_EQ(test, ork_access_check(test), DRM_ORK_REJECT_ADDRESS);
		KUNIT_EXPECT_EQ(test, fix->task.bad_word,
				ork_test_task_find(&fix->task, registers[i]));
	}
}

static void ork_access_of_a_slot_is_an_offset(struct kunit *test)
{
	struct ork_access_fixture *fix = test->priv;
	struct ork_test_task *task = &fix->task;

	ork_test_task_set(task, 0x1110, 0x400);
	task->slots[ork_test_task_find(task, 0x1110)] = 5;
	task->slots[ork_test_task_find(task, 0x4020)] = 0;
	ork_test_task_set(task, 0x4020, 0);
	KUNIT_ASSERT_EQ(test, ork_access_check(test), DRM_ORK_REJECT_NONE);
	ork_access_expect(test, 0, -1, ORK_TEST_A, 4 * 64, false);
	ork_access_expect(test, 1, 5, 0x400, 64 * 64, false);
	ork_access_expect(test, 2, 0, 0, 4 * 64 * 4, true);
}

static void ork_access_slots_are_address_words(struct kunit *test)
{
	struct ork_access_fixture *fix = test->priv;
	u32 word = ork_test_task_find(&fix->task, 0x1024);

	fix->task.slots[word] = 1;
	KUNIT_EXPECT_EQ(test, ork_access_check(test), DRM_ORK_REJECT_SLOT);
	KUNIT_EXPECT_EQ(test, fix->task.bad_word, word);
}

static void ork_access_reuse_minds_the_slot(struct kunit *test)
{
	struct ork_access_fixture *fix = test->priv;
	struct ork_test_task *task = &fix->task;
	u32 word = ork_test_task_find(task, 0x1110);

	task->slots[word] = 1;
	KUNIT_ASSERT_EQ(test, ork_access_check(test), DRM_ORK_REJECT_NONE);

	/* The same offset in another slot is another address. */
	ork_test_task_set(task, 0x1040, 0x20b1);
	task->slots[word] = 2;
	KUNIT_EXPECT_EQ(test, ork_test_task_check(task, &fix->state), DRM_ORK_REJECT_REUSE);
}

static void ork_access_with_limits_off_is_one_atom(struct kunit *test)
{
	struct ork_access_fixture *fix = test->priv;

	fix->task.unchecked = true;
	KUNIT_ASSERT_EQ(test, ork_access_check(test), DRM_ORK_REJECT_NONE);
	ork_access_expect(test, 0, -1, ORK_TEST_A, 16, false);
	ork_access_expect(test, 2, -1, ORK_TEST_C, 16, true);
}

static struct kunit_case ork_access_tests[] = {
	KUNIT_CASE(ork_access_is_exact),
	KUNIT_CASE(ork_access_knows_strides),
	KUNIT_CASE(ork_access_beyond_4_gib_is_told),
	KUNIT_CASE(ork_access_that_is_denied_refuses_the_task),
	KUNIT_CASE(ork_access_of_a_slot_is_an_offset),
	KUNIT_CASE(ork_access_slots_are_address_words),
	KUNIT_CASE(ork_access_reuse_minds_the_slot),
	KUNIT_CASE(ork_access_with_limits_off_is_one_atom),
	{}
};

static struct kunit_suite ork_access_suite = {
	.name = "ork_access",
	.init = ork_access_init,
	.test_cases = ork_access_tests,
};

kunit_test_suite(ork_access_suite);
