/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Property of the checker: what it accepts does not hang the model, does not corrupt anything, touches exactly the bytes that
 * the checker asked about, and never starts from what another client left on the chip. Random programs, fixed seeds.
 *
 * usage: test_checker_model [PROGRAMS [SEED]]
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program_maker.h"
#include "tap.h"
#include "task_maker.h"

#define PROGRAMS 40000
#define MAX_WORK (1u << 20)
#define FINDINGS_SHOWN 5

struct tally {
	uint64_t verdicts[WITNESS_VERDICTS];
	uint64_t chains, slots, reuses;
};

static void show(const struct witness *w, uint64_t nth)
{
	uint32_t i, j;

	note("program %" PRIu64 ": %s", nth, w->finding);
	for (i = 0; i < w->task_count; i++)
		for (j = 0; j < w->tasks[i].count; j++)
			note("  task %u: 0x%016" PRIx64 " slot %d", i, (uint64_t)w->tasks[i].words[j],
			     w->tasks[i].slot[j] - 1);
}

static bool uses_slots(const struct witness *w)
{
	uint32_t i, j;

	for (i = 0; i < w->task_count; i++)
		for (j = 0; j < w->tasks[i].count; j++)
			if (w->tasks[i].slot[j])
				return true;
	return false;
}

static bool reuses(const struct witness *w)
{
	uint32_t i;

	for (i = 0; i < w->task_count; i++)
		if (w->tasks[i].reuses)
			return true;
	return false;
}

static void count(struct tally *tally, const struct witness *w, enum witness_verdict verdict)
{
	tally->verdicts[verdict]++;
	if (verdict == WITNESS_REFUSED)
		return;
	tally->chains += w->task_count > 1;
	tally->slots += uses_slots(w);
	tally->reuses += reuses(w);
}

static void many(const char *what, bool mutate, uint64_t programs, uint64_t seed)
{
	static struct witness w;
	struct tally tally = { { 0 }, 0, 0, 0 };
	uint64_t i, accepted;

	for (i = 0; i < programs; i++) {
		uint64_t random = seed + i;
		enum witness_verdict verdict;

		program_make(&w, &random);
		if (mutate)
			program_mutate(&w, &random);
		verdict = witness_run(&w, MAX_WORK);
		count(&tally, &w, verdict);
		if (verdict == WITNESS_DISAGREES && tally.verdicts[verdict] <= FINDINGS_SHOWN)
			show(&w, seed + i);
	}

	accepted = programs - tally.verdicts[WITNESS_REFUSED];
	note("%s: %" PRIu64 " programs, %" PRIu64 " accepted (%" PRIu64 " chains, %" PRIu64 " with slots, %" PRIu64
	     " that reuse), %" PRIu64 " not modelled, %" PRIu64 " too large",
	     what, programs, accepted, tally.chains, tally.slots, tally.reuses, tally.verdicts[WITNESS_UNMODELLED],
	     tally.verdicts[WITNESS_TOO_LARGE]);
	ok(!tally.verdicts[WITNESS_DISAGREES], "what the checker accepts of %s, the model runs (%" PRIu64 " do not)", what,
	   tally.verdicts[WITNESS_DISAGREES]);
	ok(tally.verdicts[WITNESS_AGREES] > programs / 100, "enough of %s are run (%" PRIu64 ")", what,
	   tally.verdicts[WITNESS_AGREES]);
}

/* A generator that made only refused programs would find nothing. */
static void every_form_of_every_type_is_accepted(void)
{
	static struct witness w;
	uint32_t type, form, refused = 0;

	for (type = 0; type < task_type_count; type++) {
		for (form = 0; form < TASK_FORMS; form++) {
			const struct task_type *t = &task_types[type];
			u64 words[TASK_MAX_WORDS];
			struct task_shape shape;

			task_shape_init(&shape, t, (enum task_form)form, 8, 4 * t->k_group, 2 * t->kernel_group,
					form == TASK_PANEL ? 4 : 16);
			shape.a = 0x10000;
			shape.b = 0x20000;
			shape.c = 0x30000;
			memset(&w, 0, sizeof(w));
			w.mappings[0] = (struct witness_mapping){ 0x10000, 0x40000, true };
			w.task_count = 1;
			w.tasks[0].count = task_make(&shape, words);
			memcpy(w.tasks[0].words, words, sizeof(words));
			if (witness_check(&w, false)) {
				note("%s in form %u is refused", t->name, form);
				refused++;
			}
		}
	}
	ok(!refused, "every form of every type is accepted (%u are not)", refused);
}

int main(int argc, char **argv)
{
	uint64_t programs = argc > 1 ? strtoull(argv[1], NULL, 0) : PROGRAMS;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	every_form_of_every_type_is_accepted();
	many("valid programs", false, programs / 6, seed << 32);
	many("changed programs", true, programs, seed << 33);
	return done();
}
