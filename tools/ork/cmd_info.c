/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "json.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork info [--json] [--device DEVICE]\n"
	"\n"
	"Prints facts and counters of the NPU.\n"
	"\n"
	"  --json           print JSON\n"
	"  --device DEVICE  \"model\" or a render node, default see ork --help\n";

static void print_info(const struct ork_info *info)
{
	int i;

	printf("backend          %s\n", info->backend);
	printf("hardware version 0x%08" PRIx32 "\n", info->hw_version);
	printf("cores            %" PRIu32 " (mask 0x%" PRIx32 ")\n", info->cores, info->core_mask);
	printf("on-chip buffer   %" PRIu32 " banks of %" PRIu32 " bytes per core\n", info->cbuf_banks,
	       info->cbuf_bank_bytes);
	printf("tasks            up to %" PRIu32 " per program\n", info->max_tasks);
	printf("timeout          %" PRIu32 " ms, up to %" PRIu32 " ms\n", info->default_timeout_ms,
	       info->max_timeout_ms);
	printf("addresses        %" PRIu64 " of %" PRIu64 " bytes used, largest hole %" PRIu64 "\n",
	       info->vm_used_bytes, info->vm_total_bytes, info->vm_largest_hole_bytes);
	for (i = 0; i < ORK_MAX_CORES; i++)
		if (info->core_mask & 1u << i)
			printf("core %d           %" PRIu64 " jobs done, %" PRIu64 " resets\n", i, info->jobs_done[i],
			       info->resets[i]);
}

static void print_cores_json(struct json *json, const struct ork_info *info)
{
	unsigned int i;

	json_array(json, "cores");
	for (i = 0; i < ORK_MAX_CORES; i++) {
		if (!(info->core_mask & 1u << i))
			continue;
		json_object(json, NULL);
		json_number(json, "core", i);
		json_number(json, "jobs", info->jobs_done[i]);
		json_number(json, "resets", info->resets[i]);
		json_close(json);
	}
	json_close(json);
}

static void print_json(const struct ork_info *info)
{
	struct json json;

	json_begin(&json, "info");
	json_text(&json, "backend", info->backend);
	json_number(&json, "hw_version", info->hw_version);
	json_number(&json, "core_mask", info->core_mask);
	print_cores_json(&json, info);
	json_number(&json, "cbuf_banks", info->cbuf_banks);
	json_number(&json, "cbuf_bank_bytes", info->cbuf_bank_bytes);
	json_number(&json, "max_tasks", info->max_tasks);
	json_number(&json, "default_timeout_ms", info->default_timeout_ms);
	json_number(&json, "max_timeout_ms", info->max_timeout_ms);
	json_number(&json, "vm_total_bytes", info->vm_total_bytes);
	json_number(&json, "vm_used_bytes", info->vm_used_bytes);
	json_number(&json, "vm_largest_hole_bytes", info->vm_largest_hole_bytes);
	json_end(&json);
}

static int query_and_print(const char *device, bool json)
{
	struct ork_device *dev;
	struct ork_info info;
	int status = open_device(device, &dev);

	if (status)
		return status;
	if (ork_query(dev, &info))
		status = complain(EXIT_DEVICE, "%s", ork_error(dev));
	else if (json)
		print_json(&info);
	else
		print_info(&info);
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
		return complain(EXIT_USAGE, "unexpected argument \"%s\"; see ork help info", argv[optind]);
	return query_and_print(device, json);
}
