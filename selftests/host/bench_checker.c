/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

/* What the program checker costs on this machine: CPU time per task of as many words as there are registers. */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../drivers/rknpu-ork/ork_regcmd.h"
#include "task_maker.h"

#define ROUNDS 200
#define TASKS 1000

static int no_slot(void *opaque, u32 word)
{
	(void)opaque;
	(void)word;
	return -1;
}

static bool anywhere(void *opaque, const struct ork_regcmd_access *access)
{
	(void)opaque;
	(void)access;
	return true;
}

/* Registers that only take 0 may be missing; programs of other software write them all the same. */
static uint32_t add_zeros(u64 *words, uint32_t count)
{
	uint32_t reg;

	for (reg = 0x1000; reg < 0x5000; reg += 4) {
		u64 word = task_word((uint16_t)reg, 0);
		struct ork_regs regs;

		memset(&regs, 0, sizeof(regs));
		if (task_find(words, count, (uint16_t)reg) < 0 && !ork_regs_write(&regs, word, 0))
			words[count++] = word;
	}
	return count;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
	static const struct ork_regcmd_limits limits = { .cbuf_banks = 12, .cbuf_bank_bytes = 32768 };
	struct ork_regcmd_state state;
	struct task_shape shape;
	u64 words[128];
	struct ork_regcmd_task task = { .words = words, .limits = &limits, .slot = no_slot, .allowed = anywhere };
	double best = 1e18;
	u32 i, bad, refused = 0;
	int round;

	task_shape_init(&shape, &task_types[0], TASK_CUBE, 64, 1024, 256, 0);
	task.count = add_zeros(words, task_make(&shape, words));
	for (round = 0; round < ROUNDS; round++) {
		double start = cpu_ns(), spent;

		memset(&state, 0, sizeof(state));
		for (i = 0; i < TASKS; i++)
			refused += ork_regcmd_check(&state, &task, &bad) != DRM_ORK_REJECT_NONE;
		spent = (cpu_ns() - start) / TASKS;
		best = spent < best ? spent : best;
	}
	printf("checker: %.0f ns of CPU per task of %u words (best of %d rounds of %d tasks, %u refused)\n", best,
	       task.count, ROUNDS, TASKS, refused);
	return refused ? 1 : 0;
}
