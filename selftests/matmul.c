// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Products on one core, on chosen cores and split over cores; and what may not be submitted. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define CBUF_CON0 0x1040
#define WEIGHT_REUSE (1u << 13)
/* So many tasks the driver gives a core at once. */
#define PART_TASKS 256
#define LONG_TASKS 700

FIXTURE(matmul)
{
	int fd;
	struct ork_test_product p;
};

FIXTURE_SETUP(matmul)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 13, 512, 384, 6), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
}

FIXTURE_TEARDOWN(matmul)
{
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
}

TEST_F(matmul, every_core_computes_exactly)
{
	struct drm_ork_device_info before, after;
	unsigned int core, other;

	for (core = 0; core < DRM_ORK_MAX_CORES; core++) {
		ASSERT_EQ(ork_test_device(self->fd, &before), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO,
					       1u << core, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
		ASSERT_EQ(ork_test_device(self->fd, &after), 0);
		for (other = 0; other < DRM_ORK_MAX_CORES; other++)
			EXPECT_EQ(after.jobs_done[other] - before.jobs_done[other], other == core);
	}
}

TEST_F(matmul, split_uses_every_core_of_every_mask)
{
	struct drm_ork_device_info before, after;
	unsigned int mask, core;

	for (mask = 1; mask < 1u << DRM_ORK_MAX_CORES; mask++) {
		ASSERT_EQ(ork_test_device(self->fd, &before), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, mask, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
		ASSERT_EQ(ork_test_device(self->fd, &after), 0);
		for (core = 0; core < DRM_ORK_MAX_CORES; core++)
			EXPECT_EQ(after.jobs_done[core] - before.jobs_done[core], mask >> core & 1);
	}
}

static int run_ranges(int fd, const struct ork_test_product *p, const struct drm_ork_range *ranges,
		      uint32_t count)
{
	struct drm_ork_sync out = { 0 };
	struct drm_ork_job job = {
		.prog = p->prog,
		.placement = DRM_ORK_PLACE_RANGES,
		.ranges = { sizeof(*ranges), count, (uintptr_t)ranges },
		.out_syncs = { sizeof(out), 1, (uintptr_t)&out },
	};
	int ret = ork_test_syncobj(fd, &out.handle);

	if (!ret)
		ret = ork_test_submit(fd, &job, 1, NULL);
	if (!ret)
		ret = ork_test_wait(fd, out.handle, 20000);
	return ret;
}

TEST_F(matmul, given_ranges_run_where_they_are_told)
{
	static const struct drm_ork_range all[][3] = {
		{ { 0, 0, 6, 0 } }, { { 2, 0, 6, 0 } }, { { 0, 0, 1, 0 }, { 2, 1, 5, 0 } },
		{ { 2, 0, 2, 0 }, { 0, 2, 2, 0 }, { 1, 4, 2, 0 } },
		{ { 0, 0, 4, 0 }, { 1, 4, 1, 0 }, { 2, 5, 1, 0 } },
	};
	static const uint32_t counts[] = { 1, 1, 2, 3, 3 };
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		ASSERT_EQ(run_ranges(self->fd, &self->p, all[i], counts[i]), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0) TH_LOG("case %zu", i);
	}
}

TEST_F(matmul, refuses_ranges_that_make_no_sense)
{
	static const struct drm_ork_range bad[][2] = {
		{ { 0, 0, 3, 0 }, { 0, 3, 3, 0 } }, /* a core twice */
		{ { 3, 0, 6, 0 }, { 1, 0, 1, 0 } }, /* a core that is not there */
		{ { 0xffffffff, 0, 6, 0 }, { 1, 0, 1, 0 } },
		{ { 0, 0, 0, 0 }, { 1, 0, 6, 0 } }, /* an empty range */
		{ { 0, 6, 1, 0 }, { 1, 0, 6, 0 } }, /* tasks that are not there */
		{ { 0, 1, 6, 0 }, { 1, 0, 1, 0 } },
		{ { 0, 5, 0xffffffff, 0 }, { 1, 0, 1, 0 } },
		{ { 0, 0, 6, 1 }, { 1, 0, 1, 0 } }, /* padding */
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(run_ranges(self->fd, &self->p, bad[i], 2), -EINVAL) TH_LOG("case %zu", i);
	EXPECT_EQ(run_ranges(self->fd, &self->p, bad[0], 0), -EINVAL);
	EXPECT_EQ(run_ranges(self->fd, &self->p, bad[0], 4), -EINVAL);
}

TEST_F(matmul, auto_takes_one_core)
{
	struct drm_ork_device_info before, after;
	uint64_t parts = 0;
	unsigned int core;

	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	for (core = 0; core < DRM_ORK_MAX_CORES; core++)
		parts += after.jobs_done[core] - before.jobs_done[core];
	EXPECT_EQ(parts, 1);
}

TEST_F(matmul, split_of_fewer_tasks_than_cores_works)
{
	struct ork_test_product one;

	ASSERT_EQ(ork_test_product_init(self->fd, &one, 4, 64, 64, 1), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &one, 0), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &one, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &one), 0);
	ork_test_product_fini(self->fd, &one);
}

