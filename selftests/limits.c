// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* A client that takes all it can get: where it ends, who pays, and that others do not notice. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define MIB (1ull << 20)
#define MAX_PROGS 32768
#define MAX_QUEUED 8192
#define LONG_TASKS 16384
#define MAX_SYNCS 64
#define JOBS_PER_CALL 4096
#define HANG_MS 20000
/* For a busy emulator. */
#define LONG_MS 100000

#define CGROUPS "/tmp/ork-cgroups"
#define CGROUP CGROUPS "/client"
#define CGROUP_MAX "134217728"

FIXTURE(limits)
{
	int fd, other;
	struct ork_test_product p, good;
};

/* other is the client that must not notice. */
FIXTURE_SETUP(limits)
{
	self->fd = ork_test_open();
	self->other = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_GE(self->other, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 1, 32, 32, 1), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	ASSERT_EQ(ork_test_product_init(self->other, &self->good, 8, 256, 96, 3), 0);
}

FIXTURE_TEARDOWN(limits)
{
	close(self->fd);
	close(self->other);
}

/* Makes a program and runs it. */
static int computes(int fd, struct ork_test_product *p)
{
	int ret = ork_test_product_program(fd, p, 0);

	if (!ret)
		ret = ork_test_product_run(fd, p, DRM_ORK_PLACE_SPLIT, 3, 0);
	return ret ?: (int)ork_test_product_check(fd, p);
}

TEST_F_TIMEOUT(limits, programs_end_at_enospc_and_for_the_file_alone, 300)
{
	struct drm_ork_prog_destroy destroy = { 0 };
	struct ork_test_product p = self->p;
	int ret = 0, count = 1;

	for (; !ret && count <= MAX_PROGS; count++)
		ret = ork_test_product_program(self->fd, &p, 0);
	EXPECT_EQ(ret, -ENOSPC);
	EXPECT_EQ(count - 1, MAX_PROGS);
	EXPECT_EQ(computes(self->other, &self->good), 0);

	destroy.handle = self->p.prog;
	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_DESTROY, &destroy), 0);
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -ENOSPC);
}

/* As many jobs as one call takes, that wait for a fence. Returns how many were queued. */
static uint32_t queue_many(int fd, const struct ork_test_product *p, const struct drm_ork_sync *in, uint32_t count,
			   int *ret)
{
	struct drm_ork_job *jobs = calloc(count, sizeof(*jobs));
	uint64_t addresses[3];
	uint32_t i, done;

	for (i = 0; i < count; i++) {
		jobs[i] = ork_test_product_job(p, addresses);
		jobs[i].core_mask = 1;
		jobs[i].in_syncs = (struct drm_ork_array){ sizeof(*in), 1, (uintptr_t)in };
	}
	*ret = ork_test_submit(fd, jobs, count, &done);
	free(jobs);
	return done;
}

/* A fence of other's that signals late; *in is its handle in fd. */
static int late_fence(int other, int fd, uint32_t *theirs, struct drm_ork_sync *in)
{
	struct ork_test_product hang;
	int fence, ret = ork_test_hang_init(other, &hang);

	if (!ret)
		ret = ork_test_product_start(other, &hang, DRM_ORK_PLACE_AUTO, 4, HANG_MS, theirs);
	if (ret || drmSyncobjHandleToFD(other, *theirs, &fence))
		return ret ?: -errno;
	*in = (struct drm_ork_sync){ 0 };
	ret = drmSyncobjFDToHandle(fd, fence, &in->handle) ? -errno : 0;
	close(fence);
	return ret;
}

