/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include <ork_regcmd.h>

#include "regcmd_task.h"

#define PC_BASE_ADDRESS     0x0010
#define PC_REGISTER_AMOUNTS 0x0014

/* Of the RK3588 (NPU reference 3.5.1). */
static const struct ork_regcmd_limits limits = { .cbuf_banks = 12, .cbuf_bank_bytes = 32768 };

struct regcmd_checker {
	struct ork_regcmd_state state;
};

static bool writes_pc(__u64 word, uint16_t reg)
{
	return word >> 48 == ORK_TARGET_PC && (uint16_t)word == reg;
}

/* As the driver and everybody else write it (NPU reference 2.2). */
static bool has_trailer(const __u64 *words, uint32_t count)
{
	const __u64 *end = words + count;

	return count > ORK_TRAILER_WORDS && (!end[-4] || writes_pc(end[-4], PC_BASE_ADDRESS)) &&
	       writes_pc(end[-3], PC_REGISTER_AMOUNTS) && end[-2] >> 48 == ORK_TARGET_MARKER &&
	       end[-1] >> 48 == ORK_TARGET_ENABLE;
}

bool regcmd_next_task(const __u64 *words, size_t count, uint32_t task_words, size_t *at, struct regcmd_task *task)
{
	size_t end;

	while (*at < count && !words[*at])
		++*at;
	if (*at == count)
		return false;
	for (end = *at + 1; end < count; end++) {
		if (task_words ? end - *at == task_words : words[end - 1] >> 48 == ORK_TARGET_ENABLE)
			break;
	}
	*task = (struct regcmd_task){ .first = *at, .count = (uint32_t)(end - *at) };
	if (has_trailer(words + *at, task->count))
		task->trailer = ORK_TRAILER_WORDS;
	*at = end;
	return true;
}

struct regcmd_checker *regcmd_checker_create(void)
{
	return calloc(1, sizeof(struct regcmd_checker));
}

void regcmd_checker_free(struct regcmd_checker *checker)
{
	free(checker);
}

static int no_slot(void *opaque, u32 word)
{
	(void)opaque;
	(void)word;
	return -1;
}

static bool any_address(void *opaque, const struct ork_regcmd_access *access)
{
	(void)opaque;
	(void)access;
	return true;
}

void regcmd_check_task(struct regcmd_checker *checker, const __u64 *words, struct regcmd_task *task)
{
	const struct ork_regcmd_task check = {
		.words = words + task->first,
		.count = task->count - task->trailer,
		.limits = &limits,
		.slot = no_slot,
		.allowed = any_address,
	};
	const bool first = checker->state.tasks == 0;

	task->reject = ork_regcmd_check(&checker->state, &check, &task->reject_word);
	task->reuses_unknown = task->reject == DRM_ORK_REJECT_REUSE && first;
	if (!task->reject && task->trailer &&
	    (uint32_t)(words[task->first + task->count - 1] >> 16) != DRM_ORK_ENABLE_CONV) {
		task->reject = DRM_ORK_REJECT_TASK;
		task->reject_word = task->count - 1;
	}
}

static const struct {
	const char *name, *text;
} rejects[] = {
	[DRM_ORK_REJECT_NONE] = { "NONE", "accepted" },
	[DRM_ORK_REJECT_TARGET] = { "TARGET", "the target is not CNA, CORE or DPU" },
	[DRM_ORK_REJECT_REGISTER] = { "REGISTER", "a program must not write the register" },
	[DRM_ORK_REJECT_FIELD] = { "FIELD", "the value has bits outside the fields, or one that must be 0" },
	[DRM_ORK_REJECT_MISSING] = { "MISSING", "the task does not write a register that decides what it does" },
	[DRM_ORK_REJECT_UNSUPPORTED] = { "UNSUPPORTED", "the driver does not support this mode, precision or stage" },
	[DRM_ORK_REJECT_ADDRESS] = { "ADDRESS", "the address is not a multiple of 16" },
	[DRM_ORK_REJECT_SHAPE] = { "SHAPE", "sizes contradict each other or exceed what the hardware can do" },
	[DRM_ORK_REJECT_BANKS] = { "BANKS", "the on-chip banks do not hold a kernel group or the features" },
	[DRM_ORK_REJECT_REUSE] = { "REUSE", "the task before it does not leave on the chip what this one reuses" },
	[DRM_ORK_REJECT_OUTPUT] = { "OUTPUT", "SIZE_E, SURFACE_ADD or NOTCH do not fit the output" },
	[DRM_ORK_REJECT_TASK] = { "TASK", "the driver starts CNA, CORE and DPU only" },
	[DRM_ORK_REJECT_SLOT] = { "SLOT", "an address slot is wrong" },
};

const char *regcmd_reject_name(uint32_t reject)
{
	return reject < ARRAY_SIZE(rejects) ? rejects[reject].name : "?";
}

const char *regcmd_reject_text(uint32_t reject)
{
	return reject < ARRAY_SIZE(rejects) ? rejects[reject].text : "?";
}
