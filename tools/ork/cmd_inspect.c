/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>

#include "tensor.h"
#include "term.h"
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
static void print_line(const struct ork_pack_tensor *tensor, const char *verdict, bool good)
{
	printf("%-48s %8zu x %-8zu %6zu  %-4s %12llu  %4zu  %5zu %8zu", tensor->name, tensor->k * tensor->groups,
	       tensor->n, tensor->batch, tensor_type(tensor), tensor_bytes(tensor), tensor->groups, tensor->k_slice,
	       tensor->hadamard);
	if (verdict)
		printf("  %s%s%s", term_style(good ? TERM_GOOD : TERM_BAD), verdict, term_style(TERM_PLAIN));
	putchar('\n');
}

static void print_json(struct json *json, const struct ork_pack_tensor *tensor, const char *verdict)
{
	json_object(json, NULL);
	tensor_json(json, tensor);
	if (verdict)
		json_text(json, "verified", verdict);
	json_close(json);
}

static unsigned long long total_bytes(const struct ork_pack *pack)
{
	unsigned long long bytes = 0;
	size_t i;

	for (i = 0; i < ork_pack_count(pack); i++)
		bytes += tensor_bytes(ork_pack_tensor(pack, i));
	return bytes;
}

/* Lists tensors, and verifies them if there is a progress to show. */
static int print_tensors(const struct ork_pack *pack, struct json *json, struct progress *progress)
{
	const unsigned long long total = total_bytes(pack);
	char reason[ORK_PACK_REASON_BYTES];
	unsigned long long done = 0;
	int status = EXIT_OK;
	size_t i;

	for (i = 0; i < ork_pack_count(pack); i++) {
		const struct ork_pack_tensor *tensor = ork_pack_tensor(pack, i);
		const char *verdict = NULL;

		if (progress) {
			progress_show(progress, (double)done / (double)total, tensor->name);
			verdict = ork_pack_verify(pack, i, reason) ? reason : "ok";
			done += tensor_bytes(tensor);
			progress_end(progress);
		}
		if (verdict == reason)
			status = EXIT_MISMATCH;
		if (json)
			print_json(json, tensor, verdict);
		else
			print_line(tensor, verdict, verdict != reason);
	}
	return status;
}

static int print_file(const struct ork_pack *pack, const struct options *options)
{
	struct progress progress = { 0 };
	struct json json;
	int status;

	if (options->json) {
		json_begin(&json, "inspect");
		json_array(&json, "tensors");
	} else {
		printf("%-48s %8s   %-8s %6s  %-4s %12s  %4s  %5s %8s\n", "tensor", "K", "N", "batch", "type", "bytes",
		       "grps", "slice", "Hadamard");
	}
	status = print_tensors(pack, options->json ? &json : NULL, options->verify ? &progress : NULL);
	if (options->json) {
		json_close(&json);
		json_end(&json);
	}
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
	while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			return EXIT_OK;
		}
		if (option == ':' || option == '?')
			return complain_option(option, argv);
		options.json |= option == 'j';
		options.verify |= option == 'v';
	}
	if (optind + 1 != argc)
		return complain(EXIT_USAGE, "one orkpack file is needed; see ork help inspect");
	return inspect(argv[optind], &options);
}
