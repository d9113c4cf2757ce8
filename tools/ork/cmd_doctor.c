/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#include "doctor.h"
#include "term.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork doctor [--json]\n"
	"\n"
	"Looks at kernel, module, device tree, drivers, IOMMUs, permissions, clock, power, cores and\n"
	"kernel log. Says for each what is wrong, and the command that mends it. Needs no root, but\n"
	"some things only root can read.\n"
	"\n"
	"  --json      print JSON\n"
	"  --root DIR  look at /sys, /proc, /dev, /lib/modules and /usr/src below DIR; for tests\n"
	"\n"
	"The exit status is 1 if there is a fault; warnings are none.\n";

static const struct {
	const char *name;
	enum term_style style;
} statuses[] = {
	[DOCTOR_OK] = { "ok", TERM_GOOD },
	[DOCTOR_WARNING] = { "warning", TERM_WARN },
	[DOCTOR_FAULT] = { "fault", TERM_BAD },
	[DOCTOR_UNKNOWN] = { "unknown", TERM_WARN },
};

void doctor_say(struct doctor *doctor, enum doctor_status status, const char *check, const char *remedy,
		const char *format, ...)
{
	char text[DOCTOR_TEXT_CHARS];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	doctor->count[status]++;
	if (doctor->json) {
		json_object(doctor->json, NULL);
		json_text(doctor->json, "check", check);
		json_text(doctor->json, "status", statuses[status].name);
		json_text(doctor->json, "text", text);
		json_text(doctor->json, "remedy", remedy);
		json_close(doctor->json);
		return;
	}
	printf("%s%-7s%s  %-11s  %s\n", term_style(statuses[status].style), statuses[status].name, term_style(TERM_PLAIN),
	       check, text);
	if (remedy)
		printf("%24s%s\n", "-> ", remedy);
}

static void look_at_all(struct doctor *doctor)
{
	doctor_kernel(doctor);
	doctor_module(doctor);
	doctor_device_tree(doctor);
	doctor_drivers(doctor);
	doctor_iommu(doctor);
	doctor_node(doctor);
	doctor_clock(doctor);
	doctor_power(doctor);
	doctor_cores(doctor);
	doctor_log(doctor);
}

static int examine(const char *root, bool as_json)
{
	struct json json;
	struct doctor doctor = { .root = root, .json = as_json ? &json : NULL };

	if (as_json) {
		json_begin(&json, "doctor");
		json_array(&json, "checks");
	}
	look_at_all(&doctor);
	if (as_json) {
		json_close(&json);
		json_number(&json, "faults", doctor.count[DOCTOR_FAULT]);
		json_number(&json, "warnings", doctor.count[DOCTOR_WARNING]);
		json_number(&json, "unknown", doctor.count[DOCTOR_UNKNOWN]);
		json_end(&json);
	}
	return doctor.count[DOCTOR_FAULT] ? EXIT_MISMATCH : EXIT_OK;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "root", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *root = "";
	bool json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'r':
			root = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return EXIT_OK;
		default:
			return complain_option(option, argv);
		}
	}
	if (optind < argc)
		return complain_argument(argv);
	return examine(root, json);
}
