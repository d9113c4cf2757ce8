/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "layer.h"
#include "suites.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Random legal programs against the independent reference of layer.c: every shape, type, layout and output stage that the model
 * runs, single and in chains. Not only the results are compared but all memory around them.
 */

#define CHAIN_MAX   4
#define SLOT_BYTES  0x200000u
#define CHAINS      240
#define MACS_MAX    3000000u
#define AREA_BYTES  (CHAIN_MAX * SLOT_BYTES)

static struct board board;
static uint64_t state;
static uint64_t compared;

static uint32_t next_random(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % below;
}

static uint32_t between(uint32_t low, uint32_t high)
{
	return low + next_random(high - low + 1);
}

static const struct {
	uint8_t input, output, unit, group; /* unit: channels come in multiples of it; group: kernels do */
} pairs[] = {
	{ 0, 4, 16, 32 }, { 0, 5, 16, 32 }, { 0, 0, 16, 32 }, { 0, 1, 16, 32 }, { 1, 4, 32, 16 }, { 2, 5, 32, 16 },
	{ 2, 2, 32, 16 }, { 3, 5, 32, 16 }, { 3, 3, 32, 16 }, { 7, 5, 16, 16 }, { 6, 1, 32, 64 },
};

static void random_stages(struct layer *l)
{
	bool integer = l->input != 2 && l->input != 3 && l->input != 7;

	l->relu = next_random(4) == 0;
	if (!integer)
		return;
	l->bias = next_random(4) == 0;
	l->triple = !l->bias && next_random(4) == 0;
	l->triple_shift[0] = l->triple ? between(0, 31) : 0;
	l->triple_shift[1] = l->triple ? between(0, 31) : 0;
	l->clip = next_random(6) == 0 ? between(1, 12) | next_random(2) << 6 : 0;
	l->ow_operand = next_random(4) == 0 ? (int32_t)next_random(0x10000) - 0x8000 : 0;
	if (l->output == 5)
		return;
	l->scale = next_random(2) ? (int32_t)between(1, 0xffff) - 0x8000 : 1;
	l->shift = l->output < 2 ? between(0, 24) : next_random(4);
	l->half_away = next_random(2);
	l->offset = next_random(3) ? 0 : (int32_t)next_random(512) - 256;
}

static void random_kernel(struct layer *l)
{
	bool image = next_random(2);

	l->kw = image ? between(1, 5) : 1;
	l->kh = image ? between(1, 5) : 1;
	l->sx = image ? between(1, 4) : 1;
	l->sy = image ? between(1, 4) : 1;
	l->dx = image && next_random(4) == 0 ? between(1, 2) : 0;
	l->dy = image && next_random(4) == 0 ? between(1, 2) : 0;
	l->left = next_random(l->kw);
	l->top = next_random(l->kh);
	l->w = image ? between((l->kw - 1) * (l->dx + 1) + 1, 24) : next_random(2) ? 1 : between(1, 60);
	l->h = image ? between((l->kh - 1) * (l->dy + 1) + 1, 24) : l->w == 1 ? between(1, 150) : between(1, 4);
}

static bool legal(const struct layer *l)
{
	uint32_t banks = (layer_feature_bytes(l) + l->h * 64) / 32768 + 1;
	uint32_t group = layer_weight_bytes(l) / (l->depthwise ? 1 : l->n) * 64;

	return layer_macs(l) < MACS_MAX && layer_feature_bytes(l) < SLOT_BYTES / 2 && banks < 9 &&
	       group < (12 - banks) * 32768 && layer_result_bytes(l) < SLOT_BYTES && layer_weight_bytes(l) < SLOT_BYTES;
}

static void random_layer(struct layer *l, uint32_t slot)
{
	do {
		uint32_t pair = next_random(sizeof(pairs) / sizeof(pairs[0]));

		*l = (struct layer){ .input = pairs[pair].input, .output = pairs[pair].output };
		random_kernel(l);
		/* size_e has three bits: no 64 channels of four bytes. */
		l->depthwise = ((l->input == 0 && l->output < 2) || l->input == 2) && next_random(4) == 0;
		l->c = pairs[pair].unit * between(1, next_random(3) ? 8 : 40);
		l->n = pairs[pair].group * between(1, 6);
		if (l->depthwise)
			l->c = l->input == 0 ? (next_random(2) ? 64 * between(1, 3) : 16 * between(1, 4)) : 32 * between(1, 4);
		else if (next_random(4) == 0)
			l->n -= between(0, pairs[pair].group / 2 - 1) * 2;
		l->layout = (enum layout)next_random(3);
		l->rows_out = next_random(2);
		random_stages(l);
		l->pad = l->input == 2 ? 0x3c00 : l->input == 3 ? 0x3f80 : l->input == 7 ? 0x3f800000 : next_random(256);
		l->a_at = A_AT + slot * (SLOT_BYTES / 2);
		l->operand_at = l->a_at + SLOT_BYTES / 2 - 0x10000;
		l->b_at = B_AT + slot * SLOT_BYTES;
		l->c_at = C_AT + slot * SLOT_BYTES + 16 * next_random(8);
		layer_complete(l);
	} while (!legal(l));
}

