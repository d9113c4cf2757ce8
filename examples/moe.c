/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * A mixture of experts with more weights than one address space of the NPU holds. Tokens choose their top experts;
 * those are loaded from an orkpack file when they are needed, run as independent products on all cores, and give way to
 * others when the budget is full.
 *
 *     cc moe.c -lork -lm && ORK_DEVICE=model ./a.out             a small one
 *     ./a.out full [FILE [BUDGET_MIB]]                           the dimensions of Qwen3.6-35B-A3B, six layers: 4.5 GiB
 *
 * The weights and the router are random. FILE is made if it is not there; without it, it is a temporary one.
 */

#define _GNU_SOURCE
#include <math.h>
#include <ork_pack.h>
#include <ork_quant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Experts whose products are in flight together. */
enum { WAVE = 24 };

struct shape {
	size_t hidden, inner, experts, top, layers;
};

static const struct shape small = { 256, 64, 16, 4, 2 };
static const struct shape full = { 2048, 512, 256, 8, 6 };

/* Where the time goes, in milliseconds. */
enum phase { ROUTE, QUANTISE, LOAD, SUBMIT, WAIT, COMBINE, PHASES };

static const char *const phase_names[PHASES] = { "route", "quantise", "load", "submit", "wait", "combine" };

/* Rows of some tokens on their way through one expert. */
struct visit {
	size_t expert, rows;
	size_t *tokens;
	float *shares;
	int8_t *q;            /* [rows][hidden], then [rows][inner] */
	float *scales;
	int32_t *gate, *up;   /* [rows][inner] */
	int32_t *down;        /* [rows][hidden] */
};

struct moe {
	struct shape shape;
	struct ork_device *dev;
	struct ork_pack *pack;
	struct ork_residency *residency;
	size_t max_tokens;
	struct visit *visits; /* one for each expert */
	float *inner;         /* [max_tokens][inner] */
	double ms[PHASES];
	double since;
	int checked;
};

static uint64_t state = 1;

static uint64_t random_u64(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return z ^ z >> 27;
}

