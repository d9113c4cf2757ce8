/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "layer.h"
#include "suites.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

/* Every combination of types, and the worked programs of NPU reference 3.12 and 3.13. */

static struct board board;

/* Runs it; the board is gone afterwards. */
static bool computes(struct layer layer)
{
	bool right;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, layer.c + layer.n + layer.h);
	layer_run(&layer, &board);
	right = board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&layer, &board) == 0;
	if (!right)
		printf("# %u -> %u, %u x %u x %u, n %u: %u wrong, %s\n", layer.input, layer.output, layer.w, layer.h, layer.c,
		       layer.n, layer_wrong(&layer, &board), board.first_report);
	layer_fini(&layer);
	board_fini(&board);
	return right;
}

static void pair_is_exact(uint32_t input, uint32_t output)
{
	static const uint32_t rows[] = { 1, 3, 8 };
	static const uint32_t depths[] = { 32, 96, 512 };

	for (int m = 0; m < 3; m++)
		for (int k = 0; k < 3; k++)
			for (int form = 0; form < 4; form++)
				CHECK(computes((struct layer){ .input = input, .output = output, .h = rows[m], .c = depths[k],
							       .n = 128, .layout = (enum layout)(form % 3),
							       .rows_out = form > 1, .shift = output < 2 ? 6 : 0 }));
}

static void int8_to_int32_is_exact(void) { pair_is_exact(0, 4); }
static void int8_to_fp32_is_exact(void) { pair_is_exact(0, 5); }
static void int8_to_int8_is_exact(void) { pair_is_exact(0, 0); }
static void int8_to_int16_is_exact(void) { pair_is_exact(0, 1); }
static void int16_to_int32_is_exact(void) { pair_is_exact(1, 4); }
static void fp16_to_fp32_is_exact(void) { pair_is_exact(2, 5); }
static void fp16_to_fp16_is_exact(void) { pair_is_exact(2, 2); }
static void bf16_to_fp32_is_exact(void) { pair_is_exact(3, 5); }
static void bf16_to_bf16_is_exact(void) { pair_is_exact(3, 3); }
static void tf32_to_fp32_is_exact(void) { pair_is_exact(7, 5); }
static void int4_to_int16_is_exact(void) { pair_is_exact(6, 1); }

static void longest_contraction_of_16_bits_is_exact(void)
{
	CHECK(computes((struct layer){ .input = 2, .output = 5, .h = 1, .c = 10752, .n = 32, .rows_out = true }));
	CHECK(computes((struct layer){ .input = 1, .output = 4, .h = 1, .c = 10752, .n = 16, .layout = LAYOUT_LINES }));
}

/* Columns: 3.12 fp16 4x64x32 cube, fp16 8x64x32 row-major, int8 4x64x64 cube, int8 144x224x64 cube, int4 4x128x128 cube, int16
 * 4x64x32 cube; 3.13 int8 4x32x32 row-major and its fp16 twin 4x32x16. */
#define COLUMNS 8

