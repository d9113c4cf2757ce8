/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "board.h"
#include "program.h"
#include "suites.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

/* What stops a core: the hangs of NPU reference 6.3, and everything that is not modelled. */

static struct board board;

static const struct matmul small = { .form = FORM_CUBE, .m = 8, .k = 64, .n = 64 };

/* The small multiplication with one register changed hangs the core with a report that contains text. */
static bool register_hangs(uint32_t offset, uint32_t value, const char *text)
{
	struct matmul mm = small;
	struct program program;
	bool hung;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	program_set(&program, offset, value);
	matmul_run(&mm, &board, &program);
	hung = board_hung(&board, text) && board.writes == 0;
	if (!hung)
		printf("# register 0x%04x = 0x%08x\n", offset, value);
	matmul_fini(&mm);
	board_fini(&board);
	return hung;
}

static bool map_hangs(uint32_t map, const char *text)
{
	struct matmul mm = small;
	struct program program;
	bool hung;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, map, 0, 0), 1);
	board_work(&board);
	hung = board_hung(&board, text);
	matmul_fini(&mm);
	board_fini(&board);
	return hung;
}

static void finish(struct matmul *mm)
{
	matmul_fini(mm);
	board_fini(&board);
}

static void contraction_beyond_10752_hangs(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 1, .k = 10784, .n = 32 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_run(&mm, &board, &program);
	CHECK(board_hung(&board, "core 0 task 0: 10784 channels in one task"));
	finish(&mm);
}

static void kernel_group_larger_than_weight_banks_hangs(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 1, .k = 10752, .n = 32 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	program_set(&program, CNA_CBUF_CON0, 0xa1);
	matmul_run(&mm, &board, &program);
	CHECK(board_hung(&board, "core 0 task 0: kernel group of 344064 bytes exceeds 10 weight banks"));
	finish(&mm);
	CHECK(register_hangs(CNA_CBUF_CON0, 0x01, "kernel group of 2048 bytes exceeds 0 weight banks"));
}

static void more_than_12_banks_hang(void)
{
	CHECK(register_hangs(CNA_CBUF_CON0, 0xc1, "1 data and 12 weight banks"));
}