static float random_real(void)
{
	return (float)(random_u64() >> 40) * 0x1p-23f - 1;
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* The time since the last call belongs to this phase. */
static void spent(struct moe *moe, enum phase phase)
{
	const double now = now_ms();

	moe->ms[phase] += now - moe->since;
	moe->since = now;
}

/* --- The file --- */

static int write_tensor(struct ork_pack_writer *writer, const char *name, size_t k, size_t n, size_t experts, char *reason)
{
	const struct ork_pack_tensor tensor = {
		.name = name, .type = ORK_I8, .k = k, .n = n, .batch = experts, .groups = 1, .scaled = true
	};
	uint64_t *bt = malloc(n * k);
	float *scales = malloc(n * sizeof(*scales));
	size_t expert, i;
	int err = bt && scales ? ork_pack_begin(writer, &tensor, reason) : -1;

	for (expert = 0; expert < experts && !err; expert++) {
		for (i = 0; i < n * k / sizeof(*bt); i++)
			bt[i] = random_u64();
		for (i = 0; i < n; i++)
			scales[i] = 1 / (128 * sqrtf((float)k));
		err = ork_pack_put(writer, expert, 0, n, bt, k, scales, reason);
	}
	free(bt);
	free(scales);
	return err;
}

static int write_file(const struct shape *shape, const char *path, char *reason)
{
	struct ork_pack_writer *writer;
	char name[64];
	size_t layer;
	int err = ork_pack_create(path, &writer, reason);

	if (err)
		return err;
	for (layer = 0; layer < shape->layers && !err; layer++) {
		snprintf(name, sizeof(name), "layer.%zu.gate", layer);
		err = write_tensor(writer, name, shape->hidden, shape->inner, shape->experts, reason);
		snprintf(name, sizeof(name), "layer.%zu.up", layer);
		if (!err)
			err = write_tensor(writer, name, shape->hidden, shape->inner, shape->experts, reason);
		snprintf(name, sizeof(name), "layer.%zu.down", layer);
		if (!err)
			err = write_tensor(writer, name, shape->inner, shape->hidden, shape->experts, reason);
	}
	if (!err)
		return ork_pack_finish(writer, reason);
	ork_pack_abandon(writer);
	return err;
}

/* Number of a layer's tensor. */
static size_t tensor_of(const struct moe *moe, size_t layer, const char *part)
{
	char name[64];
	size_t index = SIZE_MAX;

	snprintf(name, sizeof(name), "layer.%zu.%s", layer, part);
	ork_pack_find(moe->pack, name, &index);
	return index;
}

/* --- One layer --- */

/* A router would multiply x by a matrix; the choice is random here. Each token goes to `top` different experts. */
static void route(struct moe *moe, size_t tokens)
{
	size_t token, i, chosen;

	for (i = 0; i < moe->shape.experts; i++)
		moe->visits[i].rows = 0;
	for (token = 0; token < tokens; token++) {
		for (i = 0; i < moe->shape.top; i++) {
			struct visit *visit;

			do {
				chosen = random_u64() % moe->shape.experts;
				visit = &moe->visits[chosen];
			} while (visit->rows && visit->tokens[visit->rows - 1] == token);
			visit->tokens[visit->rows] = token;
			visit->shares[visit->rows++] = 1.0f / (float)moe->shape.top;
		}
	}
}

/* Activations differ from row to row, so each has a scale. */
static int quantise_in(const struct moe *moe, struct visit *visit, const float *x)
{
	const size_t hidden = moe->shape.hidden;
	size_t i;
	int err = 0;

	for (i = 0; i < visit->rows && !err; i++)
		err = ork_quantise_rows(ORK_I8, x + visit->tokens[i] * hidden, hidden, 1, hidden, visit->q + i * hidden,
					hidden, &visit->scales[i]);
	return err;
}

/* silu(gate) * up, quantised for the next product. */
static int activate(const struct moe *moe, struct visit *visit, const float *gate_scales, const float *up_scales)
{
	const size_t inner = moe->shape.inner;
	size_t i, j;

	for (i = 0; i < visit->rows; i++) {
		for (j = 0; j < inner; j++) {
			const float gate = (float)visit->gate[i * inner + j] * visit->scales[i] * gate_scales[j];
			const float up = (float)visit->up[i * inner + j] * visit->scales[i] * up_scales[j];

			moe->inner[i * inner + j] = gate / (1 + expf(-gate)) * up;
		}
	}
	return ork_quantise_rows(ORK_I8, moe->inner, inner, visit->rows, inner, visit->q, inner, visit->scales);
}

static void combine(const struct moe *moe, const struct visit *visit, const float *down_scales, float *y)
{
	const size_t hidden = moe->shape.hidden;
	size_t i, j;

	for (i = 0; i < visit->rows; i++) {
		const float factor = visit->shares[i] * visit->scales[i];
		float *row = y + visit->tokens[i] * hidden;

		for (j = 0; j < hidden; j++)
			row[j] += (float)visit->down[i * hidden + j] * factor * down_scales[j];
	}
}

/* Starts the products and waits for them. */
static int run(struct moe *moe, const struct ork_matmul_desc *products, size_t count)
{
	struct ork_job *job;
	int err = ork_matmul_submit(moe->dev, products, count, NULL, &job);

	spent(moe, SUBMIT);
	if (err)
		return err;
	err = ork_job_wait(job, -1);
	ork_job_destroy(job);
	spent(moe, WAIT);
	return err;
}

/* The first product of each batch size has to be what a CPU computes. */
static int check(struct moe *moe, size_t index, size_t expert, const struct ork_matmul_desc *product)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(moe->pack, index);
	int8_t *b = malloc(tensor->k * tensor->n);
	int32_t *c = malloc(product->m * tensor->n * sizeof(*c));
	struct ork_ref_desc desc = {
		.type = ORK_I8, .m = product->m, .k = tensor->k, .n = tensor->n, .a = product->a, .lda = tensor->k, .b = b,
		.ldb = tensor->n, .c = c, .ldc = tensor->n,
	};
	int err = !b || !c || ork_pack_read(moe->pack, index, expert, 0, tensor->k, b, tensor->n) ||
		  ork_ref_matmul(&desc) || memcmp(c, product->c, product->m * tensor->n * sizeof(*c)) != 0;

	free(b);
	free(c);
	moe->checked = 1;
	moe->since = now_ms();
	if (err)
		fprintf(stderr, "a product is wrong\n");
	return err;
}

