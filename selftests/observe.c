// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* What people and tools see of the driver: tracepoints, debugfs, sysfs, device coredumps. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define LONG_MS 60000
#define HANG_TIMEOUT_MS 200
#define TEXT_MAX (1 << 20)
#define DUMP_STEP_US 10000
#define DUMP_TRIES 1000

#define INSTANCE "/sys/kernel/tracing/instances/ork_test"
/* Each core has one at a time. */
#define DUMP_LINKS ORK_TEST_CORES "*/devcoredump"
#define DUMPS DUMP_LINKS "/data"

FIXTURE(observe)
{
	int fd;
	struct ork_test_product p, hang, fault;
	char *text;
};

FIXTURE_SETUP(observe)
{
	self->fd = ork_test_open();
	self->text = malloc(TEXT_MAX);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	ASSERT_EQ(ork_test_hang_init(self->fd, &self->hang), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->fault, 64, 64, 32, 1), 0);
	self->fault.k_program = 256;
	self->fault.slots = true;
	ASSERT_EQ(ork_test_product_program(self->fd, &self->fault, DRM_ORK_PROG_UNCHECKED_LIMITS), 0);
}

FIXTURE_TEARDOWN(observe)
{
	ork_test_product_fini(self->fd, &self->p);
	ork_test_product_fini(self->fd, &self->hang);
	ork_test_product_fini(self->fd, &self->fault);
	free(self->text);
	close(self->fd);
}

/* Reads a file as text. Returns its length, or -1. */
static int read_text(const char *path, char *text)
{
	int got, length = 0, fd = open(path, O_RDONLY);

	if (fd < 0)
		return -1;
	while ((got = read(fd, text + length, TEXT_MAX - 1 - length)) > 0)
		length += got;
	close(fd);
	text[length] = 0;
	return got < 0 ? -1 : length;
}

/* Finds a line that begins with a text and contains another, after *at; *at goes behind it. Returns 1 if there is one. */
static int find_line(char **at, const char *what, const char *more)
{
	char *line, *end, *hit;

	for (line = *at; (hit = strstr(line, what)); line = end + 1) {
		end = strchr(hit, '\n');
		if (!end)
			return 0;
		*end = 0;
		if (strstr(hit, more)) {
			*end = '\n';
			*at = end;
			return 1;
		}
		*end = '\n';
	}
	return 0;
}

/* Path of a core's attribute. Returns 0, or -1 if there is none. */
static int core_path(uint32_t index, const char *name, char *path, size_t size)
{
	char text[32];
	glob_t found;
	size_t i;
	int ret = -1;

	if (glob("/sys/bus/platform/drivers/rknpu-ork-core/*/npu*/index", 0, NULL, &found))
		return -1;
	for (i = 0; i < found.gl_pathc; i++) {
		int length, fd = open(found.gl_pathv[i], O_RDONLY);

		length = read(fd, text, sizeof(text) - 1);
		close(fd);
		if (length < 1 || (uint32_t)(text[0] - '0') != index)
			continue;
		snprintf(path, size, "%.*s/%s", (int)(strlen(found.gl_pathv[i]) - strlen("/index")),
			 found.gl_pathv[i], name);
		ret = 0;
	}
	globfree(&found);
	return ret;
}

static uint64_t core_number(uint32_t index, const char *name, char *text)
{
	char path[256];

	if (core_path(index, name, path, sizeof(path)) || read_text(path, text) < 1)
		return UINT64_MAX;
	return strtoull(text, NULL, 10);
}

TEST_F(observe, sysfs_counts_what_each_core_does)
{
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	uint64_t addresses[3], id, busy, jobs, resets;

	busy = core_number(1, "busy_ns", self->text);
	jobs = core_number(1, "jobs", self->text);
	resets = core_number(1, "resets", self->text);
	ASSERT_NE(resets, UINT64_MAX);

	job = ork_test_product_job(&self->p, addresses);
	job.core_mask = 2;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, LONG_MS, &result), 0);
	EXPECT_EQ(core_number(1, "jobs", self->text), jobs + 1);
	EXPECT_EQ(core_number(1, "busy_ns", self->text), busy + result.ended_ns - result.started_ns);

	EXPECT_EQ(ork_test_product_run(self->fd, &self->hang, DRM_ORK_PLACE_AUTO, 2, HANG_TIMEOUT_MS),
		  -ETIMEDOUT);
	EXPECT_EQ(core_number(1, "resets", self->text), resets + 1);
	EXPECT_EQ(core_number(1, "jobs", self->text), jobs + 1);
}

