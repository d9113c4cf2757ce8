// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Several address spaces per file, fixed and read-only mappings, and more memory than one holds. */

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

FIXTURE(vm)
{
	int fd;
	uint32_t handle;
};

FIXTURE_SETUP(vm)
{
	uint64_t offset;

	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_bo_create(self->fd, MIB, 0, &self->handle, &offset), 0);
}

FIXTURE_TEARDOWN(vm)
{
	close(self->fd);
}

TEST_F(vm, numbers_are_those_of_the_file)
{
	struct drm_ork_vm_info info;
	uint32_t a, b;

	EXPECT_EQ(ork_test_vm_destroy(self->fd, 0), -EINVAL);
	EXPECT_EQ(ork_test_vm_destroy(self->fd, 5), -ENOENT);
	ASSERT_EQ(ork_test_vm_create(self->fd, &a), 0);
	ASSERT_EQ(ork_test_vm_create(self->fd, &b), 0);
	EXPECT_NE(a, 0);
	EXPECT_NE(a, b);
	EXPECT_EQ(ork_test_vm(self->fd, b, &info), 0);
	EXPECT_EQ(info.used_bytes, 0);
	EXPECT_EQ(ork_test_vm_destroy(self->fd, a), 0);
	EXPECT_EQ(ork_test_vm(self->fd, a, &info), -ENOENT);
	EXPECT_EQ(ork_test_vm_destroy(self->fd, b), 0);
}

TEST_F(vm, too_many_are_refused_and_can_be_replaced)
{
	uint32_t vm, last = 0;
	int ret, count = 0;

	while (!(ret = ork_test_vm_create(self->fd, &vm))) {
		last = vm;
		count++;
	}
	EXPECT_EQ(ret, -ENOSPC);
	EXPECT_GE(count, 16);
	EXPECT_EQ(ork_test_vm_destroy(self->fd, last), 0);
	EXPECT_EQ(ork_test_vm_create(self->fd, &vm), 0);
}

TEST_F(vm, mappings_belong_to_one_vm)
{
	struct drm_ork_vm_info info;
	uint64_t va;
	uint32_t vm;

	ASSERT_EQ(ork_test_vm_create(self->fd, &vm), 0);
	ASSERT_EQ(ork_test_map(self->fd, vm, self->handle, 0, MIB, &va), 0);
	ASSERT_EQ(ork_test_vm(self->fd, 0, &info), 0);
	EXPECT_EQ(info.used_bytes, 0);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, va), -ENOENT);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, vm, va), 0);
	EXPECT_EQ(ork_test_map(self->fd, 77, self->handle, 0, MIB, &va), -ENOENT);
}

TEST_F(vm, fixed_addresses_are_honoured)
{
	struct drm_ork_vm_map map = {
		.handle = self->handle, .flags = DRM_ORK_MAP_FIXED, .size_bytes = MIB, .va = 3 * GIB,
	};

	EXPECT_EQ(ork_test_vm_map(self->fd, &map), 0);
	EXPECT_EQ(map.va, 3 * GIB);
	EXPECT_EQ(ork_test_vm_map(self->fd, &map), -EEXIST);

	/* The guard page of a mapping is taken as well. */
	map.va = 3 * GIB + MIB;
	EXPECT_EQ(ork_test_vm_map(self->fd, &map), -EEXIST);
	map.va = 3 * GIB + MIB + ORK_TEST_PAGE;
	EXPECT_EQ(ork_test_vm_map(self->fd, &map), 0);
}

TEST_F(vm, refuses_bad_fixed_addresses)
{
	static const uint64_t bad[] = {
		0, 1, ORK_TEST_PAGE + 1, 4 * GIB - MIB, 4 * GIB, UINT64_MAX - MIB + 1, UINT64_MAX - 4095,
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct drm_ork_vm_map map = {
			.handle = self->handle, .flags = DRM_ORK_MAP_FIXED, .size_bytes = MIB,
			.va = bad[i],
		};

		EXPECT_EQ(ork_test_vm_map(self->fd, &map), -EINVAL) TH_LOG("address %zu", i);
	}
}

TEST_F(vm, va_without_fixed_and_unknown_flags_are_refused)
{
	struct drm_ork_vm_map map = { .handle = self->handle, .size_bytes = MIB, .va = GIB };

	EXPECT_EQ(ork_test_vm_map(self->fd, &map), -EINVAL);
	map.va = 0;
	map.flags = 0x80;
	EXPECT_EQ(ork_test_vm_map(self->fd, &map), -EINVAL);
}

TEST_F(vm, programs_must_not_write_to_read_only_mappings)
{
	struct drm_ork_vm_map map = { .flags = DRM_ORK_MAP_READ_ONLY };
	struct ork_test_product p, wrong;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 4, 64, 64, 1), 0);

	/* Weights can lie in one. */
	map.handle = p.b.handle;
	map.size_bytes = p.b.bytes;
	ASSERT_EQ(ork_test_vm_map(self->fd, &map), 0);
	p.b.va = map.va;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);

	map.handle = p.c.handle;
	map.size_bytes = p.c.bytes;
	map.va = 0;
	ASSERT_EQ(ork_test_vm_map(self->fd, &map), 0);
	wrong = p;
	wrong.c.va = map.va;
	EXPECT_EQ(ork_test_product_program(self->fd, &wrong, 0), -EINVAL);
	EXPECT_EQ(wrong.reject, DRM_ORK_REJECT_ADDRESS);
}

