/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "machine.h"
#include "term.h"
#include "tool.h"
#include "usage.h"

static const char usage_text[] =
	"usage: ork info [--json] [--device DEVICE]\n"
	"\n"
	"Prints facts and counters of the NPU. \"unknown\" is what only root may read, or the\n"
	"kernel does not tell.\n"
	"\n"
	"  --json           print JSON\n"
	"  --device DEVICE  \"model\" or a render node, default see ork --help\n";

#define TEXT_CHARS 128

/* What is known besides what the device tells. Texts are "" and flags false if it is not. */
struct facts {
	struct ork_info info;
	char machine[TEXT_CHARS], kernel[TEXT_CHARS], module[TEXT_CHARS];
	char *node;
	bool have_clock, have_core[ORK_MAX_CORES], have_vms, have_usage;
	struct machine_clock clock;
	struct machine_core core[ORK_MAX_CORES];
	unsigned long long vms, vms_used_kib; /* of all processes */
	struct usage usage;
};

static void read_text(const char *path, char *text)
{
	if (machine_read("", path, text, TEXT_CHARS))
		*text = 0;
}

/* Address spaces of all processes, from debugfs. */
static void read_vms(struct facts *facts)
{
	FILE *file = machine_open("", "/sys/kernel/debug/dri/*/vms");
	unsigned long long kib;
	char line[256];

	if (!file)
		return;
	facts->have_vms = true;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "client %*u vm %*u: number %*u, %llu KiB of", &kib) != 1)
			continue;
		facts->vms++;
		facts->vms_used_kib += kib;
	}
	fclose(file);
}

/* Only a driver has more to tell than the library. */
static void read_facts(struct facts *facts, const char *device)
{
	const char *chosen = chosen_device(device);
	unsigned int i;

	read_text("/proc/device-tree/model", facts->machine);
	read_text("/proc/sys/kernel/osrelease", facts->kernel);
	if (strcmp(facts->info.backend, "kernel"))
		return;
	read_text("/sys/module/rknpu_ork/version", facts->module);
	facts->node = chosen ? strdup(chosen) : machine_render_node("");
	facts->have_clock = machine_read_clock("", &facts->clock) == 0;
	for (i = 0; i < ORK_MAX_CORES; i++)
		facts->have_core[i] = machine_read_core("", i, &facts->core[i]) == 0;
	read_vms(facts);
	facts->have_usage = usage_read("", &facts->usage) == 0;
}

static unsigned long long resident_kib(const struct facts *facts)
{
	unsigned long long kib = 0;
	size_t i;

	for (i = 0; i < facts->usage.count; i++)
		kib += facts->usage.clients[i].resident_kib;
	return kib;
}

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "unknown";
}

static void print_kernel_facts(const struct facts *facts)
{
	const struct machine_clock *clock = &facts->clock;

	printf("device           %s\n", or_unknown(facts->node));
	printf("module           rknpu_ork %s\n", or_unknown(facts->module));
	if (facts->have_clock)
		printf("clock            %llu MHz, limits %llu to %llu MHz, governor %s\n", clock->hz / 1000000,
		       clock->min_hz / 1000000, clock->max_hz / 1000000, clock->governor);
	else
		printf("clock            unknown\n");
	if (facts->have_vms)
		printf("address spaces   %llu of all processes, %llu MiB mapped\n", facts->vms, facts->vms_used_kib / 1024);
	else
		printf("address spaces   unknown\n");
	if (facts->have_usage)
		printf("memory           %llu MiB resident, %zu client%s%s\n", resident_kib(facts) / 1024,
		       facts->usage.count, facts->usage.count == 1 ? "" : "s",
		       facts->usage.hidden ? ", of processes that you may look into" : "");
	else
		printf("memory           unknown\n");
}

static void print_core(const struct facts *facts, int i)
{
	const struct machine_core *core = &facts->core[i];
	const bool lost = strcmp(core->state, "ok") != 0;

	printf("core %d           %" PRIu64 " jobs done, %" PRIu64 " resets", i, facts->info.jobs_done[i],
	       facts->info.resets[i]);
	if (facts->have_core[i])
		printf(", %s%s%s, %s, busy for %.3f s", term_style(lost ? TERM_BAD : TERM_GOOD), core->state,
		       term_style(TERM_PLAIN), core->powered ? "powered" : "off", (double)core->busy_ns * 1e-9);
	else if (facts->node)
		printf(", state unknown");
	putchar('\n');
}

