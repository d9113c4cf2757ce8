// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * A hostile client tries to get at what is not its own: buffers, commands and on-chip remains of another
 * client. A test per attempt, named after how it ends.
 */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define MIB (1ull << 20)
#define NOBODY 65534
#define GUESSES 64
#define WEIGHT_REUSE (1ull << 13)
#define DATA_REUSE (1ull << 12)

FIXTURE(isolation)
{
	int victim, fd;
	struct ork_test_product secret, p;
};

/* Both have one task of the same shape, so their buffers lie at the same addresses, each in its own VM. */
FIXTURE_SETUP(isolation)
{
	self->victim = ork_test_open();
	self->fd = ork_test_open();
	ASSERT_GE(self->victim, 0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->victim, &self->secret, 8, 256, 96, 1), 0);
	ASSERT_EQ(ork_test_product_program(self->victim, &self->secret, 0), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 1), 0);
}

FIXTURE_TEARDOWN(isolation)
{
	close(self->victim);
	close(self->fd);
}

static int run_victim(int fd, struct ork_test_product *p, uint32_t core_mask)
{
	int ret = ork_test_product_run(fd, p, DRM_ORK_PLACE_AUTO, core_mask, 0);

	return ret ?: (int)ork_test_product_check(fd, p);
}

/* --- Names of another client's things --- */

TEST_F(isolation, handles_of_another_file_are_not_found)
{
	int dmabuf, fence, mine = ork_test_open();
	struct drm_ork_job_wait result;
	struct drm_ork_vm_info info;
	struct drm_ork_job job;
	uint64_t va, id;
	uint32_t i, vm;

	ASSERT_GE(mine, 0);
	ASSERT_EQ(ork_test_vm_create(self->victim, &vm), 0);
	ASSERT_EQ(ork_test_queue_create(self->victim, 0, 0, &i), 0);
	ASSERT_EQ(ork_test_syncobj(self->victim, &i), 0);
	ASSERT_EQ(run_victim(self->victim, &self->secret, 1), 0);

	for (i = 1; i < GUESSES; i++) {
		EXPECT_EQ(ork_test_bo_sync(mine, i, DRM_ORK_SYNC_TO_CPU, 0, 1), -ENOENT);
		EXPECT_EQ(ork_test_map(mine, 0, i, 0, ORK_TEST_PAGE, &va), -ENOENT);
		EXPECT_NE(drmPrimeHandleToFD(mine, i, DRM_CLOEXEC, &dmabuf), 0);
		EXPECT_NE(drmSyncobjHandleToFD(mine, i, &fence), 0);
		EXPECT_EQ(ork_test_vm(mine, i, &info), -ENOENT);
		EXPECT_EQ(ork_test_queue_destroy(mine, i), -ENOENT);
		EXPECT_EQ(ork_test_job_wait(mine, i, 0, &result), -ENOENT);
		job = (struct drm_ork_job){ .prog = i, .core_mask = 1, .task_count = 1 };
		EXPECT_EQ(ork_test_submit_one(mine, &job, &id), -ENOENT);
	}
	EXPECT_EQ(run_victim(self->victim, &self->secret, 1), 0);
	close(mine);
}

TEST_F(isolation, mmap_offsets_of_another_file_do_not_map)
{
	uint64_t offset, at;
	uint32_t handle;

	ASSERT_EQ(ork_test_bo_create(self->victim, MIB, 0, &handle, &offset), 0);
	for (at = offset - MIB; at < offset + MIB; at += ORK_TEST_PAGE) {
		void *p = mmap(NULL, ORK_TEST_PAGE, PROT_READ, MAP_SHARED, self->fd, at);

		/* Near it are buffers of our own, too. */
		if (p != MAP_FAILED) {
			EXPECT_EQ(mmap(NULL, ORK_TEST_PAGE, PROT_READ, MAP_SHARED, self->victim, at), MAP_FAILED);
			munmap(p, ORK_TEST_PAGE);
		}
	}
	EXPECT_EQ(mmap(NULL, MIB, PROT_READ, MAP_SHARED, self->fd, offset), MAP_FAILED);
}

TEST_F(isolation, buffers_have_no_global_names)
{
	struct drm_gem_flink flink = { .handle = self->secret.a.handle };
	struct drm_gem_open open = { 0 };

	EXPECT_NE(drmIoctl(self->victim, DRM_IOCTL_GEM_FLINK, &flink), 0);
	for (open.name = 1; open.name < GUESSES; open.name++)
		EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_GEM_OPEN, &open), 0);
}

