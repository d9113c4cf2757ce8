/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack_args.h"
#include "tensor.h"
#include "term.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork pack -o OUT.orkpack [OPTIONS] FILE...\n"
	"\n"
	"Packs the weights of .npy, safetensors and GGUF files into one orkpack file, which\n"
	"libork loads without packing. Tensors with one dimension are left out.\n"
	"\n"
	"  -o OUT.orkpack  the file to write; it appears only when it is complete\n"
	"  --type T        i8 (default), i4 or f16\n"
	"  --tensor GLOB   only tensors whose names match; may be given several times\n"
	"  --group G       a scale for every G of K, a multiple of 32, instead of for all of K\n"
	"  --hadamard      rotate K by a Hadamard matrix, which int4 needs to be accurate\n"
	"  --json          print the summary as JSON\n";

/* A tensor that goes into the file. */
struct item {
	const struct source *source;
	const struct source_tensor *tensor;
	const char *path;
	struct ork_pack_tensor packed;
	double error;
};

struct packer {
	const struct pack_args *args;
	struct source *sources;
	char **names;    /* of .npy files, one per source; else NULL */
	struct item *items;
	size_t count, skipped;
	size_t current;  /* of the items */
	struct progress progress;
};

static bool is_wanted(const struct pack_args *args, const char *name)
{
	size_t i;

	for (i = 0; i < args->pattern_count; i++)
		if (fnmatch(args->patterns[i], name, 0) == 0)
			return true;
	return !args->pattern_count;
}

/* A .npy file has no name for its matrix: that of the file without folder and ending. */
static char *name_of_file(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base ? base + 1 : path;
	length = strlen(base);
	if (length > 4 && strcmp(base + length - 4, ".npy") == 0)
		length -= 4;
	return strndup(base, length);
}

static int open_sources(struct packer *packer)
{
	char reason[SOURCE_REASON_CHARS];
	size_t i;

	for (i = 0; i < packer->args->input_count; i++) {
		const char *path = packer->args->inputs[i];

		if (source_open(path, &packer->sources[i], reason))
			return complain(EXIT_USAGE, "cannot read %s: %s", path, reason);
		if (!packer->sources[i].rows_are_k)
			continue;
		packer->names[i] = name_of_file(path);
		if (!packer->names[i])
			return complain(EXIT_USAGE, "out of memory");
	}
	return EXIT_OK;
}

static int choose_from(struct packer *packer, size_t index)
{
	const struct source *source = &packer->sources[index];
	char reason[SOURCE_REASON_CHARS];
	size_t i;

	for (i = 0; i < source->count; i++) {
		const struct source_tensor *tensor = &source->tensors[i];
		const char *name = packer->names[index] ? packer->names[index] : tensor->name;
		struct item *item = &packer->items[packer->count];

		if (!is_wanted(packer->args, name))
			continue;
		if (tensor->dims < 2) {
			packer->skipped++;
			continue;
		}
		*item = (struct item){ .source = source, .tensor = tensor, .path = packer->args->inputs[index] };
		if (pack_describe(source, tensor, name, &packer->args->options, &item->packed, reason))
			return complain(EXIT_USAGE, "cannot pack %s: %s", item->path, reason);
		packer->count++;
	}
	return EXIT_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->packed.name, ((const struct item *)b)->packed.name);
}

static int choose(struct packer *packer)
{
	size_t total = 0, i;
	int status = EXIT_OK;

	for (i = 0; i < packer->args->input_count; i++)
		total += packer->sources[i].count;
	packer->items = calloc(total + 1, sizeof(*packer->items));
	if (!packer->items)
		return complain(EXIT_USAGE, "out of memory");
	for (i = 0; i < packer->args->input_count && !status; i++)
		status = choose_from(packer, i);
	if (status)
		return status;
	if (!packer->count)
		return complain(EXIT_USAGE, "there is no matrix to pack%s",
				packer->args->pattern_count ? " whose name matches" : "");
	qsort(packer->items, packer->count, sizeof(*packer->items), compare_names);
	for (i = 1; i < packer->count; i++)
		if (compare_names(&packer->items[i - 1], &packer->items[i]) == 0)
			return complain(EXIT_USAGE, "two tensors have the name \"%s\"", packer->items[i].packed.name);
	return EXIT_OK;
}

static void report(void *opaque, double share)
{
	struct packer *packer = opaque;

	progress_show(&packer->progress, ((double)packer->current + share) / (double)packer->count,
		      packer->items[packer->current].packed.name);
}