static const struct {
	uint16_t offset;
	uint32_t value[COLUMNS];
} worked[] = {
	{ 0x100c, { 0x120, 0x20000120, 0, 0, 0x360, 0x90, 0x20000000, 0x20000120 } },
	{ 0x1010, { 0x50, 0x90, 0x50, 0x910, 0x50, 0x50, 0x50, 0x50 } },
	{ 0x1014, { 9, 9, 9, 9, 9, 9, 9, 9 } },
	{ 0x1020, { 0x10004, 0x10008, 0x10004, 0x10090, 0x10004, 0x10004, 0x10004, 0x10004 } },
	{ 0x1024, { 0x3f0040, 0x3f0040, 0x3f0040, 0xdf00e0, 0x7f0080, 0x3f0040, 0x1f0020, 0x1f0020 } },
	{ 0x1028, { 1, 1, 1, 1, 1, 1, 1, 1 } },
	{ 0x102c, { 4, 8, 4, 0x90, 4, 4, 4, 4 } },
	{ 0x1030, { 0x1000, 0x1000, 0x1000, 0x3800, 0x2000, 0x1000, 0x400, 0x400 } },
	{ 0x1034, { 0x80, 0x80, 0x40, 0xe0, 0x40, 0x80, 0x20, 0x40 } },
	{ 0x1038, { 0x1010020, 0x1010020, 0x1010040, 0x1010040, 0x1010080, 0x1010020, 0x1010020, 0x1010010 } },
	{ 0x1040, { 0xb1, 0xb1, 0xb1, 0xa2, 0xb1, 0xb1, 0xb1, 0xb1 } },
	{ 0x1044, { 2, 2, 1, 4, 1, 2, 1, 1 } },
	{ 0x104c, { 0xb, 0xb, 0xb, 0xb, 0xb, 0xb, 0xb, 0xb } },
	{ 0x1050, { 0x10000, 0x10000, 0x10000, 0x10000, 0x10000, 0x10000, 0x10000, 0x10000 } },
	{ 0x1078, { 0xf000f, 0xf000f, 0xf000f, 0xf000f, 0xf000f, 0xf000f, 0xf000f, 0xf000f } },
	{ 0x107c, { 4, 8, 4, 4, 4, 4, 2, 4 } },
	{ 0x1080, { 0, 0, 0, 0x8c, 0, 0, 0, 0 } },
	{ 0x1084, { 0x10004, 0x10008, 0x10004, 0x10090, 0x10004, 0x10004, 0x10004, 0x10004 } },
	{ 0x1088, { 0x40, 0x40, 0x40, 0xe0, 0x80, 0x40, 0x20, 0x20 } },
	{ 0x3010, { 0x201, 0x201, 0, 0, 0x600, 0x101, 1, 0x201 } },
	{ 0x3014, { 0x30000, 0x70000, 0x30000, 0x8f0000, 0x30000, 0x30000, 0x30000, 0x30000 } },
	{ 0x3018, { 0x1f, 0x1f, 0x3f, 0x3f, 0x7f, 0x1f, 0x1f, 0xf } },
	{ 0x400c, { 0x1e4, 0x1e4, 0x1e4, 0x1e4, 0x1e4, 0x1e4, 0x1e4, 0x1e4 } },
	{ 0x4010, { 0xa8000002, 0x48000002, 0x80000000, 0x80000000, 0x38000006, 0x84000001, 0x80000000, 0xa8000002 } },
	{ 0x4024, { 0x40, 0x10, 0x40, 0x900, 0x40, 0x40, 0x10, 0x10 } },
	{ 0x4030, { 0, 0, 0, 0, 0, 0, 0, 0 } },
	{ 0x4034, { 3, 7, 3, 0x8f, 3, 3, 3, 3 } },
	{ 0x4038, { 0, 0x30003, 0, 0, 0, 0, 0x70007, 0x30003 } },
	{ 0x403c, { 0x1f001f, 0x1f001f, 0x3f003f, 0x3f003f, 0x7f007f, 0x1f001f, 0x1f001f, 0xf000f } },
	{ 0x4040, { 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53 } },
	{ 0x4050, { 0x36e, 0x126, 0x7fe, 0x7fe, 0x7fe, 0x36e, 0x7fc, 0x36e } },
	{ 0x4058, { 0x1f, 0x1f, 0x3f, 0x3f, 0x7f, 0x1f, 0x1f, 0xf } },
	{ 0x405c, { 0x30000, 0x70000, 0x30000, 0x8f0000, 0x30000, 0x30000, 0x30000, 0x30000 } },
	{ 0x4060, { 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53 } },
	{ 0x4070, { 0x383, 0x383, 0x383, 0x383, 0x383, 0x383, 0x383, 0x383 } },
	{ 0x4078, { 1, 1, 1, 1, 1, 1, 1, 1 } },
	{ 0x4084, { 1, 0x10001, 1, 1, 1, 1, 1, 1 } },
	{ 0x40c0, { 0x100, 0x20, 0x200, 0x4800, 0x200, 0x100, 0x80, 0x40 } },
};

