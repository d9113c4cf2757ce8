// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Buffer objects, their mappings and the end of the address space. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

FIXTURE(memory)
{
	int fd;
};

FIXTURE_SETUP(memory)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(memory)
{
	close(self->fd);
}

TEST_F(memory, new_bo_reads_as_zero_and_keeps_what_is_written)
{
	struct ork_test_bo bo;
	size_t i;
	char *p;

	ASSERT_EQ(ork_test_bo_init(self->fd, 0, &bo, MIB), 0);
	p = bo.ptr;
	for (i = 0; i < MIB; i++)
		ASSERT_EQ(p[i], 0);
	memset(p, 0x5a, MIB);
	EXPECT_EQ(p[MIB - 1], 0x5a);
	ork_test_bo_fini(self->fd, 0, &bo);
}

TEST_F(memory, write_combined_bo_can_be_mapped)
{
	uint32_t handle;
	uint64_t offset;
	char *p;

	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, DRM_ORK_BO_WC, &handle, &offset), 0);
	p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, offset);
	ASSERT_NE(p, MAP_FAILED);
	memset(p, 1, MIB);
	EXPECT_EQ(p[MIB - 1], 1);
	munmap(p, MIB);
}

TEST_F(memory, bo_without_mmap_cannot_be_mapped)
{
	uint32_t handle;
	uint64_t offset, va;
	struct drm_mode_map_dumb map = { 0 };

	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, DRM_ORK_BO_NO_MMAP, &handle, &offset), 0);
	EXPECT_EQ(offset, 0);
	EXPECT_EQ(mmap(NULL, MIB, PROT_READ, MAP_SHARED, self->fd, 0), MAP_FAILED);
	map.handle = handle;
	EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, MIB, &va), 0);
}

TEST_F(memory, refuses_sizes_that_no_address_space_holds)
{
	uint32_t handle;
	uint64_t offset;

	EXPECT_EQ(ork_test_bo_create(self->fd, 0, 0, &handle, &offset), -EINVAL);
	EXPECT_EQ(ork_test_bo_create(self->fd, 4 * GIB, 0, &handle, &offset), -EINVAL);
	EXPECT_EQ(ork_test_bo_create(self->fd, UINT64_MAX, 0, &handle, &offset), -EINVAL);
	EXPECT_EQ(ork_test_bo_create(self->fd, 2 * GIB, 0, &handle, &offset), 0);
}

TEST_F(memory, refuses_unknown_flags_and_handles)
{
	uint32_t handle;
	uint64_t offset, va;

	EXPECT_EQ(ork_test_bo_create(self->fd, MIB, 0x80, &handle, &offset), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, 12345, 0, MIB, &va), -ENOENT);
	EXPECT_EQ(ork_test_bo_sync(self->fd, 12345, 0, 0, 1), -ENOENT);
}

TEST_F(memory, sync_checks_its_range)
{
	uint32_t handle;
	uint64_t offset;

	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, 0, &handle, &offset), 0);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_DEVICE, 0, MIB), 0);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, MIB - 1, 1), 0);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, MIB, 1), -EINVAL);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, 1, MIB), -EINVAL);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, 1, UINT64_MAX), -EINVAL);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, 0, 0), -EINVAL);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, 7, 0, 1), -EINVAL);
}

TEST_F(memory, map_checks_its_range)
{
	uint32_t handle;
	uint64_t offset, va;

	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, 0, &handle, &offset), 0);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, 0, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, 100, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 1, MIB, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, ORK_TEST_PAGE, MIB, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, MIB, ORK_TEST_PAGE, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, -MIB, 2 * MIB, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, ORK_TEST_PAGE, MIB - ORK_TEST_PAGE, &va), 0);
}

TEST_F(memory, page_zero_is_never_mapped_and_mappings_do_not_touch)
{
	uint64_t va[64], offset;
	uint32_t handle;
	int i, j;

	ASSERT_EQ(ork_test_bo_create(self->fd, 64 * 1024, 0, &handle, &offset), 0);
	for (i = 0; i < 64; i++) {
		ASSERT_EQ(ork_test_map(self->fd, 0, handle, 0, 64 * 1024, &va[i]), 0);
		EXPECT_GE(va[i], ORK_TEST_PAGE);
		for (j = 0; j < i; j++)
			EXPECT_TRUE(va[i] + 64 * 1024 + ORK_TEST_PAGE <= va[j] ||
				    va[j] + 64 * 1024 + ORK_TEST_PAGE <= va[i]);
	}
}

TEST_F(memory, unmap_wants_the_start_of_a_mapping)
{
	uint32_t handle;
	uint64_t offset, va;

	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, 0, &handle, &offset), 0);
	ASSERT_EQ(ork_test_map(self->fd, 0, handle, 0, MIB, &va), 0);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, va + ORK_TEST_PAGE), -ENOENT);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, 0), -ENOENT);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, UINT64_MAX), -ENOENT);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, va), 0);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, va), -ENOENT);
}

/* Slow on a kernel that checks everything. */
TEST_F_TIMEOUT(memory, exhaustion_is_enospc_and_loses_nothing, 300)
{
	struct drm_ork_vm_info before, after;
	uint64_t offset, va, first, last = 0;
	uint32_t handle, count = 0;
	int ret;

	ASSERT_EQ(ork_test_bo_create(self->fd, 64 * MIB, 0, &handle, &offset), 0);
	ASSERT_EQ(ork_test_map(self->fd, 0, handle, 0, 64 * MIB, &first), 0);
	while (!(ret = ork_test_map(self->fd, 0, handle, 0, 64 * MIB, &va))) {
		last = va;
		count++;
	}
	EXPECT_EQ(ret, -ENOSPC);
	EXPECT_GE(count, 61);

	ASSERT_EQ(ork_test_vm(self->fd, 0, &before), 0);
	EXPECT_LT(before.largest_hole_bytes, 64 * MIB);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, 64 * MIB, &va), -ENOSPC);
	ASSERT_EQ(ork_test_vm(self->fd, 0, &after), 0);
	EXPECT_EQ(before.used_bytes, after.used_bytes);
	EXPECT_EQ(before.largest_hole_bytes, after.largest_hole_bytes);

	/* The hole that the driver tells fits, one page more does not. */
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, before.largest_hole_bytes + ORK_TEST_PAGE,
				  &va), -ENOSPC);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, before.largest_hole_bytes, &va), 0);

	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, last), 0);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, 64 * MIB, &va), 0);
	EXPECT_EQ(va, last);
}

TEST_F(memory, address_spaces_of_two_files_are_separate)
{
	struct drm_ork_vm_info info;
	uint32_t handle;
	uint64_t offset, va;
	int other = ork_test_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, 0, &handle, &offset), 0);
	ASSERT_EQ(ork_test_map(self->fd, 0, handle, 0, MIB, &va), 0);
	ASSERT_EQ(ork_test_vm(other, 0, &info), 0);
	EXPECT_EQ(info.used_bytes, 0);
	EXPECT_EQ(ork_test_vm_unmap(other, 0, va), -ENOENT);
	close(other);
}

TEST_HARNESS_MAIN
