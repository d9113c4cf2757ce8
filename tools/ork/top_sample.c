/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdio.h>
#include <stdlib.h>

#include "term.h"
#include "top.h"

int top_take(const char *root, struct top_sample *sample)
{
	bool any = false;
	unsigned int i;

	*sample = (struct top_sample){ .ms = now_ms() };
	sample->have_clock = machine_read_clock(root, &sample->clock) == 0;
	for (i = 0; i < ORK_MAX_CORES; i++) {
		sample->have_core[i] = machine_read_core(root, i, &sample->core[i]) == 0;
		any |= sample->have_core[i];
	}
	return any ? usage_read(root, &sample->usage) : -1;
}

void top_free(struct top_sample *sample)
{
	usage_free(&sample->usage);
}

/* Share of the time in which a counter grew. A job that ends counts as a whole, also what was before. */
static double share(unsigned long long before, unsigned long long now, double ms)
{
	const double load = now > before && ms > 0 ? (double)(now - before) * 1e-6 / ms : 0;

	return load < 1 ? load : 1;
}

/* NULL: the client is new. */
static const struct usage_client *find_client(const struct usage *usage, unsigned long id)
{
	size_t i;

	for (i = 0; i < usage->count; i++)
		if (usage->clients[i].id == id)
			return &usage->clients[i];
	return NULL;
}

static struct top_process *process_of(struct top_view *view, const struct usage_client *client)
{
	size_t i;

	for (i = 0; i < view->count; i++)
		if (view->processes[i].pid == client->pid)
			return &view->processes[i];
	view->processes[i] = (struct top_process){ .pid = client->pid };
	snprintf(view->processes[i].name, sizeof(view->processes[i].name), "%s", client->name);
	view->count++;
	return &view->processes[i];
}

static void add_client(struct top_view *view, const struct usage *before, const struct usage_client *client)
{
	const struct usage_client *old = find_client(before, client->id);
	struct top_process *process = process_of(view, client);
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++) {
		process->load[i] += share(old ? old->busy_ns[i] : 0, client->busy_ns[i], view->seconds * 1e3);
		if (process->load[i] > 1)
			process->load[i] = 1;
		process->busy_ns[i] += client->busy_ns[i];
	}
	process->total_kib += client->total_kib;
	process->shared_kib += client->shared_kib;
	process->resident_kib += client->resident_kib;
}

static double total_load(const struct top_process *process)
{
	double load = 0;
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		load += process->load[i];
	return load;
}

static int compare_loads(const void *a, const void *b)
{
	const struct top_process *left = a, *right = b;
	const double left_load = total_load(left), right_load = total_load(right);

	if (left_load > right_load || left_load < right_load)
		return left_load > right_load ? -1 : 1;
	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

int top_compare(const struct top_sample *before, const struct top_sample *now, struct top_view *view)
{
	const double ms = now->ms - before->ms;
	unsigned int core;
	size_t i;

	*view = (struct top_view){ .seconds = ms * 1e-3, .now = now };
	view->processes = calloc(now->usage.count + 1, sizeof(*view->processes));
	if (!view->processes)
		return -1;
	for (core = 0; core < ORK_MAX_CORES; core++) {
		if (!before->have_core[core] || !now->have_core[core])
			continue;
		view->load[core] = share(before->core[core].busy_ns, now->core[core].busy_ns, ms);
		if (now->core[core].jobs > before->core[core].jobs)
			view->jobs[core] = now->core[core].jobs - before->core[core].jobs;
	}
	for (i = 0; i < now->usage.count; i++)
		add_client(view, &before->usage, &now->usage.clients[i]);
	qsort(view->processes, view->count, sizeof(*view->processes), compare_loads);
	return 0;
}
