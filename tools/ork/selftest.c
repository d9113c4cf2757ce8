/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "operands.h"
#include "selftest.h"

/* A, B, and C on the NPU and on the CPU. */
struct results {
	void *a, *b;
	void *npu, *cpu;
};

/*
 * How far C may be from the reference. The last bits of these types are not published for silicon (ork.h); everything
 * else, and the model, is exact.
 */
static bool may_differ(const struct product_type *type, struct ork_device *dev)
{
	struct ork_info info;

	if (type->type != ORK_BF16 && type->c_type != ORK_F16)
		return false;
	return !ork_query(dev, &info) && strcmp(machine_times("", info.backend), "silicon") == 0;
}

static float largest(const float *c, size_t count)
{
	float most = 0;
	size_t i;

	for (i = 0; i < count; i++)
		most = fmaxf(most, fabsf(c[i]));
	return most;
}

/* binary16 in the order of the numbers. */
static int ordered(uint16_t half)
{
	return half & 0x8000 ? -(half & 0x7fff) : half;
}

static bool differs(enum ork_dtype c_type, const struct results *c, size_t i, float tolerance)
{
	switch (c_type) {
	case ORK_F32:
		return !(fabsf(((float *)c->npu)[i] - ((float *)c->cpu)[i]) <= tolerance);
	case ORK_F16:
		return abs(ordered(((uint16_t *)c->npu)[i]) - ordered(((uint16_t *)c->cpu)[i])) > 1;
	default:
		return false;
	}
}

static void compare(const struct selftest_product *product, const struct results *c, bool exact, char *detail)
{
	const enum ork_dtype c_type = product->type->c_type;
	const size_t count = product->m * product->n, bytes = ork_dtype_bytes(c_type);
	const float tolerance = c_type == ORK_F32 ? largest(c->cpu, count) * 0x1p-16f : 0;
	size_t i, wrong = 0, first = 0;

	for (i = 0; i < count; i++) {
		if (memcmp((char *)c->npu + i * bytes, (char *)c->cpu + i * bytes, bytes) == 0 ||
		    (!exact && !differs(c_type, c, i, tolerance)))
			continue;
		if (!wrong++)
			first = i;
	}
	if (wrong)
		snprintf(detail, SELFTEST_DETAIL_CHARS, "%zu of %zu elements are wrong, the first in row %zu, column %zu",
			 wrong, count, first / product->n, first % product->n);
}

static uint32_t count_cores(uint32_t mask)
{
	uint32_t cores = 0;

	for (; mask; mask &= mask - 1)
		cores++;
	return cores;
}

static int multiply(struct ork_device *dev, const struct selftest_product *p, const struct results *of)
{
	const struct ork_requant requant = p->type->c_type == ORK_I8 ? usual_requant(p->k) : (struct ork_requant){ 0 };
	const struct ork_weights_desc b = { .type = p->type->type, .b = of->b, .ldb = p->n, .k = p->k, .n = p->n };
	const struct ork_matmul_opts opts = { .cores = count_cores(p->core_mask), .core_mask = p->core_mask };
	struct ork_weights *weights;
	int err = ork_weights_create(dev, &b, &weights);

	if (err)
		return err;
	err = ork_matmul(dev, &(struct ork_matmul_desc){
		.weights = weights, .c_type = p->type->c_type, .m = p->m, .a = of->a, .lda = p->k, .c = of->npu, .ldc = p->n,
		.requant = requant,
	}, &opts);
	if (!err)
		err = ork_ref_matmul(&(struct ork_ref_desc){
			.type = p->type->type, .c_type = p->type->c_type, .m = p->m, .k = p->k, .n = p->n, .a = of->a,
			.lda = p->k, .b = of->b, .ldb = p->n, .c = of->cpu, .ldc = p->n,
			.k_slice = ork_weights_k_slice(weights), .requant = requant,
		});
	ork_weights_destroy(weights);
	return err;
}

void selftest_run(struct ork_device *dev, const struct selftest_product *product, char detail[SELFTEST_DETAIL_CHARS])
{
	const size_t count = product->m * product->n, bytes = ork_dtype_bytes(product->type->c_type);
	uint64_t state = product->k;
	struct results of = {
		.a = random_matrix(product->type->type, product->m * product->k, &state),
		.b = random_matrix(product->type->type, product->k * product->n, &state),
		.npu = calloc(count, bytes),
		.cpu = calloc(count, bytes),
	};

	*detail = '\0';
	if (!of.a || !of.b || !of.npu || !of.cpu)
		snprintf(detail, SELFTEST_DETAIL_CHARS, "not enough memory");
	else if (multiply(dev, product, &of))
		snprintf(detail, SELFTEST_DETAIL_CHARS, "%s", ork_error(dev));
	else
		compare(product, &of, !may_differ(product->type, dev), detail);
	free(of.a);
	free(of.b);
	free(of.npu);
	free(of.cpu);
}

