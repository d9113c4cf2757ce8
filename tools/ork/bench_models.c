/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <string.h>

#include "bench.h"
#include "tool.h"

/*
 * Shapes that the reference has measurements of. Decoding is M = 1; M = 64 is the prefill that was measured.
 */

struct entry {
	const char *name;
	unsigned int m, k, n;
	const char *type; /* NULL: those of --type */
};

/* H 2048, 16 heads and 8 for keys and values of 128, FFN 6144, vocabulary 151936 (measurements 8.1). */
static const struct entry qwen3[] = {
	{ "q, o", 1, 2048, 2048, NULL },     { "k, v", 1, 2048, 1024, NULL },
	{ "gate, up", 1, 2048, 6144, NULL }, { "down", 1, 6144, 2048, NULL },
	{ "head", 1, 2048, 151936, NULL },   { "q, o", 64, 2048, 2048, NULL },
	{ "k, v", 64, 2048, 1024, NULL },    { "gate, up", 64, 2048, 6144, NULL },
	{ "down", 64, 6144, 2048, NULL },
};

/* One expert of a mixture each (measurements 2.2). */
static const struct entry experts[] = {
	{ "Qwen gate, up", 1, 2048, 512, NULL },
	{ "Qwen down", 1, 512, 2048, NULL },
	{ "LFM down", 1, 1792, 2048, NULL },
};

/* Single products with published times (measurements 2). */
static const struct entry published[] = {
	{ "", 64, 256, 256, "f16" },	{ "", 128, 512, 512, "f16" },	 { "", 512, 1024, 1024, "f16" },
	{ "", 512, 2048, 2048, "f16" }, { "", 512, 3840, 4096, "f16" },	 { "", 128, 1024, 8192, "f16" },
	{ "", 1, 4096, 4096, "f16" },	{ "", 512, 2048, 2048, "i8" },	 { "", 128, 1024, 8192, "i8" },
	{ "", 8, 3584, 1216, "i8" },	{ "", 512, 3840, 4096, "i8" },	 { "", 512, 3840, 4096, "i4" },
};

#define TABLE(name, entries) { name, entries, sizeof(entries) / sizeof((entries)[0]) }

static const struct {
	const char *name;
	const struct entry *entries;
	size_t count;
} models[] = {
	TABLE("qwen3-1.7b", qwen3),
	TABLE("experts", experts),
	TABLE("published", published),
};

const char bench_model_names[] = "qwen3-1.7b, experts, published";

int add_bench_model(struct bench_args *args, const char *name)
{
	int status = EXIT_OK;
	size_t model, i;

	for (model = 0; model < sizeof(models) / sizeof(models[0]); model++)
		if (strcmp(name, models[model].name) == 0)
			break;
	if (model == sizeof(models) / sizeof(models[0]))
		return -1;
	for (i = 0; i < models[model].count && !status; i++) {
		const struct entry *entry = &models[model].entries[i];
		const struct bench_shape shape = {
			.name = entry->name, .m = entry->m, .k = entry->k, .n = entry->n,
			.type = entry->type ? find_product_type(entry->type) : NULL,
		};

		status = add_bench_shape(args, &shape);
	}
	return status;
}