TEST_F(isolation, what_a_hang_leaves_for_the_administrator_is_for_nobody_else)
{
	struct ork_test_product hang;
	glob_t found;
	int status;
	pid_t pid;

	if (geteuid())
		SKIP(return, "not allowed to become another user");
	ASSERT_EQ(ork_test_hang_init(self->victim, &hang), 0);
	ASSERT_EQ(ork_test_product_run(self->victim, &hang, DRM_ORK_PLACE_AUTO, 1, 100), -ETIMEDOUT);

	pid = fork();
	if (!pid) {
		int i = 0, open_ones = 0;

		/* They can be seen, but not read. */
		if (glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &found))
			found.gl_pathc = 0;
		if (setuid(NOBODY))
			_exit(1);
		for (i = 0; i < (int)found.gl_pathc; i++)
			open_ones += open(found.gl_pathv[i], O_RDONLY) >= 0;
		open_ones += open("/sys/kernel/debug/dri/128/hang", O_RDONLY) >= 0;
		_exit(open_ones ? 2 : 0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* --- Addresses --- */

/* Lets A, B or C lie somewhere else. Returns why the program was refused, 0 if it was not, or an error. */
static int program_with(int fd, const struct ork_test_product *like, int operand, uint64_t va)
{
	struct drm_ork_prog_destroy destroy = { 0 };
	struct ork_test_product p = *like;
	int ret;

	(operand == 0 ? &p.a : operand == 1 ? &p.b : &p.c)->va = va;
	ret = ork_test_product_program(fd, &p, 0);
	if (ret)
		return p.reject ? (int)p.reject : ret;
	destroy.handle = p.prog;
	drmIoctl(fd, DRM_IOCTL_ORK_PROG_DESTROY, &destroy);
	return 0;
}

TEST_F(isolation, addresses_of_another_vm_are_refused)
{
	struct ork_test_bo bo;
	uint32_t vm;
	int i;

	/* One that the victim has and nobody else, and one that our own other VM has. */
	ASSERT_EQ(ork_test_bo_init(self->victim, 0, &bo, MIB), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(program_with(self->fd, &self->p, i, bo.va + MIB / 2), DRM_ORK_REJECT_ADDRESS);
	ASSERT_EQ(ork_test_vm_create(self->fd, &vm), 0);
	ASSERT_EQ(ork_test_bo_init(self->fd, vm, &bo, MIB), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(program_with(self->fd, &self->p, i, bo.va + MIB / 2), DRM_ORK_REJECT_ADDRESS);
}

TEST_F(isolation, the_same_address_is_each_clients_own_memory)
{
	const int32_t *c = self->p.c.ptr;
	int run;
	size_t i;

	ASSERT_EQ(self->p.b.va, self->secret.b.va);
	memset(self->p.b.ptr, 0, self->p.b.bytes);
	ASSERT_EQ(ork_test_bo_sync(self->fd, self->p.b.handle, DRM_ORK_SYNC_TO_DEVICE, 0, self->p.b.bytes), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);

	for (run = 0; run < 30; run++) {
		ASSERT_EQ(run_victim(self->victim, &self->secret, 1u << run % 3), 0);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_AUTO, 1u << run % 3, 0), 0);
		ASSERT_EQ(ork_test_bo_sync(self->fd, self->p.c.handle, DRM_ORK_SYNC_TO_CPU, 0, self->p.c.bytes), 0);
		for (i = 0; i < (size_t)self->p.m * self->p.n; i++)
			ASSERT_EQ(c[i], 0);
		memset(self->p.c.ptr, 0xff, self->p.c.bytes);
		ASSERT_EQ(ork_test_bo_sync(self->fd, self->p.c.handle, DRM_ORK_SYNC_TO_DEVICE, 0, self->p.c.bytes),
			  0);
	}
}

static bool in_bo(const struct ork_test_bo *bo, uint64_t va)
{
	return va >= bo->va && va < bo->va + bo->bytes;
}

/* Commands, guard pages, page 0 and what lies behind everything. */
TEST_F(isolation, nothing_but_own_buffers_can_be_named)
{
	const struct ork_test_product *p = &self->p;
	struct drm_ork_vm_map map = { .handle = p->a.handle, .flags = DRM_ORK_MAP_FIXED, .size_bytes = ORK_TEST_PAGE };
	struct drm_ork_vm_info before, after;
	uint64_t va, command = 0;
	int i;

	ASSERT_EQ(ork_test_vm(self->fd, 0, &before), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	ASSERT_EQ(ork_test_vm(self->fd, 0, &after), 0);
	ASSERT_GT(after.used_bytes, before.used_bytes);

	for (va = 0; va < after.used_bytes + MIB; va += ORK_TEST_PAGE) {
		if (in_bo(&p->a, va) || in_bo(&p->b, va) || in_bo(&p->c, va))
			continue;
		for (i = 0; i < 3; i++)
			ASSERT_EQ(program_with(self->fd, p, i, va), DRM_ORK_REJECT_ADDRESS);
		EXPECT_EQ(ork_test_vm_unmap(self->fd, 0, va), -ENOENT);
		/* What is taken and not ours is command memory or a guard page. */
		map.va = va;
		if (va && ork_test_vm_map(self->fd, &map) == -EEXIST)
			command++;
		else if (va)
			ASSERT_EQ(ork_test_vm_unmap(self->fd, 0, va), 0);
	}
	EXPECT_GE(command, (after.used_bytes - before.used_bytes) / ORK_TEST_PAGE);
	EXPECT_EQ(run_victim(self->fd, &self->p, 1), 0);
}

TEST_F(isolation, ranges_end_where_the_buffer_does)
{
	const struct ork_test_product *p = &self->p;

	EXPECT_EQ(program_with(self->fd, p, 0, p->a.va + ORK_TEST_PAGE), DRM_ORK_REJECT_ADDRESS);
	EXPECT_EQ(program_with(self->fd, p, 1, p->b.va + 16), DRM_ORK_REJECT_ADDRESS);
	EXPECT_EQ(program_with(self->fd, p, 2, p->c.va + ORK_TEST_PAGE), DRM_ORK_REJECT_ADDRESS);
	EXPECT_EQ(program_with(self->fd, p, 2, p->c.va - 16), DRM_ORK_REJECT_ADDRESS);
}

TEST_F(isolation, ranges_do_not_wrap_around_at_four_gib)
{
	struct drm_ork_vm_map map = {
		.handle = self->p.a.handle, .flags = DRM_ORK_MAP_FIXED, .size_bytes = ORK_TEST_PAGE,
		.va = (1ull << 32) - 2 * ORK_TEST_PAGE,
	};
	uint64_t addresses[3], bad[] = { 1ull << 32, UINT64_MAX - 15, 0xfffffff0, (1ull << 32) + self->p.a.va, 8 };
	struct ork_test_product p = self->p;
	struct drm_ork_job job;
	uint64_t id;
	size_t i;

	ASSERT_EQ(ork_test_vm_map(self->fd, &map), 0);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(program_with(self->fd, &self->p, i, map.va + ORK_TEST_PAGE - 16), DRM_ORK_REJECT_ADDRESS);
		EXPECT_EQ(program_with(self->fd, &self->p, i, 0xfffffff0), DRM_ORK_REJECT_ADDRESS);
	}

	p.slots = true;
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		job = ork_test_product_job(&p, addresses);
		job.core_mask = 1;
		addresses[i % 3] = bad[i];
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
	}
}

/* --- What the core and the memory keep --- */

/* Sets bits of CBUF_CON0 in a task. */
static void set_cbuf(struct ork_test_program *program, uint32_t task, uint64_t bits)
{
	const struct drm_ork_task *t = &program->tasks[task];
	uint32_t i;

	for (i = t->first_word; i < t->first_word + t->word_count; i++)
		if (program->words[i] >> 48 == 0x0201 && (uint16_t)program->words[i] == 0x1040)
			program->words[i] |= bits << 16;
}

TEST_F(isolation, on_chip_data_of_the_client_before_cannot_be_reused)
{
	const uint64_t bits[] = { WEIGHT_REUSE, DATA_REUSE };
	struct drm_ork_range range = { .core = 1, .first_task = 1, .task_count = 1 };
	struct ork_test_program program;
	struct ork_test_product p;
	struct drm_ork_job job;
	uint64_t id;
	int i;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 8, 256, 96, 2), 0);
	p.copies = true;
	for (i = 0; i < 2; i++) {
		ork_test_product_build(&p, 0, &program);
		set_cbuf(&program, 0, bits[i]);
		EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
		EXPECT_EQ(program.args.reject, DRM_ORK_REJECT_REUSE);
		ork_test_program_free(&program);

		/* In the second task it is fine, but nothing may begin there. */
		ork_test_product_build(&p, 0, &program);
		set_cbuf(&program, 1, bits[i]);
		ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
		job = (struct drm_ork_job){ .prog = program.args.handle, .core_mask = 1, .first_task = 1, .task_count = 1 };
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
		job = (struct drm_ork_job){
			.prog = program.args.handle, .core_mask = 3, .task_count = 2, .placement = DRM_ORK_PLACE_SPLIT,
		};
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
		job = (struct drm_ork_job){
			.prog = program.args.handle, .placement = DRM_ORK_PLACE_RANGES,
			.ranges = { sizeof(range), 1, (uintptr_t)&range },
		};
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
		ork_test_program_free(&program);
	}
}