/* --- Chain ------------------------------------------------------------------------------------------------------ */

#define LAYERS 4
#define WIDTH  64
#define ROWS   6

#define CHAIN_BYTES (ROWS * WIDTH * sizeof(uint16_t))

/* Each row and column has a single 1 or 2, so that no layer rounds. */
static void fill_permutation(uint16_t *b, int layer)
{
	int i;

	memset(b, 0, WIDTH * WIDTH * sizeof(*b));
	for (i = 0; i < WIDTH; i++)
		b[i * WIDTH + (i * 5 + layer) % WIDTH] = i % 3 ? 0x3c00 : 0x4000;
}

static int reference_chain(uint16_t *x, uint16_t b[LAYERS][WIDTH * WIDTH])
{
	uint16_t next[ROWS * WIDTH];
	int i, err = 0;

	for (i = 0; i < LAYERS && !err; i++) {
		err = ork_ref_matmul(&(struct ork_ref_desc){
			.type = ORK_F16, .c_type = ORK_F16, .m = ROWS, .k = WIDTH, .n = WIDTH, .a = x, .lda = WIDTH,
			.b = b[i], .ldb = WIDTH, .c = next, .ldc = WIDTH,
		});
		memcpy(x, next, sizeof(next));
	}
	return err;
}

/* Two places in the buffer take turns. */
static int run_chain(struct ork_device *dev, struct ork_bo *buffer, struct ork_weights **weights)
{
	const struct ork_matmul_opts in_order = { .in_order = 1 };
	struct ork_matmul_desc layers[LAYERS];
	struct ork_job *job;
	int i, err;

	for (i = 0; i < LAYERS; i++)
		layers[i] = (struct ork_matmul_desc){
			.weights = weights[i], .c_type = ORK_F16, .m = ROWS,
			.a_bo = buffer, .a_offset_bytes = i % 2 * CHAIN_BYTES, .lda = WIDTH,
			.c_bo = buffer, .c_offset_bytes = (i + 1) % 2 * CHAIN_BYTES, .ldc = WIDTH,
		};
	err = ork_matmul_submit(dev, layers, LAYERS, &in_order, &job);
	if (err)
		return err;
	err = ork_job_wait(job, -1);
	ork_job_destroy(job);
	return err;
}

static int chain(struct ork_device *dev, struct ork_bo *buffer, struct ork_weights **weights, bool *same)
{
	static uint16_t b[LAYERS][WIDTH * WIDTH];
	uint16_t x[ROWS * WIDTH];
	void *memory;
	int i, err = ork_bo_map(buffer, &memory);

	for (i = 0; i < LAYERS && !err; i++) {
		fill_permutation(b[i], i);
		err = ork_weights_create(dev, &(struct ork_weights_desc){
			.type = ORK_F16, .b = b[i], .ldb = WIDTH, .k = WIDTH, .n = WIDTH
		}, &weights[i]);
	}
	if (err)
		return err;
	for (i = 0; i < ROWS * WIDTH; i++)
		x[i] = (uint16_t)(0x3c00 + i); /* 1 and a little more each */
	memcpy(memory, x, CHAIN_BYTES);
	err = run_chain(dev, buffer, weights);
	if (!err)
		err = reference_chain(x, b);
	*same = !err && memcmp((char *)memory + LAYERS % 2 * CHAIN_BYTES, x, CHAIN_BYTES) == 0;
	return err;
}

void selftest_chain(struct ork_device *dev, char detail[SELFTEST_DETAIL_CHARS])
{
	struct ork_weights *weights[LAYERS] = { NULL };
	struct ork_bo *buffer = NULL;
	bool same = false;
	int i, err = ork_bo_create(dev, 2 * CHAIN_BYTES, 0, &buffer);

	*detail = '\0';
	if (!err)
		err = chain(dev, buffer, weights, &same);
	if (err)
		snprintf(detail, SELFTEST_DETAIL_CHARS, "%s", ork_error(dev));
	else if (!same)
		snprintf(detail, SELFTEST_DETAIL_CHARS, "the result is wrong");
	for (i = 0; i < LAYERS; i++)
		ork_weights_destroy(weights[i]);
	ork_bo_destroy(buffer);
}
