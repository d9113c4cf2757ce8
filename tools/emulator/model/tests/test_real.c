/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_fp.h"
#include "../npu_regs.h"
#include "layer.h"
#include "suites.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

/* Real values in the DPU: the operations of EW, and the stages that nobody has described for them. */

static struct board board;

#define PIXELS   16u
#define CHANNELS 16u
#define SECOND   (A_AT + 0x10000)

/* Multiples of 1/4 below 16 in fp32; their sums, differences and products are exact in bf16 and fp16 where the test needs it. */
static float value_of(uint32_t i)
{
	return (float)((int32_t)(i * 7 % 61) - 30) / 4;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint16_t narrow(uint32_t precision, float value)
{
	return precision == 2 ? npu_fp32_to_fp16(bits_of(value)) : npu_fp32_to_bf16(bits_of(value));
}

static float operate(uint32_t ew_cfg, float a, float b)
{
	/* Zeros are +0 here. */
	if (ew_cfg & 4)
		return a * b + 0.0f;
	switch (ew_cfg >> 16 & 15) {
	case 0: return a > b ? a : b;
	case 1: return a < b ? a : b;
	case 2: return a + b;
	}
	return a - b;
}

static void real_program(uint32_t precision, uint32_t ew_cfg, struct program *p)
{
	p->count = 0;
	program_set(p, 0x4004, 0xe);
	program_set(p, 0x5004, 0xe);
	program_set(p, DPU_FEATURE_MODE_CFG, 0x1e5);
	program_set(p, DPU_DATA_FORMAT, precision << 29 | precision << 26 | precision);
	program_set(p, DPU_DST_BASE_ADDR, C_AT);
	program_set(p, DPU_DST_SURF_STRIDE, PIXELS << 4);
	program_set(p, DPU_DATA_CUBE_WIDTH, PIXELS - 1);
	program_set(p, DPU_DATA_CUBE_CHANNEL, (CHANNELS - 1) << 16 | (CHANNELS - 1));
	program_set(p, DPU_BS_CFG, 0x53);
	program_set(p, DPU_BS_OW_CFG, 0x126);
	program_set(p, DPU_WDMA_SIZE_0, CHANNELS - 1);
	program_set(p, DPU_WDMA_SIZE_1, PIXELS - 1);
	program_set(p, DPU_BN_CFG, 0x53);
	program_set(p, DPU_EW_CFG, ew_cfg);
	program_set(p, DPU_EW_CVT_SCALE_VALUE, 1);
	program_set(p, DPU_OUT_CVT_SCALE, precision == 2 ? 0x10001 : 1);
	program_set(p, DPU_SURFACE_ADD, (2 * PIXELS) << 4);
	program_set(p, DPU_RDMA_DATA_CUBE_WIDTH, PIXELS - 1);
	program_set(p, DPU_RDMA_DATA_CUBE_CHANNEL, CHANNELS - 1);
	program_set(p, DPU_RDMA_SRC_BASE_ADDR, A_AT);
	program_set(p, DPU_RDMA_ERDMA_CFG, 0x40000008);
	program_set(p, DPU_RDMA_EW_BASE_ADDR, SECOND);
	program_set(p, DPU_RDMA_EW_SURF_STRIDE, PIXELS << 4);
	program_set(p, DPU_RDMA_FEATURE_MODE_CFG, 0x7801 | precision << 15 | precision << 5);
}

static bool operation_is_right(uint32_t precision, uint32_t ew_cfg)
{
	struct program program;
	bool right;

	board_init(&board, 0);
	for (uint32_t i = 0; i < PIXELS * CHANNELS; i++) {
		uint16_t a = narrow(precision, value_of(i)), b = narrow(precision, value_of(3 * i + 5));

		memcpy(board_memory(&board, A_AT + 2 * i), &a, 2);
		memcpy(board_memory(&board, SECOND + 2 * i), &b, 2);
	}
	real_program(precision, ew_cfg, &program);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x18, 0, 0), 1);
	board_work(&board);
	right = board_done(&board, 0x100) && board.reports == 0;
	for (uint32_t i = 0; i < PIXELS * CHANNELS; i++) {
		uint16_t want = narrow(precision, operate(ew_cfg, value_of(i), value_of(3 * i + 5)));

		right &= memcmp(board_memory(&board, C_AT + 2 * i), &want, 2) == 0;
	}
	if (!right)
		printf("# precision %u, EW_CFG 0x%08x: %s\n", precision, ew_cfg, board.first_report);
	board_fini(&board);
	return right;
}

