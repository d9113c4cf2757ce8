/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "board.h"
#include "program.h"
#include "suites.h"
#include "tap.h"

static struct board board;

static uint32_t get(uint32_t offset)
{
	return npu_core_read(board.core, offset);
}

static void set(uint32_t offset, uint32_t value)
{
	npu_core_write(board.core, offset, value);
}

static void reset_values_are_those_of_silicon(void)
{
	board_init(&board, 0);
	CHECK(get(PC_VERSION) == 0x46495245);
	CHECK(get(PC_VERSION_NUM) == 0);
	CHECK(get(PC_INTERRUPT_MASK) == 0x1ffff);
	CHECK(get(PC_INTERRUPT_RAW_STATUS) == 0xc0000000);
	CHECK(get(PC_INTERRUPT_STATUS) == 0);
	CHECK(get(PC_TASK_STATUS) == 0);
	CHECK(get(CORE_MAC_GATING) == 0x07800800);
	CHECK(get(CNA_CONV_CON1) == 0);
	CHECK(get(0x8000) == 0xfff && get(0x8004) == 0x01010101 && get(0x8008) == 0x00010101);
	CHECK(get(0x800c) == 0 && get(0x8010) == 0x101 && get(0x8030) == 0x100);
	CHECK(get(0x8034) == 0 && get(0x8038) == 0 && get(0x803c) == 0);
	CHECK(!npu_core_irq(board.core) && !npu_core_busy(board.core));
	CHECK(board.reports == 0);
	board_fini(&board);
}

static void task_con_clears_its_command_bits(void)
{
	board_init(&board, 0);
	set(PC_TASK_CON, 0x7001);
	CHECK(get(PC_TASK_CON) == 0x1001);
	set(PC_TASK_CON, 0x6002);
	CHECK(get(PC_TASK_CON) == 0x0002);
	board_fini(&board);
}

static void reading_page_2_is_reported(void)
{
	board_init(&board, 0);
	CHECK(get(0x2210) == 0);
	CHECK(board_reported(&board, "0x2210"));
	set(0x2210, 1);
	board_fini(&board);
}

static void unknown_registers_read_zero_and_are_reported(void)
{
	board_init(&board, 0);
	set(PC_BASE_ADDRESS, 1);
	set(0x1ffc, 5);
	CHECK(board.reports == 1);
	CHECK(get(0x1ffc) == 0);
	CHECK(get(0x0044) == 0);
	CHECK(get(0xb000) == 0);
	CHECK(get(0xf00c) == 0);
	CHECK(get(0xffffffff) == 0);
	CHECK(board.reports == 6);
	CHECK(get(0xf008) == 0);
	CHECK(board.reports == 6);
	board_fini(&board);
}

static void cpu_writes_in_pc_mode_are_reported(void)
{
	board_init(&board, 0);
	set(0x1004, 0xe);
	CHECK(board_reported(&board, "while the PC owns the blocks"));
	board_fini(&board);
}

static void bits_outside_of_fields_are_dropped_and_reported(void)
{
	board_init(&board, 0);
	set(PC_BASE_ADDRESS, 1);
	set(CNA_CONV_CON2, 1024 << 4);
	CHECK(get(CNA_CONV_CON2) == 0);
	CHECK(board_reported(&board, "past the register's fields"));
	board_fini(&board);
}

static void pointer_selects_the_group_that_is_written_and_read(void)
{
	board_init(&board, 0);
	set(PC_BASE_ADDRESS, 1);
	set(0x4004, 0);
	set(DPU_DST_BASE_ADDR, 0x1000);
	set(0x4004, 1);
	CHECK(get(DPU_DST_BASE_ADDR) == 0);
	set(DPU_DST_BASE_ADDR, 0x2000);
	set(0x4004, 0);
	CHECK(get(DPU_DST_BASE_ADDR) == 0x1000);
	set(0x4004, 1);
	CHECK(get(DPU_DST_BASE_ADDR) == 0x2000);
	CHECK(get(0x4004) == 1);
	set(0x4004, 0xe);
	CHECK(get(0x4004) == 0xf);
	set(0x4004, 0x30);
	CHECK(get(0x4004) == 0);
	CHECK(board.reports == 0);
	board_fini(&board);
}