/* Folder of the device in debugfs; its name differs between kernels. */
static int debugfs_text(int fd, const char *name, char *text)
{
	char path[128];
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/%s", (unsigned int)(st.st_rdev & 0xff),
		 name);
	return read_text(path, text);
}

TEST_F(observe, debugfs_shows_cores_queues_and_vms)
{
	uint32_t vm, queue, syncobj;
	char *at;

	if (access("/sys/kernel/debug/dri", R_OK))
		SKIP(return, "debugfs is not there, or not for us");

	ASSERT_EQ(ork_test_vm_create(self->fd, &vm), 0);
	ASSERT_EQ(ork_test_queue_create(self->fd, DRM_ORK_PRIORITY_LOW, 4, &queue), 0);
	ASSERT_EQ(ork_test_product_start(self->fd, &self->hang, DRM_ORK_PLACE_AUTO, 2, 2000, &syncobj),
		  0);
	do {
		ASSERT_GT(debugfs_text(self->fd, "cores", self->text), 0);
		at = self->text;
	} while (!find_line(&at, "  runs:", "tasks 0 to 0") &&
		 ork_test_wait(self->fd, syncobj, 0) == -ETIME);
	EXPECT_NE(at, self->text);
	at = self->text;
	EXPECT_TRUE(find_line(&at, "core 0:", "in service"));
	EXPECT_TRUE(find_line(&at, "core 1:", "powered"));
	EXPECT_TRUE(find_line(&at, "core 2:", "in service"));

	ASSERT_GT(debugfs_text(self->fd, "queues", self->text), 0);
	at = self->text;
	EXPECT_TRUE(find_line(&at, "client ", "queue 1: low priority"));
	ASSERT_GT(debugfs_text(self->fd, "vms", self->text), 0);
	at = self->text;
	EXPECT_TRUE(find_line(&at, "client ", "vm 0"));

	EXPECT_EQ(ork_test_wait(self->fd, syncobj, LONG_MS), -ETIMEDOUT);
	ASSERT_GT(debugfs_text(self->fd, "hang", self->text), 0);
	at = self->text;
	EXPECT_TRUE(find_line(&at, "core:", "1"));
	EXPECT_TRUE(find_line(&at, "process:", "observe"));
}

static int traced(char **at, const char *event, uint64_t job, uint32_t core)
{
	char more[64];

	snprintf(more, sizeof(more), "job=%llu ", (unsigned long long)job);
	if (job)
		return find_line(at, event, more);
	snprintf(more, sizeof(more), "core=%u ", core);
	return find_line(at, event, more);
}

TEST_F(observe, tracepoints_tell_the_life_of_a_job)
{
	uint64_t addresses[3], good, hang, fault;
	struct drm_ork_job_wait result;
	struct drm_ork_job job;
	char *at = self->text;

	if (mkdir(INSTANCE, 0700) && errno != EEXIST)
		SKIP(return, "tracefs is not there, or not for us");
	ASSERT_EQ(ork_test_write_text(INSTANCE "/events/rknpu_ork/enable", "1"), 0);
	ASSERT_EQ(ork_test_write_text(INSTANCE "/trace", ""), 0);

	job = ork_test_product_job(&self->p, addresses);
	job.core_mask = 2;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &good), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, good, LONG_MS, &result), 0);
	job = ork_test_product_job(&self->hang, addresses);
	job.core_mask = 2;
	job.timeout_ms = HANG_TIMEOUT_MS;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &hang), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, hang, LONG_MS, &result), 0);
	job = ork_test_product_job(&self->fault, addresses);
	job.core_mask = 2;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &fault), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, fault, LONG_MS, &result), 0);

	ASSERT_EQ(ork_test_write_text(INSTANCE "/events/rknpu_ork/enable", "0"), 0);
	ASSERT_GT(read_text(INSTANCE "/trace", self->text), 0);
	rmdir(INSTANCE);

	EXPECT_TRUE(traced(&at, "ork_submit:", good, 1));
	EXPECT_TRUE(traced(&at, "ork_schedule:", good, 1));
	EXPECT_TRUE(traced(&at, "ork_kick:", good, 1));
	EXPECT_TRUE(traced(&at, "ork_irq:", 0, 1));
	EXPECT_TRUE(traced(&at, "ork_done:", good, 1));
	EXPECT_TRUE(traced(&at, "ork_submit:", hang, 1));
	EXPECT_TRUE(traced(&at, "ork_kick:", hang, 1));
	EXPECT_TRUE(traced(&at, "ork_timeout:", hang, 1));
	EXPECT_TRUE(traced(&at, "ork_reset:", 0, 1));
	EXPECT_TRUE(traced(&at, "ork_done:", hang, 1));
	EXPECT_TRUE(traced(&at, "ork_vm_switch:", 0, 1));
	EXPECT_TRUE(traced(&at, "ork_kick:", fault, 1));
	EXPECT_TRUE(traced(&at, "ork_fault:", 0, 1));
	EXPECT_TRUE(traced(&at, "ork_done:", fault, 1));
}