TEST_F_TIMEOUT(limits, queued_jobs_end_at_ebusy_until_some_have_ended, 300)
{
	struct ork_test_product p = self->p;
	uint32_t theirs, count;
	struct drm_ork_sync in;
	int ret, last;

	ASSERT_EQ(late_fence(self->other, self->fd, &theirs, &in), 0);
	ASSERT_EQ(ork_test_queue_create(self->fd, DRM_ORK_PRIORITY_NORMAL, 0, &p.queue), 0);
	count = queue_many(self->fd, &p, &in, JOBS_PER_CALL, &ret);
	EXPECT_EQ(count, JOBS_PER_CALL);
	count += queue_many(self->fd, &self->p, &in, JOBS_PER_CALL, &ret);
	queue_many(self->fd, &self->p, &in, 1, &last);
	if (ork_test_wait(self->other, theirs, 0) != -ETIME)
		SKIP(return, "the fence came before all jobs were queued");
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(count, MAX_QUEUED);
	EXPECT_EQ(last, -EBUSY);
	EXPECT_EQ(computes(self->other, &self->good), 0);

	/* Ends those that are not close to their turn. */
	ASSERT_EQ(ork_test_queue_destroy(self->fd, p.queue), 0);
	EXPECT_EQ(queue_many(self->fd, &self->p, &in, JOBS_PER_CALL - 16, &ret), JOBS_PER_CALL - 16);
	EXPECT_EQ(ret, 0);
	close(self->fd);
	self->fd = ork_test_open();
	EXPECT_EQ(ork_test_wait(self->other, theirs, 3 * HANG_MS), -ETIMEDOUT);
	EXPECT_EQ(computes(self->other, &self->good), 0);
}

/* The driver gives a core 256 tasks at once. */
TEST_F_TIMEOUT(limits, a_long_job_counts_for_several, 300)
{
	struct ork_test_product p = self->p;
	uint32_t theirs, count;
	struct drm_ork_sync in;
	int ret;

	p.copies = true;
	p.tasks = LONG_TASKS;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	ASSERT_EQ(late_fence(self->other, self->fd, &theirs, &in), 0);
	count = queue_many(self->fd, &p, &in, JOBS_PER_CALL, &ret);
	if (ork_test_wait(self->other, theirs, 0) != -ETIME)
		SKIP(return, "the fence came before all jobs were queued");
	EXPECT_EQ(ret, -EBUSY);
	EXPECT_EQ(count, MAX_QUEUED / (LONG_TASKS / 256));
	EXPECT_EQ(computes(self->other, &self->good), 0);
}

TEST_F(limits, a_job_has_so_many_syncobjs_and_no_more)
{
	struct drm_ork_sync syncs[MAX_SYNCS + 1] = { 0 };
	uint64_t addresses[3], id;
	struct drm_ork_job job = ork_test_product_job(&self->p, addresses);
	struct drm_ork_job_wait result;
	int i;

	job.core_mask = 1;
	for (i = 0; i <= MAX_SYNCS; i++) {
		ASSERT_EQ(ork_test_syncobj(self->fd, &syncs[i].handle), 0);
		syncs[i].point = 1;
	}
	job.out_syncs = (struct drm_ork_array){ sizeof(*syncs), MAX_SYNCS + 1, (uintptr_t)syncs };
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	job.out_syncs.count = MAX_SYNCS;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	job.out_syncs.count = 0;
	job.in_syncs = (struct drm_ork_array){ sizeof(*syncs), MAX_SYNCS + 1, (uintptr_t)syncs };
	EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	job.in_syncs.count = MAX_SYNCS;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	ASSERT_EQ(ork_test_job_wait(self->fd, id, 20000, &result), 0);
	EXPECT_EQ(result.error, 0);
}