TEST_F(matmul, heights_that_are_not_multiples_of_four_work)
{
	static const uint32_t heights[] = { 1, 2, 3, 5, 7, 64, 176 };
	struct ork_test_product p;
	size_t i;

	for (i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
		ASSERT_EQ(ork_test_product_init(self->fd, &p, heights[i], 224, 64, 2), 0);
		ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
		ork_test_product_fini(self->fd, &p);
	}
}

/* Every task of a program may compute the same columns; TASK_NUMBER holds up to 4095. */
static int program_of_copies(int fd, struct ork_test_product *p, uint32_t tasks)
{
	p->copies = true;
	p->tasks = tasks;
	return ork_test_product_program(fd, p, 0);
}

TEST_F_TIMEOUT(matmul, programs_of_more_tasks_than_a_chain_can_have_work, 120)
{
	static const uint32_t counts[] = { 4095, 4096, 8191, 10000 };
	struct drm_ork_device_info before, after;
	struct ork_test_product p;
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		ASSERT_EQ(ork_test_product_init(self->fd, &p, 1, 32, 32, 1), 0);
		p.slots = i % 2;
		ASSERT_EQ(program_of_copies(self->fd, &p, counts[i]), 0);
		ASSERT_EQ(ork_test_device(self->fd, &before), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 1, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
		ASSERT_EQ(ork_test_device(self->fd, &after), 0);
		EXPECT_EQ(after.jobs_done[0] - before.jobs_done[0], (counts[i] + PART_TASKS - 1) / PART_TASKS);
		ork_test_product_fini(self->fd, &p);
	}
}

/* Tasks that all use the weights which every period-th one loads. Returns 0, -errno, or what checks of the result return. */
static int run_reusing(int fd, uint32_t count, uint32_t period)
{
	struct ork_test_program program;
	struct ork_test_product p;
	uint32_t i, task = 0;
	int ret = ork_test_product_init(fd, &p, 1, 32, 32, 1);

	if (ret)
		return ret;
	p.copies = true;
	p.tasks = count;
	ork_test_product_build(&p, 0, &program);
	for (i = 0; i < program.args.words.count; i++)
		if ((uint16_t)program.words[i] == CBUF_CON0 && task++ % period)
			program.words[i] |= (uint64_t)WEIGHT_REUSE << 16;
	ret = drmIoctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args) ? -errno : 0;
	p.prog = program.args.handle;
	ork_test_program_free(&program);
	if (!ret)
		ret = ork_test_product_run(fd, &p, DRM_ORK_PLACE_AUTO, 1, 0);
	if (!ret)
		ret = (int)ork_test_product_check(fd, &p);
	ork_test_product_fini(fd, &p);
	return ret;
}

/* The strict board complains about a chain that begins with a task which reuses. */
TEST_F_TIMEOUT(matmul, tasks_that_reuse_weights_stay_in_the_chain_that_loaded_them, 120)
{
	EXPECT_EQ(run_reusing(self->fd, 10000, 3000), 0);
	EXPECT_EQ(run_reusing(self->fd, 4095, 4095), 0);
	EXPECT_EQ(run_reusing(self->fd, 10000, 10000), 0);
}

TEST_F_TIMEOUT(matmul, jobs_are_cut_where_no_task_reuses_what_is_on_the_chip, 120)
{
	static const struct {
		uint32_t count, period, parts;
	} jobs[] = { { PART_TASKS, 1, 1 }, { PART_TASKS + 1, 1, 2 }, { 1000, 100, 5 }, { 2 * PART_TASKS, PART_TASKS, 2 },
		     /* Here one has to load again. */
		     { 1000, 300, 6 }, { 1000, 1000, 4 } };
	struct drm_ork_device_info before, after;
	size_t i;

	for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		ASSERT_EQ(ork_test_device(self->fd, &before), 0);
		EXPECT_EQ(run_reusing(self->fd, jobs[i].count, jobs[i].period), 0);
		ASSERT_EQ(ork_test_device(self->fd, &after), 0);
		EXPECT_EQ(after.jobs_done[0] - before.jobs_done[0], jobs[i].parts) TH_LOG("case %zu", i);
	}
}