static void core_index_of_another_core_hangs(void)
{
	struct matmul mm = small;
	struct program program;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	board_kick(&board, 1, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	CHECK(board_work(&board) == 0);
	CHECK(board_hung(&board, "S_POINTER of CNA names core 1"));
	CHECK(npu_core_read(board.core, PC_INTERRUPT_RAW_STATUS) == 0xc0000000);
	finish(&mm);
}

/* Returns whether the task completes when the program writes S_POINTER of CNA (NPU reference 1.4). */
static bool program_may_write_s_pointer(unsigned int index, uint32_t value)
{
	struct matmul mm = small;
	struct program program;
	bool done;

	board_init(&board, index);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	program_set(&program, 0x1004, value);
	board_kick(&board, index, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	done = npu_core_irq(board.core);
	CHECK(strstr(board.first_report, "register command writes S_POINTER of CNA"));
	finish(&mm);
	return done;
}

static void program_that_writes_s_pointer_hangs_without_core_index(void)
{
	CHECK(!program_may_write_s_pointer(1, 0x30));
	CHECK(!program_may_write_s_pointer(0, 0x10000030));
	CHECK(program_may_write_s_pointer(0, 0x30));
	CHECK(program_may_write_s_pointer(1, 0x10000030));
}

static void gated_mac_array_hangs(void)
{
	CHECK(register_hangs(CORE_MAC_GATING, 0, "MAC_GATING"));
	CHECK(register_hangs(CORE_MAC_GATING, 0x06800800, "MAC_GATING"));
	CHECK(register_hangs(CORE_MAC_GATING, 0x07800000, "not modelled: gated MAC lanes"));
}

static void weight_sizes_beyond_the_stream_hang(void)
{
	CHECK(register_hangs(CNA_WEIGHT_SIZE0, 64 * 64 + 1, "WEIGHT_BYTES is 4097"));
	CHECK(register_hangs(CNA_WEIGHT_SIZE1, 65, "WEIGHT_BYTES_PER_KERNEL is 65"));
	CHECK(register_hangs(CNA_WEIGHT_SIZE1, 63, "not modelled: weight sizes"));
}

static void size_c_wdma_hangs(void)
{
	CHECK(register_hangs(DPU_WDMA_SIZE_0, 1 << 16 | 63, "SIZE_C_WDMA"));
}

static void more_output_pixels_than_input_pixels_hang(void)
{
	CHECK(register_hangs(DPU_DATA_CUBE_HEIGHT, 8, "DPU waits for 9 pixels, CORE makes 8"));
}

static void rdma_block_without_a_source_hangs(void)
{
	CHECK(map_hangs(0x1d, "MRDMA on"));
}

static void enable_map_without_a_pipeline_hangs(void)
{
	CHECK(map_hangs(0x00, "block without work"));
	CHECK(map_hangs(0x0c, "block without work"));
	CHECK(map_hangs(0x05, "block without work"));
	CHECK(map_hangs(0x8d, "do not exist"));
	CHECK(map_hangs(0x18, "not modelled: DPU feature mode"));
	CHECK(map_hangs(0x60, "not modelled: pooling"));
}

static void mixed_precisions_are_refused(void)
{
	CHECK(register_hangs(CNA_CONV_CON1, 0x120, "not modelled: precisions"));
	CHECK(register_hangs(DPU_DATA_FORMAT, 0xa8000002, "not modelled: precisions"));
	CHECK(register_hangs(DPU_DATA_FORMAT, 0x40000000, "not modelled: precisions 0 to 2"));
	CHECK(register_hangs(CORE_MISC_CFG, 0x200, "not modelled: precisions"));
	CHECK(register_hangs(CNA_CONV_CON1, 5 << 7 | 5 << 4, "not modelled: precisions"));
}

static void int8_features_with_int4_weights_hang(void)
{
	CHECK(register_hangs(CNA_CONV_CON1, 6 << 7, "int8 features with int4 weights"));
}

static void other_convolutions_are_refused(void)
{
	CHECK(register_hangs(CNA_CONV_CON1, 1, "not modelled: convolution mode"));
	CHECK(register_hangs(CNA_CONV_CON1, 3, "not modelled: CNA, CORE and DPU differ"));
	CHECK(register_hangs(CNA_CONV_CON1, 1 << 16, "not modelled: deconvolution"));
	CHECK(register_hangs(CNA_CONV_CON3, 0x8, "not modelled: kernel of"));
	CHECK(register_hangs(CNA_CONV_CON3, 1 << 28 | 9, "not modelled: NN_MODE"));
	CHECK(register_hangs(CNA_CONV_CON3, 0x12, "reaches beyond the feature cube"));
	CHECK(register_hangs(CNA_WEIGHT_SIZE2, 0x03030000 | 64, "not modelled: weight sizes"));
	CHECK(register_hangs(CORE_MISC_CFG, 2, "not modelled: CNA, CORE and DPU differ"));
	CHECK(register_hangs(CNA_DCOMP_CTRL, 1, "not modelled: weight decompression"));
	CHECK(register_hangs(CNA_FC_CON0, 1, "not modelled: zero skipping"));
	CHECK(register_hangs(CNA_DATA_SIZE1, 64 << 16 | 64, "not modelled: 65 real of 64 channels"));
}

static void cubes_that_contradict_each_other_are_refused(void)
{
	CHECK(register_hangs(CNA_FC_DATA_SIZE0, 1 << 16 | 9, "not modelled: FC_DATA_SIZE differs"));
	CHECK(register_hangs(CNA_FC_DATA_SIZE1, 32, "not modelled: FC_DATA_SIZE differs"));
	CHECK(register_hangs(CNA_DATA_SIZE2, 2, "not modelled: DATA_SIZE2 or DATA_SIZE3"));
	CHECK(register_hangs(CNA_DATA_SIZE3, 9, "not modelled: DATA_SIZE2 or DATA_SIZE3"));
	CHECK(register_hangs(CNA_DATA_SIZE0, 8, "empty cube of 0 x 8 pixels"));
	CHECK(register_hangs(CNA_DATA_SIZE1, 39 << 16 | 40, "not modelled: 40 channels are not a multiple of 32"));
	CHECK(register_hangs(CORE_DATAOUT_SIZE_1, 127, "not modelled: CORE has 128 output channels, CNA 64 kernels"));
	CHECK(register_hangs(DPU_DATA_CUBE_CHANNEL, 31 << 16 | 31, "not modelled: DPU has 32 channels, CORE 64"));
	CHECK(register_hangs(DPU_DATA_CUBE_CHANNEL, 64 << 16 | 63, "not modelled: ORIG_CHANNEL larger"));
	CHECK(register_hangs(CNA_FEATURE_DATA_ADDR, A_AT + 8, "not modelled: unaligned feature address"));
}

static void other_output_stages_are_refused(void)
{
	CHECK(register_hangs(DPU_BS_CFG, 0x50050, "not modelled: BS stage with algorithm 5"));
	CHECK(register_hangs(DPU_BN_CFG, 0x20150, "not modelled: BN stage with operands from memory"));
	CHECK(register_hangs(DPU_EW_CFG, 0x10c20200, "not modelled: EW stage or LUT"));
	CHECK(register_hangs(DPU_EW_CFG, 0x10c303c0, "not modelled: EW algorithm 3"));
	CHECK(register_hangs(DPU_EW_CFG, 0x00c203c0, "not modelled: EW operand that is not one for each element"));
	CHECK(register_hangs(DPU_EW_CFG, 0x100203c0, "not modelled: EW operand of size 0"));
	CHECK(register_hangs(DPU_OUT_CVT_SCALE, 0x10001, "not modelled: FP32TOFP16_EN"));
	CHECK(register_hangs(DPU_FEATURE_MODE_CFG, 0x1e5, "not modelled: DPU feature mode"));
	CHECK(register_hangs(DPU_BS_OW_CFG, 0x7da, "not modelled: different size_e"));
	CHECK(register_hangs(DPU_BS_OW_CFG, 0x80007fe, "not modelled: regrouped or transposed output"));
}

static void operands_that_nobody_reads_hang(void)
{
	CHECK(register_hangs(DPU_BS_CFG, 0x20150, "BS or OW waits for operands"));
	CHECK(register_hangs(DPU_EW_CFG, 0x108203c0, "EW waits for operands"));
}

static void ew_multiplication_with_its_converter_on_hangs(void)
{
	CHECK(register_hangs(DPU_EW_CFG, 0x108002c4, "EW multiplies with its operand converter on"));
}

static void unmapped_operand_hangs(void)
{
	static const struct {
		uint32_t offset;
		const char *text;
	} operands[] = {
		{ CNA_FEATURE_DATA_ADDR, "feature read at 0x40000000 never completes" },
		{ CNA_DCOMP_ADDR0, "weight read at 0x40000000 never completes" },
		{ DPU_DST_BASE_ADDR, "output write at 0x40000000 never completes" },
	};

	for (size_t i = 0; i < sizeof(operands) / sizeof(operands[0]); i++) {
		struct matmul mm = small;
		struct program program;

		board_init(&board, 0);
		program_matmul(&program, &mm);
		program_set(&program, operands[i].offset, 0x40000000);
		matmul_run(&mm, &board, &program);
		CHECK(board_hung(&board, operands[i].text));
		CHECK(npu_core_read(board.core, PC_INTERRUPT_RAW_STATUS) == 0xc0000000);
		CHECK(npu_core_read(board.core, 0x8030) == 0);
		finish(&mm);
	}
}

static void operand_at_the_end_of_the_address_space_hangs(void)
{
	CHECK(register_hangs(CNA_FEATURE_DATA_ADDR, 0xfffffff0, "feature read at 0xfffffff0 never completes"));
	CHECK(register_hangs(CNA_DMA_CON2, 0x08000000, "feature read at 0x"));
	CHECK(register_hangs(DPU_DST_BASE_ADDR, 0xfffffff0, "output write at 0xfffffff0 never completes"));
}

static void bus_error_shows_and_stops_the_core(void)
{
	static const struct {
		uint32_t at, raw;
	} errors[] = { { A_AT, 0x1000 }, { B_AT, 0x1000 }, { C_AT, 0x2000 }, { PROGRAM_AT, 0x1000 } };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct matmul mm = small;
		struct program program;

		board_init(&board, 0);
		board.error_at = errors[i].at + 16;
		program_matmul(&program, &mm);
		matmul_run(&mm, &board, &program);
		CHECK(board_hung(&board, "bus error"));
		CHECK(npu_core_read(board.core, PC_INTERRUPT_RAW_STATUS) == (0xc0000000 | errors[i].raw));
		CHECK(npu_core_read(board.core, 0x800c) != 0);
		npu_core_write(board.core, PC_INTERRUPT_MASK, 0x3300);
		CHECK(npu_core_irq(board.core));
		finish(&mm);
	}
}

/* The small program with one word of its trailer replaced. */
static void trailer_hangs(unsigned int position_from_end, uint64_t word, const char *text)
{
	struct matmul mm = small;
	struct program program;
	uint64_t *words;
	uint32_t amount;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	amount = program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0);
	words = board_memory(&board, PROGRAM_AT);
	words[program.count - position_from_end] = word;
	board_kick(&board, 0, PROGRAM_AT, amount, 1);
	CHECK(board_work(&board) == 0);
	CHECK(board_hung(&board, text));
	finish(&mm);
}