/* Registers keep their values from client to client, so each that matters must be written. */
TEST_F(isolation, a_program_cannot_leave_a_register_as_the_client_before_left_it)
{
	struct ork_test_program program;
	uint32_t i, count;
	uint64_t word;

	ork_test_product_build(&self->p, 0, &program);
	count = program.tasks[0].word_count;
	for (i = 0; i < count; i++) {
		word = program.words[i];
		/* In its place stands what the neighbour writes. */
		program.words[i] = program.words[i ? 0 : 1];
		EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
		EXPECT_EQ(program.args.reject, DRM_ORK_REJECT_MISSING);
		program.words[i] = word;
	}
	EXPECT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
	ork_test_program_free(&program);
}

/* Blocks that are not the convolution's, the program counter, its own start, and set-up that belongs to the driver. */
TEST_F(isolation, a_program_cannot_write_registers_that_are_the_drivers)
{
	static const uint64_t words[] = {
		0x0101000000000010, 0x0101000000000014, 0x0101000000010008, 0x0101000000000020, 0x0101000000000030,
		0x008100000000000d, 0x0081000000000008, 0x0041000000000000, 0x02010000000e1004, 0x0201000000011008,
		0x08010000000e3004, 0x0801000000013008, 0x1001000000014008, 0x20010000000e5004, 0x2001000000005014,
		0x4001000000006004, 0x8001000000007004, 0x0201000000008030, 0x020100000000f008, 0x0000000000001070,
		0x1001000000001070, 0x0801000000004020,
	};
	struct ork_test_program program;
	size_t i;
	uint32_t last;

	ork_test_product_build(&self->p, 0, &program);
	last = program.args.words.count++;
	program.tasks[0].word_count++;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		program.words[last] = words[i];
		EXPECT_NE(drmIoctl(self->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args), 0);
		EXPECT_TRUE(program.args.reject == DRM_ORK_REJECT_TARGET || program.args.reject == DRM_ORK_REJECT_REGISTER);
		EXPECT_EQ(program.args.reject_word, last);
	}
	ork_test_program_free(&program);
}

