// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * Products whose way through the driver the board logs (ork-board run --steps); tools/emulator/step_costs.py counts. The same
 * products as in rocket/rocket_bench.c, each with one page of input and results to be handed over. int8, M 4, K 64, 32
 * columns per task.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "ork_test.h"
#include "steps.h"

/* The one with the fewest instructions counts: in others a timer of the guest went off. */
#define ROUNDS 3
/* Power up the core and fill the caches of the kernel's allocators. */
#define WARM_UP 8
#define MANY 64
#define MIXED 16
#define CORES 3
#define TASKS_PER_CORE 16
#define WAIT_MS 20000

static void check(int ret, const char *what)
{
	if (ret) {
		fprintf(stderr, "bench_path: %s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

/* Jobs for the same product, submitted and waited for with one call each. */
struct work {
	struct ork_test_product product;
	struct drm_ork_job jobs[MANY];
	struct drm_ork_sync_range cache[2];
	uint32_t count;
};

static void work_init(int fd, uint32_t vm, struct work *work, uint32_t tasks, uint32_t jobs)
{
	struct ork_test_product *p = &work->product;
	uint64_t addresses[3];

	memset(work, 0, sizeof(*work));
	check(ork_test_product_init_in(fd, vm, p, 4, 64, 32 * tasks, tasks), "buffers");
	check(ork_test_product_program(fd, p, 0), "program");
	work->count = jobs;
	work->cache[0] = (struct drm_ork_sync_range){ .handle = p->a.handle, .op = DRM_ORK_SYNC_TO_DEVICE,
						      .size_bytes = ORK_TEST_PAGE };
	work->cache[1] = (struct drm_ork_sync_range){ .handle = p->c.handle, .op = DRM_ORK_SYNC_TO_CPU,
						      .size_bytes = ORK_TEST_PAGE };
	for (uint32_t i = 0; i < jobs; i++) {
		work->jobs[i] = ork_test_product_job(p, addresses);
		work->jobs[i].core_mask = 1;
	}
	/* Ranges to the device are done with the first job, those to the CPU with the last. */
	work->jobs[0].cache = (struct drm_ork_array){ sizeof(work->cache[0]), 1, (uintptr_t)&work->cache[0] };
	if (jobs == 1)
		work->jobs[0].cache.count = 2;
	else
		work->jobs[jobs - 1].cache =
			(struct drm_ork_array){ sizeof(work->cache[1]), 1, (uintptr_t)&work->cache[1] };
}

static void work_fini(int fd, struct work *work)
{
	ork_test_product_fini(fd, &work->product);
}

/* Returns the number of the first job. */
static uint64_t work_start(int fd, struct work *work)
{
	struct drm_ork_submit submit = {
		.jobs = { sizeof(work->jobs[0]), work->count, (uintptr_t)work->jobs },
	};

	check(drmIoctl(fd, DRM_IOCTL_ORK_SUBMIT, &submit) ? -errno : 0, "submit");
	return submit.first_id;
}

static void work_wait(int fd, struct work *work, uint64_t first)
{
	struct drm_ork_job_wait wait = { .id = first, .timeout_ns = INT64_MAX, .count = work->count };

	check(drmIoctl(fd, DRM_IOCTL_ORK_JOB_WAIT, &wait) ? -errno : 0, "wait");
	check(wait.error, "job");
}

static void work_run(int fd, struct work *work)
{
	work_wait(fd, work, work_start(fd, work));
}

/* The end is seen in the page that the driver writes, without a second call. */
static void work_run_seen(int fd, struct work *work)
{
	static const struct drm_ork_ended *ended;
	const __u64 *entry;
	uint64_t id;

	if (!ended)
		ended = mmap(NULL, sizeof(*ended), PROT_READ, MAP_SHARED, fd, DRM_ORK_ENDED_OFFSET);
	check(ended == MAP_FAILED ? -errno : 0, "page");
	id = work_start(fd, work);
	entry = &ended->jobs[id % DRM_ORK_ENDED_JOBS];
	while (__atomic_load_n(entry, __ATOMIC_ACQUIRE) >> DRM_ORK_ENDED_ID_SHIFT < id)
		;
	check(*entry & DRM_ORK_ENDED_FAILED ? -EIO : 0, "job");
}

/* Each product of the list in turn. */
static void measure(int fd, const char *name, struct work *list, uint32_t count, void (*run)(int, struct work *))
{
	char section[64];

	for (uint32_t i = 0; i < WARM_UP; i++)
		run(fd, &list[i % count]);
	for (int round = 0; round < ROUNDS; round++) {
		snprintf(section, sizeof(section), "ork-%s-%d", name, round);
		steps_on(section);
		for (uint32_t i = 0; i < count; i++)
			run(fd, &list[i]);
		steps_off();
	}
}

static void measure_one(int fd, const char *name, uint32_t tasks, uint32_t jobs, void (*run)(int, struct work *))
{
	struct work work;

	work_init(fd, 0, &work, tasks, jobs);
	measure(fd, name, &work, 1, run);
	work_fini(fd, &work);
}

static void measure_cores(int fd)
{
	struct work work;

	work_init(fd, 0, &work, CORES * TASKS_PER_CORE, 1);
	work.jobs[0].placement = DRM_ORK_PLACE_SPLIT;
	work.jobs[0].core_mask = (1 << CORES) - 1;
	measure(fd, "cores", &work, 1, work_run);
	work_fini(fd, &work);
}

/* Two address spaces on one core, in turn. */
static void measure_spaces(int fd)
{
	struct work work[2];
	uint32_t vm;

	check(ork_test_vm_create(fd, &vm), "VM");
	work_init(fd, 0, &work[0], 1, 1);
	work_init(fd, vm, &work[1], 1, 1);
	measure(fd, "spaces", work, 2, work_run);
	work_fini(fd, &work[0]);
	work_fini(fd, &work[1]);
}

/* Two clients with an address space and a queue each have their jobs queued on one core at the same time. */
static void measure_mixed(int fd)
{
	struct work work[2];
	char section[64];
	uint32_t vm, i;

	check(ork_test_vm_create(fd, &vm), "VM");
	for (i = 0; i < 2; i++) {
		work_init(fd, i ? vm : 0, &work[i], 1, MIXED);
		check(ork_test_queue_create(fd, 0, 0, &work[i].product.queue), "queue");
		for (uint32_t j = 0; j < MIXED; j++)
			work[i].jobs[j].queue = work[i].product.queue;
	}
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t first[2];

		for (i = 0; i < WARM_UP; i++)
			work_run(fd, &work[i % 2]);
		snprintf(section, sizeof(section), "ork-mixed-%d", round);
		steps_on(section);
		for (i = 0; i < 2; i++)
			first[i] = work_start(fd, &work[i]);
		for (i = 0; i < 2; i++)
			work_wait(fd, &work[i], first[i]);
		steps_off();
	}
	for (i = 0; i < 2; i++)
		work_fini(fd, &work[i]);
}

int main(void)
{
	int fd = ork_test_open();

	if (fd < 0) {
		fprintf(stderr, "bench_path: no device\n");
		return 1;
	}
	measure_one(fd, "task", 1, 1, work_run);
	measure_one(fd, "seen", 1, 1, work_run_seen);
	measure_one(fd, "tasks", MANY, 1, work_run);
	measure_one(fd, "jobs", 1, MANY, work_run);
	measure_cores(fd);
	measure_spaces(fd);
	measure_mixed(fd);
	close(fd);
	return 0;
}
