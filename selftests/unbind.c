// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* The device goes away under its users. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define DRIVER "/sys/bus/platform/drivers/rknpu-ork-core/"
#define MODULE "rknpu_ork"
#define SIGNAL_MS 20000
#define QUEUED 30
#define ROUNDS 5

/* Name of one of the devices that the driver is bound to. */
static int find_device(char *name, size_t size)
{
	DIR *dir = opendir(DRIVER);
	struct dirent *entry;
	int ret = -ENOENT;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, ".npu")) {
			snprintf(name, size, "%s", entry->d_name);
			ret = 0;
		}
	closedir(dir);
	return ret;
}

FIXTURE(unbind)
{
	char device[256];
	struct ork_test_product p, hang;
	int fd;
};

FIXTURE_SETUP(unbind)
{
	if (geteuid() || find_device(self->device, sizeof(self->device)))
		SKIP(return, "not allowed to unbind the driver");
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	ASSERT_EQ(ork_test_hang_init(self->fd, &self->hang), 0);
}

FIXTURE_TEARDOWN(unbind)
{
	close(self->fd);
}

/* A new device computes. Returns 0 or an error. */
static int works(void)
{
	struct ork_test_product p;
	int ret, fd = ork_test_open();

	if (fd < 0)
		return -ENODEV;
	ret = ork_test_product_init(fd, &p, 8, 256, 96, 3);
	if (!ret)
		ret = ork_test_product_program(fd, &p, 0);
	if (!ret)
		ret = ork_test_product_run(fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0);
	if (!ret && ork_test_product_check(fd, &p))
		ret = -EIO;
	close(fd);
	return ret;
}

/* A fence that outlives the device. */
static int start(int fd, struct ork_test_product *p, uint32_t core_mask, uint32_t timeout_ms)
{
	uint32_t syncobj;
	int file;

	if (ork_test_product_start(fd, p, DRM_ORK_PLACE_AUTO, core_mask, timeout_ms, &syncobj) ||
	    drmSyncobjExportSyncFile(fd, syncobj, &file))
		return -1;
	return file;
}

TEST_F(unbind, ends_all_jobs_and_leaves_memory_readable)
{
	struct drm_ork_device_info info;
	struct pollfd fences[2 * QUEUED];
	const struct drm_ork_ended *ended;
	uint8_t *a = self->p.a.ptr;
	uint8_t first = a[0];
	int i;

	ended = mmap(NULL, sizeof(*ended), PROT_READ, MAP_SHARED, self->fd, DRM_ORK_ENDED_OFFSET);
	ASSERT_NE((void *)ended, MAP_FAILED);

	/* Core 1 is wedged for longer than anybody waits here. */
	for (i = 0; i < QUEUED; i++) {
		fences[i] = (struct pollfd){ start(self->fd, &self->hang, 2, 60000), POLLIN, 0 };
		fences[QUEUED + i] = (struct pollfd){ start(self->fd, &self->p, 5, 0), POLLIN, 0 };
	}
	ASSERT_EQ(ork_test_write_text(DRIVER "unbind", self->device), 0);
	for (i = 0; i < 2 * QUEUED; i++) {
		ASSERT_GE(fences[i].fd, 0);
		EXPECT_EQ(poll(&fences[i], 1, SIGNAL_MS), 1);
		close(fences[i].fd);
	}
	EXPECT_EQ(ork_test_device(self->fd, &info), -ENODEV);
	EXPECT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 1, 0), -ENODEV);
	EXPECT_EQ(a[0], first);
	/* The file's jobs are numbered from 1; the first one hung. */
	for (i = 1; i <= 2 * QUEUED; i++)
		EXPECT_EQ(ended->jobs[i] >> DRM_ORK_ENDED_ID_SHIFT, i);
	EXPECT_TRUE(ended->jobs[1] & DRM_ORK_ENDED_FAILED);
	EXPECT_EQ(mmap(NULL, sizeof(*ended), PROT_READ, MAP_SHARED, self->fd, DRM_ORK_ENDED_OFFSET), MAP_FAILED);
	EXPECT_EQ(errno, ENODEV);

	ASSERT_EQ(ork_test_write_text(DRIVER "bind", self->device), 0);
	EXPECT_EQ(works(), 0);
	/* The file is still of the device that went away. */
	EXPECT_EQ(ork_test_device(self->fd, &info), -ENODEV);
}

/* Each is the next that the scheduler would hand over. */
TEST_F(unbind, does_not_wait_for_the_jobs_of_many_queues)
{
	struct pollfd fences[QUEUED];
	int i;

	for (i = 0; i < QUEUED; i++) {
		ASSERT_EQ(ork_test_queue_create(self->fd, 0, 0, &self->hang.queue), 0);
		fences[i] = (struct pollfd){ start(self->fd, &self->hang, 2, 0), POLLIN, 0 };
		ASSERT_GE(fences[i].fd, 0);
	}
	ASSERT_EQ(ork_test_write_text(DRIVER "unbind", self->device), 0);
	for (i = 0; i < QUEUED; i++) {
		EXPECT_EQ(poll(&fences[i], 1, SIGNAL_MS), 1);
		close(fences[i].fd);
	}
	ASSERT_EQ(ork_test_write_text(DRIVER "bind", self->device), 0);
	EXPECT_EQ(works(), 0);
}

