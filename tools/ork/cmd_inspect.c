/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>

#include "json.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork inspect [--verify] [--json] FILE.orkpack\n"
	"\n"
	"Lists the tensors of an orkpack file.\n"
	"\n"
	"  --verify  read all weights and compare their checksums; the exit status is 1 if any differ\n"
	"  --json    print JSON\n";

struct options {
	bool verify, json;
};

/* verdict: NULL, or what verifying has found. */
static void print_tensor(const struct ork_pack_tensor *tensor, bool json, bool first, const char *verdict)
{
	if (json) {
		printf("%s\n{", first ? "" : ",");
		json_tensor(tensor);
		if (verdict) {
			printf(", \"verified\": ");
			json_string(verdict);
		}
		printf("}");
		return;
	}
	printf("%-48s %8zu x %-8zu %6zu  %-4s %12llu  %4zu  %5zu %8zu%s%s\n", tensor->name, tensor->k * tensor->groups,
	       tensor->n, tensor->batch, tensor_type(tensor), tensor_bytes(tensor), tensor->groups, tensor->k_slice,
	       tensor->hadamard, verdict ? "  " : "", verdict ? verdict : "");
}

static int print_file(const struct ork_pack *pack, const struct options *options)
{
	char reason[ORK_PACK_REASON_BYTES];
	int status = EXIT_OK;
	size_t i;

	if (options->json)
		printf("{\"tensors\": [");
	else
		printf("%-48s %8s   %-8s %6s  %-4s %12s  %4s  %5s %8s\n", "tensor", "K", "N", "batch", "type", "bytes",
		       "grps", "slice", "Hadamard");
	for (i = 0; i < ork_pack_count(pack); i++) {
		const char *verdict = NULL;

		if (options->verify)
			verdict = ork_pack_verify(pack, i, reason) ? reason : "ok";
		if (verdict == reason)
			status = EXIT_MISMATCH;
		print_tensor(ork_pack_tensor(pack, i), options->json, i == 0, verdict);
	}
	if (options->json)
		printf("]}\n");
	return status;
}

static int inspect(const char *path, const struct options *options)
{
	char reason[ORK_PACK_REASON_BYTES];
	struct ork_pack *pack;
	int status;

	if (ork_pack_open(path, &pack, reason))
		return complain(EXIT_USAGE, "cannot read %s: %s", path, reason);
	status = print_file(pack, options);
	ork_pack_close(pack);
	return status;
}

int cmd_inspect(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "verify", no_argument, NULL, 'v' },
		{ 0 },
	};
	struct options options = { 0 };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			return EXIT_OK;
		}
		if (option == '?')
			return complain(EXIT_USAGE, "wrong option \"%s\"; see ork help inspect", argv[optind - 1]);
		options.json |= option == 'j';
		options.verify |= option == 'v';
	}
	if (optind + 1 != argc)
		return complain(EXIT_USAGE, "one orkpack file is needed; see ork help inspect");
	return inspect(argv[optind], &options);
}
