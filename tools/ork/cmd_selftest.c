/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "machine.h"
#include "selftest.h"
#include "term.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork selftest [--json] [--device DEVICE]\n"
	"\n"
	"Computes products of every type on each core and on several, of awkward shapes and in chains,\n"
	"and compares them with the CPU to the bit. Prints one line per test (TAP).\n"
	"\n"
	"  --json           print JSON\n"
	"  --device DEVICE  \"model\" or a render node, default see ork --help\n"
	"\n"
	"The exit status is 1 if a test failed.\n";

/* Where results go. */
struct report {
	bool json;
	struct json out;
	unsigned int count, failed;
};

static void report_test(struct report *report, const char *detail, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* detail: "" if the test passed. */
static void report_test(struct report *report, const char *detail, const char *format, ...)
{
	const bool passed = !*detail;
	char name[128];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	report->count++;
	report->failed += !passed;
	if (report->json) {
		json_object(&report->out, NULL);
		json_text(&report->out, "test", name);
		json_bool(&report->out, "ok", passed);
		json_text(&report->out, "detail", passed ? NULL : detail);
		json_close(&report->out);
		return;
	}
	printf("%s%s%s %u - %s%s%s\n", term_style(passed ? TERM_GOOD : TERM_BAD), passed ? "ok" : "not ok",
	       term_style(TERM_PLAIN), report->count, name, passed ? "" : ": ", detail);
	fflush(stdout);
}

static const char *const types[] = { "i8", "i8q", "i4", "f16", "f16f16", "bf16" };

/* Below and above kernel groups, K slices, tiles of rows, and what one task takes. */
static const struct {
	size_t m, k, n;
} shapes[] = {
	{ 1, 1, 1 }, { 2, 31, 33 }, { 1, 4096, 65 }, { 130, 64, 32 }, { 33, 2500, 1 }, { 3, 10300, 50 },
};

/* Each core of the mask has done jobs, as the driver counts. */
static void test_counters(struct report *report, struct ork_device *dev, const struct ork_info *before, uint32_t mask,
			  const char *where)
{
	char detail[SELFTEST_DETAIL_CHARS] = "";
	struct ork_info after = *before;
	int core;

	if (ork_query(dev, &after))
		snprintf(detail, sizeof(detail), "%s", ork_error(dev));
	for (core = 0; core < ORK_MAX_CORES && !*detail; core++)
		if (mask & 1u << core && after.jobs_done[core] == before->jobs_done[core])
			snprintf(detail, sizeof(detail), "core %d still has done %" PRIu64 " jobs", core,
				 after.jobs_done[core]);
	report_test(report, detail, "%s: jobs are counted", where);
}

/* Other processes may count on meanwhile. */
static void test_sysfs(struct report *report, struct ork_device *dev, int core)
{
	char pattern[96], detail[SELFTEST_DETAIL_CHARS] = "";
	unsigned long long jobs = 0;
	struct ork_info before, after;

	snprintf(pattern, sizeof(pattern), "/sys/bus/platform/drivers/rknpu-ork-core/*/npu%d/jobs", core);
	if (ork_query(dev, &before) || machine_number("", pattern, &jobs) || ork_query(dev, &after))
		snprintf(detail, sizeof(detail), "cannot read %s", pattern);
	else if (jobs < before.jobs_done[core] || jobs > after.jobs_done[core])
		snprintf(detail, sizeof(detail), "%llu jobs, but the driver tells %" PRIu64, jobs, before.jobs_done[core]);
	report_test(report, detail, "core %d: sysfs agrees with the driver", core);
}

static void test_product(struct report *report, struct ork_device *dev, const struct selftest_product *product,
			 const char *where)
{
	char detail[SELFTEST_DETAIL_CHARS];

	selftest_run(dev, product, detail);
	report_test(report, detail, "%s: %s, M=%zu K=%zu N=%zu", where, product->type->words, product->m, product->k,
		    product->n);
}

static void test_each_core(struct report *report, struct ork_device *dev, const struct ork_info *info)
{
	struct ork_info before;
	char where[32];
	int core;

	for (core = 0; core < ORK_MAX_CORES; core++) {
		struct selftest_product product = { default_product_type, 7, 768, 160, 1u << core };

		if (!(info->core_mask & 1u << core))
			continue;
		snprintf(where, sizeof(where), "core %d alone", core);
		before = *info;
		ork_query(dev, &before);
		test_product(report, dev, &product, where);
		product.type = find_product_type("f16");
		test_product(report, dev, &product, where);
		test_counters(report, dev, &before, product.core_mask, where);
		if (strcmp(info->backend, "kernel") == 0)
			test_sysfs(report, dev, core);
	}
}

/* Every set of at least two cores. */
static void test_splits(struct report *report, struct ork_device *dev, const struct ork_info *info)
{
	struct ork_info before;
	char where[48];
	uint32_t mask;

	for (mask = 3; mask < 1u << ORK_MAX_CORES; mask++) {
		const struct selftest_product product = { default_product_type, 40, 512, 384, mask };

		if ((mask & info->core_mask) != mask || (mask & (mask - 1)) == 0)
			continue;
		snprintf(where, sizeof(where), "split over cores 0x%" PRIx32, mask);
		before = *info;
		ork_query(dev, &before);
		test_product(report, dev, &product, where);
		test_counters(report, dev, &before, mask, where);
	}
}

static void test_all(struct report *report, struct ork_device *dev, const struct ork_info *info)
{
	char detail[SELFTEST_DETAIL_CHARS];
	size_t i;

	test_each_core(report, dev, info);
	test_splits(report, dev, info);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		test_product(report, dev, &(struct selftest_product){ find_product_type(types[i]), 9, 1100, 90, 0 },
			     "each type");
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		test_product(report, dev, &(struct selftest_product){ default_product_type, shapes[i].m, shapes[i].k,
								      shapes[i].n, 0 }, "awkward shape");
	selftest_chain(dev, detail);
	report_test(report, detail, "chain: four dependent products in place, float16");
}

static int selftest(const char *device, bool json)
{
	struct report report = { .json = json };
	struct ork_device *dev;
	struct ork_info info;
	int status = open_device(device, &dev);

	if (status)
		return status;
	if (ork_query(dev, &info)) {
		status = complain(EXIT_DEVICE, "%s", ork_error(dev));
		ork_close(dev);
		return status;
	}
	if (json) {
		json_begin(&report.out, "selftest");
		json_text(&report.out, "backend", info.backend);
		json_array(&report.out, "tests");
	}
	test_all(&report, dev, &info);
	ork_close(dev);
	if (json) {
		json_close(&report.out);
		json_number(&report.out, "passed", report.count - report.failed);
		json_number(&report.out, "failed", report.failed);
		json_end(&report.out);
	} else {
		printf("1..%u\n", report.count);
	}
	return report.failed ? EXIT_MISMATCH : EXIT_OK;
}

int cmd_selftest(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
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
		case 'j':
			json = true;
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
	return selftest(device, json);
}
