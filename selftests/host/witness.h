/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_WITNESS_H
#define ORK_WITNESS_H

/*
 * The checker and the model look at the same program. Both were written from the hardware reference and share no code, so a
 * program that the checker accepts and that hangs the model, makes it complain, or makes it touch other bytes than the
 * checker asked about, is a mistake in one of them.
 */

#include <stdbool.h>
#include <stdint.h>

#include <drm/rknpu_ork.h>

#include "../../drivers/rknpu-ork/ork_regcmd.h"

#define WITNESS_TASKS 8
#define WITNESS_WORDS 160
/* Features, weights and output; a checker that asks for more is a finding. */
#define WITNESS_RANGES 3
#define WITNESS_SLOTS DRM_ORK_MAX_SLOTS

/* What the NPU can reach. */
struct witness_mapping {
	uint64_t start, end;
	bool writable;
};

#define WITNESS_MAPPINGS 4

struct witness_task {
	u64 words[WITNESS_WORDS];
	/* Address slot plus 1 of each word. */
	uint8_t slot[WITNESS_WORDS];
	uint32_t count;
	/* What the checker asked about, and what the model touched of it. */
	struct ork_regcmd_access ranges[WITNESS_RANGES];
	uint64_t low[WITNESS_RANGES], high[WITNESS_RANGES];
	uint32_t range_count;
	/* The checker says that it reuses on-chip data. */
	bool reuses;
};

struct witness {
	struct witness_task tasks[WITNESS_TASKS];
	uint32_t task_count;
	struct witness_mapping mappings[WITNESS_MAPPINGS];
	/* Addresses of the slots; chosen by witness_place(). */
	uint64_t slot_end[WITNESS_SLOTS];
	uint32_t slot_base[WITNESS_SLOTS];
	/* What went wrong; empty if nothing did. */
	char finding[256];
};

enum witness_verdict {
	WITNESS_REFUSED,    /* by the checker */
	WITNESS_TOO_LARGE,  /* accepted, but more work than the caller wants to wait for */
	WITNESS_UNMODELLED, /* accepted, and the model says that it does not know */
	WITNESS_AGREES,
	WITNESS_DISAGREES,
	WITNESS_VERDICTS
};

/* Runs the checker over all tasks. Returns its verdict on the first that it refuses, or DRM_ORK_REJECT_NONE. */
uint32_t witness_check(struct witness *w, bool unchecked_limits);

/* Multiplications and accesses of memory that the model would have to do. */
uint64_t witness_work(const struct witness *w);

/* Checks, and runs on the model what is accepted, if it is not more than max_work. */
enum witness_verdict witness_run(struct witness *w, uint64_t max_work);

#endif
