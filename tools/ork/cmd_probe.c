/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "machine.h"
#include "probe.h"
#include "product.h"
#include "regcmd_task.h"
#include "term.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork probe [OPTIONS] SWEEP\n"
	"\n"
	"Finds out what the hardware does beyond the limits that the driver checks: works, computes\n"
	"something wrong, or hangs. Each hang is recovered from. For root only.\n"
	"\n"
	"sweeps:\n"
	"  k               K of one task around its ceiling\n"
	"  banks           how many on-chip banks are for weights, the others for features\n"
	"  reuse           columns whose weights a second task takes from the chip, in 4 banks\n"
	"  slice           columns, with the first half of weights that are packed for all of K\n"
	"\n"
	"options:\n"
	"  --from X --to Y --step Z  values to try instead of the usual ones\n"
	"  --type T        i8 (default), i4 or f16\n"
	"  --core C        0 (default), 1 or 2\n"
	"  --timeout MS    time without progress that counts as a hang; default 500\n"
	"  --device NODE   render node\n"
	"  --json          print JSON\n";

#define BANKS      12u
#define BANK_BYTES 32768u

/* Bytes of a column's weights, and banks for them, in the sweep of reuse: 128 columns fit. */
#define REUSE_KERNEL_BYTES 1024u
#define REUSE_BANKS        4u

struct sweep {
	const char *name, *column, *title;
	uint32_t unit;             /* values are multiples of it; 0: of the kernel group */
	uint32_t from, to, step;   /* usual ones, in units */
	uint32_t max;
	void (*make)(struct probe_case *what, uint32_t value);
};

/* K of a given number of bytes. */
static uint32_t elements(const struct probe_case *what, uint32_t bytes)
{
	return bytes * 8 / what->result->operand->bits;
}

/* One kernel group and one row: all other banks are for the group, whose size is 32 bytes per k. */
static void make_k(struct probe_case *what, uint32_t value)
{
	what->k = value;
	what->m = 1;
	what->n = what->result->operand->group_n;
	what->data_banks = 1;
	what->weight_banks = BANKS - 1;
}

/* Features of four banks; a kernel group takes four too. */
static void make_banks(struct probe_case *what, uint32_t value)
{
	const struct ork_operand *operand = what->result->operand;

	what->k = elements(what, 4 * BANK_BYTES / operand->group_n);
	what->m = operand->group_n;
	what->n = 2 * operand->group_n;
	what->weight_banks = value;
	what->data_banks = BANKS - value;
}

static void make_reuse(struct probe_case *what, uint32_t value)
{
	what->k = elements(what, REUSE_KERNEL_BYTES);
	what->m = 4;
	what->n = value;
	what->weight_banks = REUSE_BANKS;
	what->data_banks = BANKS - REUSE_BANKS;
	what->reuse = true;
}

static void make_slice(struct probe_case *what, uint32_t value)
{
	what->k = 512;
	what->k_packed = 1024;
	what->m = 4;
	what->n = value;
	what->weight_banks = BANKS - 1;
	what->data_banks = 1;
}

static const struct sweep sweeps[] = {
	{ "k", "K", "K of one task", 32, 332, 341, 1, 16384, make_k },
	{ "banks", "banks", "banks for weights, the other ones of 12 for features", 1, 1, 11, 1, 11, make_banks },
	{ "reuse", "columns", "weights left on the chip by the task before", 64, 1, 6, 1, 8192, make_reuse },
	{ "slice", "columns", "half of the K that weights are packed for", 0, 1, 4, 1, 8192, make_slice },
};

static const char *const outcomes[] = {
	[PROBE_WORKS] = "works",   [PROBE_WRONG] = "wrong",     [PROBE_HANGS] = "hangs",
	[PROBE_FAULTS] = "faults", [PROBE_REFUSED] = "refused",
};

struct options {
	const struct sweep *sweep;
	const struct product_type *type;
	const char *device;
	unsigned long core, timeout_ms;
	unsigned long from, to, step; /* 0: as usual */
	bool json;
};

/* What a task writes: the sums that products of more than one slice are made of. */
static const struct ork_result *result_of(const struct options *options)
{
	return ork_result_find(ork_operand_find(options->type->type), options->type->c_type, 2);
}

static struct probe_case make_case(const struct options *options, uint32_t value)
{
	struct probe_case what = { .result = result_of(options) };

	options->sweep->make(&what, value);
	return what;
}