/* Each task moves 4 MiB and a little, and a part up to 64 MiB. */
TEST_F_TIMEOUT(matmul, parts_of_large_tasks_have_fewer, 120)
{
	struct drm_ork_device_info before, after;
	struct ork_test_product p;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 1, 2048, 2048, 1), 0);
	ASSERT_EQ(program_of_copies(self->fd, &p, 40), 0);
	ASSERT_EQ(ork_test_device(self->fd, &before), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 1, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
	ASSERT_EQ(ork_test_device(self->fd, &after), 0);
	EXPECT_EQ(after.jobs_done[0] - before.jobs_done[0], 3);
	ork_test_product_fini(self->fd, &p);
}

/* Each task has columns of its own. */
TEST_F_TIMEOUT(matmul, all_tasks_of_a_long_job_run, 120)
{
	struct ork_test_product p;
	int slots;

	for (slots = 0; slots < 2; slots++) {
		ASSERT_EQ(ork_test_product_init(self->fd, &p, 4, 64, 32 * LONG_TASKS, LONG_TASKS), 0);
		p.slots = slots;
		ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 2, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_SPLIT, 5, 0), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
		ork_test_product_fini(self->fd, &p);
	}
}

TEST_F_TIMEOUT(matmul, tens_of_thousands_of_programs_live_and_give_their_memory_back, 300)
{
	struct drm_ork_vm_info before, after;
	uint32_t *handles = calloc(20000, sizeof(*handles)), i;
	struct ork_test_product p;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 1, 32, 32, 1), 0);
	ASSERT_EQ(ork_test_vm(self->fd, 0, &before), 0);
	for (i = 0; i < 20000; i++) {
		ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
		handles[i] = p.prog;
	}
	ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
	for (i = 0; i < 20000; i++) {
		struct drm_ork_prog_destroy args = { .handle = handles[i] };

		ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_DESTROY, &args), 0);
	}
	ASSERT_EQ(ork_test_vm(self->fd, 0, &after), 0);
	EXPECT_EQ(after.used_bytes, before.used_bytes);
	free(handles);
}

TEST_F(matmul, a_part_of_the_tasks_writes_only_its_columns)
{
	struct drm_ork_sync out = { 0 };
	struct drm_ork_job job = {
		.prog = self->p.prog, .core_mask = 1, .first_task = 2, .task_count = 1,
		.out_syncs = { sizeof(out), 1, (uintptr_t)&out },
	};
	const uint32_t *c = self->p.c.ptr;
	uint32_t words = self->p.m * (self->p.n / self->p.tasks);
	uint32_t i;

	ASSERT_EQ(ork_test_syncobj(self->fd, &out.handle), 0);
	ASSERT_EQ(ork_test_submit(self->fd, &job, 1, NULL), 0);
	ASSERT_EQ(ork_test_wait(self->fd, out.handle, 10000), 0);
	ASSERT_EQ(ork_test_bo_sync(self->fd, self->p.c.handle, DRM_ORK_SYNC_TO_CPU, 0,
				   self->p.c.bytes), 0);
	for (i = 0; i < words; i++) {
		ASSERT_EQ(c[words * 1 + i], 0xa5a5a5a5);
		ASSERT_EQ(c[words * 3 + i], 0xa5a5a5a5);
	}
	EXPECT_NE(c[words * 2], 0xa5a5a5a5);
}

TEST_F(matmul, jobs_in_one_call_run_in_order)
{
	struct drm_ork_sync out = { 0 };
	struct drm_ork_job jobs[3];
	uint32_t done;
	int i;

	memset(jobs, 0, sizeof(jobs));
	for (i = 0; i < 3; i++) {
		jobs[i].prog = self->p.prog;
		jobs[i].core_mask = 2;
		jobs[i].first_task = 2 * i;
		jobs[i].task_count = 2;
	}
	ASSERT_EQ(ork_test_syncobj(self->fd, &out.handle), 0);
	jobs[2].out_syncs = (struct drm_ork_array){ sizeof(out), 1, (uintptr_t)&out };
	ASSERT_EQ(ork_test_submit(self->fd, jobs, 3, &done), 0);
	EXPECT_EQ(done, 3);
	ASSERT_EQ(ork_test_wait(self->fd, out.handle, 10000), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &self->p), 0);
}

