// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * What calls of the driver cost. On a board with one instruction per nanosecond (ork-board run --icount) the figures are
 * guest instructions, user and kernel together; a wait also counts the time in which the CPU was idle. Nothing is judged here.
 * The output is for tools/figures.py.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "ork_test.h"

/* Samples of which the smallest is printed. */
#define ROUNDS 64
/* Jobs before that, which power up the core and fill caches of the kernel's allocators. */
#define WARM_UP 8
#define BATCH 32
#define EXPERTS 10000
#define EXPERT_K 64
#define EXPERT_N 64

static void check(int ret, const char *what)
{
	if (ret) {
		fprintf(stderr, "bench: %s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of ROUNDS samples: in the others, timers and kernel threads of the guest ran in between. */
static uint64_t smallest(const uint64_t *samples)
{
	uint64_t value = samples[0];
	int i;

	for (i = 1; i < ROUNDS; i++)
		value = smaller(value, samples[i]);
	return value;
}

static void make(int fd, uint32_t vm, struct ork_test_product *p, uint32_t tasks, bool slots)
{
	check(ork_test_product_init_in(fd, vm, p, 4, EXPERT_K, 32 * tasks, tasks), "buffers");
	p->slots = slots;
	check(ork_test_product_program(fd, p, 0), "program");
}

static void destroy(int fd, uint32_t handle)
{
	struct drm_ork_prog_destroy args = { .handle = handle };

	check(drmIoctl(fd, DRM_IOCTL_ORK_PROG_DESTROY, &args) ? -errno : 0, "destroy");
}

static uint64_t create_cost(int fd, uint32_t tasks, bool slots)
{
	struct ork_test_product p;
	struct ork_test_program program;
	uint64_t samples[ROUNDS];
	int i;

	make(fd, 0, &p, tasks, slots);
	ork_test_product_build(&p, 0, &program);
	for (i = 0; i < ROUNDS; i++) {
		uint64_t start = now();

		check(drmIoctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args) ? -errno : 0, "create");
		samples[i] = now() - start;
		destroy(fd, program.args.handle);
	}
	ork_test_program_free(&program);
	ork_test_product_fini(fd, &p);
	return smallest(samples);
}

struct cost {
	uint64_t submit, total;
};

/* Of one job on core 0 with nothing else queued. */
static struct cost job_cost(int fd, struct ork_test_product **p, uint32_t products)
{
	struct drm_ork_sync out = { 0 };
	uint64_t submit[ROUNDS], total[ROUNDS];
	int i;

	check(ork_test_syncobj(fd, &out.handle), "syncobj");
	for (i = -WARM_UP; i < ROUNDS; i++) {
		uint64_t addresses[3], start, middle;
		struct drm_ork_job job = ork_test_product_job(p[(i + WARM_UP) % products], addresses);

		job.core_mask = 1;
		job.out_syncs = (struct drm_ork_array){ sizeof(out), 1, (uintptr_t)&out };
		start = now();
		check(ork_test_submit(fd, &job, 1, NULL), "submit");
		middle = now();
		check(ork_test_wait(fd, out.handle, 20000), "wait");
		if (i < 0)
			continue;
		submit[i] = middle - start;
		total[i] = now() - start;
	}
	drmSyncobjDestroy(fd, out.handle);
	return (struct cost){ smallest(submit), smallest(total) };
}

static struct cost one_job_cost(int fd, uint32_t tasks, bool slots)
{
	struct ork_test_product p, *list[] = { &p };
	struct cost cost;

	make(fd, 0, &p, tasks, slots);
	cost = job_cost(fd, list, 1);
	ork_test_product_fini(fd, &p);
	return cost;
}

static void print_programs(int fd)
{
	static const char rule[] = "===== ======= ======== ============= ====== ============= ============= =============\n";
	static const uint32_t sizes[] = { 1, 8, 64 };
	size_t i;

	printf("# table calls\n%s", rule);
	printf("tasks create  per task create, slots submit submit, slots submit + wait s + w, slots\n%s", rule);
	for (i = 0; i < 3; i++) {
		struct cost plain = one_job_cost(fd, sizes[i], false), slots = one_job_cost(fd, sizes[i], true);
		uint64_t create = create_cost(fd, sizes[i], false), create_slots = create_cost(fd, sizes[i], true);

		printf("%-5u %-7llu %-8llu %-13llu %-6llu %-13llu %-13llu %llu\n", sizes[i], (unsigned long long)create,
		       (unsigned long long)create / sizes[i], (unsigned long long)create_slots,
		       (unsigned long long)plain.submit, (unsigned long long)slots.submit,
		       (unsigned long long)plain.total, (unsigned long long)slots.total);
	}
	printf("%s# end of table\n", rule);
}

static void print_figure(const char *name, uint64_t value, const char *unit)
{
	printf("# figure calls-%s %llu %s\n", name, (unsigned long long)value, unit);
}

/* From the interrupt handler's first look at the clock to the doorbell of the job that waits on the core. */
static void print_hand_over(int fd)
{
	struct drm_ork_job_wait result, next;
	struct drm_ork_job jobs[ROUNDS + 1];
	struct drm_ork_submit args = {
		.jobs = { .stride = sizeof(jobs[0]), .count = ROUNDS + 1, .ptr = (uintptr_t)jobs },
	};
	uint64_t addresses[3], samples[ROUNDS];
	struct ork_test_product p;
	int i;

	make(fd, 0, &p, 8, false);
	for (i = 0; i <= ROUNDS; i++) {
		jobs[i] = ork_test_product_job(&p, addresses);
		jobs[i].core_mask = 1;
	}
	check(drmIoctl(fd, DRM_IOCTL_ORK_SUBMIT, &args) ? -errno : 0, "submit");
	check(ork_test_job_wait(fd, args.first_id, 20000, &result), "wait");
	for (i = 0; i < ROUNDS; i++) {
		check(ork_test_job_wait(fd, args.first_id + i + 1, 20000, &next), "wait");
		samples[i] = next.started_ns - result.ended_ns;
		result = next;
	}
	print_figure("hand-over", smallest(samples), "instructions");
	ork_test_product_fini(fd, &p);
}

static uint64_t used_bytes(int fd, uint32_t vm)
{
	struct drm_ork_vm_info info;

	check(ork_test_vm(fd, vm, &info), "query");
	return info.used_bytes;
}

static uint64_t run_experts(int fd, uint32_t vm, struct ork_test_product *p, uint64_t weights_va)
{
	uint64_t addresses[3], peak = 0;
	uint32_t i;

	for (i = 0; i < EXPERTS; i++) {
		struct drm_ork_job job = ork_test_product_job(p, addresses);
		struct drm_ork_sync out = { 0 };
		uint64_t used;

		addresses[1] = weights_va + (uint64_t)i * EXPERT_K * EXPERT_N;
		job.core_mask = 1;
		if (i % BATCH == BATCH - 1 || i == EXPERTS - 1) {
			check(ork_test_syncobj(fd, &out.handle), "syncobj");
			job.out_syncs = (struct drm_ork_array){ sizeof(out), 1, (uintptr_t)&out };
		}
		check(ork_test_submit(fd, &job, 1, NULL), "submit");
		if (!out.handle)
			continue;
		used = used_bytes(fd, vm);
		peak = used > peak ? used : peak;
		check(ork_test_wait(fd, out.handle, 60000), "wait");
		drmSyncobjDestroy(fd, out.handle);
	}
	return peak;
}

/*
 * Command memory: each expert's weights are a matrix of their own; the shape of the product is the same. One program with
 * slots, at the peak of BATCH queued jobs, and a program for each.
 */
static void print_experts(int fd)
{
	struct ork_test_product p;
	struct ork_test_program program;
	struct ork_test_bo weights;
	uint64_t before, peak;
	uint32_t vm, i;

	check(ork_test_vm_create(fd, &vm), "VM");
	check(ork_test_product_init_in(fd, vm, &p, 4, EXPERT_K, EXPERT_N, 1), "buffers");
	check(ork_test_bo_init(fd, vm, &weights, (uint64_t)EXPERTS * EXPERT_K * EXPERT_N), "weights");

	before = used_bytes(fd, vm);
	p.slots = true;
	check(ork_test_product_program(fd, &p, 0), "program");
	peak = run_experts(fd, vm, &p, weights.va);
	print_figure("experts-slots", peak - before, "bytes");

	p.slots = false;
	destroy(fd, p.prog);
	before = used_bytes(fd, vm);
	for (i = 0; i < EXPERTS; i++) {
		p.b.va = weights.va + (uint64_t)i * EXPERT_K * EXPERT_N;
		ork_test_product_build(&p, 0, &program);
		check(drmIoctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args) ? -errno : 0, "create");
		ork_test_program_free(&program);
	}
	print_figure("experts-programs", used_bytes(fd, vm) - before, "bytes");
}

/* With "hand-over" as argument, that only; it takes jobs that last, as on a board with --timing. */
int main(int argc, char **argv)
{
	int fd = ork_test_open();

	if (fd < 0) {
		fprintf(stderr, "bench: no device\n");
		return 1;
	}
	if (argc == 2 && !strcmp(argv[1], "hand-over")) {
		print_hand_over(fd);
		close(fd);
		return 0;
	}
	print_programs(fd);
	fflush(stdout);
	print_experts(fd);
	close(fd);
	return 0;
}