TEST_F(vm, program_of_a_destroyed_vm_still_runs)
{
	struct ork_test_product p;
	uint32_t vm;

	ASSERT_EQ(ork_test_vm_create(self->fd, &vm), 0);
	ASSERT_EQ(ork_test_product_init_in(self->fd, vm, &p, 5, 128, 96, 3), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	ASSERT_EQ(ork_test_vm_destroy(self->fd, vm), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -ENOENT);
}

/* Maps 3 GiB of addresses with one small BO, as weights of a model would fill them. */
static int fill_vm(int fd, uint32_t vm, uint32_t handle, uint64_t bytes)
{
	struct drm_ork_vm_info info;
	uint64_t va;
	int ret = ork_test_vm(fd, vm, &info);

	while (!ret && info.used_bytes < 3 * GIB) {
		ret = ork_test_map(fd, vm, handle, 0, bytes, &va);
		if (!ret)
			ret = ork_test_vm(fd, vm, &info);
	}
	return ret;
}

/* Slow on a kernel that checks everything. */
TEST_F_TIMEOUT(vm, more_than_eight_gib_stay_mapped_and_are_used_in_turn, 300)
{
	struct ork_test_product p[3];
	uint64_t offset;
	uint32_t vm[3], filler;
	int i, round;

	ASSERT_EQ(ork_test_bo_create(self->fd, 64 * MIB, 0, &filler, &offset), 0);
	vm[0] = 0;
	ASSERT_EQ(ork_test_vm_create(self->fd, &vm[1]), 0);
	ASSERT_EQ(ork_test_vm_create(self->fd, &vm[2]), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(fill_vm(self->fd, vm[i], filler, 64 * MIB), 0);
		/* These buffers lie behind the 3 GiB. */
		ASSERT_EQ(ork_test_product_init_in(self->fd, vm[i], &p[i], 3 + i, 256, 96, 3), 0);
		ASSERT_EQ(ork_test_product_program(self->fd, &p[i], 0), 0);
	}

	for (round = 0; round < 12; round++) {
		i = round % 3;
		ASSERT_EQ(ork_test_product_run(self->fd, &p[i], DRM_ORK_PLACE_SPLIT, 7, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &p[i]), 0);
	}
}

/* With one IOMMU for all cores they take turns. The buffers of all three have the same addresses. */
TEST_F_TIMEOUT(vm, each_core_can_work_in_another_one_at_the_same_time, 120)
{
	struct ork_test_product p[3];
	uint32_t vm[3] = { 0 }, syncobj[3];
	int i, round;

	ASSERT_EQ(ork_test_vm_create(self->fd, &vm[1]), 0);
	ASSERT_EQ(ork_test_vm_create(self->fd, &vm[2]), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(ork_test_product_init_in(self->fd, vm[i], &p[i], 8, 256, 96, 3), 0);
		ASSERT_EQ(ork_test_product_program(self->fd, &p[i], 0), 0);
		EXPECT_EQ(p[i].c.va, p[0].c.va);
	}

	for (round = 0; round < 30; round++) {
		for (i = 0; i < 3; i++)
			ASSERT_EQ(ork_test_product_start(self->fd, &p[i], DRM_ORK_PLACE_AUTO,
							 1u << (round + i) % 3, 0, &syncobj[i]), 0);
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(ork_test_wait(self->fd, syncobj[i], 60000), 0);
			ASSERT_EQ(drmSyncobjDestroy(self->fd, syncobj[i]), 0);
			EXPECT_EQ(ork_test_product_check(self->fd, &p[i]), 0);
		}
	}
}

/* Slow: all its pages are cleared and mapped. */
TEST_F_TIMEOUT(vm, a_buffer_of_two_gib_works_to_its_end, 300)
{
	struct ork_test_product p;
	uint64_t offset, va;
	uint32_t handle;
	char *start, *end;

	if (ork_test_meminfo_kib("MemAvailable") * 1024 < 2 * GIB + 512 * MIB)
		SKIP(return, "less than 2.5 GiB of memory are free");

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 4, 64, 64, 1), 0);
	ASSERT_EQ(ork_test_bo_create(self->fd, 2 * GIB, 0, &handle, &offset), 0);
	ASSERT_EQ(ork_test_map(self->fd, 0, handle, 0, 2 * GIB, &va), 0);
	start = mmap(NULL, 2 * GIB, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, offset);
	ASSERT_NE(start, MAP_FAILED);
	end = start + 2 * GIB - p.b.bytes;
	memcpy(end, p.b.ptr, p.b.bytes);
	ASSERT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_DEVICE, 2 * GIB - p.b.bytes,
				   p.b.bytes), 0);
	p.b.va = va + 2 * GIB - p.b.bytes;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
}

TEST_F(vm, one_buffer_can_serve_two_vms)
{
	struct ork_test_product p;
	uint64_t a_va;
	uint32_t vm;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 6, 64, 32, 1), 0);
	ASSERT_EQ(ork_test_vm_create(self->fd, &vm), 0);
	ASSERT_EQ(ork_test_map(self->fd, vm, self->handle, 0, MIB, &a_va), 0);
	ASSERT_EQ(ork_test_map(self->fd, vm, p.a.handle, 0, p.a.bytes, &p.a.va), 0);
	ASSERT_EQ(ork_test_map(self->fd, vm, p.b.handle, 0, p.b.bytes, &p.b.va), 0);
	ASSERT_EQ(ork_test_map(self->fd, vm, p.c.handle, 0, p.c.bytes, &p.c.va), 0);
	p.vm = vm;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
}

TEST_HARNESS_MAIN
