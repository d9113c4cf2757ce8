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

struct program {
	u64 words[128];
	struct ork_regcmd_task task;
};

static void make_program(struct program *program)
{
	static const struct ork_regcmd_limits limits = { .cbuf_banks = 12, .cbuf_bank_bytes = 32768 };
	struct task_shape shape;

	task_shape_init(&shape, &task_types[0], TASK_CUBE, 64, 1024, 256, 0);
	program->task = (struct ork_regcmd_task){
		.words = program->words, .limits = &limits, .slot = no_slot, .allowed = anywhere
	};
	program->task.count = add_zeros(program->words, task_make(&shape, program->words));
}

/* Returns how many tasks were refused. */
static u32 check_tasks(const struct program *program, u32 count)
{
	struct ork_regcmd_state state;
	u32 i, bad, refused = 0;

	memset(&state, 0, sizeof(state));
	for (i = 0; i < count; i++)
		refused += ork_regcmd_check(&state, &program->task, &bad) != DRM_ORK_REJECT_NONE;
	return refused;
}

/* The same words copied, in the caches too. */
static void copy_tasks(const struct program *program, u32 count)
{
	static u64 copy[128];
	u32 i;

	for (i = 0; i < count; i++) {
		memcpy(copy, program->words, program->task.count * sizeof(copy[0]));
		__asm__ volatile("" : : "r"(copy) : "memory");
	}
}

/* Without arguments, the time; with a number, checks so many tasks and prints the bytes of one, for count.py. */
int main(int argc, char **argv)
{
	double best = 1e18, best_copy = 1e18, start, spent;
	struct program program;
	u32 refused = 0;
	int round;

	make_program(&program);
	if (argc == 2) {
		refused = check_tasks(&program, (u32)atoi(argv[1]));
		printf("%zu\n", program.task.count * sizeof(program.words[0]));
		return refused ? 1 : 0;
	}
	for (round = 0; round < ROUNDS; round++) {
		start = cpu_ns();
		refused += check_tasks(&program, TASKS);
		spent = (cpu_ns() - start) / TASKS;
		best = spent < best ? spent : best;
		start = cpu_ns();
		copy_tasks(&program, TASKS);
		spent = (cpu_ns() - start) / TASKS;
		best_copy = spent < best_copy ? spent : best_copy;
	}
	printf("checker: %.0f ns of CPU per task of %u words, %.0f times a memcpy() of them (best of %d rounds of %d tasks, "
	       "%u refused)\n", best, program.task.count, best / best_copy, ROUNDS, TASKS, refused);
	return refused ? 1 : 0;
}