static const struct layer worked_layer[COLUMNS] = {
	{ .input = 2, .output = 5, .h = 4, .c = 64, .n = 32 },
	{ .input = 2, .output = 2, .h = 8, .c = 64, .n = 32, .layout = LAYOUT_LINES, .rows_out = true },
	{ .input = 0, .output = 4, .h = 4, .c = 64, .n = 64 },
	{ .input = 0, .output = 4, .h = 144, .c = 224, .n = 64 },
	{ .input = 6, .output = 1, .h = 4, .c = 128, .n = 128 },
	{ .input = 1, .output = 4, .h = 4, .c = 64, .n = 32 },
	{ .input = 0, .output = 4, .h = 4, .c = 32, .n = 32, .layout = LAYOUT_LINES, .rows_out = true },
	{ .input = 2, .output = 5, .h = 4, .c = 32, .n = 16, .layout = LAYOUT_LINES, .rows_out = true },
};

/* Nothing but the values of the table goes to the core. */
static void worked_column_is_exact(int column)
{
	struct layer layer = worked_layer[column];
	struct program program = { .count = 0 };

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, (uint32_t)column);
	layer_store(&layer, &board);
	program_set(&program, 0x4004, 0xe);
	for (size_t i = 0; i < sizeof(worked) / sizeof(worked[0]); i++)
		program_set(&program, worked[i].offset, worked[i].value[column]);
	program_set(&program, CNA_FEATURE_DATA_ADDR, layer.a_at);
	program_set(&program, CNA_DCOMP_ADDR0, layer.b_at);
	program_set(&program, DPU_DST_BASE_ADDR, layer.c_at);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&layer, &board) == 0);
	layer_fini(&layer);
	board_fini(&board);
}

static void worked_fp16_cube_is_exact(void) { worked_column_is_exact(0); }
static void worked_fp16_row_major_is_exact(void) { worked_column_is_exact(1); }
static void worked_int8_cube_is_exact(void) { worked_column_is_exact(2); }
static void worked_int8_with_rounded_rows_is_exact(void) { worked_column_is_exact(3); }
static void worked_int4_cube_is_exact(void) { worked_column_is_exact(4); }
static void worked_int16_cube_is_exact(void) { worked_column_is_exact(5); }
static void captured_int8_row_major_is_exact(void) { worked_column_is_exact(6); }
static void captured_fp16_row_major_is_exact(void) { worked_column_is_exact(7); }

/* NPU reference 5.4: sums are exact inside, the output stops at the ends of int16. */
static void int4_sums_saturate_at_int16(void)
{
	struct layer layer = { .input = 6, .output = 1, .h = 1, .c = 4096, .n = 64 };

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 1);
	for (uint32_t i = 0; i < layer.c; i++)
		layer.a[i] = 8;
	for (uint32_t i = 0; i < layer.n * layer.c; i++)
		layer.b[i] = i / layer.c % 2 ? 8 : 7;
	layer_run(&layer, &board);
	CHECK(layer_read(&layer, &board, 0, 0) == 0x8000 && layer_read(&layer, &board, 0, 1) == 0x7fff);
	CHECK(layer_wrong(&layer, &board) == 0);
	layer_fini(&layer);
	board_fini(&board);
}

/* Reports and whether the task completed. */
static bool changed_register_says(struct layer layer, uint32_t offset, uint32_t value, const char *text, bool completes)
{
	struct program program;
	bool said;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 1);
	layer_store(&layer, &board);
	layer_program(&layer, &program);
	if (offset)
		program_set(&program, offset, value);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, layer_map(&layer), 0, 0), 1);
	board_work(&board);
	said = strstr(board.first_report, text) && npu_core_irq(board.core) == completes;
	if (!said)
		printf("# %s\n", board.first_report);
	layer_fini(&layer);
	board_fini(&board);
	return said;
}

