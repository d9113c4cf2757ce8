/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tool.h"

#define MAX_REPEAT 100000

enum {
	OPT_BANDWIDTH = 256,
	OPT_CLOCK,
	OPT_CORES,
	OPT_DEVICE,
	OPT_FILE,
	OPT_HELP,
	OPT_JSON,
	OPT_MODEL,
	OPT_PLOT,
	OPT_REPEAT,
	OPT_SHAPE,
	OPT_TYPE,
	OPT_WARMUP,
};

static const struct option options[] = {
	{ "bandwidth", required_argument, NULL, OPT_BANDWIDTH },
	{ "clock", required_argument, NULL, OPT_CLOCK },
	{ "cores", required_argument, NULL, OPT_CORES },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "file", required_argument, NULL, OPT_FILE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "model", required_argument, NULL, OPT_MODEL },
	{ "plot", required_argument, NULL, OPT_PLOT },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "shape", required_argument, NULL, OPT_SHAPE },
	{ "type", required_argument, NULL, OPT_TYPE },
	{ "warmup", required_argument, NULL, OPT_WARMUP },
	{ 0 },
};

int add_bench_shape(struct bench_args *args, const struct bench_shape *shape)
{
	struct bench_shape *grown = realloc(args->shapes, (args->shape_count + 1) * sizeof(*grown));

	if (!grown)
		return complain(EXIT_USAGE, "out of memory");
	args->shapes = grown;
	args->shapes[args->shape_count++] = *shape;
	return EXIT_OK;
}

/* MxKxN. Cuts the text. Returns 0 or -1. */
static int parse_shape(char *text, struct bench_shape *shape)
{
	size_t *const sizes[] = { &shape->m, &shape->k, &shape->n };
	unsigned long size;
	char *part;
	int i;

	*shape = (struct bench_shape){ .name = "" };
	for (i = 0; i < 3; i++) {
		part = strsep(&text, "x");
		if (!part || parse_number(part, 1, ORK_MAX_DIM, &size))
			return -1;
		*sizes[i] = size;
	}
	return text ? -1 : 0;
}

static int add_shape(struct bench_args *args, const char *text)
{
	struct bench_shape shape;
	char *copy = strdup(text);
	int err = copy ? parse_shape(copy, &shape) : -1;

	free(copy);
	if (err)
		return complain(EXIT_USAGE, "--shape takes MxKxN with numbers from 1 to %d, not \"%s\"", ORK_MAX_DIM, text);
	return add_bench_shape(args, &shape);
}

/* "MxKxN", "MxKxN TYPE", or nothing; after '#' is a remark. */
static int add_line(struct bench_args *args, const char *path, unsigned int number, char *line)
{
	static const char blanks[] = " \t\r\n";
	struct bench_shape shape;
	char *words, *word;

	line[strcspn(line, "#")] = 0;
	word = strtok_r(line, blanks, &words);
	if (!word)
		return EXIT_OK;
	if (parse_shape(word, &shape))
		return complain(EXIT_USAGE, "%s, line %u: there is no MxKxN with numbers from 1 to %d", path, number,
				ORK_MAX_DIM);
	word = strtok_r(NULL, blanks, &words);
	if (word) {
		shape.type = find_product_type(word);
		if (!shape.type || strtok_r(NULL, blanks, &words))
			return complain(EXIT_USAGE, "%s, line %u: after MxKxN comes one type or nothing", path, number);
	}
	return add_bench_shape(args, &shape);
}

static int add_file(struct bench_args *args, const char *path)
{
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "re");
	int status = EXIT_OK;

	if (!file)
		return complain(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
	while (!status && getline(&line, &room, file) > 0)
		status = add_line(args, path, ++number, line);
	if (!status && ferror(file))
		status = complain(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	return status;
}

static int add_model(struct bench_args *args, const char *name)
{
	const int status = add_bench_model(args, name);

	return status < 0 ? complain(EXIT_USAGE, "--model takes %s, not \"%s\"", bench_model_names, name) : status;
}

static int add_type(struct bench_args *args, const char *text)
{
	if (args->type_count == BENCH_MAX_TYPES)
		return complain(EXIT_USAGE, "more than %d types", BENCH_MAX_TYPES);
	return parse_product_type(text, &args->types[args->type_count++]);
}

static int add_cores(struct bench_args *args, const char *text)
{
	if (args->core_count == BENCH_MAX_CORES)
		return complain(EXIT_USAGE, "more than %d numbers of cores", BENCH_MAX_CORES);
	return parse_cores(text, &args->cores[args->core_count++]);
}

static int parse_bandwidth(struct bench_args *args, const char *text)
{
	char *end;

	args->bandwidth_gbps = strtod(text, &end);
	if (*text && !*end && args->bandwidth_gbps >= 0.001 && args->bandwidth_gbps <= 100000)
		return EXIT_OK;
	return complain(EXIT_USAGE, "--bandwidth takes GB/s, 0.001 to 100000, not \"%s\"", text);
}

static int parse_option(int option, struct bench_args *args)
{
	switch (option) {
	case OPT_BANDWIDTH:
		return parse_bandwidth(args, optarg);
	case OPT_CLOCK:
		return parse_option_number("--clock", optarg, 1, 100000, &args->clock_mhz);
	case OPT_CORES:
		return add_cores(args, optarg);
	case OPT_DEVICE:
		args->device = optarg;
		return EXIT_OK;
	case OPT_FILE:
		return add_file(args, optarg);
	case OPT_JSON:
		args->json = true;
		return EXIT_OK;
	case OPT_MODEL:
		return add_model(args, optarg);
	case OPT_PLOT:
		args->plot_path = optarg;
		return EXIT_OK;
	case OPT_REPEAT:
		return parse_option_number("--repeat", optarg, 1, MAX_REPEAT, &args->repeat);
	case OPT_SHAPE:
		return add_shape(args, optarg);
	case OPT_TYPE:
		return add_type(args, optarg);
	case OPT_WARMUP:
		return parse_option_number("--warmup", optarg, 0, MAX_REPEAT, &args->warmup);
	default:
		args->help = true;
		return EXIT_OK;
	}
}

int parse_bench_args(int argc, char **argv, struct bench_args *args)
{
	int option, status;

	*args = (struct bench_args){ .warmup = 3, .repeat = 20 };
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return complain_option(option, argv);
		status = parse_option(option, args);
		if (status)
			return status;
	}
	if (optind < argc)
		return complain_argument(argv);
	if (!args->help && !args->shape_count)
		return complain(EXIT_USAGE, "shapes (--shape, --file or --model) are needed; see ork help bench");
	if (!args->type_count)
		args->types[args->type_count++] = default_product_type;
	if (!args->core_count)
		args->cores[args->core_count++] = 0;
	return EXIT_OK;
}