/* Weights of up to WAVE experts, which stay until they are put back. */
static int get(struct moe *moe, size_t index, struct visit *const *wave, size_t count, struct ork_weights **weights)
{
	size_t i;
	int err;

	for (i = 0; i < count; i++) {
		err = ork_residency_get(moe->residency, index, wave[i]->expert, &weights[i]);
		if (!err)
			continue;
		while (i)
			ork_residency_put(moe->residency, index, wave[--i]->expert);
		return err;
	}
	spent(moe, LOAD);
	return 0;
}

static void put(struct moe *moe, size_t index, struct visit *const *wave, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		ork_residency_put(moe->residency, index, wave[i]->expert);
}

static int run_gate_and_up(struct moe *moe, const size_t *index, struct visit *const *wave, size_t count)
{
	struct ork_matmul_desc products[2 * WAVE];
	struct ork_weights *gates[WAVE], *ups[WAVE];
	size_t i;
	int err = get(moe, index[0], wave, count, gates);

	if (err)
		return err;
	err = get(moe, index[1], wave, count, ups);
	if (!err) {
		for (i = 0; i < count; i++) {
			products[2 * i] = (struct ork_matmul_desc){
				.weights = gates[i], .m = wave[i]->rows, .a = wave[i]->q, .lda = moe->shape.hidden,
				.c = wave[i]->gate, .ldc = moe->shape.inner,
			};
			products[2 * i + 1] = products[2 * i];
			products[2 * i + 1].weights = ups[i];
			products[2 * i + 1].c = wave[i]->up;
		}
		err = run(moe, products, 2 * count);
		put(moe, index[1], wave, count);
	}
	put(moe, index[0], wave, count);
	return err || moe->checked ? err : check(moe, index[0], wave[0]->expert, &products[0]);
}

static int run_down(struct moe *moe, size_t index, struct visit *const *wave, size_t count)
{
	struct ork_matmul_desc products[WAVE];
	struct ork_weights *weights[WAVE];
	size_t i;
	int err = get(moe, index, wave, count, weights);

	if (err)
		return err;
	for (i = 0; i < count; i++)
		products[i] = (struct ork_matmul_desc){
			.weights = weights[i], .m = wave[i]->rows, .a = wave[i]->q, .lda = moe->shape.inner,
			.c = wave[i]->down, .ldc = moe->shape.hidden,
		};
	err = run(moe, products, count);
	put(moe, index, wave, count);
	return err;
}

static const float *scales_of(const struct moe *moe, size_t index, size_t expert)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(moe->pack, index);

	return tensor->scales + expert * tensor->n;
}

static int run_wave(struct moe *moe, const size_t *index, struct visit *const *wave, size_t count, const float *x, float *y)
{
	size_t i;
	int err = 0;

	for (i = 0; i < count && !err; i++)
		err = quantise_in(moe, wave[i], x);
	spent(moe, QUANTISE);
	if (!err)
		err = run_gate_and_up(moe, index, wave, count);
	for (i = 0; i < count && !err; i++)
		err = activate(moe, wave[i], scales_of(moe, index[0], wave[i]->expert),
			       scales_of(moe, index[1], wave[i]->expert));
	spent(moe, QUANTISE);
	if (!err)
		err = run_down(moe, index[2], wave, count);
	for (i = 0; i < count && !err; i++)
		combine(moe, wave[i], scales_of(moe, index[2], wave[i]->expert), y);
	spent(moe, COMBINE);
	return err;
}