static void enable_word_without_marker_hangs(void)
{
	trailer_hangs(2, 0, "without the marker word");
}

static void program_without_enable_word_hangs(void)
{
	trailer_hangs(1, 0, "no enable word");
}

static void task_number_zero_hangs(void)
{
	board_init(&board, 0);
	board_kick(&board, 0, PROGRAM_AT, 10, 0);
	CHECK(board_hung(&board, "started with 0 of 0 tasks"));
	board_fini(&board);
}

static void task_dma_base_is_refused(void)
{
	board_init(&board, 0);
	npu_core_write(board.core, PC_TASK_DMA_BASE_ADDR, 0x1000);
	npu_core_write(board.core, PC_TASK_CON, 0x7001);
	npu_core_write(board.core, PC_OPERATION_ENABLE, 1);
	CHECK(board_hung(&board, "not modelled: TASK_DMA_BASE_ADDR"));
	board_fini(&board);
}

void suite_hang(void)
{
	RUN(contraction_beyond_10752_hangs);
	RUN(kernel_group_larger_than_weight_banks_hangs);
	RUN(more_than_12_banks_hang);
	RUN(core_index_of_another_core_hangs);
	RUN(program_that_writes_s_pointer_hangs_without_core_index);
	RUN(gated_mac_array_hangs);
	RUN(weight_sizes_beyond_the_stream_hang);
	RUN(size_c_wdma_hangs);
	RUN(more_output_pixels_than_input_pixels_hang);
	RUN(rdma_block_without_a_source_hangs);
	RUN(enable_map_without_a_pipeline_hangs);
	RUN(mixed_precisions_are_refused);
	RUN(int8_features_with_int4_weights_hang);
	RUN(other_convolutions_are_refused);
	RUN(cubes_that_contradict_each_other_are_refused);
	RUN(other_output_stages_are_refused);
	RUN(operands_that_nobody_reads_hang);
	RUN(ew_multiplication_with_its_converter_on_hangs);
	RUN(unmapped_operand_hangs);
	RUN(operand_at_the_end_of_the_address_space_hangs);
	RUN(bus_error_shows_and_stops_the_core);
	RUN(enable_word_without_marker_hangs);
	RUN(program_without_enable_word_hangs);
	RUN(task_number_zero_hangs);
	RUN(task_dma_base_is_refused);
}