/* NPU reference 5.6 has the values for fp16. */
static void real_operations_are_exact(void)
{
	static const uint32_t cfgs[] = { 0x108203c0, 0x108003c0, 0x108103c0, 0x108403c0, 0x108003c4 };

	for (uint32_t precision = 2; precision <= 3; precision++)
		for (size_t i = 0; i < sizeof(cfgs) / sizeof(cfgs[0]); i++)
			CHECK(operation_is_right(precision, cfgs[i]));
}

static void operation_with_too_few_channels_is_refused(void)
{
	struct program program;

	board_init(&board, 0);
	real_program(2, 0x108203c0, &program);
	program_set(&program, DPU_DATA_CUBE_CHANNEL, 11 << 16 | 11);
	program_set(&program, DPU_WDMA_SIZE_0, 11);
	program_set(&program, DPU_RDMA_DATA_CUBE_CHANNEL, 11);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x18, 0, 0), 1);
	board_work(&board);
	CHECK(board_hung(&board, "not modelled: 12 channels are no whole surfaces"));
	board_fini(&board);
}

/* An fp16 multiplication with two registers changed. */
static bool refused(uint32_t offset, uint32_t value, uint32_t other, uint32_t other_value, const char *text)
{
	struct layer layer = { .input = 2, .output = 5, .h = 4, .c = 32, .n = 32 };
	struct program program;
	bool right;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_program(&layer, &program);
	program_set(&program, offset, value);
	program_set(&program, other, other_value);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	right = board_hung(&board, text);
	board_fini(&board);
	return right;
}

static void stages_that_nobody_has_described_for_reals_are_refused(void)
{
	CHECK(refused(DPU_BS_CFG, 0x20050, DPU_BS_ALU_CFG, 1, "not modelled: BS stage with real operands"));
	CHECK(refused(DPU_BN_CFG, 0x42, DPU_BN_MUL_CFG, 1 << 16, "not modelled: BN stage with real operands"));
	CHECK(refused(DPU_OUT_CVT_SHIFT, 1, DPU_OUT_CVT_SCALE, 1, "not modelled: output conversion of real values"));
	CHECK(refused(CORE_CLIP_TRUNCATE, 1, DPU_OUT_CVT_SCALE, 1, "not modelled: accumulator shift of real sums"));
	CHECK(refused(DPU_BS_OW_CFG, 0x36c, DPU_BS_OW_OP, 3, "not modelled: OW operand with real inputs"));
	CHECK(refused(DPU_EW_CFG, 0x00420380, DPU_EW_OP_VALUE_0, 1, "not modelled: EW operand of size 1"));
	CHECK(refused(DPU_EW_CFG, 0x00820280, DPU_EW_CVT_SCALE_VALUE, 2,
		      "not modelled: conversion of a real EW operand"));
}

static void products_with_infinities_and_nans_are_those_of_ieee(void)
{
	CHECK(npu_fp32_multiply(0x7f800000, 0x40000000) == 0x7f800000);
	CHECK(npu_fp32_multiply(0x7f800000, 0xc0000000) == 0xff800000);
	CHECK(npu_fp32_multiply(0x00000000, 0xff800000) == 0x7fc00000);
	CHECK(npu_fp32_multiply(0x7f800001, 0x3f800000) == 0x7fc00000);
}

void suite_real(void)
{
	RUN(real_operations_are_exact);
	RUN(operation_with_too_few_channels_is_refused);
	RUN(stages_that_nobody_has_described_for_reals_are_refused);
	RUN(products_with_infinities_and_nans_are_those_of_ieee);
}