/* y = x + what the chosen experts make of x. */
static int run_layer(struct moe *moe, size_t layer, size_t tokens, const float *x, float *y)
{
	const size_t index[3] = { tensor_of(moe, layer, "gate"), tensor_of(moe, layer, "up"), tensor_of(moe, layer, "down") };
	struct visit *wave[WAVE];
	size_t expert, count = 0;
	int err = 0;

	moe->since = now_ms();
	memcpy(y, x, tokens * moe->shape.hidden * sizeof(*y));
	route(moe, tokens);
	spent(moe, ROUTE);
	for (expert = 0; expert < moe->shape.experts && !err; expert++) {
		if (moe->visits[expert].rows)
			wave[count++] = &moe->visits[expert];
		if (count < WAVE && expert + 1 < moe->shape.experts)
			continue;
		if (count)
			err = run_wave(moe, index, wave, count, x, y);
		count = 0;
	}
	return err;
}

/* --- All of them --- */

static void report(const struct moe *moe, size_t tokens, size_t steps)
{
	struct ork_residency_info info;
	struct ork_info device;
	double total = 0;
	int phase;

	for (phase = 0; phase < PHASES; phase++)
		total += moe->ms[phase];
	printf("M = %2zu: %8.2f ms for each of %zu steps of %zu layers:", tokens, total / (double)steps, steps,
	       moe->shape.layers);
	for (phase = 0; phase < PHASES; phase++)
		printf(" %s %.0f %%%s", phase_names[phase], 100 * moe->ms[phase] / total, phase + 1 < PHASES ? "," : "\n");
	if (!ork_query(moe->dev, &device))
		printf("        jobs of the cores so far: %llu, %llu, %llu\n", (unsigned long long)device.jobs_done[0],
		       (unsigned long long)device.jobs_done[1], (unsigned long long)device.jobs_done[2]);
	ork_residency_query(moe->residency, &info);
	printf("        %llu hits, %llu misses, %llu evictions; %.0f of %.0f MiB resident in %u address spaces\n",
	       (unsigned long long)info.hits, (unsigned long long)info.misses, (unsigned long long)info.evictions,
	       (double)info.resident_bytes / 0x1p20, (double)info.budget_bytes / 0x1p20, info.vms);
}

static int run_steps(struct moe *moe, size_t tokens, size_t steps)
{
	const size_t count = tokens * moe->shape.hidden;
	float *x = malloc(count * sizeof(*x)), *y = malloc(count * sizeof(*y)), *swap;
	size_t step, layer, i;
	int err = x && y ? 0 : -1;

	memset(moe->ms, 0, sizeof(moe->ms));
	moe->checked = 0;
	for (step = 0; step < steps && !err; step++) {
		for (i = 0; i < count; i++)
			x[i] = random_real();
		for (layer = 0; layer < moe->shape.layers && !err; layer++) {
			err = run_layer(moe, layer, tokens, x, y);
			swap = x, x = y, y = swap;
		}
	}
	free(x);
	free(y);
	if (!err)
		report(moe, tokens, steps);
	else
		fprintf(stderr, "failed: %s\n", ork_error(moe->dev));
	return err;
}