TEST_F(matmul, a_refused_job_is_named_by_its_index)
{
	struct drm_ork_job jobs[3];
	uint32_t done;
	int i;

	memset(jobs, 0, sizeof(jobs));
	for (i = 0; i < 3; i++) {
		jobs[i].prog = self->p.prog;
		jobs[i].core_mask = 1;
		jobs[i].task_count = 6;
	}
	jobs[1].task_count = 7;
	EXPECT_EQ(ork_test_submit(self->fd, jobs, 3, &done), -EINVAL);
	EXPECT_EQ(done, 1);
}

TEST_F(matmul, refuses_bad_submits)
{
	static const struct {
		struct drm_ork_job job;
		int error;
	} cases[] = {
		{ { .prog = 0, .core_mask = 1, .task_count = 1 }, -ENOENT },
		{ { .prog = 77, .core_mask = 1, .task_count = 1 }, -ENOENT },
		{ { .prog = 1, .core_mask = 0, .task_count = 1 }, -EINVAL },
		{ { .prog = 1, .core_mask = 8, .task_count = 1 }, -EINVAL },
		{ { .prog = 1, .core_mask = 0x80000001, .task_count = 1 }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 0 }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .first_task = 6, .task_count = 1 }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .first_task = 1, .task_count = 6 }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .first_task = 1, .task_count = UINT32_MAX }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 1, .placement = 9 }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 1, .flags = 0x80 }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 1, .queue = 1 }, -ENOENT },
		{ { .prog = 1, .placement = DRM_ORK_PLACE_RANGES }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 1,
		    .ranges = { sizeof(struct drm_ork_range), 1, 4096 } }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 1, .addresses = { 8, 1, 4096 } }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 1, .timeout_ms = UINT32_MAX }, -EINVAL },
		{ { .prog = 1, .core_mask = 1, .task_count = 1,
		    .out_syncs = { sizeof(struct drm_ork_sync), 1, 0 } }, -EFAULT },
	};
	struct drm_ork_job job;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		job = cases[i].job;
		if (job.prog == 1)
			job.prog = self->p.prog;
		EXPECT_EQ(ork_test_submit(self->fd, &job, 1, NULL), cases[i].error)
			TH_LOG("case %zu", i);
	}
	EXPECT_EQ(ork_test_submit(self->fd, &job, 0, NULL), -EINVAL);
}

TEST_F(matmul, a_program_keeps_what_it_needs)
{
	struct ork_test_product *p = &self->p;
	struct drm_ork_vm_info info;

	ASSERT_EQ(ork_test_vm_unmap(self->fd, 0, p->a.va), 0);
	ASSERT_EQ(ork_test_vm_unmap(self->fd, 0, p->b.va), 0);
	ASSERT_EQ(ork_test_bo_close(self->fd, p->b.handle), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, p), 0);
	ASSERT_EQ(ork_test_vm(self->fd, 0, &info), 0);
	EXPECT_GT(info.used_bytes, p->a.bytes + p->b.bytes + p->c.bytes);
}

TEST_F(matmul, refuses_programs_that_leave_their_buffers)
{
	struct ork_test_product p = self->p;

	p.a.va = 0;
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -EINVAL);
	EXPECT_EQ(p.reject, DRM_ORK_REJECT_ADDRESS);

	p = self->p;
	p.c.va += ORK_TEST_PAGE;
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -EINVAL);
	EXPECT_EQ(p.reject, DRM_ORK_REJECT_ADDRESS);

	p = self->p;
	p.b.va += 8;
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -EINVAL);
	EXPECT_EQ(p.reject, DRM_ORK_REJECT_ADDRESS);
}

TEST_F(matmul, refuses_programs_that_hang_or_corrupt)
{
	struct ork_test_product p = self->p;

	p.data_banks = 0;
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -EINVAL);
	EXPECT_EQ(p.reject, DRM_ORK_REJECT_BANKS);

	p = self->p;
	p.weight_banks = 12;
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -EINVAL);
	EXPECT_EQ(p.reject, DRM_ORK_REJECT_BANKS);

	p = self->p;
	p.k_program = 10784;
	EXPECT_EQ(ork_test_product_program(self->fd, &p, 0), -EINVAL);
	EXPECT_EQ(p.reject, DRM_ORK_REJECT_SHAPE);
}

TEST_F(matmul, only_root_may_skip_limits)
{
	struct ork_test_product p = self->p;

	ASSERT_EQ(seteuid(65534), 0);
	EXPECT_EQ(ork_test_product_program(self->fd, &p, DRM_ORK_PROG_UNCHECKED_LIMITS), -EPERM);
	ASSERT_EQ(seteuid(0), 0);
}

TEST_HARNESS_MAIN