static int pack_items(struct packer *packer, struct ork_pack_writer *writer)
{
	const struct pack_progress progress = { report, packer };
	char reason[SOURCE_REASON_CHARS];
	int err = 0;

	for (packer->current = 0; packer->current < packer->count && !err; packer->current++) {
		struct item *item = &packer->items[packer->current];

		err = pack_tensor(item->source, item->tensor, &item->packed, writer, &progress, &item->error, reason);
		if (err) {
			progress_end(&packer->progress);
			complain(EXIT_USAGE, "cannot pack \"%s\" of %s, which begins at byte %llu: %s", item->packed.name,
				 item->path, (unsigned long long)item->tensor->offset, reason);
		}
	}
	progress_end(&packer->progress);
	return err ? EXIT_USAGE : EXIT_OK;
}

static int write_file(struct packer *packer)
{
	char reason[ORK_PACK_REASON_BYTES];
	struct ork_pack_writer *writer;
	int status;

	if (ork_pack_create(packer->args->out_path, &writer, reason))
		return complain(EXIT_USAGE, "cannot write %s: %s", packer->args->out_path, reason);
	status = pack_items(packer, writer);
	if (status) {
		ork_pack_abandon(writer);
		return status;
	}
	if (ork_pack_finish(writer, reason))
		return complain(EXIT_USAGE, "cannot write %s: %s", packer->args->out_path, reason);
	return EXIT_OK;
}

static void print_table(const struct packer *packer, const struct ork_pack *pack)
{
	unsigned long long bytes = 0;
	size_t i;

	printf("%-48s %8s   %-8s %6s  %-4s %12s  %9s\n", "tensor", "K", "N", "batch", "type", "bytes", "RMS error");
	for (i = 0; i < packer->count; i++) {
		const struct ork_pack_tensor *tensor = ork_pack_tensor(pack, i);

		bytes += tensor_bytes(tensor);
		printf("%-48s %8zu x %-8zu %6zu  %-4s %12llu  %7.3f %%\n", tensor->name, tensor->k * tensor->groups,
		       tensor->n, tensor->batch, tensor_type(tensor), tensor_bytes(tensor), 100 * packer->items[i].error);
	}
	printf("%zu tensors, %llu bytes; %zu with one dimension left out\n", packer->count, bytes, packer->skipped);
}

static void print_json(const struct packer *packer, const struct ork_pack *pack)
{
	unsigned long long bytes = 0;
	struct json json;
	size_t i;

	json_begin(&json, "pack");
	json_array(&json, "tensors");
	for (i = 0; i < packer->count; i++) {
		json_object(&json, NULL);
		tensor_json(&json, ork_pack_tensor(pack, i));
		json_real(&json, "error", packer->items[i].error);
		json_close(&json);
		bytes += tensor_bytes(ork_pack_tensor(pack, i));
	}
	json_close(&json);
	json_number(&json, "bytes", bytes);
	json_number(&json, "skipped", packer->skipped);
	json_end(&json);
}

/* What has become of the tensors, from the file itself. */
static int print_summary(const struct packer *packer)
{
	char reason[ORK_PACK_REASON_BYTES];
	struct ork_pack *pack;

	if (ork_pack_open(packer->args->out_path, &pack, reason))
		return complain(EXIT_USAGE, "cannot read %s: %s", packer->args->out_path, reason);
	if (packer->args->json)
		print_json(packer, pack);
	else
		print_table(packer, pack);
	ork_pack_close(pack);
	return EXIT_OK;
}

static int run(struct packer *packer)
{
	int status = open_sources(packer);

	if (!status)
		status = choose(packer);
	if (!status)
		status = write_file(packer);
	return status ? status : print_summary(packer);
}

int cmd_pack(int argc, char **argv)
{
	struct packer packer = { 0 };
	struct pack_args args;
	int status = parse_pack_args(argc, argv, &args);
	size_t i;

	if (status)
		return status;
	if (args.help) {
		fputs(usage_text, stdout);
		return EXIT_OK;
	}
	packer.args = &args;
	packer.sources = calloc(args.input_count, sizeof(*packer.sources));
	packer.names = calloc(args.input_count, sizeof(*packer.names));
	if (!packer.sources || !packer.names)
		return complain(EXIT_USAGE, "out of memory");
	for (i = 0; i < args.input_count; i++)
		packer.sources[i].fd = -1;
	status = run(&packer);
	for (i = 0; i < args.input_count; i++) {
		source_close(&packer.sources[i]);
		free(packer.names[i]);
	}
	free(packer.items);
	free(packer.names);
	free(packer.sources);
	return status;
}