/*
 * The kernel takes a dump away some time after a write said so, and its link last; a core's next dump is
 * dropped until then. Returns 0, or -1 if one stays.
 */
static int dismiss_dumps(void)
{
	glob_t found;
	int tries;

	for (tries = 0; tries < DUMP_TRIES; tries++) {
		if (glob(DUMP_LINKS, 0, NULL, &found))
			return 0;
		globfree(&found);
		ork_test_write_all(DUMPS, "1");
		usleep(DUMP_STEP_US);
	}
	return -1;
}

/* The one that is there, which comes shortly after the job's end. */
static int wait_for_dump(char *text)
{
	int tries, length = -1;
	glob_t found;

	for (tries = 0; tries < DUMP_TRIES && length < 0; tries++) {
		usleep(DUMP_STEP_US);
		if (glob(DUMPS, 0, NULL, &found))
			continue;
		length = read_text(found.gl_pathv[0], text);
		globfree(&found);
	}
	return length;
}

TEST_F(observe, a_hang_leaves_a_coredump_with_its_commands)
{
	struct ork_test_program program;
	char *at = self->text;
	uint32_t i;

	if (access("/sys/class/devcoredump", R_OK))
		SKIP(return, "the kernel has no device coredumps");
	ASSERT_EQ(dismiss_dumps(), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &self->hang, DRM_ORK_PLACE_AUTO, 4, HANG_TIMEOUT_MS),
		  -ETIMEDOUT);
	ASSERT_GT(wait_for_dump(self->text), 0);
	EXPECT_EQ(strncmp(at, "rknpu-ork coredump 1\n", 21), 0);
	EXPECT_TRUE(find_line(&at, "core:", "2"));
	EXPECT_TRUE(find_line(&at, "process:", "observe"));
	EXPECT_TRUE(find_line(&at, "cause:", "no progress"));
	EXPECT_TRUE(find_line(&at, "tasks:", "0 to 0"));
	EXPECT_TRUE(find_line(&at, "PC TASK_CON:", "0x"));
	EXPECT_TRUE(find_line(&at, "commands:", "words"));

	ork_test_product_build(&self->hang, 0, &program);
	for (i = 0; i < program.tasks[0].word_count; i++)
		ASSERT_EQ(strtoull(at + i * 17, NULL, 16), program.words[i]);
	ork_test_program_free(&program);
	EXPECT_EQ(dismiss_dumps(), 0);
}

TEST_F(observe, a_fault_leaves_a_coredump_with_address_and_patched_commands)
{
	char address[32], *at = self->text;

	if (access("/sys/class/devcoredump", R_OK))
		SKIP(return, "the kernel has no device coredumps");
	ASSERT_EQ(dismiss_dumps(), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &self->fault, DRM_ORK_PLACE_AUTO, 1, 0), -EFAULT);
	ASSERT_GT(wait_for_dump(self->text), 0);
	EXPECT_TRUE(find_line(&at, "cause:", "address not mapped"));
	snprintf(address, sizeof(address), "0x%05x",
		 (unsigned int)((self->fault.a.va + self->fault.a.bytes) >> 12));
	EXPECT_TRUE(find_line(&at, "address:", address));
	/* FEATURE_DATA_ADDR with the job's address. */
	snprintf(address, sizeof(address), "0201%08x1070", (unsigned int)self->fault.a.va);
	EXPECT_TRUE(find_line(&at, "", address));
	EXPECT_EQ(dismiss_dumps(), 0);
}

TEST_HARNESS_MAIN
