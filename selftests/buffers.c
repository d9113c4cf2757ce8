// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* How long buffers live, who shares them, and parts of them. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define MIB (1ull << 20)
#define MANY_RANGES 1000

FIXTURE(buffers)
{
	int fd;
	uint32_t handle;
	uint64_t offset;
	uint8_t *p;
};

FIXTURE_SETUP(buffers)
{
	size_t i;

	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, 0, &self->handle, &self->offset), 0);
	self->p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, self->offset);
	ASSERT_NE(self->p, MAP_FAILED);
	for (i = 0; i < MIB; i++)
		self->p[i] = i ^ i >> 8 ^ i >> 16;
}

FIXTURE_TEARDOWN(buffers)
{
	munmap(self->p, MIB);
	close(self->fd);
}

/* Bytes [first, first + count) of the buffer that differ from what the setup wrote; p points to the first. */
static size_t wrong(const uint8_t *p, size_t first, size_t count)
{
	size_t i, n = 0;

	for (i = 0; i < count; i++) {
		size_t at = first + i;

		n += p[i] != (uint8_t)(at ^ at >> 8 ^ at >> 16);
	}
	return n;
}

TEST_F(buffers, cpu_mapping_outlives_the_handle)
{
	ASSERT_EQ(ork_test_bo_close(self->fd, self->handle), 0);
	EXPECT_EQ(wrong(self->p, 0, MIB), 0);
	self->p[MIB - 1] = 0x5a;
	EXPECT_EQ(self->p[MIB - 1], 0x5a);
}

TEST_F(buffers, cpu_mapping_outlives_the_file)
{
	close(self->fd);
	EXPECT_EQ(wrong(self->p, 0, MIB), 0);
	memset(self->p, 0x5a, MIB);
	EXPECT_EQ(self->p[MIB - 1], 0x5a);
	self->fd = ork_test_open();
	EXPECT_GE(self->fd, 0);
}

TEST_F(buffers, a_closed_handle_cannot_be_mapped_again)
{
	ASSERT_EQ(ork_test_bo_close(self->fd, self->handle), 0);
	EXPECT_EQ(mmap(NULL, MIB, PROT_READ, MAP_SHARED, self->fd, self->offset), MAP_FAILED);
	EXPECT_NE(ork_test_bo_sync(self->fd, self->handle, 0, 0, MIB), 0);
	EXPECT_NE(ork_test_bo_close(self->fd, self->handle), 0);
}

