// SPDX-License-Identifier: MIT
/* Copyright 2026 The rknpu-ork authors */

/*
 * Products whose way through the mainline driver the board logs (ork-board run --steps): the same as in bench_path.c. The
 * driver is used in the way that costs it least: commands and weights are in a buffer that no job names, so that only a page
 * of input and a page of results are handed over, once per call; and no buffer is handed over that the CPU did not touch.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../steps.h"
#include "rocket_client.h"
#include "rocket_program.h"

#define ROUNDS 3
#define WARM_UP 8
#define MANY 64
#define CORES 3
#define TASKS_PER_CORE 16
#define WAIT_MS 20000
#define PAGE 4096

/* Fixed, as in bench_path.c. */
#define ROWS 4
#define K 64
#define COLUMNS 32

static void check(int ret, const char *what)
{
	if (ret) {
		fprintf(stderr, "rocket_bench: %s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

struct work {
	int fd;
	struct rocket_bo constant, in, out;
	struct rocket_task tasks[MANY];
	uint32_t task_count, jobs;
};

static void work_init(struct work *work, uint32_t tasks, uint32_t jobs)
{
	struct conv conv = { .width = 1, .height = ROWS, .channels = K, .kernels = COLUMNS };
	uint32_t words;

	memset(work, 0, sizeof(*work));
	work->fd = rocket_open();
	if (work->fd < 0)
		check(work->fd, "no device");
	check(rocket_bo_create(work->fd, 2 * PAGE, &work->constant), "buffer");
	check(rocket_bo_create(work->fd, PAGE, &work->in), "buffer");
	check(rocket_bo_create(work->fd, PAGE, &work->out), "buffer");
	conv.input = work->in.address;
	conv.weights = work->constant.address + PAGE;
	conv.output = work->out.address;
	words = conv_program(&conv, work->constant.map);
	check(rocket_bo_to_npu(&work->constant), "sync");
	check(rocket_bo_to_npu(&work->out), "sync");
	for (uint32_t i = 0; i < tasks; i++)
		work->tasks[i] = (struct rocket_task){ .address = work->constant.address, .words = words };
	work->task_count = tasks;
	work->jobs = jobs;
}

static void work_fini(struct work *work)
{
	rocket_bo_destroy(&work->constant);
	rocket_bo_destroy(&work->in);
	rocket_bo_destroy(&work->out);
	close(work->fd);
}

static void work_start(struct work *work)
{
	check(rocket_bo_to_npu(&work->in), "sync");
	check(rocket_submit_jobs(work->fd, work->tasks, work->task_count, work->jobs, &work->in, &work->out), "submit");
}

/* All start before the first is waited for. */
static void run(struct work *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		work_start(&list[i]);
	for (uint32_t i = 0; i < count; i++)
		check(rocket_bo_wait(&list[i].out, WAIT_MS), "wait");
}

static void measure(const char *name, struct work *list, uint32_t count)
{
	char section[64];

	for (int i = 0; i < WARM_UP; i++)
		run(list, count);
	for (int round = 0; round < ROUNDS; round++) {
		snprintf(section, sizeof(section), "rocket-%s-%d", name, round);
		steps_on(section);
		run(list, count);
		steps_off();
	}
}

static void measure_one(const char *name, uint32_t tasks, uint32_t jobs)
{
	struct work work;

	work_init(&work, tasks, jobs);
	measure(name, &work, 1);
	work_fini(&work);
}

/* A client per core, as a client has one core at a time. */
static void measure_cores(void)
{
	struct work work[CORES];

	for (int i = 0; i < CORES; i++)
		work_init(&work[i], TASKS_PER_CORE, 1);
	measure("cores", work, CORES);
	for (int i = 0; i < CORES; i++)
		work_fini(&work[i]);
}

int main(void)
{
	measure_one("task", 1, 1);
	measure_one("tasks", MANY, 1);
	measure_one("jobs", 1, MANY);
	measure_cores();
	return 0;
}