struct closing {
	pthread_t thread;
	int fd;
};

static void *close_now(void *arg)
{
	struct closing *closing = arg;

	close(closing->fd);
	return NULL;
}

static void *unbind_now(void *device)
{
	return (void *)(intptr_t)ork_test_write_text(DRIVER "unbind", device);
}

/* A file with a job that is wedged is closed. It takes a while, for which unbind waits. */
static int start_closing(struct closing *closing)
{
	struct ork_test_product hang;

	closing->fd = ork_test_open();
	if (closing->fd < 0 || ork_test_hang_init(closing->fd, &hang))
		return -1;
	close(start(closing->fd, &hang, 1, 60000));
	/* Mapped memory would hold the file. */
	ork_test_product_fini(closing->fd, &hang);
	return pthread_create(&closing->thread, NULL, close_now, closing);
}

/* Nobody else ends the jobs of those. */
TEST_F(unbind, ends_the_jobs_of_files_that_are_closed_while_it_begins)
{
	struct pollfd fences[QUEUED];
	struct closing closing;
	pthread_t unbind;
	void *ret;
	int i;

	for (i = 0; i < QUEUED; i++) {
		fences[i] = (struct pollfd){ start(self->fd, &self->hang, 2, 60000), POLLIN, 0 };
		ASSERT_GE(fences[i].fd, 0);
	}
	ASSERT_EQ(start_closing(&closing), 0);
	usleep(100000);
	ASSERT_EQ(pthread_create(&unbind, NULL, unbind_now, self->device), 0);
	usleep(100000);
	ork_test_product_fini(self->fd, &self->hang);
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
	for (i = 0; i < QUEUED; i++) {
		EXPECT_EQ(poll(&fences[i], 1, SIGNAL_MS), 1);
		close(fences[i].fd);
	}
	pthread_join(closing.thread, NULL);
	pthread_join(unbind, &ret);
	EXPECT_EQ(ret, NULL);
	ASSERT_EQ(ork_test_write_text(DRIVER "bind", self->device), 0);
	EXPECT_EQ(works(), 0);
	self->fd = ork_test_open();
}

/* Goes on until the device is gone; the error must be no other. */
static void submit_for_ever(int ready)
{
	struct ork_test_product p;
	int ret, fd = ork_test_open();

	if (fd < 0 || ork_test_product_init(fd, &p, 8, 256, 96, 3) ||
	    ork_test_product_program(fd, &p, 0) || write(ready, "x", 1) != 1)
		_exit(1);
	do {
		ret = ork_test_product_run(fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0);
	} while (!ret);
	_exit(ret == -ENODEV || ret == -ECANCELED ? 0 : -ret);
}

/* Returns a process that submits, or -1. */
static pid_t start_submitter(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid)
		submit_for_ever(ready[1]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

TEST_F_TIMEOUT(unbind, goes_well_while_others_submit, 300)
{
	int round, i, status;
	pid_t pids[3];

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 3; i++) {
			pids[i] = start_submitter();
			ASSERT_GT(pids[i], 0);
		}
		usleep(10000 + 37000 * round);
		ASSERT_EQ(ork_test_write_text(DRIVER "unbind", self->device), 0);
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(waitpid(pids[i], &status, 0), pids[i]);
			EXPECT_EQ(status, 0);
		}
		ASSERT_EQ(ork_test_write_text(DRIVER "bind", self->device), 0);
		ASSERT_EQ(works(), 0);
	}
}

/* An open sync file is no use of the driver that the kernel would know of. */
TEST_F(unbind, the_module_can_go_before_its_fences)
{
	int fence = start(self->fd, &self->p, 1, 0);
	struct pollfd done = { fence, POLLIN, 0 };
	struct sync_file_info info = { .num_fences = 0 };

	ASSERT_GE(fence, 0);
	ASSERT_EQ(poll(&done, 1, SIGNAL_MS), 1);
	ork_test_product_fini(self->fd, &self->hang);
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
	ASSERT_EQ(syscall(SYS_delete_module, MODULE, O_NONBLOCK), 0);
	EXPECT_EQ(ioctl(fence, SYNC_IOC_FILE_INFO, &info), 0);
	EXPECT_EQ(info.status, 1);
	close(fence);
	ASSERT_EQ(system("modprobe " MODULE), 0);
	EXPECT_EQ(works(), 0);
	self->fd = ork_test_open();
}

/* A core that is about to be switched off for want of work must not be when its power domain has left it. */
TEST_F_TIMEOUT(unbind, goes_well_whenever_a_core_would_be_switched_off, 300)
{
	char path[512], delay[16];
	int i;

	for (i = 0; i < 60; i++) {
		ASSERT_EQ(works(), 0);
		snprintf(path, sizeof(path), DRIVER "%s/power/autosuspend_delay_ms", self->device);
		snprintf(delay, sizeof(delay), "%d", i / 2);
		ASSERT_EQ(ork_test_write_text(path, delay), 0);
		ASSERT_EQ(ork_test_write_text(DRIVER "unbind", self->device), 0);
		ASSERT_EQ(ork_test_write_text(DRIVER "bind", self->device), 0);
	}
	EXPECT_EQ(works(), 0);
}

TEST_HARNESS_MAIN