/* NPU reference 6.3.2 */
static void size_e_larger_than_the_group_hangs(void)
{
	struct layer int16 = { .input = 1, .output = 4, .h = 4, .c = 64, .n = 32 };
	struct layer int8 = { .input = 0, .output = 0, .h = 4, .c = 64, .n = 64 };
	struct layer fp16 = { .input = 2, .output = 2, .h = 4, .c = 64, .n = 64 };

	CHECK(changed_register_says(int16, DPU_BS_OW_CFG, 0x7fe, "writer waits for 8 surfaces", false));
	CHECK(changed_register_says(int8, DPU_BS_OW_CFG, 0x36c, "writer waits for 4 surfaces", false));
	CHECK(changed_register_says(fp16, DPU_BS_OW_CFG, 0x36e, "writer waits for 4 surfaces", false));
}

/* NPU reference 3.7: int4 with size_e 1 and 3 writes the first 16 and 32 of each 64 columns. */
static void int4_with_small_size_e_writes_some_columns(void)
{
	for (uint32_t size_e = 1; size_e <= 3; size_e += 2) {
		struct layer layer = { .input = 6, .output = 1, .h = 2, .c = 64, .n = 128 };
		struct program program;
		uint32_t right = 0;

		board_init(&board, 0);
		layer_complete(&layer);
		layer_random(&layer, 1);
		layer_run(&layer, &board);
		memset(board_memory(&board, C_AT), PATTERN, 4096);
		layer_program(&layer, &program);
		program_set(&program, DPU_BS_OW_CFG, size_e * 0x124 | 2);
		board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
		board_work(&board);
		CHECK(npu_core_irq(board.core));
		for (uint32_t n = 0; n < 128; n++)
			right += layer_read(&layer, &board, 1, n) == layer_element(&layer, 1, n);
		CHECK(right == 2 * 8 * (size_e + 1));
		layer_fini(&layer);
		board_fini(&board);
	}
}

/* NPU reference 6.3.5 */
static void half_a_group_of_int4_hangs(void)
{
	struct layer layer = { .input = 6, .output = 1, .h = 2, .c = 64, .n = 64 };

	CHECK(changed_register_says(layer, CORE_DATAOUT_SIZE_1, 95, "96 kernels of int4 are not a multiple of 64", false));
}

static void depthwise_with_more_than_one_kernel_is_refused(void)
{
	struct layer layer = { .input = 0, .output = 0, .w = 4, .h = 4, .c = 64, .depthwise = true, .kw = 3, .kh = 3 };

	CHECK(changed_register_says(layer, CNA_WEIGHT_SIZE2, 3 << 24 | 3 << 16 | 2, "not modelled: weight sizes", false));
	CHECK(changed_register_says(layer, CORE_DATAOUT_SIZE_1, 127, "not modelled: depthwise with 1 kernels and 128 output",
				    false));
}

/* rockchip-npu-notes, depthwise-conv.md: 96, 80 and 144 channels do not complete. */
static void depthwise_that_ends_inside_of_a_group_hangs(void)
{
	struct layer layer = { .input = 0, .output = 0, .w = 4, .h = 4, .c = 128, .depthwise = true, .kw = 3, .kh = 3 };
	struct program program;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_program(&layer, &program);
	program_set(&program, CNA_DATA_SIZE1, 95 << 16 | 96);
	program_set(&program, CNA_FC_DATA_SIZE1, 96);
	program_set(&program, CNA_WEIGHT_SIZE0, 96 * 9);
	program_set(&program, CNA_WEIGHT_SIZE1, 96 * 9);
	program_set(&program, CNA_CBUF_CON1, 6);
	program_set(&program, CORE_DATAOUT_SIZE_1, 95);
	program_set(&program, DPU_DATA_CUBE_CHANNEL, 95 << 16 | 95);
	program_set(&program, DPU_WDMA_SIZE_0, 95);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(board_hung(&board, "96 depthwise channels end inside of a group of 64"));
	board_fini(&board);
}