static void print_head(const struct options *options, const struct probe_case *what)
{
	printf("%s%s: %s, core %lu", term_style(TERM_HEADER), options->sweep->title, options->type->words, options->core);
	printf("; M=%" PRIu32 " K=%" PRIu32 " N=%" PRIu32 " banks %" PRIu32 "+%" PRIu32 " at first%s\n", what->m, what->k,
	       what->n, what->data_banks, what->weight_banks, term_style(TERM_PLAIN));
	printf("%s%9s  result%s\n", term_style(TERM_BOLD), options->sweep->column, term_style(TERM_PLAIN));
}

static void print_point(uint32_t value, const struct probe_verdict *verdict)
{
	static const enum term_style styles[] = {
		[PROBE_WORKS] = TERM_GOOD, [PROBE_WRONG] = TERM_BAD,   [PROBE_HANGS] = TERM_BAD,
		[PROBE_FAULTS] = TERM_BAD, [PROBE_REFUSED] = TERM_WARN,
	};

	printf("%9" PRIu32 "  %s%s%s", value, term_style(styles[verdict->outcome]), outcomes[verdict->outcome],
	       term_style(TERM_PLAIN));
	if (verdict->outcome == PROBE_WRONG)
		printf(", %" PRIu64 " of %" PRIu64 " elements (%.1f %%)", verdict->wrong, verdict->elements,
		       100.0 * (double)verdict->wrong / (double)verdict->elements);
	else if (verdict->outcome == PROBE_REFUSED)
		printf(" by the driver: %s", regcmd_reject_name(verdict->reject));
	putchar('\n');
	fflush(stdout);
}

static void json_point(struct json *json, const struct probe_case *what, uint32_t value,
		       const struct probe_verdict *verdict)
{
	const bool ran = verdict->outcome == PROBE_WORKS || verdict->outcome == PROBE_WRONG;

	json_object(json, NULL);
	json_number(json, "value", value);
	json_text(json, "result", outcomes[verdict->outcome]);
	if (ran) {
		json_number(json, "wrong", verdict->wrong);
		json_number(json, "elements", verdict->elements);
	}
	if (verdict->outcome == PROBE_REFUSED)
		json_text(json, "reject", regcmd_reject_name(verdict->reject));
	json_number(json, "m", what->m);
	json_number(json, "k", what->k);
	json_number(json, "n", what->n);
	json_number(json, "data_banks", what->data_banks);
	json_number(json, "weight_banks", what->weight_banks);
	json_close(json);
}

static int explain(int err)
{
	if (err == -EPERM)
		return complain(EXIT_DEVICE, "probing is for root only (CAP_SYS_ADMIN): sudo ork probe ...");
	return complain(EXIT_DEVICE, "the probe ends: %s", ork_strerror(err));
}

/* Before anything else and after a hang the core has to compute something ordinary. */
static int check_core(const struct probe_device *probe, const struct options *options)
{
	const struct probe_case good = {
		.result = result_of(options), .m = 4, .k = 64, .n = 64, .data_banks = 1, .weight_banks = BANKS - 1,
	};
	struct probe_verdict verdict;
	const int err = probe_run(probe, &good, &verdict);

	if (err)
		return explain(err);
	if (verdict.outcome != PROBE_WORKS)
		return complain(EXIT_DEVICE, "core %lu does not compute right; the probe ends", options->core);
	return EXIT_OK;
}

static int run_points(const struct probe_device *probe, const struct options *options, struct json *json)
{
	struct progress progress = { 0 };
	unsigned long value;
	char what_text[48];
	int status = EXIT_OK, err;

	for (value = options->from; value <= options->to && status == EXIT_OK; value += options->step) {
		const struct probe_case what = make_case(options, (uint32_t)value);
		struct probe_verdict verdict;

		snprintf(what_text, sizeof(what_text), "%s %lu", options->sweep->column, value);
		progress_show(&progress, (double)(value - options->from) / (double)(options->to - options->from + options->step),
			      what_text);
		err = probe_run(probe, &what, &verdict);
		progress_end(&progress);
		if (err)
			return explain(err);
		if (json)
			json_point(json, &what, (uint32_t)value, &verdict);
		else
			print_point((uint32_t)value, &verdict);
		if (verdict.outcome == PROBE_HANGS || verdict.outcome == PROBE_FAULTS)
			status = check_core(probe, options);
	}
	return status;
}

static int run_sweep(const struct probe_device *probe, const struct options *options)
{
	const struct probe_case first = make_case(options, (uint32_t)options->from);
	struct json json;
	int status = check_core(probe, options);

	if (status)
		return status;
	if (options->json) {
		json_begin(&json, "probe");
		json_text(&json, "sweep", options->sweep->name);
		json_text(&json, "type", options->type->name);
		json_number(&json, "core", options->core);
		json_array(&json, "points");
	} else {
		print_head(options, &first);
	}
	status = run_points(probe, options, options->json ? &json : NULL);
	if (options->json) {
		json_close(&json);
		json_end(&json);
	}
	return status;
}

