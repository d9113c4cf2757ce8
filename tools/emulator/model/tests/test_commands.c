/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "board.h"
#include "program.h"
#include "suites.h"
#include "tap.h"

/* Register commands that no published program has, and what the CPU may do to registers outside of a job. */

static struct board board;

static uint32_t get(uint32_t offset)
{
	return npu_core_read(board.core, offset);
}

static void set(uint32_t offset, uint32_t value)
{
	npu_core_write(board.core, offset, value);
}

/* A write that is reported with text; what the register reads afterwards. */
static uint32_t reported_write(uint32_t offset, uint32_t value, const char *text)
{
	uint32_t after;

	board_init(&board, 0);
	set(PC_BASE_ADDRESS, 1);
	set(offset, value);
	after = get(offset);
	CHECK(board_reported(&board, text));
	board_fini(&board);
	return after;
}

static void pc_registers_read_what_was_written(void)
{
	board_init(&board, 0);
	set(PC_BASE_ADDRESS, 0x12345670);
	set(PC_REGISTER_AMOUNTS, 55);
	set(PC_TASK_DMA_BASE_ADDR, 0x76543210);
	set(PC_INTERRUPT_CLEAR, 0x1ffff);
	CHECK(get(PC_BASE_ADDRESS) == 0x12345670 && get(PC_REGISTER_AMOUNTS) == 55);
	CHECK(get(PC_TASK_DMA_BASE_ADDR) == 0x76543210 && get(PC_INTERRUPT_CLEAR) == 0);
	CHECK(get(0x1008) == 0 && board.reports == 0);
	board_fini(&board);
}

static void read_only_registers_keep_their_value(void)
{
	CHECK(reported_write(PC_VERSION, 0, "write to read-only register 0x0000") == 0x46495245);
	CHECK(reported_write(PC_VERSION_NUM, 1, "write to read-only register 0x0004") == 0);
	CHECK(reported_write(PC_INTERRUPT_RAW_STATUS, 0, "write to read-only register 0x002c") == 0xc0000000);
	CHECK(reported_write(PC_TASK_STATUS, 1, "write to read-only register 0x003c") == 0);
}

static void writes_that_start_or_reach_nothing_are_reported(void)
{
	CHECK(reported_write(0x1008, 1, "not modelled: block OPERATION_ENABLE at 0x1008") == 0);
	CHECK(reported_write(GLOBAL_OPERATION_ENABLE, 0xd, "not modelled: GLOBAL OPERATION_ENABLE") == 0);
	reported_write(0x4004, 0x80000000, "S_POINTER write 0x80000000 sets reserved bits");
	board_init(&board, 0);
	set(0x0040, 1);
	set(0xb000, 1);
	set(0x8034, 1);
	CHECK(get(0x8040) == 0);
	CHECK(board.reports == 4);
	board_fini(&board);
}

/* NPU reference 1.6: settings of the memory port stay; its status, error ids and a command bit do not take values. */
static void settings_of_the_memory_port_are_kept(void)
{
	board_init(&board, 0);
	set(DDMA_CFG_OUTSTANDING, 0x1234);
	set(DDMA_RD_WEIGHT_0, 0x05060708);
	set(DDMA_CFG_STATUS, 0);
	set(DDMA_CFG_ID_ERROR, 0x3ff);
	set(DDMA_CFG_DMA_FIFO_CLR, 1);
	CHECK(get(DDMA_CFG_OUTSTANDING) == 0x1234 && get(DDMA_RD_WEIGHT_0) == 0x05060708);
	CHECK(get(DDMA_CFG_STATUS) == 0x100 && get(DDMA_CFG_ID_ERROR) == 0 && get(DDMA_CFG_DMA_FIFO_CLR) == 0);
	CHECK(board.reports == 0);
	npu_core_reset(board.core);
	CHECK(get(DDMA_CFG_OUTSTANDING) == 0xfff);
	board_fini(&board);
}

static void pooling_registers_exist(void)
{
	board_init(&board, 0);
	set(PC_BASE_ADDRESS, 1);
	set(PPU_DATA_CUBE_IN_WIDTH, 7);
	set(0x700c, 9);
	CHECK(get(PPU_DATA_CUBE_IN_WIDTH) == 7 && get(0x700c) == 9 && board.reports == 0);
	board_fini(&board);
}

/* The small multiplication with one more word in front of its trailer. */
static void run_with_word(struct matmul *mm, uint64_t word)
{
	struct program program;

	board_init(&board, 0);
	matmul_init(mm, &board);
	program_matmul(&program, mm);
	program.words[program.count++] = word;
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
}

static bool word_is_reported(uint64_t word, const char *text)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	bool right;

	run_with_word(&mm, word);
	right = board_done(&board, 0x155) && matmul_exact(&mm, &board) && board_reported(&board, text);
	matmul_fini(&mm);
	board_fini(&board);
	return right;
}

static void words_that_mean_nothing_are_reported_and_do_nothing(void)
{
	CHECK(word_is_reported(UINT64_C(0x0101) << 48 | 0x0020, "register command writes PC register 0x0020"));
	CHECK(word_is_reported(UINT64_C(0x0401) << 48 | 0x2000, "has an unknown target"));
	CHECK(word_is_reported(UINT64_C(0x0201) << 48 | 0x1ffc, "write to unknown register 0x1ffc"));
}

/* The block of the target counts: the word goes to CNA, whose DATA_SIZE0 it spells wrong. */
static void target_decides_about_the_block(void)
{
	CHECK(word_is_reported(UINT64_C(0x0201) << 48 | UINT64_C(0x00010004) << 16 | 0x4020, "offset and target differ"));
}

static void pooling_commands_reach_their_registers(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };

	run_with_word(&mm, UINT64_C(0x4001) << 48 | UINT64_C(5) << 16 | PPU_DATA_CUBE_IN_WIDTH);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && get(PPU_DATA_CUBE_IN_WIDTH) == 5);
	matmul_fini(&mm);
	board_fini(&board);
	run_with_word(&mm, UINT64_C(0x8001) << 48 | UINT64_C(6) << 16 | 0x700c);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && get(0x700c) == 6);
	matmul_fini(&mm);
	board_fini(&board);
}

static void enable_word_for_another_register_hangs(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	program.words[program.count++] = UINT64_C(0x0041) << 48;
	program.words[program.count++] = UINT64_C(0x0081) << 48 | UINT64_C(0x0d) << 16 | 0x0010;
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(board_hung(&board, "enable word for register 0x0010"));
	matmul_fini(&mm);
	board_fini(&board);
}

void suite_commands(void)
{
	RUN(pc_registers_read_what_was_written);
	RUN(read_only_registers_keep_their_value);
	RUN(writes_that_start_or_reach_nothing_are_reported);
	RUN(settings_of_the_memory_port_are_kept);
	RUN(pooling_registers_exist);
	RUN(words_that_mean_nothing_are_reported_and_do_nothing);
	RUN(target_decides_about_the_block);
	RUN(pooling_commands_reach_their_registers);
	RUN(enable_word_for_another_register_hangs);
}