/* NPU reference 6.3.2: int8 output with N ending inside of a group of 32. */
static void half_a_group_of_int8_output_hangs(void)
{
	struct layer layer = { .input = 0, .output = 0, .h = 2, .c = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_program(&layer, &program);
	program_set(&program, CORE_DATAOUT_SIZE_1, 79);
	program_set(&program, DPU_DATA_CUBE_CHANNEL, 79 << 16 | 79);
	program_set(&program, DPU_WDMA_SIZE_0, 79);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(!npu_core_irq(board.core) && !npu_core_busy(board.core));
	board_fini(&board);
}

/* NPU reference 6.1: the same for fp16. */
static void fp16_contraction_beyond_10752_hangs(void)
{
	struct layer layer = { .input = 2, .output = 5, .h = 1, .c = 10784, .n = 16 };

	CHECK(changed_register_says(layer, 0, 0, "10784 channels in one task", false));
}

/* NPU reference 6.3.13 and 3.5.2 */
static void exactly_full_weight_bank_fails_for_some_shapes(void)
{
	struct layer fp16 = { .input = 2, .output = 5, .h = 144, .c = 1024, .n = 16, .data_banks = 11 };
	struct layer wide = { .input = 2, .output = 5, .h = 144, .c = 1024, .n = 64, .data_banks = 11 };
	struct layer int8 = { .input = 0, .output = 4, .h = 336, .c = 1024, .n = 32, .data_banks = 11 };

	CHECK(changed_register_says(fp16, 0, 0, "one weight bank is exactly full with 16 kernels and 144 pixels", false));
	CHECK(computes(wide));
	CHECK(changed_register_says(int8, 0, 0, "corrupt: one weight bank is exactly full", true));
	int8.h = 320;
	CHECK(computes(int8));
}

/* NPU reference 0.4, D4 */
static void requantised_output_needs_qd_en(void)
{
	struct layer layer = { .input = 0, .output = 0, .h = 2, .c = 64, .n = 64 };

	CHECK(changed_register_says(layer, CORE_MISC_CFG, 0, "corrupt: QD_EN is 0", true));
}

void suite_types(void)
{
	RUN(worked_fp16_cube_is_exact);
	RUN(worked_fp16_row_major_is_exact);
	RUN(worked_int8_cube_is_exact);
	RUN(worked_int8_with_rounded_rows_is_exact);
	RUN(worked_int4_cube_is_exact);
	RUN(worked_int16_cube_is_exact);
	RUN(captured_int8_row_major_is_exact);
	RUN(captured_fp16_row_major_is_exact);
	RUN(int8_to_int32_is_exact);
	RUN(int8_to_fp32_is_exact);
	RUN(int8_to_int8_is_exact);
	RUN(int8_to_int16_is_exact);
	RUN(int16_to_int32_is_exact);
	RUN(fp16_to_fp32_is_exact);
	RUN(fp16_to_fp16_is_exact);
	RUN(bf16_to_fp32_is_exact);
	RUN(bf16_to_bf16_is_exact);
	RUN(tf32_to_fp32_is_exact);
	RUN(int4_to_int16_is_exact);
	RUN(longest_contraction_of_16_bits_is_exact);
	RUN(int4_sums_saturate_at_int16);
	RUN(size_e_larger_than_the_group_hangs);
	RUN(int4_with_small_size_e_writes_some_columns);
	RUN(half_a_group_of_int4_hangs);
	RUN(half_a_group_of_int8_output_hangs);
	RUN(depthwise_with_more_than_one_kernel_is_refused);
	RUN(depthwise_that_ends_inside_of_a_group_hangs);
	RUN(fp16_contraction_beyond_10752_hangs);
	RUN(requantised_output_needs_qd_en);
	RUN(exactly_full_weight_bank_fails_for_some_shapes);
}