static int make_visits(struct moe *moe, size_t tokens)
{
	const size_t hidden = moe->shape.hidden, inner = moe->shape.inner;
	const size_t longest = hidden > inner ? hidden : inner;
	size_t i;

	moe->inner = malloc(tokens * inner * sizeof(float));
	moe->visits = calloc(moe->shape.experts, sizeof(*moe->visits));
	for (i = 0; moe->inner && moe->visits && i < moe->shape.experts; i++) {
		struct visit *visit = &moe->visits[i];

		visit->expert = i;
		visit->tokens = malloc(tokens * sizeof(*visit->tokens));
		visit->shares = malloc(tokens * sizeof(float));
		visit->scales = malloc(tokens * sizeof(float));
		visit->q = malloc(tokens * longest);
		visit->gate = malloc(tokens * inner * sizeof(int32_t));
		visit->up = malloc(tokens * inner * sizeof(int32_t));
		visit->down = malloc(tokens * hidden * sizeof(int32_t));
		if (!visit->tokens || !visit->shares || !visit->scales || !visit->q || !visit->gate || !visit->up ||
		    !visit->down)
			return -1;
	}
	return moe->inner && moe->visits ? 0 : -1;
}

static void free_visits(struct moe *moe)
{
	size_t i;

	for (i = 0; moe->visits && i < moe->shape.experts; i++) {
		struct visit *visit = &moe->visits[i];

		free(visit->tokens), free(visit->shares), free(visit->scales), free(visit->q);
		free(visit->gate), free(visit->up), free(visit->down);
	}
	free(moe->visits);
	free(moe->inner);
}

static int open_file(struct moe *moe, const char *path)
{
	char reason[ORK_PACK_REASON_BYTES];

	if (access(path, F_OK) && write_file(&moe->shape, path, reason)) {
		fprintf(stderr, "cannot write %s: %s\n", path, reason);
		return -1;
	}
	if (ork_pack_open(path, &moe->pack, reason)) {
		fprintf(stderr, "cannot read %s: %s\n", path, reason);
		return -1;
	}
	if (ork_pack_count(moe->pack) == 3 * moe->shape.layers && tensor_of(moe, moe->shape.layers - 1, "up") != SIZE_MAX &&
	    ork_pack_tensor(moe->pack, 0)->batch == moe->shape.experts)
		return 0;
	fprintf(stderr, "%s has other tensors\n", path);
	return -1;
}

/* budget_mib 0: three quarters of what there is. */
static int run_all(struct moe *moe, uint64_t budget_mib)
{
	const struct shape *s = &moe->shape;
	const uint64_t bytes = (uint64_t)3 * s->hidden * s->inner * s->experts * s->layers;
	int err;

	printf("%zu layers of %zu experts, top %zu, %zu x %zu: %.0f MiB\n", s->layers, s->experts, s->top, s->hidden,
	       s->inner, (double)bytes / 0x1p20);
	err = ork_residency_create(moe->dev, moe->pack, budget_mib ? budget_mib << 20 : bytes / 4 * 3, &moe->residency);
	if (!err)
		err = make_visits(moe, 32);
	if (!err)
		err = run_steps(moe, 1, 8);
	if (!err)
		err = run_steps(moe, 32, 2);
	free_visits(moe);
	ork_residency_destroy(moe->residency);
	return err;
}

int main(int argc, char **argv)
{
	struct moe moe = { .shape = argc > 1 && strcmp(argv[1], "full") == 0 ? full : small };
	const char *path = argc > 2 ? argv[2] : NULL;
	char folder[] = "/tmp/ork-moe-XXXXXX", temporary[32];
	int err;

	err = ork_open(NULL, &moe.dev);
	if (err) {
		fprintf(stderr, "open: %s\n", ork_strerror(err));
		return 1;
	}
	if (!path) {
		err = mkdtemp(folder) ? 0 : -1;
		snprintf(temporary, sizeof(temporary), "%s/w", folder);
		path = temporary;
	}
	if (!err)
		err = open_file(&moe, path);
	if (!err)
		err = run_all(&moe, argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
	ork_pack_close(moe.pack);
	ork_close(moe.dev);
	if (path == temporary) {
		unlink(temporary);
		rmdir(folder);
	}
	return err != 0;
}
