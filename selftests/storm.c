// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * Six processes wedge all cores again and again while a seventh multiplies. WEDGES in the environment
 * is the number of wedges of each of the six.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define OFFENDERS 6
#define DEFAULT_WEDGES 25
/* A hang takes its whole timeout. A fault ends at once; its timeout is for a busy emulator. */
#define HANG_TIMEOUT_MS 20
#define FAULT_TIMEOUT_MS 20000

static int wedges(void)
{
	const char *text = getenv("WEDGES");

	return text ? atoi(text) : DEFAULT_WEDGES;
}

/* Even ones hang, odd ones run over the end of their features; half of them begin with tasks that are right. */
static void offend(int which)
{
	bool hang = which % 2 == 0;
	struct ork_test_product p;
	int i, fd = ork_test_open();

	if (ork_test_wedge_init(fd, &p, hang, which < OFFENDERS / 2 ? 0 : 2))
		_exit(1);
	/* A queue of its own for each, as one that wedges again and again is lost. */
	for (i = 0; i < wedges(); i++) {
		if (ork_test_queue_create(fd, DRM_ORK_PRIORITY_NORMAL, 0, &p.queue))
			_exit(3);
		if (ork_test_product_run(fd, &p, DRM_ORK_PLACE_AUTO, 1u << (which + i) % 3,
					 hang ? HANG_TIMEOUT_MS : FAULT_TIMEOUT_MS) !=
		    (hang ? -ETIMEDOUT : -EFAULT))
			_exit(2);
		if (ork_test_queue_destroy(fd, p.queue))
			_exit(4);
	}
	_exit(0);
}

static int running(pid_t *pids, int *failed)
{
	int i, status, left = 0;

	for (i = 0; i < OFFENDERS; i++) {
		if (!pids[i])
			continue;
		if (waitpid(pids[i], &status, WNOHANG) == pids[i]) {
			*failed += status != 0;
			pids[i] = 0;
		} else {
			left++;
		}
	}
	return left;
}

FIXTURE(storm)
{
	int fd;
	struct ork_test_product p;
};

FIXTURE_SETUP(storm)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(storm)
{
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
}

TEST_F_TIMEOUT(storm, a_seventh_process_computes_correctly_throughout, 3600)
{
	struct drm_ork_device_info before, after;
	pid_t pids[OFFENDERS];
	uint64_t resets = 0;
	int i, failed = 0, runs = 0;

	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	for (i = 0; i < OFFENDERS; i++) {
		pids[i] = fork();
		ASSERT_GE(pids[i], 0);
		if (!pids[i])
			offend(i);
	}

	while (running(pids, &failed)) {
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
		ASSERT_EQ(ork_test_product_check(self->fd, &self->p), 0);
		runs++;
	}
	EXPECT_EQ(failed, 0);
	EXPECT_GT(runs, 0);

	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	for (i = 0; i < DRM_ORK_MAX_CORES; i++)
		resets += after.resets[i] - before.resets[i];
	EXPECT_EQ(resets, (uint64_t)OFFENDERS * wedges());
	TH_LOG("%d products during %d wedges", runs, OFFENDERS * wedges());
}

TEST_HARNESS_MAIN