static void s_pointer_keeps_the_core_index(void)
{
	board_init(&board, 2);
	set(PC_BASE_ADDRESS, 1);
	set(0x1004, 0x2000000e);
	CHECK(get(0x1004) == 0x2000000e);
	board_fini(&board);
}

static void op_en_in_slave_mode_starts_nothing(void)
{
	board_init(&board, 0);
	set(PC_BASE_ADDRESS, 1);
	set(PC_TASK_CON, 0x7001);
	set(PC_OPERATION_ENABLE, 1);
	CHECK(!npu_core_busy(board.core));
	CHECK(board_reported(&board, "slave mode"));
	board_fini(&board);
}

static void op_en_reads_zero_and_writing_zero_does_not_stop(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_init(&mm, &board);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	CHECK(npu_core_busy(board.core));
	CHECK(get(PC_OPERATION_ENABLE) == 0);
	set(PC_OPERATION_ENABLE, 0);
	CHECK(npu_core_busy(board.core));
	CHECK(board_work(&board) == 1);
	CHECK(matmul_exact(&mm, &board));
	CHECK(board.reports == 0);
	matmul_fini(&mm);
	board_fini(&board);
}

static void interrupt_bits_clear_by_writing_one(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_run(&mm, &board, &program);
	CHECK(board_done(&board, 0x155));
	CHECK(get(PC_INTERRUPT_STATUS) == 0x100);
	set(PC_INTERRUPT_MASK, 0xc00);
	CHECK(!npu_core_irq(board.core) && get(PC_INTERRUPT_STATUS) == 0);
	set(PC_INTERRUPT_MASK, 0x300);
	CHECK(npu_core_irq(board.core));
	set(PC_INTERRUPT_CLEAR, 0x100);
	CHECK(!npu_core_irq(board.core));
	CHECK(get(PC_INTERRUPT_RAW_STATUS) == 0xc0000055);
	set(PC_INTERRUPT_CLEAR, 0x1ffff);
	CHECK(get(PC_INTERRUPT_RAW_STATUS) == 0xc0000000);
	matmul_fini(&mm);
	board_fini(&board);
}

static void status_shows_a_task_between_fetch_and_retire(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program;
	struct npu_task *task;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_init(&mm, &board);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	task = npu_core_fetch(board.core);
	CHECK(task != NULL);
	CHECK(get(0x8030) == 0);
	CHECK(get(0x1000) == 1 && get(0x3000) == 1 && get(0x4000) == 1 && get(0x5000) == 0);
	CHECK(npu_core_fetch(board.core) == NULL);
	npu_task_run(task);
	CHECK(!npu_core_irq(board.core));
	npu_core_retire(board.core, task);
	CHECK(get(0x8030) == 0x100);
	CHECK(get(0x1000) == 0 && get(0x4000) == 0);
	CHECK(board_done(&board, 0x155));
	matmul_fini(&mm);
	board_fini(&board);
}

static void registers_survive_jobs_and_not_a_reset(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_run(&mm, &board, &program);
	set(PC_BASE_ADDRESS, 1);
	set(0x1004, 0x30);
	CHECK(get(CNA_DATA_SIZE1) == 0x003f0040);
	npu_core_reset(board.core);
	CHECK(get(CNA_DATA_SIZE1) == 0);
	CHECK(get(PC_TASK_STATUS) == 0 && get(PC_INTERRUPT_RAW_STATUS) == 0xc0000000);
	matmul_fini(&mm);
	board_fini(&board);
}

void suite_registers(void)
{
	RUN(reset_values_are_those_of_silicon);
	RUN(task_con_clears_its_command_bits);
	RUN(reading_page_2_is_reported);
	RUN(unknown_registers_read_zero_and_are_reported);
	RUN(cpu_writes_in_pc_mode_are_reported);
	RUN(bits_outside_of_fields_are_dropped_and_reported);
	RUN(pointer_selects_the_group_that_is_written_and_read);
	RUN(s_pointer_keeps_the_core_index);
	RUN(op_en_in_slave_mode_starts_nothing);
	RUN(op_en_reads_zero_and_writing_zero_does_not_stop);
	RUN(interrupt_bits_clear_by_writing_one);
	RUN(status_shows_a_task_between_fetch_and_retire);
	RUN(registers_survive_jobs_and_not_a_reset);
}
