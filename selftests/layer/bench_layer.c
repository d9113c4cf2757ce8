/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Runs the products of a decoder layer (layer.h) in several ways and prints when each step did what, for layers.py. On
 * the emulated board with --timing the times are predictions.
 *
 * A line per step of the pass that counts: "step CASE POLICY NAMES BEGIN QUANTISED SUBMITTED DONE END", in nanoseconds of
 * the system counter, which is the clock of the emulator's job log. With arguments, those only whose CASE-POLICY begins with
 * one of them.
 */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ork_quant.h>

#include "layer.h"

struct policy {
	const char *name;
	struct layer_options options;
	struct ork_matmul_opts opts;
	bool alone;     /* each product is waited for before the next one */
	bool pipelined; /* each is a job of its own, whose result is made real while the next ones run */
};

static const struct policy layer_policies[] = {
	{ .name = "defaults" },
	{ .name = "one-core", .opts = { .cores = 1, .core_mask = 1 } },
	{ .name = "product-per-core", .opts = { .cores = 1 } },
	{ .name = "two-cores", .opts = { .cores = 2 } },
	{ .name = "split", .opts = { .cores = 3 } },
	{ .name = "pipelined", .pipelined = true },
	{ .name = "split-one-by-one", .opts = { .cores = 3 }, .alone = true },
	{ .name = "fused", .options = { .fused = true } },
	{ .name = "whole-K", .options = { .whole_k = true } },
	{ .name = "in-place", .options = { .in_place = true, .whole_k = true } },
};

static const struct policy vocabulary_policies[] = {
	{ .name = "defaults", .options = { .vocabulary = true } },
	{ .name = "one-core", .options = { .vocabulary = true }, .opts = { .cores = 1, .core_mask = 1 } },
};

static const struct policy expert_policies[] = {
	{ .name = "defaults", .options = { .experts = true } },
	{ .name = "one-core", .options = { .experts = true }, .opts = { .cores = 1, .core_mask = 1 } },
	{ .name = "expert-per-core", .options = { .experts = true }, .opts = { .cores = 1 } },
	{ .name = "split", .options = { .experts = true }, .opts = { .cores = 3 } },
	{ .name = "split-one-by-one", .options = { .experts = true }, .opts = { .cores = 3 }, .alone = true },
};

enum { BEGIN, QUANTISED, SUBMITTED, DONE, END, TIMES };

static uint64_t counter_ns(void)
{
#ifdef __aarch64__
	uint64_t ticks, per_second;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(per_second));
	return (uint64_t)((double)ticks * 1e9 / (double)per_second);
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static void describe(const struct layer_product *p, struct ork_matmul_desc *desc)
{
	*desc = (struct ork_matmul_desc){
		.weights = p->weights,
		.m = p->rows,
		.a = p->a_bo ? NULL : p->a,
		.a_bo = p->a_bo,
		.lda = p->k,
		.c = p->c_bo ? NULL : p->c,
		.c_bo = p->c_bo,
		.ldc = p->n,
		.batch = p->batch,
		.a_stride = (size_t)p->rows * p->k,
		.c_stride = (size_t)p->rows * p->n,
	};
}

/* Products of a step have the same A: it is quantised once. */
static int quantise(const struct layer *layer, struct layer_product *const *products, uint32_t count)
{
	const struct layer_product *first = products[0];
	const size_t rows = (size_t)first->rows * first->batch;
	uint32_t i;
	int err;

	err = ork_quantise_rows(ORK_I8, layer->x, first->k, rows, first->k, first->a, first->k, first->row_scales);
	for (i = 1; i < count && !err; i++) {
		memcpy(products[i]->a, first->a, rows * first->k);
		memcpy(products[i]->row_scales, first->row_scales, rows * sizeof(*first->row_scales));
	}
	return err;
}

static int dequantise(const struct layer *layer, struct layer_product *const *products, uint32_t count)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < count && !err; i++) {
		const struct layer_product *p = products[i];

		err = ork_dequantise(p->c, p->n, (size_t)p->rows * p->batch, p->n, p->row_scales, layer->scales,
				     layer->y, p->n, false);
	}
	return err;
}

/* Waits for jobs of one call each, in turn, unless there is an error already. The time is that of the last one. */
static int finish(const struct layer *layer, struct layer_product *const *products, struct ork_job **jobs,
		  uint32_t count, uint32_t each, int err, uint64_t *done)
{
	uint32_t i;

	for (i = 0; i < count && !err; i++) {
		err = ork_job_wait(jobs[i], -1);
		*done = counter_ns();
		if (!err)
			err = dequantise(layer, products + i * each, each);
	}
	for (i = 0; i < count; i++)
		ork_job_destroy(jobs[i]);
	return err;
}