/* A later task may take the features or the weights of the one before out of CBUF, if these still are what it needs. */
static void maybe_reuse(struct layer *l, const struct layer *before, uint32_t slot)
{
	struct layer same = *before;
	bool weights = next_random(2);

	if (next_random(3) || before->reuse || before->depthwise || layer_weight_bytes(before) > 3 * 32768 ||
	    before->h * ((before->w * before->c * 4 + 63) / 64) * 64 > 8 * 32768)
		return;
	same.a = same.b = NULL;
	same.operand = NULL;
	same.a_at = l->a_at;
	same.b_at = l->b_at;
	same.c_at = C_AT + slot * SLOT_BYTES;
	same.operand_at = l->operand_at;
	same.reuse = weights ? 0x2000 : 0x1000;
	/* An address that must not be read. */
	if (weights)
		same.weights_of = 0x20;
	else
		same.features_of = 0x20;
	*l = same;
}

static void share(struct layer *l, const struct layer *before)
{
	uint32_t weights = l->n * l->kw * l->kh * l->c, features = l->w * l->h * l->c;

	if (l->reuse & 0x2000)
		memcpy(l->b, before->b, weights * sizeof(*l->b));
	if (l->reuse & 0x1000)
		memcpy(l->a, before->a, features * sizeof(*l->a));
}

static void store_chain(struct layer *layers, uint32_t count, uint32_t *first_amount)
{
	uint32_t amount = 0;

	for (uint32_t i = count; i-- > 0;) {
		uint32_t at = PROGRAM_AT + i * 0x1000;
		struct program program;

		layer_program(&layers[i], &program);
		amount = program_store(&program, &board, at, layer_map(&layers[i]), i + 1 < count ? at + 0x1000 : 0, amount);
	}
	*first_amount = amount;
}

static bool memory_is_right(const struct layer *layers, uint32_t count)
{
	uint8_t *expected = malloc(AREA_BYTES);
	bool right;

	if (!expected)
		abort();
	memset(expected, PATTERN, AREA_BYTES);
	for (uint32_t i = 0; i < count; i++) {
		layer_expect(&layers[i], expected, C_AT);
		compared += layer_result_bytes(&layers[i]) / layer_output_bytes(&layers[i]);
	}
	right = memcmp(expected, board_memory(&board, C_AT), AREA_BYTES) == 0;
	free(expected);
	return right;
}

static void print_layer(const struct layer *l)
{
	printf("# %u->%u %ux%ux%u n %u kernel %ux%u stride %u,%u dilation %u,%u pad %u,%u out %ux%u%s layout %d rows %d reuse %x "
	       "bias %d triple %d ow %d clip %x: %u wrong\n", l->input, l->output, l->w, l->h, l->c, l->n, l->kw, l->kh, l->sx,
	       l->sy, l->dx, l->dy, l->left, l->top, l->ow, l->oh, l->depthwise ? " depthwise" : "", l->layout, l->rows_out,
	       l->reuse, l->bias, l->triple, l->ow_operand, l->clip, layer_wrong(l, &board));
}

static bool chain_is_right(uint64_t seed)
{
	struct layer layers[CHAIN_MAX];
	uint32_t count, amount;
	bool right;

	state = seed * 0x9e3779b97f4a7c15u + 1;
	count = between(1, CHAIN_MAX);
	for (uint32_t i = 0; i < count; i++) {
		random_layer(&layers[i], i);
		if (i > 0)
			maybe_reuse(&layers[i], &layers[i - 1], i);
		layer_random(&layers[i], (uint32_t)seed * 16 + i);
		if (i > 0)
			share(&layers[i], &layers[i - 1]);
		layer_store(&layers[i], &board);
	}
	memset(board_memory(&board, C_AT), PATTERN, AREA_BYTES);
	store_chain(layers, count, &amount);
	npu_core_reset(board.core);
	board.reports = 0;
	board_kick(&board, 0, PROGRAM_AT, amount, count);
	right = board_work(&board) == count && board.reports == 0 && memory_is_right(layers, count);
	if (!right)
		printf("# seed %llu: %s\n", (unsigned long long)seed, board.reports ? board.first_report : "");
	for (uint32_t i = 0; i < count; i++) {
		if (!right)
			print_layer(&layers[i]);
		layer_fini(&layers[i]);
	}
	return right;
}

static void random_chains_equal_the_reference(void)
{
	board_init(&board, 0);
	compared = 0;
	for (uint64_t seed = 1; seed <= CHAINS; seed++)
		if (!CHECK(chain_is_right(seed)))
			break;
	printf("# %llu elements compared\n", (unsigned long long)compared);
	CHECK(compared > 2000000);
	board_fini(&board);
}

void suite_property(void)
{
	RUN(random_chains_equal_the_reference);
}