TEST_F_TIMEOUT(limits, files_with_everything_full_do_not_disturb_others, 120)
{
	int files[16], i, ret;
	uint32_t id, n;
	uint64_t va;

	for (i = 0; i < 16; i++) {
		files[i] = ork_test_open();
		ASSERT_GE(files[i], 0);
		while (!(ret = ork_test_vm_create(files[i], &id)))
			;
		EXPECT_EQ(ret, -ENOSPC);
		while (!(ret = ork_test_queue_create(files[i], DRM_ORK_PRIORITY_LOW, 0, &id)))
			;
		EXPECT_EQ(ret, -ENOSPC);
		for (n = 0; n < 256; n++) {
			uint64_t offset;

			ASSERT_EQ(ork_test_bo_create(files[i], ORK_TEST_PAGE, 0, &id, &offset), 0);
			ASSERT_EQ(ork_test_map(files[i], n % 32, id, 0, ORK_TEST_PAGE, &va), 0);
			ASSERT_EQ(ork_test_syncobj(files[i], &id), 0);
		}
	}
	EXPECT_EQ(computes(self->other, &self->good), 0);
	for (i = 0; i < 16; i++)
		close(files[i]);
	EXPECT_EQ(computes(self->other, &self->good), 0);
}

/* A number in a file, or the one that follows key there; -1 if there is none. */
static long long read_number(const char *path, const char *key)
{
	char text[8192];
	const char *at = text;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	if (n < 0)
		return -1;
	text[n] = 0;
	if (key)
		at = strstr(text, key);
	return at ? strtoll(at + (key ? strlen(key) : 0), NULL, 10) : -1;
}

/* Fills many files, says so and waits for its end. */
static void take_all(int ready)
{
	uint64_t offset, va;
	uint32_t id;
	int i, n, fd;

	for (i = 0; i < 64; i++) {
		fd = ork_test_open();
		if (fd < 0 || ork_test_bo_create(fd, 8 * MIB, 0, &id, &offset) ||
		    ork_test_map(fd, 0, id, 0, 8 * MIB, &va))
			_exit(1);
		for (n = 0; n < 8; n++) {
			struct ork_test_product p;
			uint64_t addresses[3];
			struct drm_ork_job job;
			uint32_t vm;

			if (ork_test_vm_create(fd, &vm) || ork_test_product_init_in(fd, vm, &p, 1, 32, 32, 1) ||
			    ork_test_product_program(fd, &p, 0) || ork_test_queue_create(fd, 0, 0, &p.queue))
				_exit(1);
			job = ork_test_product_job(&p, addresses);
			job.core_mask = 7;
			if (ork_test_submit(fd, &job, 1, NULL))
				_exit(1);
		}
	}
	if (write(ready, "x", 1) != 1)
		_exit(1);
	pause();
}

static long long available_kib(void)
{
	return read_number("/proc/meminfo", "MemAvailable:");
}

TEST_F_TIMEOUT(limits, all_is_given_back_when_the_process_is_killed, 120)
{
	long long before = available_kib(), during, after = 0;
	int ready[2], status, i;
	char byte;
	pid_t pid;

	ASSERT_EQ(pipe(ready), 0);
	pid = fork();
	if (!pid)
		take_all(ready[1]);
	close(ready[1]);
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	during = available_kib();
	EXPECT_LT(during, before - 512 * 1024);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	/* Work items give the last of it back. */
	for (i = 0; i < 200 && after < before - 32 * 1024; i++) {
		usleep(50000);
		after = available_kib();
	}
	EXPECT_GE(after, before - 32 * 1024);
	EXPECT_EQ(computes(self->other, &self->good), 0);
	close(ready[0]);
}

static long long charged(void)
{
	return read_number(CGROUP "/memory.current", NULL);
}

FIXTURE(cgroup)
{
	int unused;
};

FIXTURE_SETUP(cgroup)
{
	mkdir(CGROUPS, 0700);
	if (mount("ork-test", CGROUPS, "cgroup2", 0, NULL))
		SKIP(return, "no cgroups, or not for us");
	if (ork_test_write_text(CGROUPS "/cgroup.subtree_control", "+memory"))
		SKIP(return, "no memory cgroup");
	ASSERT_EQ(mkdir(CGROUP, 0700), 0);
	ASSERT_EQ(ork_test_write_text(CGROUP "/memory.max", CGROUP_MAX), 0);
}

FIXTURE_TEARDOWN(cgroup)
{
	rmdir(CGROUP);
	umount(CGROUPS);
	rmdir(CGROUPS);
}

