/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "layer.h"
#include "suites.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* The reuse bits of CBUF_CON0 read what the banks hold, whoever put it there (NPU reference 3.5.4). */

#define WEIGHT_REUSE 0x2000u
#define DATA_REUSE   0x1000u
#define WEIGHT_BANKS 2u
#define CAPACITY     (WEIGHT_BANKS * 32768u)
#define NOWHERE      0x20u

static struct board board;

/* Stores the layers as one chain, each with an output area of its own, and runs it. */
static void run_chain(struct layer *layers, uint32_t count)
{
	uint32_t amount = 0;

	for (uint32_t i = count; i-- > 0;) {
		uint32_t at = PROGRAM_AT + i * 0x1000;
		struct program program;

		layer_store(&layers[i], &board);
		layer_program(&layers[i], &program);
		program_set(&program, CNA_CBUF_CON0, WEIGHT_BANKS << 4 | 2 | layers[i].reuse);
		amount = program_store(&program, &board, at, 0x0d, i + 1 < count ? at + 0x1000 : 0, amount);
	}
	board_kick(&board, 0, PROGRAM_AT, amount, count);
	CHECK(board_work(&board) == count);
	CHECK(npu_core_irq(board.core));
}

/* A multiplication in place number slot; seeds choose the operands. */
static struct layer layer(uint32_t k, uint32_t n, uint32_t slot, uint32_t seed)
{
	struct layer l = {
		.output = 4, .h = 4, .c = k, .n = n, .a_at = A_AT + slot * 0x100000, .b_at = B_AT + slot * 0x400000,
		.c_at = C_AT + slot * 0x100000,
	};

	layer_complete(&l);
	layer_random(&l, seed);
	return l;
}

static void take_weights(struct layer *l, const struct layer *from)
{
	memcpy(l->b, from->b, l->n * l->c * sizeof(*l->b));
	l->reuse = WEIGHT_REUSE;
	l->weights_of = NOWHERE;
}

static bool column_is_right(const struct layer *l, uint32_t column)
{
	for (uint32_t row = 0; row < l->h; row++)
		if (layer_read(l, &board, row, column) != layer_element(l, row, column))
			return false;
	return true;
}

/*
 * Columns that a task with WEIGHT_REUSE gets right after one without; they are the last ones. Its first channels are zero, so
 * that their weights do not matter.
 */
static uint32_t right_columns_from(uint32_t k, uint32_t n, uint32_t zero_channels)
{
	struct layer layers[2] = { layer(k, n, 0, 1), layer(k, n, 1, 2) };
	uint32_t right = 0;

	take_weights(&layers[1], &layers[0]);
	for (uint32_t i = 0; i < layers[1].h * k; i++)
		if (i % k < zero_channels)
			layers[1].a[i] = 0;
	board_init(&board, 0);
	run_chain(layers, 2);
	CHECK(layer_wrong(&layers[0], &board) == 0);
	for (uint32_t column = 0; column < n; column++)
		right += column_is_right(&layers[1], column);
	for (uint32_t column = n - right; column < n; column++)
		CHECK(column_is_right(&layers[1], column));
	board_fini(&board);
	layer_fini(&layers[0]);
	layer_fini(&layers[1]);
	return right;
}

static uint32_t right_columns(uint32_t k, uint32_t n)
{
	return right_columns_from(k, n, 0);
}

static void weights_that_fill_the_banks_are_all_there(void)
{
	CHECK(right_columns(512, 128) == 128);
	CHECK(right_columns(512, 64) == 64);
}

static void half_of_twice_the_capacity_is_there(void)
{
	CHECK(right_columns(512, 256) == 128);
}

/* The fraction is capacity / (K * N), less the kernel group that is only partly there. */
static void tenth_of_ten_times_the_capacity_is_there(void)
{
	uint32_t right = right_columns(544, 1312);

	CHECK(544 * 1312 > 10.8 * CAPACITY && 544 * 1312 < 11 * CAPACITY);
	CHECK(right <= CAPACITY / 544 && right + 32 > CAPACITY / 544);
}

/* 713728 bytes less 65536 end 4096 bytes, four tiles of 32 channels, into the first kernel group that is left. */
static void partly_present_group_has_its_last_channels(void)
{
	CHECK(right_columns_from(544, 1312, 4 * 32) == 128);
	CHECK(right_columns_from(544, 1312, 3 * 32) == 96);
}

static void task_in_between_leaves_its_own_weights(void)
{
	struct layer layers[3] = { layer(512, 128, 0, 1), layer(512, 128, 1, 2), layer(512, 128, 2, 3) };

	take_weights(&layers[2], &layers[1]);
	board_init(&board, 0);
	run_chain(layers, 3);
	CHECK(board.reports == 0 && layer_wrong(&layers[2], &board) == 0);
	board_fini(&board);
	for (int i = 0; i < 3; i++)
		layer_fini(&layers[i]);
}

static void features_are_reused(void)
{
	struct layer layers[3] = { layer(512, 128, 0, 1), layer(512, 96, 1, 2), layer(512, 64, 2, 3) };

	for (int i = 1; i < 3; i++) {
		memcpy(layers[i].a, layers[0].a, 4 * 512 * sizeof(uint32_t));
		layers[i].reuse = DATA_REUSE;
		layers[i].features_of = NOWHERE;
	}
	board_init(&board, 0);
	run_chain(layers, 3);
	CHECK(board.reports == 0);
	for (int i = 0; i < 3; i++) {
		CHECK(layer_wrong(&layers[i], &board) == 0);
		layer_fini(&layers[i]);
	}
	board_fini(&board);
}

/* NPU reference 3.5.4, last point: nothing but a reset clears CBUF between jobs. */
static void contents_survive_a_job_and_not_a_reset(void)
{
	for (int reset = 0; reset < 2; reset++) {
		struct layer first = layer(512, 128, 0, 1), second = layer(512, 128, 1, 2);

		take_weights(&second, &first);
		board_init(&board, 0);
		run_chain(&first, 1);
		npu_core_write(board.core, PC_INTERRUPT_CLEAR, 0x1ffff);
		if (reset)
			npu_core_reset(board.core);
		run_chain(&second, 1);
		CHECK((layer_wrong(&second, &board) == 0) == !reset);
		layer_fini(&first);
		layer_fini(&second);
		board_fini(&board);
	}
}

void suite_reuse(void)
{
	RUN(weights_that_fill_the_banks_are_all_there);
	RUN(half_of_twice_the_capacity_is_there);
	RUN(tenth_of_ten_times_the_capacity_is_there);
	RUN(partly_present_group_has_its_last_channels);
	RUN(task_in_between_leaves_its_own_weights);
	RUN(features_are_reused);
	RUN(contents_survive_a_job_and_not_a_reset);
}
