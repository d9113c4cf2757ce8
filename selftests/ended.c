// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* The page that shows which jobs have ended. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define WAIT_MS 20000
#define JOBS 64

static void *map(int fd, size_t bytes, int prot)
{
	return mmap(NULL, bytes, prot, MAP_SHARED, fd, DRM_ORK_ENDED_OFFSET);
}

static uint64_t entry(const struct drm_ork_ended *page, uint64_t id)
{
	return __atomic_load_n(&page->jobs[id % DRM_ORK_ENDED_JOBS], __ATOMIC_ACQUIRE);
}

FIXTURE(ended)
{
	struct ork_test_product p;
	const struct drm_ork_ended *page;
	int fd;
};

FIXTURE_SETUP(ended)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	self->page = map(self->fd, sizeof(*self->page), PROT_READ);
	ASSERT_NE((void *)self->page, MAP_FAILED);
}

FIXTURE_TEARDOWN(ended)
{
	close(self->fd);
}

/* Submits without waiting; returns the job's number, or 0. */
static uint64_t start(int fd, const struct ork_test_product *p, uint32_t core_mask, uint32_t timeout_ms)
{
	uint64_t addresses[3], id;
	struct drm_ork_job job = ork_test_product_job(p, addresses);

	job.core_mask = core_mask;
	job.timeout_ms = timeout_ms;
	return ork_test_submit_one(fd, &job, &id) ? 0 : id;
}

TEST_F(ended, a_page_begins_empty)
{
	uint32_t i;

	for (i = 0; i < DRM_ORK_ENDED_JOBS; i++)
		EXPECT_EQ(self->page->jobs[i], 0);
}

TEST_F(ended, a_job_that_is_seen_to_have_ended_has_its_results)
{
	uint64_t id = start(self->fd, &self->p, 7, 0);

	ASSERT_NE(id, 0);
	while (entry(self->page, id) != id << DRM_ORK_ENDED_ID_SHIFT)
		;
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

TEST_F(ended, the_page_and_job_wait_never_disagree)
{
	struct drm_ork_job_wait result;
	uint64_t ids[JOBS];
	uint32_t i, left = JOBS;

	for (i = 0; i < JOBS; i++) {
		ids[i] = start(self->fd, &self->p, 1 << i % 3, 0);
		ASSERT_NE(ids[i], 0);
	}
	while (left) {
		for (i = 0, left = 0; i < JOBS; i++) {
			uint64_t shown = entry(self->page, ids[i]);
			int ret = ork_test_job_wait(self->fd, ids[i], 0, &result);

			if (shown) {
				ASSERT_EQ(shown, ids[i] << DRM_ORK_ENDED_ID_SHIFT);
				ASSERT_EQ(ret, 0);
				ASSERT_EQ(result.state, DRM_ORK_JOB_ENDED);
				ASSERT_EQ(result.error, 0);
			}
			left += !shown;
		}
	}
}

TEST_F(ended, a_job_that_failed_is_shown_as_failed)
{
	struct drm_ork_job_wait result;
	struct ork_test_product hang;
	uint64_t id;

	ASSERT_EQ(ork_test_hang_init(self->fd, &hang), 0);
	id = start(self->fd, &hang, 1, 1000);
	ASSERT_NE(id, 0);
	EXPECT_EQ(entry(self->page, id), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, WAIT_MS, &result), 0);
	EXPECT_EQ(result.error, -ETIMEDOUT);
	/* The fence signals first. */
	while (!entry(self->page, id))
		;
	EXPECT_EQ(entry(self->page, id), id << DRM_ORK_ENDED_ID_SHIFT | DRM_ORK_ENDED_FAILED);
}

TEST_F(ended, a_later_job_takes_the_place)
{
	struct drm_ork_job_wait result;
	uint64_t first = start(self->fd, &self->p, 1, 0), last = first;

	while (last < first + DRM_ORK_ENDED_JOBS) {
		ASSERT_EQ(ork_test_job_wait(self->fd, last, WAIT_MS, &result), 0);
		last = start(self->fd, &self->p, 1, 0);
		ASSERT_NE(last, 0);
	}
	ASSERT_EQ(ork_test_job_wait(self->fd, last, WAIT_MS, &result), 0);
	while (entry(self->page, first) != last << DRM_ORK_ENDED_ID_SHIFT)
		;
	EXPECT_EQ(ork_test_job_wait(self->fd, first, 0, &result), 0);
}

TEST_F(ended, nobody_can_write_or_execute_it)
{
	size_t bytes = sizeof(*self->page);

	EXPECT_EQ(map(self->fd, bytes, PROT_READ | PROT_WRITE), MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(map(self->fd, bytes, PROT_READ | PROT_EXEC), MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->fd, DRM_ORK_ENDED_OFFSET), MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(mprotect((void *)self->page, bytes, PROT_READ | PROT_WRITE), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(mprotect((void *)self->page, bytes, PROT_READ | PROT_EXEC), -1);
	EXPECT_EQ(errno, EACCES);
}

TEST_F(ended, only_one_page_is_there)
{
	size_t page = sysconf(_SC_PAGESIZE);

	EXPECT_EQ(map(self->fd, 2 * page, PROT_READ), MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(mremap((void *)self->page, page, 2 * page, MREMAP_MAYMOVE), MAP_FAILED);
}

TEST_F(ended, another_file_has_another_page)
{
	struct drm_ork_job_wait result;
	const struct drm_ork_ended *other;
	int fd = ork_test_open();
	uint64_t id;

	ASSERT_GE(fd, 0);
	other = map(fd, sizeof(*other), PROT_READ);
	ASSERT_NE((void *)other, MAP_FAILED);
	id = start(self->fd, &self->p, 1, 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, WAIT_MS, &result), 0);
	while (!entry(self->page, id))
		;
	EXPECT_EQ(entry(other, id), 0);
	close(fd);
}

TEST_F(ended, a_child_reads_it_too_and_it_outlives_the_file)
{
	struct drm_ork_job_wait result;
	uint64_t id = start(self->fd, &self->p, 1, 0);
	int status;
	pid_t child;

	ASSERT_EQ(ork_test_job_wait(self->fd, id, WAIT_MS, &result), 0);
	while (!entry(self->page, id))
		;
	child = fork();
	if (!child) {
		close(self->fd);
		_exit(entry(self->page, id) != id << DRM_ORK_ENDED_ID_SHIFT);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);

	close(self->fd);
	EXPECT_EQ(entry(self->page, id), id << DRM_ORK_ENDED_ID_SHIFT);
	self->fd = -1;
}

TEST_HARNESS_MAIN
