/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "regcmd.h"
#include "tap.h"

/*
 * Programs that the library never builds, run on the in-process device: what a hang costs and what it does not.
 */
enum { M = 4, K = 64, N = 32 };

static struct ork_device *dev;
static struct ork_bo *bo;
static uint32_t base;
static uint8_t *cpu;

/* A at 0, packed B at 4096, C of task i at 8192 + i * 4096. All-ones operands: every element of C is K. */
static struct ork_task good_task(uint32_t index)
{
	return (struct ork_task){
		.rows = M, .k = K, .cols = N, .a_va = base, .a_pitch_bytes = K, .b_va = base + 4096,
		.c_va = base + 8192 + index * 4096, .c_pitch_bytes = N * 4, .data_banks = 1, .weight_banks = 11,
		.result = ork_result_find(ork_operand_find(ORK_I8), ORK_I32, 1), .requant = { .scale = 1 },
	};
}

static bool result_is_right(uint32_t index)
{
	const int32_t *c = (const int32_t *)(const void *)(cpu + 8192 + index * 4096);
	int i;

	for (i = 0; i < M * N; i++)
		if (c[i] != K)
			return false;
	return true;
}

/* Runs three tasks, one per core, and returns what the device says. */
static int run_split(const struct ork_task tasks[3])
{
	uint64_t words[3 * ORK_TASK_WORDS];
	struct ork_regcmd rc = { .words = words, .capacity = 3 * ORK_TASK_WORDS };
	struct drm_ork_task table[3] = { 0 };
	struct ork_commands commands = { .words = words, .tasks = table, .task_count = 3 };
	struct ork_launch launch = { .split = true, .core_mask = 7, .task_count = 3 };
	struct ork_refusal refusal;
	uint32_t started;
	int i, err;

	for (i = 0; i < 3; i++) {
		table[i].first_word = (uint32_t)rc.count;
		ork_regcmd_task(&rc, &tasks[i]);
		table[i].word_count = ORK_TASK_WORDS;
		table[i].enable_map = DRM_ORK_ENABLE_CONV;
	}
	commands.word_count = (uint32_t)rc.count;
	err = dev->backend->prog_create(dev, &commands, &launch.program, &refusal);
	if (err)
		return err;
	memset(cpu + 8192, 0, 3 * 4096);
	launch.fence = ork_fence_get(dev);
	err = dev->backend->submit(dev, &launch, 1, &started);
	if (!err)
		err = dev->backend->fences_wait(dev, &launch.fence, 1, -1);
	ork_fence_put(dev, launch.fence);
	dev->backend->prog_destroy(dev, launch.program);
	return err;
}

static void wedged_core_costs_only_its_own_task(void)
{
	struct ork_task tasks[3] = { good_task(0), good_task(1), good_task(2) };
	struct ork_info info;

	ok(run_split(tasks) == 0 && result_is_right(0) && result_is_right(1) && result_is_right(2),
	   "three good tasks are right");
	/* No bank for weights: a kernel group does not fit, which hangs (NPU reference 3.5.2). */
	tasks[1].weight_banks = 0;
	ok(run_split(tasks) == -ETIMEDOUT, "a wedged core is reported as -ETIMEDOUT");
	note("%s", ork_error(dev));
	ok(result_is_right(0) && result_is_right(2), "the other cores finish their tasks");
	ok(ork_query(dev, &info) == 0 && info.resets[0] == 0 && info.resets[1] == 1 && info.resets[2] == 0,
	   "only the wedged core is reset");
	tasks[1] = good_task(1);
	ok(run_split(tasks) == 0 && result_is_right(1), "the core works again");
}

static void too_long_rows_hang(void)
{
	struct ork_task tasks[3] = { good_task(0), good_task(1), good_task(2) };

	/* NPU reference 6.1: above 10752. */
	tasks[0].k = 10784;
	tasks[0].rows = 1;
	ok(run_split(tasks) == -ETIMEDOUT, "K = 10784 hangs");
	ok(result_is_right(1) && result_is_right(2), "and only its core");
}

static void unmapped_address_is_an_io_error(void)
{
	struct ork_task tasks[3] = { good_task(0), good_task(1), good_task(2) };

	tasks[2].a_va = 0xf0000000;
	ok(run_split(tasks) == -EIO && strstr(ork_error(dev), "f0000000"),
	   "an unmapped operand is reported as -EIO with its address");
	tasks[2] = good_task(2);
	tasks[2].c_va = base - 4096;
	ok(run_split(tasks) == -EIO, "an unmapped result is reported as -EIO");
	tasks[2] = good_task(2);
	ok(run_split(tasks) == 0 && result_is_right(2), "the core works again");
}

int main(void)
{
	void *ptr;

	if (!ok(ork_open("model", &dev) == 0 && ork_bo_create(dev, 5 * 4096, 0, &bo) == 0 &&
			ork_bo_map(bo, &ptr) == 0 && ork_bo_address(bo, &base) == 0,
		"device and memory"))
		return done();
	cpu = ptr;
	memset(cpu, 1, 8192);
	wedged_core_costs_only_its_own_task();
	too_long_rows_hang();
	unmapped_address_is_an_io_error();
	ork_bo_destroy(bo);
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
