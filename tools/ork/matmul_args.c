/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "matmul_args.h"
#include "tool.h"

#define MAX_REPEAT 1000000

enum {
	OPT_A = 256,
	OPT_B,
	OPT_CORES,
	OPT_DEVICE,
	OPT_DUMP,
	OPT_EXPLAIN,
	OPT_HELP,
	OPT_JSON,
	OPT_REPEAT,
	OPT_REQUANT,
	OPT_SEED,
	OPT_TIMEOUT,
	OPT_TYPE,
	OPT_VERIFY,
};

static const struct option options[] = {
	{ "a", required_argument, NULL, OPT_A },
	{ "b", required_argument, NULL, OPT_B },
	{ "cores", required_argument, NULL, OPT_CORES },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "dump-regcmd", required_argument, NULL, OPT_DUMP },
	{ "explain", no_argument, NULL, OPT_EXPLAIN },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "requant", required_argument, NULL, OPT_REQUANT },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "type", required_argument, NULL, OPT_TYPE },
	{ "verify", no_argument, NULL, OPT_VERIFY },
	{ 0 },
};

static int parse_requant(struct matmul_args *args)
{
	int32_t scale, offset;
	uint32_t shift;
	char more;

	if (sscanf(optarg, "%" SCNd32 ",%" SCNu32 ",%" SCNd32 "%c", &scale, &shift, &offset, &more) != 3)
		return complain(EXIT_USAGE, "--requant takes SCALE,SHIFT,OFFSET, not \"%s\"", optarg);
	args->requant = (struct ork_requant){ .scale = scale, .shift = shift, .offset = offset };
	args->have_requant = true;
	return EXIT_OK;
}

static int parse_option(int option, struct matmul_args *args)
{
	switch (option) {
	case 'm':
		return parse_option_number("-m", optarg, 1, ORK_MAX_DIM, &args->m);
	case 'k':
		return parse_option_number("-k", optarg, 1, ORK_MAX_DIM, &args->k);
	case 'n':
		return parse_option_number("-n", optarg, 1, ORK_MAX_DIM, &args->n);
	case 'o':
		args->out_path = optarg;
		return EXIT_OK;
	case OPT_A:
		args->a_path = optarg;
		return EXIT_OK;
	case OPT_B:
		args->b_path = optarg;
		return EXIT_OK;
	case OPT_CORES:
		return parse_cores(optarg, &args->cores);
	case OPT_DEVICE:
		args->device = optarg;
		return EXIT_OK;
	case OPT_DUMP:
		args->dump_path = optarg;
		return EXIT_OK;
	case OPT_EXPLAIN:
		args->explain = true;
		return EXIT_OK;
	case OPT_JSON:
		args->json = true;
		return EXIT_OK;
	case OPT_REPEAT:
		return parse_option_number("--repeat", optarg, 1, MAX_REPEAT, &args->repeat);
	case OPT_REQUANT:
		return parse_requant(args);
	case OPT_SEED:
		return parse_option_number("--seed", optarg, 0, ULONG_MAX, &args->seed);
	case OPT_TIMEOUT:
		return parse_option_number("--timeout", optarg, 1, UINT32_MAX, &args->timeout_ms);
	case OPT_TYPE:
		return parse_product_type(optarg, &args->type);
	case OPT_VERIFY:
		args->verify = true;
		return EXIT_OK;
	default:
		args->help = true;
		return EXIT_OK;
	}
}

static int check_together(const struct matmul_args *args)
{
	if (args->help)
		return EXIT_OK;
	if (!args->a_path != !args->b_path)
		return complain(EXIT_USAGE, "--a and --b belong together");
	if (args->a_path && (args->m || args->k || args->n))
		return complain(EXIT_USAGE, "-m, -k and -n come from the files when --a and --b are given");
	if (!args->a_path && (!args->m || !args->k || !args->n))
		return complain(EXIT_USAGE,
				"a shape (-m, -k, -n) or two files (--a, --b) are needed; see ork help matmul");
	if (args->have_requant && args->type->c_type != ORK_I8)
		return complain(EXIT_USAGE, "--requant is for --type i8q");
	return EXIT_OK;
}

int parse_matmul_args(int argc, char **argv, struct matmul_args *args)
{
	int option, status;

	*args = (struct matmul_args){ .repeat = 1, .seed = 1, .type = default_product_type };
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":m:k:n:o:", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return complain_option(option, argv);
		status = parse_option(option, args);
		if (status)
			return status;
	}
	if (optind < argc)
		return complain_argument(argv);
	return check_together(args);
}