TEST_F(buffers, a_closed_handle_cannot_be_mapped_while_the_npu_holds_it)
{
	uint64_t va;

	ASSERT_EQ(ork_test_map(self->fd, 0, self->handle, 0, MIB, &va), 0);
	munmap(self->p, MIB);
	ASSERT_EQ(ork_test_bo_close(self->fd, self->handle), 0);
	EXPECT_EQ(mmap(NULL, MIB, PROT_READ, MAP_SHARED, self->fd, self->offset), MAP_FAILED);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, va), 0);
	self->p = mmap(NULL, MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

TEST_F(buffers, another_file_cannot_map_it)
{
	int other = ork_test_open();

	ASSERT_GE(other, 0);
	EXPECT_EQ(mmap(NULL, MIB, PROT_READ, MAP_SHARED, other, self->offset), MAP_FAILED);
	close(other);
}

TEST_F(buffers, an_exported_buffer_outlives_its_file)
{
	int dmabuf, other = ork_test_open();
	uint32_t handle, again;
	uint8_t *far;

	ASSERT_GE(other, 0);
	ASSERT_EQ(drmPrimeHandleToFD(self->fd, self->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	munmap(self->p, MIB);
	close(self->fd);

	far = mmap(NULL, MIB, PROT_READ, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(far, MAP_FAILED);
	EXPECT_EQ(wrong(far, 0, MIB), 0);
	munmap(far, MIB);

	ASSERT_EQ(drmPrimeFDToHandle(other, dmabuf, &handle), 0);
	ASSERT_EQ(drmPrimeFDToHandle(other, dmabuf, &again), 0);
	EXPECT_EQ(handle, again);
	close(dmabuf);
	EXPECT_EQ(ork_test_bo_sync(other, handle, DRM_ORK_SYNC_TO_CPU, 0, MIB), 0);

	self->fd = other;
	self->p = mmap(NULL, MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* As with other DRM drivers: on the file the first pages, since the offset is the name of the buffer. */
TEST_F(buffers, its_first_pages_can_be_mapped)
{
	uint8_t *part = mmap(NULL, 3 * ORK_TEST_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
			     self->offset);

	ASSERT_NE(part, MAP_FAILED);
	EXPECT_EQ(wrong(part, 0, 3 * ORK_TEST_PAGE), 0);
	part[5] = 0x77;
	EXPECT_EQ(self->p[5], 0x77);
	munmap(part, 3 * ORK_TEST_PAGE);

	EXPECT_EQ(mmap(NULL, ORK_TEST_PAGE, PROT_READ, MAP_SHARED, self->fd,
		       self->offset + ORK_TEST_PAGE), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 2 * MIB, PROT_READ, MAP_SHARED, self->fd, self->offset), MAP_FAILED);
}

/* A dma-buf has an offset of its own. What is mapped must be what was asked for, or nothing. */
TEST_F(buffers, the_middle_of_a_dma_buf_is_mapped_right_or_not_at_all)
{
	uint8_t *part;
	int dmabuf;

	ASSERT_EQ(drmPrimeHandleToFD(self->fd, self->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	part = mmap(NULL, 3 * ORK_TEST_PAGE, PROT_READ, MAP_SHARED, dmabuf, MIB / 2);
	if (part != MAP_FAILED)
		EXPECT_EQ(wrong(part, MIB / 2, 3 * ORK_TEST_PAGE), 0);
	EXPECT_EQ(mmap(NULL, MIB, PROT_READ, MAP_SHARED, dmabuf, ORK_TEST_PAGE), MAP_FAILED);
	close(dmabuf);
}

/* The pages are not touched before: they are found when the mapping has another start already. */
TEST_F(buffers, the_rest_of_a_cpu_mapping_stays_what_it_was)
{
	uint8_t *p = mmap(NULL, MIB, PROT_READ, MAP_SHARED, self->fd, self->offset);

	ASSERT_NE(p, MAP_FAILED);
	ASSERT_EQ(munmap(p, MIB / 2), 0);
	EXPECT_EQ(wrong(p + MIB / 2, MIB / 2, MIB / 2), 0);
}

TEST_F(buffers, a_forked_child_shares_it)
{
	int status;
	pid_t child = fork();

	ASSERT_GE(child, 0);
	if (!child) {
		size_t bad = wrong(self->p, 0, MIB);

		memset(self->p, 0x11, MIB);
		munmap(self->p, MIB);
		close(self->fd);
		_exit(bad ? 1 : 0);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(self->p[0], 0x11);
	EXPECT_EQ(self->p[MIB - 1], 0x11);
	/* The handle is still there: the child's close was not the file's end. */
	EXPECT_EQ(ork_test_bo_sync(self->fd, self->handle, DRM_ORK_SYNC_TO_CPU, 0, MIB), 0);
}

TEST_F(buffers, a_forked_child_can_run_jobs_of_the_file)
{
	struct ork_test_product p;
	int status;
	pid_t child;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 8, 128, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0) ? 1 : 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
	ork_test_product_fini(self->fd, &p);
}

static int sync_ranges(int fd, const struct drm_ork_sync_range *ranges, uint32_t count)
{
	struct drm_ork_bo_sync args = {
		.ranges = { .stride = sizeof(*ranges), .count = count, .ptr = (uintptr_t)ranges },
	};

	return drmIoctl(fd, DRM_IOCTL_ORK_BO_SYNC, &args) ? -errno : 0;
}

TEST_F(buffers, a_thousand_ranges_are_one_call)
{
	struct drm_ork_sync_range ranges[MANY_RANGES];
	uint32_t i;

	for (i = 0; i < MANY_RANGES; i++)
		ranges[i] = (struct drm_ork_sync_range){
			.handle = self->handle, .op = i % 2, .offset_bytes = i * 1000 + i % 7,
			.size_bytes = 1 + i % 900,
		};
	EXPECT_EQ(sync_ranges(self->fd, ranges, MANY_RANGES), 0);
	EXPECT_EQ(wrong(self->p, 0, MIB), 0);

	ranges[700].offset_bytes = MIB;
	EXPECT_EQ(sync_ranges(self->fd, ranges, MANY_RANGES), -EINVAL);
	EXPECT_EQ(sync_ranges(self->fd, ranges, 700), 0);
	ranges[700].offset_bytes = 0;
	ranges[MANY_RANGES - 1].handle = 12345;
	EXPECT_EQ(sync_ranges(self->fd, ranges, MANY_RANGES), -ENOENT);
	EXPECT_EQ(sync_ranges(self->fd, ranges, MANY_RANGES - 1), 0);
	ranges[MANY_RANGES - 1].handle = self->handle;
	ranges[MANY_RANGES - 1].op = 2;
	EXPECT_EQ(sync_ranges(self->fd, ranges, MANY_RANGES), -EINVAL);

	EXPECT_EQ(sync_ranges(self->fd, ranges, 0), -EINVAL);
	EXPECT_EQ(sync_ranges(self->fd, ranges, UINT32_MAX), -EINVAL);
	EXPECT_EQ(sync_ranges(self->fd, NULL, 1), -EFAULT);
}

TEST_HARNESS_MAIN
