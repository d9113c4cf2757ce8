// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Order and visibility: within a chain, between chains, and between the NPU and who waits for it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define LONG_MS 60000
#define JOBS 20

FIXTURE(chain)
{
	int fd;
};

FIXTURE_SETUP(chain)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(chain)
{
	close(self->fd);
}

static int run(int fd, uint32_t prog, uint32_t tasks, uint32_t core_mask)
{
	struct drm_ork_job job = { .prog = prog, .core_mask = core_mask, .task_count = tasks };
	struct drm_ork_job_wait result;

	return ork_test_job_run(fd, &job, LONG_MS, &result, NULL);
}

/* One program that runs the only task of each of two products. Returns its handle, or 0. */
static uint32_t chain_of(int fd, const struct ork_test_product *first, const struct ork_test_product *second)
{
	struct ork_test_program one, two;
	struct drm_ork_task tasks[2];
	uint32_t count;
	uint64_t *words;
	int ret;

	ork_test_product_build(first, 0, &one);
	ork_test_product_build(second, 0, &two);
	tasks[0] = one.tasks[0];
	tasks[1] = two.tasks[0];
	tasks[1].first_word = tasks[0].word_count;
	count = tasks[0].word_count + tasks[1].word_count;
	words = malloc(count * sizeof(*words));
	memcpy(words, one.words, tasks[0].word_count * sizeof(*words));
	memcpy(words + tasks[0].word_count, two.words, tasks[1].word_count * sizeof(*words));

	one.args.words = (struct drm_ork_array){ sizeof(*words), count, (uintptr_t)words };
	one.args.tasks = (struct drm_ork_array){ sizeof(tasks[0]), 2, (uintptr_t)tasks };
	ret = drmIoctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &one.args);
	free(words);
	ork_test_program_free(&one);
	ork_test_program_free(&two);
	return ret ? 0 : one.args.handle;
}

TEST_F(chain, what_a_task_writes_is_read_by_the_next)
{
	struct ork_test_product first, second;
	uint32_t prog, core, bytes;
	void *expected;
	uint64_t a_va;
	int i;

	/* With one row, C's words lie one behind the other: 4 * n bytes, the second one's K. */
	ASSERT_EQ(ork_test_product_init(self->fd, &first, 1, 256, 96, 1), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &second, 1, 4 * 96, 64, 1), 0);
	a_va = second.a.va;
	second.a.va = first.c.va;
	ASSERT_EQ(ork_test_product_program(self->fd, &first, 0), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &second, 0), 0);
	prog = chain_of(self->fd, &first, &second);
	ASSERT_NE(prog, 0);

	/* One after the other, with a wait in between, is how it must come out. */
	bytes = second.n * sizeof(int32_t);
	expected = malloc(bytes);
	ASSERT_EQ(run(self->fd, first.prog, 1, 1), 0);
	ASSERT_EQ(run(self->fd, second.prog, 1, 1), 0);
	ASSERT_EQ(ork_test_bo_sync(self->fd, second.c.handle, DRM_ORK_SYNC_TO_CPU, 0, second.c.bytes), 0);
	memcpy(expected, second.c.ptr, bytes);

	for (i = 0; i < JOBS; i++) {
		core = i % DRM_ORK_MAX_CORES;
		/* Both results are cleared. */
		ork_test_product_check(self->fd, &first);
		ork_test_product_check(self->fd, &second);
		ASSERT_EQ(run(self->fd, prog, 2, 1u << core), 0);
		ASSERT_EQ(ork_test_bo_sync(self->fd, second.c.handle, DRM_ORK_SYNC_TO_CPU, 0,
					   second.c.bytes), 0);
		ASSERT_EQ(memcmp(expected, second.c.ptr, bytes), 0);
	}
	free(expected);
	second.a.va = a_va;
	ork_test_product_fini(self->fd, &first);
	ork_test_product_fini(self->fd, &second);
}

static int by_start(const void *a, const void *b)
{
	const struct drm_ork_job_wait *one = a, *two = b;

	return one->started_ns < two->started_ns ? -1 : one->started_ns > two->started_ns;
}

TEST_F(chain, chains_of_two_files_take_turns_on_a_core)
{
	struct drm_ork_job_wait results[2 * JOBS];
	int i, fds[2] = { self->fd, ork_test_open() };
	uint64_t addresses[3], ids[2 * JOBS];
	struct ork_test_product p[2];
	struct drm_ork_job job;

	ASSERT_GE(fds[1], 0);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(ork_test_product_init(fds[i], &p[i], 8, 256, 192, 6), 0);
		ASSERT_EQ(ork_test_product_program(fds[i], &p[i], 0), 0);
	}
	for (i = 0; i < 2 * JOBS; i++) {
		job = ork_test_product_job(&p[i % 2], addresses);
		job.core_mask = 2;
		ASSERT_EQ(ork_test_submit_one(fds[i % 2], &job, &ids[i]), 0);
	}
	for (i = 0; i < 2 * JOBS; i++) {
		ASSERT_EQ(ork_test_job_wait(fds[i % 2], ids[i], LONG_MS, &results[i]), 0);
		EXPECT_EQ(results[i].error, 0);
		EXPECT_EQ(results[i].tasks_done, 6);
	}
	qsort(results, 2 * JOBS, sizeof(results[0]), by_start);
	for (i = 1; i < 2 * JOBS; i++)
		EXPECT_GE(results[i].started_ns, results[i - 1].ended_ns);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ork_test_product_check(fds[i], &p[i]), 0);
		ork_test_product_fini(fds[i], &p[i]);
	}
	close(fds[1]);
}

/* On a board in chaos mode, results land after the interrupt. */
TEST_F_TIMEOUT(chain, completion_means_that_a_million_elements_are_in_memory, 120)
{
	struct ork_test_product p;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 512, 32, 2048, 16), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
	ork_test_product_fini(self->fd, &p);
}

TEST_HARNESS_MAIN
