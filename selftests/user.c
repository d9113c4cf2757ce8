// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* BOs of user memory: the NPU reads the pages of a file where they are. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

/* K * N bytes of weights. */
enum { M = 4, K = 64, N = 64, BYTES = K * N };

FIXTURE(user)
{
	int fd, file;
	char path[32];
	void *map;
};

static int make(int fd, const void *ptr, uint64_t bytes, uint32_t flags, uint32_t *handle)
{
	struct drm_ork_bo_user args = { .ptr = (uintptr_t)ptr, .size_bytes = bytes, .flags = flags };
	int ret = drmIoctl(fd, DRM_IOCTL_ORK_BO_USER, &args) ? -errno : 0;

	*handle = args.handle;
	return ret;
}

static int map_read_only(int fd, uint32_t handle, uint64_t *va)
{
	struct drm_ork_vm_map args = { .handle = handle, .flags = DRM_ORK_MAP_READ_ONLY, .size_bytes = BYTES };
	int ret = ork_test_vm_map(fd, &args);

	*va = args.va;
	return ret;
}

/* A file of two pages, mapped as a reader maps one. */
FIXTURE_SETUP(user)
{
	char zeros[2 * BYTES] = { 0 };
	int fd;

	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	strcpy(self->path, "/tmp/ork-user-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(write(fd, zeros, sizeof(zeros)), sizeof(zeros));
	close(fd);
	self->file = open(self->path, O_RDONLY | O_CLOEXEC);
	ASSERT_GE(self->file, 0);
	self->map = mmap(NULL, 2 * BYTES, PROT_READ, MAP_SHARED, self->file, 0);
	ASSERT_NE(self->map, MAP_FAILED);
}

FIXTURE_TEARDOWN(user)
{
	if (self->map)
		munmap(self->map, 2 * BYTES);
	close(self->file);
	unlink(self->path);
	close(self->fd);
}

/* Not a copy of them: what is written to the file later is seen too. */
TEST_F(user, npu_reads_the_pages_of_the_file)
{
	struct ork_test_product p;
	uint32_t handle;
	uint64_t va;
	int fd;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, M, K, N, 1), 0);
	ASSERT_EQ(make(self->fd, self->map, BYTES, 0, &handle), 0);
	ASSERT_EQ(map_read_only(self->fd, handle, &va), 0);
	ASSERT_EQ(ork_test_vm_unmap(self->fd, 0, p.b.va), 0);
	p.b.va = va;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);

	fd = open(self->path, O_WRONLY);
	ASSERT_EQ(write(fd, p.b.ptr, BYTES), BYTES);
	close(fd);
	EXPECT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 1, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
	ork_test_product_fini(self->fd, &p);
}

TEST_F(user, pages_stay_when_the_mapping_and_the_file_are_gone)
{
	struct ork_test_product p;
	uint32_t handle;
	uint64_t va;
	int fd;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, M, K, N, 1), 0);
	fd = open(self->path, O_WRONLY);
	ASSERT_EQ(write(fd, p.b.ptr, BYTES), BYTES);
	ASSERT_EQ(make(self->fd, self->map, BYTES, 0, &handle), 0);
	ASSERT_EQ(map_read_only(self->fd, handle, &va), 0);
	munmap(self->map, 2 * BYTES);
	self->map = NULL;
	ASSERT_EQ(ftruncate(fd, 0), 0);
	close(fd);
	ASSERT_EQ(ork_test_bo_close(self->fd, handle), 0);
	ASSERT_EQ(ork_test_vm_unmap(self->fd, 0, p.b.va), 0);
	p.b.va = va;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 1, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
	ork_test_product_fini(self->fd, &p);
}

TEST_F(user, npu_cannot_write_them)
{
	struct ork_test_product p;
	uint32_t handle;
	uint64_t va;

	ASSERT_EQ(make(self->fd, self->map, BYTES, 0, &handle), 0);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, BYTES, &va), -EACCES);
	ASSERT_EQ(map_read_only(self->fd, handle, &va), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &p, M, K, N, 1), 0);
	ASSERT_EQ(ork_test_vm_unmap(self->fd, 0, p.c.va), 0);
	p.c.va = va;
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -EINVAL);
	EXPECT_EQ(p.reject, DRM_ORK_REJECT_ADDRESS);
	ork_test_product_fini(self->fd, &p);
}

TEST_F(user, they_are_not_shared_mapped_or_synchronised)
{
	uint32_t handle;
	int dmabuf;

	ASSERT_EQ(make(self->fd, self->map, BYTES, 0, &handle), 0);
	EXPECT_NE(drmPrimeHandleToFD(self->fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, 0, BYTES), -EINVAL);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_DEVICE, 0, BYTES), -EINVAL);
}

TEST_F(user, wrong_memory_is_refused)
{
	uint32_t handle;
	void *hole;

	EXPECT_EQ(make(self->fd, self->map, 0, 0, &handle), -EINVAL);
	EXPECT_EQ(make(self->fd, self->map, BYTES + 1, 0, &handle), -EINVAL);
	EXPECT_EQ(make(self->fd, (char *)self->map + 16, BYTES, 0, &handle), -EINVAL);
	EXPECT_EQ(make(self->fd, self->map, BYTES, 1, &handle), -EINVAL);
	EXPECT_EQ(make(self->fd, self->map, 1ull << 32, 0, &handle), -EINVAL);
	EXPECT_EQ(make(self->fd, (void *)-4096ul, 8192, 0, &handle), -EINVAL);
	EXPECT_EQ(make(self->fd, NULL, BYTES, 0, &handle), -EFAULT);

	/* The second half is missing. */
	hole = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(hole, MAP_FAILED);
	munmap((char *)hole + BYTES, BYTES);
	EXPECT_EQ(make(self->fd, hole, 2 * BYTES, 0, &handle), -EFAULT);
	EXPECT_EQ(make(self->fd, hole, BYTES, 0, &handle), 0);
	munmap(hole, BYTES);
}

