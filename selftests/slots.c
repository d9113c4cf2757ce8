// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Programs whose addresses come with each job. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

FIXTURE(slots)
{
	int fd;
	struct ork_test_product p;
};

FIXTURE_SETUP(slots)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 9, 256, 288, 9), 0);
	self->p.slots = true;
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(slots)
{
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
}

static int run_with(int fd, const struct ork_test_product *p, const uint64_t *addresses, uint32_t count)
{
	uint64_t unused[3];
	struct drm_ork_sync out = { 0 };
	struct drm_ork_job job = ork_test_product_job(p, unused);
	int ret = ork_test_syncobj(fd, &out.handle);

	if (ret)
		return ret;
	job.placement = DRM_ORK_PLACE_SPLIT;
	job.core_mask = 7;
	job.addresses = (struct drm_ork_array){ 8, count, (uintptr_t)addresses };
	job.out_syncs = (struct drm_ork_array){ sizeof(out), 1, (uintptr_t)&out };
	ret = ork_test_submit(fd, &job, 1, NULL);
	if (!ret)
		ret = ork_test_wait(fd, out.handle, 20000);
	drmSyncobjDestroy(fd, out.handle);
	return ret;
}

TEST_F(slots, one_program_serves_many_buffers)
{
	struct ork_test_product other;
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(ork_test_product_init(self->fd, &other, 9, 256, 288, 9), 0);
		other.slots = true;
		other.prog = self->p.prog;
		ASSERT_EQ(ork_test_product_run(self->fd, &other, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &other), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
		other.prog = 0;
		ork_test_product_fini(self->fd, &other);
	}
}

TEST_F(slots, every_mask_of_cores_works)
{
	uint32_t mask;

	for (mask = 1; mask < 8; mask++) {
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, mask, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	}
}

TEST_F(slots, addresses_are_checked)
{
	struct ork_test_product *p = &self->p;
	uint64_t good[3] = { p->a.va, p->b.va, p->c.va };
	static const struct {
		int slot;
		int64_t move;
	} bad[] = {
		{ 0, 8 }, { 0, -16 }, { 0, 1ll << 32 }, { 0, 1ll << 40 }, { 1, -4096 }, { 1, 1ll << 31 },
		{ 2, 4096 }, { 2, 1 }, { 2, -0x7fffffffffffffffll },
	};
	uint64_t addresses[3];
	size_t i;

	EXPECT_EQ(run_with(self->fd, p, good, 3), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(addresses, good, sizeof(good));
		addresses[bad[i].slot] += bad[i].move;
		EXPECT_EQ(run_with(self->fd, p, addresses, 3), -EINVAL) TH_LOG("case %zu", i);
	}
	memset(addresses, 0, sizeof(addresses));
	EXPECT_EQ(run_with(self->fd, p, addresses, 3), -EINVAL);
	EXPECT_EQ(run_with(self->fd, p, good, 2), -EINVAL);
	EXPECT_EQ(run_with(self->fd, p, good, 0), -EINVAL);
	EXPECT_EQ(run_with(self->fd, p, good, 17), -EINVAL);
}

TEST_F(slots, output_may_not_go_to_a_read_only_mapping)
{
	struct ork_test_product *p = &self->p;
	struct drm_ork_vm_map map = {
		.handle = p->c.handle, .flags = DRM_ORK_MAP_READ_ONLY, .size_bytes = p->c.bytes,
	};
	uint64_t addresses[3] = { p->a.va, p->b.va, 0 };

	ASSERT_EQ(ork_test_vm_map(self->fd, &map), 0);
	addresses[2] = map.va;
	EXPECT_EQ(run_with(self->fd, p, addresses, 3), -EINVAL);
}

TEST_F(slots, a_queued_job_keeps_its_buffers)
{
	struct ork_test_product *p = &self->p;
	uint32_t syncobj;

	ASSERT_EQ(ork_test_product_start(self->fd, p, DRM_ORK_PLACE_SPLIT, 7, 0, &syncobj), 0);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, p->a.va), 0);
	EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, p->b.va), 0);
	EXPECT_EQ(ork_test_wait(self->fd, syncobj, 20000), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, p), 0);
}

TEST_F(slots, command_memory_does_not_grow_with_the_jobs)
{
	struct drm_ork_vm_info before, after;
	int i;

	ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	ASSERT_EQ(ork_test_vm(self->fd, 0, &before), 0);
	for (i = 0; i < 300; i++)
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	ASSERT_EQ(ork_test_vm(self->fd, 0, &after), 0);
	EXPECT_EQ(before.used_bytes, after.used_bytes);
}

static int create(int fd, uint32_t word, uint32_t slot, uint32_t *reject)
{
	uint64_t words[1] = { 0x1001ull << 48 | 0xeull << 16 | 0x4004 };
	struct drm_ork_task task = { 0, 1, DRM_ORK_ENABLE_CONV, 0 };
	struct drm_ork_slot slots[1] = { { word, slot } };
	struct drm_ork_prog_create args = {
		.words = { 8, 1, (uintptr_t)words },
		.tasks = { sizeof(task), 1, (uintptr_t)&task },
		.slots = { sizeof(slots[0]), 1, (uintptr_t)slots },
	};
	int ret = drmIoctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &args) ? -errno : 0;

	*reject = args.reject;
	return ret;
}

TEST_F(slots, only_address_words_can_be_slots)
{
	uint32_t reject;

	EXPECT_EQ(create(self->fd, 0, 0, &reject), -EINVAL);
	EXPECT_EQ(reject, DRM_ORK_REJECT_SLOT);
	EXPECT_EQ(create(self->fd, 1, 0, &reject), -EINVAL);
	EXPECT_EQ(reject, DRM_ORK_REJECT_SLOT);
	EXPECT_EQ(create(self->fd, 0, DRM_ORK_MAX_SLOTS, &reject), -EINVAL);
	EXPECT_EQ(reject, DRM_ORK_REJECT_SLOT);
}

TEST_HARNESS_MAIN
