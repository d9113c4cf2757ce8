/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TEST_TASK_H
#define ORK_TEST_TASK_H

#include <kunit/test.h>

#include "../ork_regcmd.h"

#define ORK_TEST_WORDS 64
#define ORK_TEST_ACCESSES 3

/* Addresses of features, weights and output, 64 KiB apart. */
#define ORK_TEST_A 0x10000u
#define ORK_TEST_B 0x20000u
#define ORK_TEST_C 0x30000u

/**
 * struct ork_test_task - a task and what the checker asks about it
 */
struct ork_test_task {
	/** @words: register commands */
	u64 words[ORK_TEST_WORDS];

	/** @slots: address slot of each word, or -1 */
	int slots[ORK_TEST_WORDS];

	/** @count: number of words */
	u32 count;

	/** @unchecked: with limits off */
	bool unchecked;

	/** @deny: number of the access that is not allowed, or -1 */
	int deny;

	/** @access: what was asked about */
	struct ork_regcmd_access access[ORK_TEST_ACCESSES];

	/** @accesses: how often */
	u32 accesses;

	/** @bad_word: word that the refusal is about */
	u32 bad_word;
};

void ork_test_task_init(struct ork_test_task *task);
u32 ork_test_task_find(const struct ork_test_task *task, u16 reg);
void ork_test_task_set(struct ork_test_task *task, u16 reg, u32 value);
u32 ork_test_task_check(struct ork_test_task *task, struct ork_regcmd_state *state);

#endif
