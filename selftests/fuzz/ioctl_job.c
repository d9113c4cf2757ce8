// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Calls of the driver that make programs and run them: right ones, changed ones, and ones that never end. */

#include <string.h>

#include <xf86drm.h>

#include "../ork_test.h"
#include "ioctl_fuzz.h"

#define BANKS 12u
#define BANK_BYTES 32768u
#define MAX_JOBS 4u
#define LARGE_BYTES (32u << 10)

static uint32_t align(uint32_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

/* A mapping in which most products have room, if one is found soon. */
static uint64_t large_map(struct fuzz_file *f, struct fuzz_rng *r)
{
	uint64_t map = 0;
	uint32_t i;

	for (i = 0; i < 6 && fuzz_map_bytes(map) < LARGE_BYTES; i++)
		map = fuzz_pick(&f->maps, r);
	return map;
}

static struct ork_test_product some_product(struct fuzz_rng *r, uint64_t map)
{
	struct ork_test_product p = { .vm = fuzz_map_vm(map), .tasks = 1 + fuzz_below(r, 3) };

	p.m = 1 + fuzz_below(r, 8);
	p.k = p.k_program = 32 * (1 + fuzz_below(r, 4));
	p.n = 32 * p.tasks * (1 + fuzz_below(r, 2));
	p.slots = fuzz_one_in(r, 3);
	p.copies = fuzz_one_in(r, 6);
	p.data_banks = (p.m * align(p.k) + BANK_BYTES - 1) / BANK_BYTES;
	p.weight_banks = BANKS - p.data_banks;
	p.a.va = fuzz_map_va(map);
	p.b.va = p.a.va + align(p.m * p.k);
	p.c.va = p.b.va + align(p.k * p.n);
	return p;
}

/* A kernel group that does not fit its banks: the core waits for ever. */
static void make_it_hang(struct ork_test_product *p)
{
	p->m = 1;
	p->k = p->k_program = 2048;
	p->n = 64;
	p->tasks = 1;
	p->data_banks = 1;
	p->weight_banks = 1;
	p->b.va = p->a.va + align(p->k);
	p->c.va = p->b.va + p->k;
}

static void change_word(struct ork_test_program *program, struct fuzz_rng *r)
{
	uint64_t *word = &program->words[fuzz_below(r, program->args.words.count)];

	switch (fuzz_below(r, 5)) {
	case 0:
		*word ^= 1ull << fuzz_below(r, 64);
		break;
	case 1:
		*word = (*word & ~0xffffffff0000ull) | (fuzz_random(r) >> fuzz_below(r, 32) & 0xffffffff) << 16;
		break;
	case 2:
		*word = program->words[fuzz_below(r, program->args.words.count)];
		break;
	case 3:
		*word += (uint64_t)(fuzz_below(r, 3) - 1) << 16;
		break;
	default:
		program->tasks[fuzz_below(r, program->args.tasks.count)].word_count += fuzz_below(r, 5) - 2;
		break;
	}
}

static void change_array(struct fuzz_state *s, struct fuzz_rng *r, struct drm_ork_array *array)
{
	*array = fuzz_array(s, r, (void *)(uintptr_t)array->ptr, array->stride, array->count);
}

int fuzz_prog_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct ork_test_product p = some_product(r, large_map(f, r));
	uint32_t i, flags = fuzz_one_in(r, 5) ? DRM_ORK_PROG_UNCHECKED_LIMITS : 0;
	struct ork_test_program program;
	int ret;

	if (flags && fuzz_one_in(r, 12))
		make_it_hang(&p);
	ork_test_product_build(&p, flags, &program);
	for (i = fuzz_one_in(r, 3) ? fuzz_below(r, 4) : 0; i; i--)
		change_word(&program, r);
	if (p.slots && fuzz_one_in(r, 8))
		program.slots[0].slot = fuzz_below(r, DRM_ORK_MAX_SLOTS + 2);
	change_array(s, r, &program.args.words);
	change_array(s, r, &program.args.tasks);
	change_array(s, r, &program.args.slots);

	ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args);
	if (!ret)
		fuzz_put(&f->progs, r, (uint64_t)p.slots << 40 | (uint64_t)p.tasks << 32 | program.args.handle);
	ork_test_program_free(&program);
	return ret;
}

static int prog_destroy(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint64_t prog = fuzz_pick(&f->progs, r);
	struct drm_ork_prog_destroy args = { .handle = prog };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_PROG_DESTROY, &args);

	if (!ret)
		fuzz_drop(&f->progs, r, prog);
	return ret;
}

/* What a job points to. */
struct job_arrays {
	struct drm_ork_range ranges[3];
	struct drm_ork_sync_range cache[2];
	struct drm_ork_sync in[2], out[2];
	uint64_t addresses[3];
};

static void some_syncs(struct fuzz_file *f, struct fuzz_rng *r, struct drm_ork_sync *syncs)
{
	uint32_t i;

	for (i = 0; i < 2; i++)
		syncs[i] = (struct drm_ork_sync){
			.handle = fuzz_pick(&f->syncs, r), .point = fuzz_one_in(r, 3) ? fuzz_below(r, 6) : 0,
		};
}

