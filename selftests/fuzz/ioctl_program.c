// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Programs of calls: random ones, and variations of those that were worth keeping. */

#include <string.h>
#include <time.h>

#include "ioctl_fuzz.h"

uint32_t fuzz_kind_count(void)
{
	return fuzz_driver_kind_count + fuzz_job_kind_count + fuzz_core_kind_count;
}

const struct fuzz_kind_info *fuzz_kind_info(uint32_t kind)
{
	if (kind < fuzz_driver_kind_count)
		return &fuzz_driver_kinds[kind];
	kind -= fuzz_driver_kind_count;
	if (kind < fuzz_job_kind_count)
		return &fuzz_job_kinds[kind];
	return &fuzz_core_kinds[kind - fuzz_job_kind_count];
}

uint64_t fuzz_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

uint64_t fuzz_now_seconds(void)
{
	return fuzz_now_ns() / 1000000000;
}

/* Two of three calls go to the first file, so that what they make comes together. */
int fuzz_run_call(struct fuzz_state *s, struct fuzz_call call)
{
	struct fuzz_rng r = { call.seed };
	uint32_t file = fuzz_one_in(&r, 3) ? fuzz_below(&r, FUZZ_FILES) : 0;
	uint64_t start = fuzz_now_ns();
	int ret = fuzz_kind_info(call.kind)->run(s, &s->files[file], &r);

	fuzz_shared->ns[call.kind] += fuzz_now_ns() - start;
	fuzz_shared->by_kind[call.kind]++;
	fuzz_shared->well[call.kind] += ret >= 0;
	return ret;
}

static struct fuzz_call random_call(struct fuzz_rng *r)
{
	uint32_t i, total = 0, draw;

	for (i = 0; i < fuzz_kind_count(); i++)
		total += fuzz_kind_info(i)->weight;
	draw = fuzz_below(r, total);
	for (i = 0; draw >= fuzz_kind_info(i)->weight; i++)
		draw -= fuzz_kind_info(i)->weight;
	return (struct fuzz_call){ i, fuzz_random(r) };
}

static void random_program(struct fuzz_rng *r, struct fuzz_program *program)
{
	uint32_t i;

	program->count = 1 + fuzz_below(r, FUZZ_PROGRAM_CALLS);
	for (i = 0; i < program->count; i++)
		program->calls[i] = random_call(r);
}

static void vary_program(struct fuzz_rng *r, struct fuzz_program *program)
{
	uint32_t at = fuzz_below(r, program->count);

	switch (fuzz_below(r, 4)) {
	case 0:
		program->calls[at] = random_call(r);
		break;
	case 1:
		/* The same call with other arguments. */
		program->calls[at].seed = fuzz_random(r);
		break;
	case 2:
		if (program->count < FUZZ_PROGRAM_CALLS)
			program->calls[program->count++] = program->calls[at];
		program->calls[at] = random_call(r);
		break;
	default:
		if (program->count > 1)
			program->calls[at] = program->calls[--program->count];
		break;
	}
}

void fuzz_make_program(struct fuzz_rng *r, struct fuzz_program *program)
{
	uint32_t i, kept = fuzz_shared->corpus_count;

	if (kept > FUZZ_CORPUS)
		kept = FUZZ_CORPUS;
	if (!kept || fuzz_one_in(r, 2)) {
		random_program(r, program);
		return;
	}
	/* Another process may be writing it. */
	memcpy(program, &fuzz_shared->corpus[fuzz_below(r, kept)], sizeof(*program));
	if (!program->count || program->count > FUZZ_PROGRAM_CALLS)
		program->count = 1;
	for (i = 0; i < program->count; i++)
		program->calls[i].kind %= fuzz_kind_count();
	for (i = fuzz_below(r, 5); i; i--)
		vary_program(r, program);
}

void fuzz_keep_program(const struct fuzz_program *program)
{
	uint32_t at = fuzz_shared->corpus_count++;

	fuzz_shared->corpus[at % FUZZ_CORPUS] = *program;
}