static int run_products(const struct layer *layer, struct layer_product *const *products, uint32_t count,
			const struct policy *policy, uint64_t *times)
{
	const uint32_t each = policy->pipelined ? 1 : count;
	struct ork_matmul_desc descs[LAYER_TOGETHER];
	struct ork_job *jobs[LAYER_TOGETHER] = { NULL };
	uint32_t i;
	int err;

	times[BEGIN] = counter_ns();
	err = quantise(layer, products, count);
	for (i = 0; i < count; i++)
		describe(products[i], &descs[i]);
	times[QUANTISED] = counter_ns();
	for (i = 0; i < count && !err; i += each)
		err = ork_matmul_submit(layer->dev, descs + i, each, &policy->opts, &jobs[i / each]);
	times[SUBMITTED] = counter_ns();
	err = finish(layer, products, jobs, count / each, each, err, &times[DONE]);
	times[END] = counter_ns();
	return err;
}

static void print_step(const char *name, const char *policy, struct layer_product *const *products, uint32_t count,
		       const uint64_t *times)
{
	uint32_t i;

	printf("step %s %s ", name, policy);
	for (i = 0; i < count && (!i || strcmp(products[i]->name, products[0]->name)); i++)
		printf("%s%s", i ? "," : "", products[i]->name);
	for (i = 0; i < TIMES; i++)
		printf(" %llu", (unsigned long long)times[i]);
	printf("\n");
}

/* All steps. Prints what they did, if there is a name to print, afterwards, as printing takes time. */
static int run_pass(const struct layer *layer, const char *name, const struct policy *policy)
{
	uint64_t times[LAYER_TOGETHER * LAYER_STEPS][TIMES];
	uint32_t i, first, each, done = 0;
	int err = 0;

	for (i = 0; i < layer->step_count; i++) {
		const struct layer_step *step = &layer->steps[i];

		each = policy->alone ? 1 : step->count;
		for (first = 0; first < step->count && !err; first += each)
			err = run_products(layer, step->products + first, each, policy, times[done++]);
	}
	for (i = 0, done = 0; i < layer->step_count && !err && name; i++) {
		const struct layer_step *step = &layer->steps[i];

		each = policy->alone ? 1 : step->count;
		for (first = 0; first < step->count; first += each)
			print_step(name, policy->name, step->products + first, each, times[done++]);
	}
	return err;
}

static bool check(const struct layer *layer, const char *policy)
{
	uint32_t i;

	for (i = 0; i < layer->product_count; i++) {
		if (!layer->products[i].b || layer_check(&layer->products[i]))
			continue;
		fprintf(stderr, "%s: %s is wrong\n", policy, layer->products[i].name);
		return false;
	}
	return true;
}

/* The first pass makes programs and buffers. */
static int run_policy(struct ork_device *dev, const char *name, const struct policy *policy, uint32_t tokens)
{
	struct layer_options options = policy->options;
	struct layer layer;
	int err;

	options.tokens = tokens;
	err = layer_init(&layer, dev, &options);
	if (!err)
		err = run_pass(&layer, NULL, policy);
	if (!err)
		err = run_pass(&layer, name, policy);
	if (err)
		fprintf(stderr, "%s, %s: %s (%s)\n", name, policy->name, ork_strerror(err), ork_error(dev));
	else if (!check(&layer, policy->name))
		err = -1;
	layer_fini(&layer);
	return err;
}

static bool is_wanted(int argc, char **argv, const char *name, const char *policy)
{
	bool found = argc == 1;
	char text[64];
	int i;

	snprintf(text, sizeof(text), "%s-%s", name, policy);
	for (i = 1; i < argc && !found; i++)
		found = !strncmp(text, argv[i], strlen(argv[i]));
	return found;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		const struct policy *policies;
		size_t count;
		uint32_t tokens;
	} cases[] = {
		{ "decode", layer_policies, sizeof(layer_policies) / sizeof(layer_policies[0]), 1 },
		{ "prefill", layer_policies, sizeof(layer_policies) / sizeof(layer_policies[0]), 64 },
		{ "experts", expert_policies, sizeof(expert_policies) / sizeof(expert_policies[0]), 1 },
		{ "vocabulary", vocabulary_policies, sizeof(vocabulary_policies) / sizeof(vocabulary_policies[0]), 1 },
	};
	struct ork_device *dev;
	size_t i, j;
	int err;

	err = ork_open(NULL, &dev);
	if (err) {
		fprintf(stderr, "bench_layer: %s\n", ork_strerror(err));
		return 1;
	}
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (j = 0; j < cases[i].count && !err; j++)
			if (is_wanted(argc, argv, cases[i].name, cases[i].policies[j].name))
				err = run_policy(dev, cases[i].name, &cases[i].policies[j], cases[i].tokens);
	ork_close(dev);
	return err ? 1 : 0;
}