/* Runs a client in the cgroup. Returns the line of what went wrong in it, 0, or -1 if it was killed. */
static int in_cgroup(int (*client)(int fd))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (ork_test_write_text(CGROUP "/cgroup.procs", "0"))
			_exit(1);
		_exit(client(ork_test_open()));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int take_buffers(int fd)
{
	long long before = charged();
	uint32_t handle;
	uint64_t offset, va;
	int ret, i;

	/* Memory comes when it is mapped. */
	if (ork_test_bo_create(fd, 64 * MIB, 0, &handle, &offset) || charged() > before + (long long)MIB)
		return 2;
	if (ork_test_map(fd, 0, handle, 0, 64 * MIB, &va) || charged() < before + (long long)(64 * MIB))
		return 3;
	if (mmap(NULL, 64 * MIB, PROT_READ, MAP_SHARED, fd, offset) == MAP_FAILED)
		return 4;
	/* Mapping it again costs nothing more. */
	if (charged() > before + (long long)(68 * MIB))
		return 5;
	for (i = 0, ret = 0; !ret && i < 4; i++) {
		if (ork_test_bo_create(fd, 32 * MIB, 0, &handle, &offset))
			return 6;
		ret = ork_test_map(fd, 0, handle, 0, 32 * MIB, &va);
	}
	return ret == -ENOMEM ? 0 : 7;
}

TEST_F(cgroup, is_charged_for_buffers_and_ends_them_with_enomem)
{
	long long before = charged();

	EXPECT_EQ(in_cgroup(take_buffers), 0);
	EXPECT_EQ(read_number(CGROUP "/memory.events", "oom_kill "), 0);
	EXPECT_LT(charged(), before + (long long)(4 * MIB));
}

/* What the driver keeps for a file beside buffers; at least bytes of it. */
static int costs(long long before, long long bytes)
{
	return charged() - before < bytes;
}

static int take_kernel_memory(int fd)
{
	struct ork_test_product p;
	long long before = charged();
	uint64_t va, offset;
	uint32_t handle, i;

	if (ork_test_bo_create(fd, ORK_TEST_PAGE, 0, &handle, &offset))
		return 2;
	for (i = 0; i < 16384; i++)
		if (ork_test_map(fd, 0, handle, 0, ORK_TEST_PAGE, &va))
			return 3;
	if (costs(before, 2 * MIB))
		return 4;

	before = charged();
	if (ork_test_product_init(fd, &p, 1, 32, 32 * 512, 512))
		return 5;
	p.slots = true;
	for (i = 0; i < 16; i++)
		if (ork_test_product_program(fd, &p, 0))
			return 6;
	return costs(before, 4 * MIB) ? 7 : 0;
}

TEST_F(cgroup, is_charged_for_mappings_and_programs)
{
	EXPECT_EQ(in_cgroup(take_kernel_memory), 0);
}

/* They may have ended, but the file remembers them. */
static int take_jobs(int fd)
{
	struct drm_ork_job jobs[256];
	struct drm_ork_job_wait result;
	uint64_t addresses[3], id;
	struct ork_test_product p;
	long long before;
	int i;

	if (ork_test_product_init(fd, &p, 1, 32, 32, 1) || ork_test_product_program(fd, &p, 0))
		return 2;
	for (i = 0; i < 256; i++) {
		jobs[i] = ork_test_product_job(&p, addresses);
		jobs[i].core_mask = 1u << i % 3;
	}
	before = charged();
	for (i = 0; i < 16; i++)
		if (ork_test_submit(fd, jobs, 256, NULL))
			return 3;
	if (ork_test_submit_one(fd, jobs, &id) || ork_test_job_wait(fd, id, LONG_MS, &result))
		return 4;
	return costs(before, MIB / 2) ? 5 : 0;
}

TEST_F_TIMEOUT(cgroup, is_charged_for_jobs, 120)
{
	EXPECT_EQ(in_cgroup(take_jobs), 0);
}

TEST_HARNESS_MAIN