/* The library looks for the device and tells about it; what it would not do goes to the driver directly. */
static int open_probe(const struct options *options, struct probe_device *probe)
{
	const char *device = options->device ? options->device : getenv("ORK_DEVICE");
	struct ork_info info = { 0 };
	struct ork_device *dev;
	char *node;
	int status = open_device(options->device, &dev);

	if (status)
		return status;
	ork_query(dev, &info);
	ork_close(dev);
	if (!info.backend || strcmp(info.backend, "kernel") != 0)
		return complain(EXIT_DEVICE, "probing the in-process model is not supported; it needs the driver");
	if (!(info.core_mask & 1u << options->core))
		return complain(EXIT_USAGE, "there is no core %lu", options->core);
	node = device && *device ? strdup(device) : machine_render_node("");
	*probe = (struct probe_device){ .core = (uint32_t)options->core, .timeout_ms = (uint32_t)options->timeout_ms };
	if (!node || probe_open(node, probe))
		status = complain(EXIT_DEVICE, "cannot open the render node");
	free(node);
	return status;
}

/* Usual values where none are given. */
static int check_range(struct options *options)
{
	const struct sweep *sweep = options->sweep;
	const uint32_t unit = sweep->unit ? sweep->unit : ork_operand_find(options->type->type)->group_n;

	options->from = options->from ? options->from : sweep->from * unit;
	options->to = options->to ? options->to : sweep->to * unit;
	options->step = options->step ? options->step : sweep->step * unit;
	if (options->from % unit || options->step % unit)
		return complain(EXIT_USAGE, "--from and --step have to be multiples of %" PRIu32 " for the sweep %s", unit,
				sweep->name);
	if (options->from > options->to || options->to > sweep->max)
		return complain(EXIT_USAGE, "values have to go from --from up to --to, which is at most %" PRIu32, sweep->max);
	return EXIT_OK;
}

static int parse_type(struct options *options)
{
	if (strcmp(optarg, "i8") && strcmp(optarg, "i4") && strcmp(optarg, "f16"))
		return complain(EXIT_USAGE, "--type takes i8, i4 or f16, not \"%s\"", optarg);
	return parse_product_type(optarg, &options->type);
}

static int parse_option(int option, char **argv, struct options *options)
{
	switch (option) {
	case 'f':
		return parse_option_number("--from", optarg, 1, 1 << 20, &options->from);
	case 't':
		return parse_option_number("--to", optarg, 1, 1 << 20, &options->to);
	case 's':
		return parse_option_number("--step", optarg, 1, 1 << 20, &options->step);
	case 'T':
		return parse_type(options);
	case 'c':
		return parse_option_number("--core", optarg, 0, ORK_MAX_CORES - 1, &options->core);
	case 'm':
		return parse_option_number("--timeout", optarg, 1, 60000, &options->timeout_ms);
	case 'd':
		options->device = optarg;
		return EXIT_OK;
	case 'j':
		options->json = true;
		return EXIT_OK;
	default:
		return complain_option(option, argv);
	}
}

static int parse_sweep(const char *name, struct options *options)
{
	size_t i;

	for (i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++)
		if (strcmp(name, sweeps[i].name) == 0)
			options->sweep = &sweeps[i];
	return options->sweep ? EXIT_OK : complain(EXIT_USAGE, "there is no sweep \"%s\"; see ork help probe", name);
}

int cmd_probe(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "from", required_argument, NULL, 'f' }, { "to", required_argument, NULL, 't' },
		{ "step", required_argument, NULL, 's' }, { "type", required_argument, NULL, 'T' },
		{ "core", required_argument, NULL, 'c' }, { "timeout", required_argument, NULL, 'm' },
		{ "device", required_argument, NULL, 'd' }, { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },       { 0 },
	};
	struct options options = { .type = default_product_type, .timeout_ms = 500 };
	struct probe_device probe;
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			return EXIT_OK;
		}
		status = parse_option(option, argv, &options);
		if (status)
			return status;
	}
	if (optind + 1 != argc)
		return complain(EXIT_USAGE, "one sweep is needed; see ork help probe");
	status = parse_sweep(argv[optind], &options);
	if (!status)
		status = check_range(&options);
	if (!status)
		status = open_probe(&options, &probe);
	if (status)
		return status;
	status = run_sweep(&probe, &options);
	probe_close(&probe);
	return status;
}