static void print_facts(const struct facts *facts)
{
	const struct ork_info *info = &facts->info;
	int i;

	printf("machine          %s\n", or_unknown(facts->machine));
	printf("kernel           Linux %s\n", or_unknown(facts->kernel));
	printf("backend          %s; times are of the %s\n", info->backend, machine_times("", info->backend));
	printf("hardware version 0x%08" PRIx32 "\n", info->hw_version);
	printf("cores            %" PRIu32 " (mask 0x%" PRIx32 ")\n", info->cores, info->core_mask);
	printf("on-chip buffer   %" PRIu32 " banks of %" PRIu32 " bytes per core\n", info->cbuf_banks,
	       info->cbuf_bank_bytes);
	printf("tasks            up to %" PRIu32 " per program\n", info->max_tasks);
	printf("timeout          %" PRIu32 " ms, up to %" PRIu32 " ms\n", info->default_timeout_ms,
	       info->max_timeout_ms);
	printf("addresses        %" PRIu64 " of %" PRIu64 " bytes used, largest hole %" PRIu64 "\n",
	       info->vm_used_bytes, info->vm_total_bytes, info->vm_largest_hole_bytes);
	if (strcmp(info->backend, "kernel") == 0)
		print_kernel_facts(facts);
	for (i = 0; i < ORK_MAX_CORES; i++)
		if (info->core_mask & 1u << i)
			print_core(facts, i);
}

static void text_json(struct json *json, const char *name, const char *text)
{
	json_text(json, name, text && *text ? text : NULL);
}

static void number_json(struct json *json, const char *name, bool known, unsigned long long number)
{
	if (known)
		json_number(json, name, number);
	else
		json_null(json, name);
}

static void cores_json(struct json *json, const struct facts *facts)
{
	unsigned int i;

	json_array(json, "cores");
	for (i = 0; i < ORK_MAX_CORES; i++) {
		const struct machine_core *core = &facts->core[i];

		if (!(facts->info.core_mask & 1u << i))
			continue;
		json_object(json, NULL);
		json_number(json, "core", i);
		json_number(json, "jobs", facts->info.jobs_done[i]);
		json_number(json, "resets", facts->info.resets[i]);
		text_json(json, "state", core->state);
		number_json(json, "busy_ns", facts->have_core[i], core->busy_ns);
		if (facts->have_core[i])
			json_bool(json, "powered", core->powered);
		else
			json_null(json, "powered");
		json_close(json);
	}
	json_close(json);
}

static void kernel_json(struct json *json, const struct facts *facts)
{
	const struct machine_clock *clock = &facts->clock;

	text_json(json, "device", facts->node);
	text_json(json, "module_version", facts->module);
	number_json(json, "clock_hz", facts->have_clock, clock->hz);
	number_json(json, "clock_min_hz", facts->have_clock, clock->min_hz);
	number_json(json, "clock_max_hz", facts->have_clock, clock->max_hz);
	text_json(json, "governor", clock->governor);
	number_json(json, "vms", facts->have_vms, facts->vms);
	number_json(json, "vms_mapped_bytes", facts->have_vms, facts->vms_used_kib * 1024);
	number_json(json, "clients", facts->have_usage, facts->usage.count);
	number_json(json, "resident_bytes", facts->have_usage, resident_kib(facts) * 1024);
	json_bool(json, "hidden_processes", facts->usage.hidden);
}

static void print_json(const struct facts *facts)
{
	const struct ork_info *info = &facts->info;
	struct json json;

	json_begin(&json, "info");
	text_json(&json, "machine", facts->machine);
	text_json(&json, "kernel", facts->kernel);
	json_text(&json, "backend", info->backend);
	json_text(&json, "times_are_of", machine_times("", info->backend));
	json_number(&json, "hw_version", info->hw_version);
	json_number(&json, "core_mask", info->core_mask);
	json_number(&json, "cbuf_banks", info->cbuf_banks);
	json_number(&json, "cbuf_bank_bytes", info->cbuf_bank_bytes);
	json_number(&json, "max_tasks", info->max_tasks);
	json_number(&json, "default_timeout_ms", info->default_timeout_ms);
	json_number(&json, "max_timeout_ms", info->max_timeout_ms);
	json_number(&json, "vm_total_bytes", info->vm_total_bytes);
	json_number(&json, "vm_used_bytes", info->vm_used_bytes);
	json_number(&json, "vm_largest_hole_bytes", info->vm_largest_hole_bytes);
	kernel_json(&json, facts);
	cores_json(&json, facts);
	json_end(&json);
}

static int query_and_print(const char *device, bool json)
{
	struct facts facts = { 0 };
	struct ork_device *dev;
	int status = open_device(device, &dev);

	if (status)
		return status;
	if (ork_query(dev, &facts.info)) {
		status = complain(EXIT_DEVICE, "%s", ork_error(dev));
	} else {
		read_facts(&facts, device);
		if (json)
			print_json(&facts);
		else
			print_facts(&facts);
	}
	usage_free(&facts.usage);
	free(facts.node);
	ork_close(dev);
	return status;
}

int cmd_info(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	const char *device = NULL;
	bool json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			device = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return EXIT_OK;
		case 'j':
			json = true;
			break;
		default:
			return complain_option(option, argv);
		}
	}
	if (optind < argc)
		return complain_argument(argv);
	return query_and_print(device, json);
}