/* Number of bytes of new buffers that are not 0. Others' memory comes back in many places, so it takes several. */
static size_t remains(int fd, uint32_t flags)
{
	size_t i, found = 0;
	int n;

	for (n = 0; n < 8; n++) {
		uint64_t offset;
		uint32_t handle;
		uint8_t *p;

		if (ork_test_bo_create(fd, 4 * MIB, flags, &handle, &offset))
			return SIZE_MAX;
		p = mmap(NULL, 4 * MIB, PROT_READ, MAP_SHARED, fd, offset);
		if (p == MAP_FAILED)
			return SIZE_MAX;
		for (i = 0; i < 4 * MIB; i++)
			found += p[i] != 0;
		munmap(p, 4 * MIB);
	}
	return found;
}

TEST_F(isolation, memory_of_a_client_that_has_gone_reads_as_zero)
{
	struct ork_test_bo bo[8];
	int i, gone = ork_test_open();

	ASSERT_GE(gone, 0);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(ork_test_bo_init(gone, 0, &bo[i], 4 * MIB), 0);
		memset(bo[i].ptr, 0xa5, bo[i].bytes);
	}
	for (i = 0; i < 8; i++)
		ork_test_bo_fini(gone, 0, &bo[i]);
	close(gone);
	EXPECT_EQ(remains(self->fd, 0), 0);
	EXPECT_EQ(remains(self->fd, DRM_ORK_BO_WC), 0);
}

TEST_HARNESS_MAIN