static void some_ranges(struct fuzz_rng *r, struct drm_ork_range *ranges)
{
	uint32_t i;

	for (i = 0; i < 3; i++)
		ranges[i] = (struct drm_ork_range){
			.core = fuzz_one_in(r, 8) ? fuzz_below(r, 4) : i, .first_task = fuzz_one_in(r, 4), .task_count = 1 + fuzz_one_in(r, 4),
		};
}

static void some_addresses(struct fuzz_file *f, struct fuzz_rng *r, uint64_t *addresses)
{
	uint64_t map = large_map(f, r);
	uint32_t i;

	for (i = 0; i < 3; i++)
		addresses[i] = fuzz_map_va(map) + 64 * (uint64_t)fuzz_below(r, 64);
}

static void some_cache(struct fuzz_file *f, struct fuzz_rng *r, struct drm_ork_sync_range *cache)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		uint64_t bo = fuzz_pick(&f->bos, r);

		cache[i] = (struct drm_ork_sync_range){ .handle = bo, .op = fuzz_below(r, 2), .size_bytes = bo >> 32 };
	}
}

static struct drm_ork_job some_job(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r, struct job_arrays *a)
{
	uint64_t prog = fuzz_pick(&f->progs, r);
	uint32_t tasks = prog >> 32 & 0xff;
	struct drm_ork_job job = {
		.prog = prog, .flags = fuzz_one_in(r, 4), .placement = fuzz_below(r, 3),
		.timeout_ms = 1 + fuzz_below(r, 20), .queue = fuzz_one_in(r, 3) ? fuzz_pick(&f->queues, r) : 0,
	};

	some_ranges(r, a->ranges);
	some_addresses(f, r, a->addresses);
	some_cache(f, r, a->cache);
	some_syncs(f, r, a->in);
	some_syncs(f, r, a->out);
	if (job.placement == DRM_ORK_PLACE_RANGES) {
		job.ranges = fuzz_array(s, r, a->ranges, sizeof(a->ranges[0]), 1 + fuzz_below(r, 3));
	} else {
		job.core_mask = fuzz_one_in(r, 32) ? fuzz_random(r) : 1 + fuzz_below(r, 7);
		job.first_task = fuzz_one_in(r, 6) ? fuzz_below(r, 3) : 0;
		job.task_count = tasks && !fuzz_one_in(r, 6) ? tasks - job.first_task : fuzz_below(r, 4);
	}
	if (fuzz_one_in(r, 16) ? fuzz_one_in(r, 2) : prog >> 40 & 1)
		job.addresses = fuzz_array(s, r, a->addresses, 8, 3);
	if (fuzz_one_in(r, 6))
		job.cache = fuzz_array(s, r, a->cache, sizeof(a->cache[0]), 1 + fuzz_below(r, 2));
	if (fuzz_one_in(r, 8))
		job.in_syncs = fuzz_array(s, r, a->in, sizeof(a->in[0]), 1 + fuzz_below(r, 2));
	if (fuzz_one_in(r, 4))
		job.out_syncs = fuzz_array(s, r, a->out, sizeof(a->out[0]), 1 + fuzz_below(r, 2));
	return job;
}

static int submit(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct job_arrays arrays[MAX_JOBS];
	struct drm_ork_job jobs[MAX_JOBS];
	uint32_t i, count = fuzz_one_in(r, 2) ? 1 : 1 + fuzz_below(r, MAX_JOBS);
	struct drm_ork_submit args = { .jobs = fuzz_array(s, r, jobs, sizeof(jobs[0]), count) };
	int ret;

	for (i = 0; i < count; i++)
		jobs[i] = some_job(s, f, r, &arrays[i]);
	ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_SUBMIT, &args);
	fuzz_shared->jobs += ret ? 0 : count;
	if (args.done && args.first_id)
		f->last_job = args.first_id + args.done - 1;
	return ret;
}

static int job_wait(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint32_t back = fuzz_below(r, 4);
	struct drm_ork_job_wait args = {
		.id = f->last_job - back, .timeout_ns = fuzz_deadline(r), .count = fuzz_below(r, fuzz_one_in(r, 4) ? 5 : back + 2),
	};

	if (fuzz_one_in(r, 12)) {
		args.id = fuzz_random(r) >> fuzz_below(r, 64);
		args.count = fuzz_random(r) >> fuzz_below(r, 64);
	}
	return fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_JOB_WAIT, &args);
}

const struct fuzz_kind_info fuzz_job_kinds[] = {
	{ "prog-create", fuzz_prog_create, 24 },
	{ "prog-destroy", prog_destroy, 4 },
	{ "submit", submit, 80 },
	{ "job-wait", job_wait, 120 },
};

const uint32_t fuzz_job_kind_count = sizeof(fuzz_job_kinds) / sizeof(fuzz_job_kinds[0]);
