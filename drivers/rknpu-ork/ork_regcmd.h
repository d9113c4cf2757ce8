/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGCMD_H
#define ORK_REGCMD_H

#include "ork_regcmd_regs.h"
#include "ork_regcmd_types.h"

/* [63:48] target, [47:16] value, [15:0] register */
#define ORK_WORD(target, value, reg) \
	((u64)(target) << 48 | (u64)(u32)(value) << 16 | (u16)(reg))

/* Words that the driver appends to each task. */
#define ORK_TRAILER_WORDS	4

/**
 * struct ork_regcmd_limits - what the core that runs the program has
 */
struct ork_regcmd_limits {
	/** @cbuf_banks: on-chip buffer banks */
	u32 cbuf_banks;

	/** @cbuf_bank_bytes: size of one bank */
	u32 cbuf_bank_bytes;
};

/**
 * struct ork_regcmd_access - bytes that a task reads or writes
 */
struct ork_regcmd_access {
	/** @slot: address slot that @start is relative to, or -1 if it is an address */
	int slot;

	/** @start: first byte */
	u32 start;

	/** @size: number of bytes */
	u64 size;

	/** @write: the task writes them */
	bool write;
};

/**
 * struct ork_regcmd_task - a task to check
 */
struct ork_regcmd_task {
	/** @words: register commands without trailer */
	const u64 *words;

	/** @count: number of words */
	u32 count;

	/** @limits: facts of the core */
	const struct ork_regcmd_limits *limits;

	/** @unchecked_limits: DRM_ORK_PROG_UNCHECKED_LIMITS */
	bool unchecked_limits;

	/** @slot: tell the address slot of a word, or -1 */
	int (*slot)(void *opaque, u32 word);

	/** @allowed: tell whether an access stays inside what the program may touch */
	bool (*allowed)(void *opaque, const struct ork_regcmd_access *access);

	/** @opaque: handed to @slot and @allowed */
	void *opaque;
};

/**
 * struct ork_regcmd_state - the checker's memory of a program; starts as zeros
 */
struct ork_regcmd_state {
	/** @regs: registers of the task that was checked last */
	struct ork_regs regs;

	/** @previous: registers of the task before it */
	struct ork_regs previous;

	/** @tasks: tasks checked */
	u32 tasks;

	/** @reuses: the last task uses what the one before left on the chip */
	bool reuses;

	/** @bytes: features and weights that the last task loads, if it reuses none, and results */
	u64 bytes;
};

u32 ork_regcmd_check(struct ork_regcmd_state *state, const struct ork_regcmd_task *task,
		     u32 *bad_word);
void ork_regcmd_reload(struct ork_regcmd_state *state, u64 *words);
void ork_regcmd_trailer(u64 *to, u32 next_va, u32 next_amount, u32 enable_map);

#endif
