/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "term.h"
#include "top.h"

#define BAR_CHARS 20

static void print_core(const struct top_view *view, unsigned int i)
{
	static const char bar[] = "||||||||||||||||||||                    ";
	const struct machine_core *core = &view->now->core[i];
	const int filled = (int)(view->load[i] * BAR_CHARS + 0.5);
	const bool lost = strcmp(core->state, "ok") != 0;

	printf("core %u [%s%.*s%s%.*s] %5.1f %%  %8.1f jobs/s  %llu resets, ", i, term_style(TERM_GOOD), filled, bar,
	       term_style(TERM_PLAIN), BAR_CHARS - filled, bar + BAR_CHARS, 100 * view->load[i],
	       (double)view->jobs[i] / view->seconds, core->resets);
	printf("%s%s%s, %s\n", term_style(lost ? TERM_BAD : TERM_GOOD), core->state, term_style(TERM_PLAIN),
	       core->powered ? "powered" : "off");
}

/* A process may call itself anything, also what a terminal obeys. */
static void print_name(const char *name)
{
	for (; *name; name++)
		putchar((unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
	putchar('\n');
}

static void print_process(const struct top_process *process)
{
	unsigned long long busy_ns = 0;
	unsigned int i;

	printf("%8ld", process->pid);
	for (i = 0; i < ORK_MAX_CORES; i++) {
		printf(" %6.1f", 100 * process->load[i]);
		busy_ns += process->busy_ns[i];
	}
	printf(" %10.3f %9llu %9llu %9llu  ", (double)busy_ns * 1e-9, process->total_kib, process->shared_kib,
	       process->resident_kib);
	print_name(process->name);
}

void top_print(const struct top_view *view, unsigned int lines)
{
	const struct top_sample *now = view->now;
	unsigned int i, used = 2 + now->usage.hidden;
	size_t row;

	if (now->have_clock)
		printf("clock %llu MHz, limits %llu to %llu MHz, governor %s\n", now->clock.hz / 1000000,
		       now->clock.min_hz / 1000000, now->clock.max_hz / 1000000, now->clock.governor);
	else
		printf("clock unknown\n");
	for (i = 0; i < ORK_MAX_CORES; i++) {
		used += now->have_core[i];
		if (now->have_core[i])
			print_core(view, i);
	}
	printf("%s%8s %6s %6s %6s %10s %9s %9s %9s  %-20s%s\n", term_style(TERM_HEADER), "PID", "npu0 %", "npu1 %", "npu2 %",
	       "busy s", "KiB", "shared", "resident", "COMMAND", term_style(TERM_PLAIN));
	for (row = 0; row < view->count && used < lines; row++, used++)
		print_process(&view->processes[row]);
	if (now->usage.hidden)
		printf("there may be processes of others, which only root sees\n");
}

static void cores_json(struct json *json, const struct top_view *view)
{
	unsigned int i;

	json_array(json, "cores");
	for (i = 0; i < ORK_MAX_CORES; i++) {
		const struct machine_core *core = &view->now->core[i];

		if (!view->now->have_core[i])
			continue;
		json_object(json, NULL);
		json_number(json, "core", i);
		json_real(json, "load", view->load[i]);
		json_number(json, "jobs", view->jobs[i]);
		json_number(json, "resets", core->resets);
		json_text(json, "state", core->state);
		json_bool(json, "powered", core->powered);
		json_close(json);
	}
	json_close(json);
}

static void process_json(struct json *json, const struct top_process *process)
{
	unsigned int i;

	json_object(json, NULL);
	json_number(json, "pid", (unsigned long long)process->pid);
	json_text(json, "name", process->name);
	json_array(json, "load");
	for (i = 0; i < ORK_MAX_CORES; i++)
		json_real(json, NULL, process->load[i]);
	json_close(json);
	json_array(json, "busy_ns");
	for (i = 0; i < ORK_MAX_CORES; i++)
		json_number(json, NULL, process->busy_ns[i]);
	json_close(json);
	json_number(json, "total_bytes", process->total_kib * 1024);
	json_number(json, "shared_bytes", process->shared_kib * 1024);
	json_number(json, "resident_bytes", process->resident_kib * 1024);
	json_close(json);
}

void top_print_json(const struct top_view *view)
{
	struct json json;
	size_t i;

	json_begin(&json, "top");
	json_real(&json, "seconds", view->seconds);
	if (view->now->have_clock)
		json_number(&json, "clock_hz", view->now->clock.hz);
	else
		json_null(&json, "clock_hz");
	cores_json(&json, view);
	json_array(&json, "processes");
	for (i = 0; i < view->count; i++)
		process_json(&json, &view->processes[i]);
	json_close(&json);
	json_bool(&json, "hidden_processes", view->now->usage.hidden);
	json_end(&json);
}
