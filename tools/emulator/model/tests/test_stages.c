/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "layer.h"
#include "suites.h"
#include "tap.h"

/* BS, BN and EW with operands from registers (NPU reference 5.5). */

static struct board board;

/* One multiplication whose registers are changed; returns what became of sum s in row 0, column 0. */
static int32_t stage_result(int32_t *sum, uint32_t offsets[3], uint32_t values[3])
{
	struct layer layer = { .output = 4, .h = 1, .c = 32, .n = 32 };
	struct program program;
	int32_t result;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 3);
	*sum = (int32_t)layer_element(&layer, 0, 0);
	layer_store(&layer, &board);
	layer_program(&layer, &program);
	for (int i = 0; i < 3 && offsets[i]; i++)
		program_set(&program, offsets[i], values[i]);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155) && board.reports == 0);
	result = (int32_t)layer_read(&layer, &board, 0, 0);
	layer_fini(&layer);
	board_fini(&board);
	return result;
}

static int32_t limit(int32_t value, int32_t low, int32_t high)
{
	return value < low ? low : value > high ? high : value;
}

static void stages_with_immediate_operands_are_exact(void)
{
	int32_t s, r;

	r = stage_result(&s, (uint32_t[3]){ DPU_BS_CFG, DPU_BS_ALU_CFG }, (uint32_t[3]){ 0x40050, 7 });
	CHECK(r == s - 7);
	r = stage_result(&s, (uint32_t[3]){ DPU_BS_CFG, DPU_BS_MUL_CFG }, (uint32_t[3]){ 0x42, 0xfffdu << 16 });
	CHECK(r == -3 * s);
	/* BN's multiplier is unsigned (NPU reference 5.5). */
	r = stage_result(&s, (uint32_t[3]){ DPU_BN_CFG, DPU_BN_MUL_CFG }, (uint32_t[3]){ 0x42, 0xfffdu << 16 });
	CHECK(r == limit((int64_t)s * 65533 > INT32_MAX ? INT32_MAX : (int64_t)s * 65533 < INT32_MIN ? INT32_MIN :
			 (int32_t)((int64_t)s * 65533), INT32_MIN, INT32_MAX));
	r = stage_result(&s, (uint32_t[3]){ DPU_BN_CFG, DPU_BN_RELUX_CMP_VALUE }, (uint32_t[3]){ 0x92, 100 });
	CHECK(r == limit(s, 0, 100));
	/* PReLU multiplies negative values only. */
	r = stage_result(&s, (uint32_t[3]){ DPU_BS_CFG, DPU_BS_MUL_CFG }, (uint32_t[3]){ 0x62, 2u << 16 });
	CHECK(r == (s < 0 ? 2 * s : s));
	/* Constants of EW, one for each of eight channels. */
	r = stage_result(&s, (uint32_t[3]){ DPU_EW_CFG, DPU_EW_OP_VALUE_0 }, (uint32_t[3]){ 0x00820380, 9 });
	CHECK(r == s + 9);
}

/* NPU reference 5.5: OW adds B of the channel times the sum of inputs, before BS adds A and multiplies with C. */
static void ow_takes_its_operand_from_memory(void)
{
	struct layer layers[] = {
		{ .output = 4, .h = 3, .c = 64, .n = 32, .triple = true, .ow_memory = true, .triple_shift = { 12, 11 } },
		{ .output = 0, .w = 4, .h = 5, .c = 64, .depthwise = true, .kw = 3, .kh = 3, .triple = true,
		  .ow_memory = true, .triple_shift = { 20, 20 } },
	};

	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		board_init(&board, 0);
		layer_complete(&layers[i]);
		layer_random(&layers[i], 5);
		layer_run(&layers[i], &board);
		CHECK(board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&layers[i], &board) == 0);
		layer_fini(&layers[i]);
		board_fini(&board);
	}
}

/* BRDMA's dense bias has no B. */
static void ow_without_its_operand_hangs(void)
{
	struct layer layer = { .output = 4, .h = 3, .c = 64, .n = 32, .bias = true, .ow_memory = true };

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 5);
	layer_run(&layer, &board);
	CHECK(board_hung(&board, "BS or OW waits for operands that BRDMA does not read"));
	layer_fini(&layer);
	board_fini(&board);
}

/* rockchip-npu-notes, depthwise-conv.md: bit-exact on silicon with that operand. */
static void ow_operand_of_a_depthwise_fp16_convolution_is_neutral(void)
{
	struct layer layer = { .input = 2, .output = 2, .w = 6, .h = 5, .c = 64, .depthwise = true, .kw = 3, .kh = 3,
			       .ow_operand = 128 };

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 7);
	layer_run(&layer, &board);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&layer, &board) == 0);
	layer_fini(&layer);
	board_fini(&board);
}

void suite_stages(void)
{
	RUN(ow_operand_of_a_depthwise_fp16_convolution_is_neutral);
	RUN(ow_takes_its_operand_from_memory);
	RUN(ow_without_its_operand_hangs);
	RUN(stages_with_immediate_operands_are_exact);
}
