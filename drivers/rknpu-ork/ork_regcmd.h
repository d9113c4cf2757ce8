/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGCMD_H
#define ORK_REGCMD_H

/* Plain C: compiled into the module and into host tests. */
#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
#endif

/* [63:48] target, [47:16] value, [15:0] register */
#define ORK_WORD(target, value, reg) \
	((u64)(target) << 48 | (u64)(u32)(value) << 16 | (u16)(reg))

#define ORK_TARGET_PC		0x0101
#define ORK_TARGET_CNA		0x0201
#define ORK_TARGET_CORE		0x0801
#define ORK_TARGET_DPU		0x1001
#define ORK_TARGET_MARKER	0x0041
#define ORK_TARGET_ENABLE	0x0081

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

	/**
	 * @mapped: tell whether one mapping of the VM holds a range, and keep that mapping for
	 * the program
	 */
	bool (*mapped)(void *opaque, u32 va, u64 size);

	/** @opaque: handed to @mapped */
	void *opaque;
};

u32 ork_regcmd_check(const struct ork_regcmd_task *task, u32 *bad_word);
void ork_regcmd_trailer(u64 *to, u32 next_va, u32 next_amount, u32 enable_map);

#endif
