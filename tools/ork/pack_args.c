/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <string.h>

#include "pack_args.h"
#include "tool.h"

enum { OPT_GROUP = 256, OPT_HADAMARD, OPT_HELP, OPT_JSON, OPT_TENSOR, OPT_TYPE };

static const struct option options[] = {
	{ "group", required_argument, NULL, OPT_GROUP },
	{ "hadamard", no_argument, NULL, OPT_HADAMARD },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "tensor", required_argument, NULL, OPT_TENSOR },
	{ "type", required_argument, NULL, OPT_TYPE },
	{ 0 },
};

static int parse_type(enum ork_dtype *type)
{
	if (strcmp(optarg, "i8") == 0)
		*type = ORK_I8;
	else if (strcmp(optarg, "i4") == 0)
		*type = ORK_I4;
	else if (strcmp(optarg, "f16") == 0)
		*type = ORK_F16;
	else
		return complain(EXIT_USAGE, "--type takes i8, i4 or f16, not \"%s\"", optarg);
	return EXIT_OK;
}

static int parse_group(size_t *group)
{
	unsigned long value;

	if (parse_number(optarg, 32, ORK_MAX_DIM, &value) || value % 32)
		return complain(EXIT_USAGE, "--group takes a multiple of 32, not \"%s\"", optarg);
	*group = value;
	return EXIT_OK;
}

static int parse_option(int option, struct pack_args *args)
{
	switch (option) {
	case 'o':
		args->out_path = optarg;
		return EXIT_OK;
	case OPT_GROUP:
		return parse_group(&args->options.group);
	case OPT_HADAMARD:
		args->options.hadamard = true;
		return EXIT_OK;
	case OPT_JSON:
		args->json = true;
		return EXIT_OK;
	case OPT_TENSOR:
		if (args->pattern_count == PACK_MAX_PATTERNS)
			return complain(EXIT_USAGE, "more than %d patterns", PACK_MAX_PATTERNS);
		args->patterns[args->pattern_count++] = optarg;
		return EXIT_OK;
	case OPT_TYPE:
		return parse_type(&args->options.type);
	default:
		args->help = true;
		return EXIT_OK;
	}
}

static int check_together(const struct pack_args *args)
{
	if (args->help)
		return EXIT_OK;
	if (!args->out_path)
		return complain(EXIT_USAGE, "-o with the name of the new file is missing; see ork help pack");
	if (!args->input_count)
		return complain(EXIT_USAGE, "a file to pack is missing; see ork help pack");
	if (args->options.type == ORK_F16 && (args->options.group || args->options.hadamard))
		return complain(EXIT_USAGE, "--group and --hadamard are for integers");
	return EXIT_OK;
}

int parse_pack_args(int argc, char **argv, struct pack_args *args)
{
	int option, status;

	*args = (struct pack_args){ .options = { .type = ORK_I8 } };
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return complain_option(option, argv);
		status = parse_option(option, args);
		if (status)
			return status;
	}
	args->inputs = argv + optind;
	args->input_count = (size_t)(argc - optind);
	return check_together(args);
}
