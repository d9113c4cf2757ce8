/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <ork_pack.h>
#include <ork_quant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "npy.h"
#include "term.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork unpack -o OUT.npy [--matrix I] [--json] FILE.orkpack TENSOR\n"
	"\n"
	"Writes a matrix B[K][N] of an orkpack file as a NumPy file: with its scales and without\n"
	"rotation as float32, or as int8 or float16 if it was packed as it was.\n"
	"\n"
	"  -o OUT.npy  the file to write; it appears only when it is complete\n"
	"  --matrix I  which one of a batch, default 0\n"
	"  --json      print what was written as JSON\n";

struct options {
	const char *out_path, *in_path, *name;
	unsigned long matrix;
	bool json;
};

/* A row of stored elements times its scales. */
static void to_real(const struct ork_pack_tensor *tensor, size_t matrix, const void *elements, float *to)
{
	const int8_t *integers = elements;
	const uint16_t *halves = elements;
	uint32_t bits;
	size_t i;

	for (i = 0; i < tensor->n; i++) {
		if (tensor->type == ORK_BF16) {
			bits = (uint32_t)halves[i] << 16;
			memcpy(&to[i], &bits, sizeof(bits));
		} else if (tensor->type == ORK_F16) {
			ork_f32_of_f16(&to[i], &halves[i], 1);
		} else {
			to[i] = integers[i];
		}
		if (tensor->scaled)
			to[i] *= tensor->scales[matrix * tensor->n + i];
	}
}

static int read_real(const struct ork_pack *pack, size_t index, size_t first_matrix, float *b,
		     struct progress *progress)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(pack, index);
	uint16_t *row = malloc(tensor->n * sizeof(*row));
	size_t group, k;

	if (!row)
		return complain(EXIT_USAGE, "out of memory");
	for (group = 0; group < tensor->groups; group++) {
		for (k = 0; k < tensor->k; k++) {
			progress_show(progress, (double)(group * tensor->k + k) / (double)(tensor->groups * tensor->k),
				      tensor->name);
			ork_pack_read(pack, index, first_matrix + group, k, 1, row, tensor->n);
			to_real(tensor, first_matrix + group, row, b + (group * tensor->k + k) * tensor->n);
		}
	}
	free(row);
	return EXIT_OK;
}

/* K is the direction of rows here: each column is turned on its own. */
static int rotate_back(const struct ork_pack_tensor *tensor, float *b, struct progress *progress)
{
	const size_t k = tensor->k * tensor->groups;
	float *column = malloc(k * sizeof(*column));
	size_t n, i;

	if (!column)
		return complain(EXIT_USAGE, "out of memory");
	for (n = 0; n < tensor->n; n++) {
		progress_show(progress, (double)n / (double)tensor->n, "rotating back");
		for (i = 0; i < k; i++)
			column[i] = b[i * tensor->n + n];
		ork_hadamard(column, k, 1, k, tensor->hadamard);
		for (i = 0; i < k; i++)
			b[i * tensor->n + n] = column[i];
	}
	free(column);
	return EXIT_OK;
}

/* Elements as they were packed, where NumPy has the type and nothing was done to them. */
static bool is_plain(const struct ork_pack_tensor *tensor)
{
	return !tensor->scaled && !tensor->hadamard && tensor->groups == 1 && tensor->type != ORK_BF16;
}

static int fill(const struct ork_pack *pack, size_t index, size_t matrix, struct npy_matrix *npy)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(pack, index);
	struct progress progress = { 0 };
	int status;

	npy->rows = tensor->k * tensor->groups;
	npy->cols = tensor->n;
	npy->type = !is_plain(tensor) ? NPY_F4 : tensor->type == ORK_F16 ? NPY_F2 : NPY_I1;
	npy->data = malloc(npy->rows * npy->cols * npy_type_bytes(npy->type));
	if (!npy->data)
		return complain(EXIT_USAGE, "there is no memory for %zu x %zu elements", npy->rows, npy->cols);
	if (is_plain(tensor)) {
		ork_pack_read(pack, index, matrix, 0, tensor->k, npy->data, tensor->n);
		return EXIT_OK;
	}
	status = read_real(pack, index, matrix * tensor->groups, npy->data, &progress);
	if (!status && tensor->hadamard)
		status = rotate_back(tensor, npy->data, &progress);
	progress_end(&progress);
	return status;
}

static void print_json(const struct options *options, const struct npy_matrix *npy)
{
	struct json json;

	json_begin(&json, "unpack");
	json_text(&json, "file", options->out_path);
	json_text(&json, "name", options->name);
	json_number(&json, "matrix", options->matrix);
	json_number(&json, "k", npy->rows);
	json_number(&json, "n", npy->cols);
	json_text(&json, "elements", npy->type == NPY_F4 ? "float32" : npy->type == NPY_F2 ? "float16" : "int8");
	json_end(&json);
}

static int unpack_from(const struct ork_pack *pack, const struct options *options)
{
	char reason[ORK_PACK_REASON_BYTES];
	struct npy_matrix npy = { 0 };
	size_t index;
	int status;

	if (ork_pack_find(pack, options->name, &index))
		return complain(EXIT_USAGE, "%s has no tensor \"%s\"", options->in_path, options->name);
	if (options->matrix >= ork_pack_tensor(pack, index)->batch)
		return complain(EXIT_USAGE, "\"%s\" has %zu matrices, so that there is no number %lu", options->name,
				ork_pack_tensor(pack, index)->batch, options->matrix);
	if (ork_pack_verify(pack, index, reason))
		return complain(EXIT_USAGE, "\"%s\" of %s is damaged: %s", options->name, options->in_path, reason);
	status = fill(pack, index, options->matrix, &npy);
	if (!status && npy_write(options->out_path, &npy, reason))
		status = complain(EXIT_USAGE, "cannot write %s: %s", options->out_path, reason);
	if (!status && options->json)
		print_json(options, &npy);
	free(npy.data);
	return status;
}

static int unpack(const struct options *options)
{
	char reason[ORK_PACK_REASON_BYTES];
	struct ork_pack *pack;
	int status;

	if (npy_check_writable(options->out_path, reason))
		return complain(EXIT_USAGE, "cannot write %s: %s", options->out_path, reason);
	if (ork_pack_open(options->in_path, &pack, reason))
		return complain(EXIT_USAGE, "cannot read %s: %s", options->in_path, reason);
	status = unpack_from(pack, options);
	ork_pack_close(pack);
	return status;
}

int cmd_unpack(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "matrix", required_argument, NULL, 'm' },
		{ 0 },
	};
	struct options options = { 0 };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			return EXIT_OK;
		}
		if (option == ':' || option == '?')
			return complain_option(option, argv);
		if (option == 'o')
			options.out_path = optarg;
		else if (option == 'j')
			options.json = true;
		else if (parse_option_number("--matrix", optarg, 0, ORK_MAX_DIM, &options.matrix))
			return EXIT_USAGE;
	}
	if (optind + 2 != argc || !options.out_path)
		return complain(EXIT_USAGE, "an orkpack file, a tensor and -o are needed; see ork help unpack");
	options.in_path = argv[optind];
	options.name = argv[optind + 1];
	return unpack(&options);
}
