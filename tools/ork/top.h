/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TOP_H
#define ORK_TOP_H

#include <stdbool.h>

#include "machine.h"
#include "usage.h"

/* What the NPU and its users have done so far. */
struct top_sample {
	double ms; /* on the monotonic clock */
	bool have_clock, have_core[ORK_MAX_CORES];
	struct machine_clock clock;
	struct machine_core core[ORK_MAX_CORES];
	struct usage usage;
};

/* Returns 0, or -1 if no core can be seen or there is no memory. The caller calls top_free(). */
int top_take(const char *root, struct top_sample *sample);
void top_free(struct top_sample *sample);

/* What a process did between two samples, with all its clients. */
struct top_process {
	long pid;
	char name[32];
	double load[ORK_MAX_CORES];               /* share of the time that each core worked for it, 0 to 1 */
	unsigned long long busy_ns[ORK_MAX_CORES]; /* since it opened the device */
	unsigned long long total_kib, shared_kib, resident_kib;
};

/* What happened between two samples. */
struct top_view {
	double seconds;
	double load[ORK_MAX_CORES];              /* 0 to 1 */
	unsigned long long jobs[ORK_MAX_CORES];
	const struct top_sample *now;
	struct top_process *processes;           /* the busiest first */
	size_t count;
};

/* Returns 0, or -1 without memory. View refers to `now`; the caller frees view->processes. */
int top_compare(const struct top_sample *before, const struct top_sample *now, struct top_view *view);

/* As text for people, at most that many lines, or as one JSON object. */
void top_print(const struct top_view *view, unsigned int lines);
void top_print_json(const struct top_view *view);

#endif