/* Two pages may be pinned. Returns 0, or the line of what was not as it should be. */
static int pin_within_limit(int fd, char *map)
{
	const struct rlimit limit = { 2 * BYTES, 2 * BYTES };
	uint32_t a, b, c;

	/* Root may pin any number. */
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setuid(65534))
		return __LINE__;
	if (make(fd, map, BYTES, 0, &a) || make(fd, map + BYTES, BYTES, 0, &b))
		return __LINE__;
	if (make(fd, map, BYTES, 0, &c) != -ENOMEM)
		return __LINE__;
	if (ork_test_bo_close(fd, a) || make(fd, map, 2 * BYTES, 0, &c) != -ENOMEM)
		return __LINE__;
	return make(fd, map, BYTES, 0, &c) ? __LINE__ : 0;
}

TEST_F(user, they_count_against_the_limit_of_locked_memory)
{
	uint32_t handle;
	int status;
	pid_t child;

	if (geteuid())
		SKIP(return, "not allowed to become another user");
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(pin_within_limit(self->fd, self->map));
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(WEXITSTATUS(status), 0);
	EXPECT_EQ(make(self->fd, self->map, 2 * BYTES, 0, &handle), 0);
}

/* Not memory with pages of its own. */
TEST_F(user, buffers_of_ours_are_refused)
{
	struct ork_test_bo bo;
	uint32_t handle;

	ASSERT_EQ(ork_test_bo_init(self->fd, 0, &bo, BYTES), 0);
	EXPECT_EQ(make(self->fd, bo.ptr, BYTES, 0, &handle), -EFAULT);
	ork_test_bo_fini(self->fd, 0, &bo);
}

TEST_F(user, readers_can_be_waited_for)
{
	struct drm_ork_bo_wait wait = { .timeout_ns = INT64_MAX };
	struct ork_test_product p;
	struct drm_ork_job job;
	uint64_t addresses[3], va, id;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, M, K, N, 1), 0);
	ASSERT_EQ(make(self->fd, self->map, BYTES, 0, &wait.handle), 0);
	ASSERT_EQ(map_read_only(self->fd, wait.handle, &va), 0);
	ASSERT_EQ(ork_test_vm_unmap(self->fd, 0, p.b.va), 0);
	p.b.va = va;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	job = ork_test_product_job(&p, addresses);
	job.flags = DRM_ORK_JOB_IMPLICIT_SYNC;
	job.placement = DRM_ORK_PLACE_AUTO;
	job.core_mask = 1;
	ASSERT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	EXPECT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_BO_WAIT, &wait), 0);
	wait.timeout_ns = 0;
	EXPECT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_BO_WAIT, &wait), 0);
	ork_test_product_fini(self->fd, &p);
}

/* Pages that are pinned for this process, in KiB. */
static long pinned_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPin: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

struct destroyer {
	int fd;
	uint32_t vm;
	useconds_t delay_us;
};

static void *destroy_later(void *arg)
{
	struct destroyer *destroyer = arg;

	usleep(destroyer->delay_us);
	ork_test_vm_destroy(destroyer->fd, destroyer->vm);
	return NULL;
}

/* Returns what VM_MAP did. */
static int map_while_the_vm_goes(int fd, struct drm_ork_vm_map args, useconds_t delay_us)
{
	struct destroyer destroyer = { .fd = fd, .delay_us = delay_us };
	pthread_t thread;
	int ret;

	if (ork_test_vm_create(fd, &destroyer.vm) || pthread_create(&thread, NULL, destroy_later, &destroyer))
		return -EIO;
	args.vm = destroyer.vm;
	ret = ork_test_vm_map(fd, &args);
	pthread_join(thread, NULL);
	return ret;
}

TEST_F(user, are_given_back_by_a_vm_that_goes_while_they_are_mapped)
{
	/* So much that the VM goes somewhere in the middle. */
	struct drm_ork_vm_map args = { .flags = DRM_ORK_MAP_READ_ONLY, .size_bytes = 32 << 20 };
	useconds_t delay_us;
	void *memory;
	int ret;

	memory = mmap(NULL, args.size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(memory, MAP_FAILED);
	ret = make(self->fd, memory, args.size_bytes, 0, &args.handle);
	if (ret == -ENOMEM && geteuid())
		SKIP(return, "not allowed to lock so much memory");
	ASSERT_EQ(ret, 0);
	for (delay_us = 0; delay_us < 10000; delay_us += 100) {
		ret = map_while_the_vm_goes(self->fd, args, delay_us);
		if (ret)
			EXPECT_EQ(ret, -ENOENT);
	}
	ASSERT_EQ(ork_test_bo_close(self->fd, args.handle), 0);
	EXPECT_EQ(pinned_kib(), 0);
}

TEST_HARNESS_MAIN
