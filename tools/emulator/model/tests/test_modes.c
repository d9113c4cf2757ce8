/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "board.h"
#include "program.h"
#include "suites.h"
#include "tap.h"

#include <string.h>

/* Late writes, the job log, predicted times and strict mode. */

static struct board board;

static void run_with_chaos(struct matmul *mm, uint64_t seed)
{
	struct program program;

	board_init(&board, 0);
	npu_core_set_chaos(board.core, seed);
	program_matmul(&program, mm);
	matmul_run(mm, &board, &program);
}

static void finish(struct matmul *mm)
{
	matmul_fini(mm);
	board_fini(&board);
}

static void late_writes_land_when_drained(void)
{
	uint32_t late = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 64, .n = 64 };

		run_with_chaos(&mm, seed);
		CHECK(npu_core_irq(board.core) && !npu_core_busy(board.core));
		if (npu_core_has_pending(board.core)) {
			late++;
			CHECK(npu_core_read(board.core, DDMA_CFG_STATUS) == 0);
			CHECK(!matmul_exact(&mm, &board));
			npu_core_drain(board.core, 1);
		}
		npu_core_drain(board.core, 1000);
		CHECK(npu_core_read(board.core, DDMA_CFG_STATUS) == 0x100);
		CHECK(board.reports == 0 && matmul_exact(&mm, &board));
		finish(&mm);
	}
	CHECK(late > 10);
}

/* Starts the program that has just run once more. */
static struct npu_task *fetch_again(void)
{
	npu_core_write(board.core, PC_TASK_CON, 0x7001);
	npu_core_write(board.core, PC_OPERATION_ENABLE, 1);
	return npu_core_fetch(board.core);
}

static uint32_t idle_looks_while_a_task_runs(uint64_t seed, uint32_t looks)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 64, .n = 64 };
	struct npu_task *task;
	uint32_t idle = 0;

	run_with_chaos(&mm, seed);
	task = fetch_again();
	CHECK(task != NULL);
	for (uint32_t i = 0; i < looks; i++)
		idle += npu_core_read(board.core, DDMA_CFG_STATUS) == 0x100;
	npu_core_retire(board.core, task);
	finish(&mm);
	return idle;
}

static void port_may_rest_while_a_task_runs(void)
{
	uint32_t idle = idle_looks_while_a_task_runs(1, 100);

	CHECK(idle > 0 && idle < 100);
	CHECK(idle_looks_while_a_task_runs(0, 100) == 0);
}

static void next_chain_finds_late_writes_in_memory(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 64, .n = 64 };
	struct npu_task *task;

	run_with_chaos(&mm, 1);
	CHECK(npu_core_has_pending(board.core));
	task = fetch_again();
	CHECK(task && !npu_core_has_pending(board.core));
	CHECK(matmul_exact(&mm, &board));
	npu_core_retire(board.core, task);
	finish(&mm);
}

static void reset_drops_late_writes(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 64, .n = 64 };

	run_with_chaos(&mm, 1);
	npu_core_reset(board.core);
	CHECK(!npu_core_has_pending(board.core));
	CHECK(npu_core_read(board.core, DDMA_CFG_STATUS) == 0x100);
	npu_core_drain(board.core, 1000);
	CHECK(!matmul_exact(&mm, &board));
	finish(&mm);
}

static void late_write_into_nowhere_hangs(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 64, .n = 64 };

	run_with_chaos(&mm, 1);
	board.error_at = matmul_element_at(&mm, 63, 63);
	npu_core_drain(board.core, 1000);
	CHECK(board_reported(&board, "bus error"));
	CHECK(npu_core_read(board.core, PC_INTERRUPT_RAW_STATUS) & PC_INTERRUPT_DMA_WRITE_ERROR);
	finish(&mm);
}

/* A reset that comes while late writes land, from within the memory port. */
static void reset_while_late_writes_land_drops_the_rest(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 64, .n = 64 };

	run_with_chaos(&mm, 1);
	board.reset_after_writes = board.writes + 1;
	npu_core_drain(board.core, 1000);
	CHECK(!npu_core_has_pending(board.core) && board.reports == 0);
	CHECK(npu_core_read(board.core, PC_TASK_STATUS) == 0);
	CHECK(!matmul_exact(&mm, &board));
	finish(&mm);
}

/*
 * NPU reference 2.5: what a task wrote is there for the next one of its chain. The second task takes the int32 results of the first
 * for int8 features, which lie in the same way.
 */
static void later_task_of_a_chain_reads_what_an_earlier_one_wrote(void)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct matmul first = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
		struct matmul second = { .form = FORM_CUBE, .m = 4, .k = 256, .n = 32, .a_at = C_AT, .b_at = B_AT + 0x10000,
					 .c_at = C_AT + 0x10000 };
		struct program a, b;
		uint32_t amount;

		board_init(&board, 0);
		npu_core_set_chaos(board.core, seed);
		matmul_init(&second, &board);
		matmul_init(&first, &board);
		for (uint32_t i = 0; i < 4 * 256; i++)
			second.a[i] = (int8_t)(matmul_element(&first, i / 256, i % 256 / 4) >> (i % 4 * 8));
		program_matmul(&a, &first);
		program_matmul(&b, &second);
		amount = program_store(&b, &board, PROGRAM_AT + 0x1000, 0x0d, 0, 0);
		amount = program_store(&a, &board, PROGRAM_AT, 0x0d, PROGRAM_AT + 0x1000, amount);
		board_kick(&board, 0, PROGRAM_AT, amount, 2);
		board_work(&board);
		npu_core_drain(board.core, 1000);
		CHECK(npu_core_irq(board.core) && board.reports == 0 && matmul_wrong(&second, &board) == 0);
		matmul_fini(&second);
		finish(&first);
	}
}

static void task_tells_what_it_did(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 96, .n = 160 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_run(&mm, &board, &program);
	CHECK(board.facts.core == 0 && board.facts.task == 0 && board.facts.tasks == 1 && !board.facts.hung);
	CHECK(board.facts.enable_map == 0x0d && board.facts.input == 0 && board.facts.output == 4);
	CHECK(board.facts.width == 1 && board.facts.height == 64 && board.facts.channels == 96);
	CHECK(board.facts.out_width == 1 && board.facts.out_height == 64 && board.facts.kernels == 160);
	CHECK(board.facts.macs == 64 * 96 * 160);
	CHECK(board.facts.bytes_read == 64 * 96 + 96 * 160 && board.facts.bytes_written == 64 * 160 * 4);
	CHECK(board.facts.feature_address == A_AT && board.facts.weight_address == B_AT);
	CHECK(board.facts.output_address == C_AT);
	finish(&mm);
}

static void cycles_follow_the_parameters(void)
{
	struct npu_timing timing = { .macs_per_cycle = { 1000 }, .dma_bytes_per_cycle = 1, .task_cycles = 5, .kick_cycles = 7 };
	struct matmul mm = { .form = FORM_CUBE, .m = 64, .k = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	npu_core_set_timing(board.core, &timing);
	program_matmul(&program, &mm);
	matmul_run(&mm, &board, &program);
	CHECK(board.facts.cycles == 2 * 64 * 64 + 4 * 64 * 64 + 5 + 7);
	timing.dma_bytes_per_cycle = 1000;
	npu_core_set_timing(board.core, &timing);
	board_kick(&board, 0, PROGRAM_AT, program_amount(&program), 1);
	board_work(&board);
	CHECK(board.facts.cycles == (64 * 64 * 64 + 999) / 1000 + 5 + 7);
	finish(&mm);
}

/* A small multiplication as the only task; the first report, or none, is left in the board. */
static void run_strict(struct matmul *mm, uint32_t offset, uint32_t value)
{
	struct program program;

	board_init(&board, 0);
	npu_core_set_strict(board.core, true);
	program_matmul(&program, mm);
	if (offset)
		program_set(&program, offset, value);
	matmul_run(mm, &board, &program);
	CHECK(board_done(&board, 0x155));
}

static void strict_reports(uint32_t offset, uint32_t value, const char *text)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };

	run_strict(&mm, offset, value);
	CHECK(board_reported(&board, text));
	finish(&mm);
}

static void strict_is_silent_about_complete_programs(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };

	run_strict(&mm, 0, 0);
	CHECK(board.reports == 0 && matmul_exact(&mm, &board));
	finish(&mm);
}

static void strict_reports_what_nothing_promises(void)
{
	strict_reports(CNA_CBUF_CON0, 0x20b1, "strict: reuse bit in the first task");
	strict_reports(CNA_CBUF_CON0, 0x10b1, "strict: reuse bit in the first task");
	strict_reports(CNA_CONV_CON2, 0, "strict: FEATURE_GRAINS 0");
	strict_reports(CORE_UNDOCUMENTED_3030, 1, "strict: undocumented register 0x3030");
	strict_reports(DPU_UNDOCUMENTED_40C4, 1, "strict: undocumented register 0x40c4");
}

/* The third chain executes the groups of the first and writes one register of them. */
static void strict_reports_values_of_an_earlier_chain(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program, delta = { .count = 0 };

	run_strict(&mm, 0, 0);
	program_matmul(&program, &mm);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(board.reports == 0);
	program_set(&delta, DPU_DST_BASE_ADDR, C_AT);
	board_kick(&board, 0, PROGRAM_AT, program_store(&delta, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(npu_core_irq(board.core) && matmul_exact(&mm, &board));
	CHECK(board_reported(&board, "registers keep values of an earlier chain, the first is 0x1010"));
	finish(&mm);
}

/* The second task of a chain of two; returns what was reported. */
static void run_strict_chain(struct matmul *first, struct matmul *second, uint32_t reuse)
{
	struct program a, b;
	uint32_t amount;

	board_init(&board, 0);
	npu_core_set_strict(board.core, true);
	matmul_init(first, &board);
	matmul_init(second, &board);
	program_matmul(&a, first);
	program_matmul(&b, second);
	program_set(&b, CNA_CBUF_CON0, 0xb1 | reuse);
	amount = program_store(&b, &board, PROGRAM_AT + 0x1000, 0x0d, 0, 0);
	amount = program_store(&a, &board, PROGRAM_AT, 0x0d, PROGRAM_AT + 0x1000, amount);
	board_kick(&board, 0, PROGRAM_AT, amount, 2);
	board_work(&board);
	CHECK(npu_core_irq(board.core));
	matmul_fini(second);
}

static void strict_chain_reports(uint32_t weights_at, uint32_t features_at, uint32_t reuse, const char *text)
{
	struct matmul first = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 }, second = first;

	second.b_at = weights_at;
	second.a_at = features_at;
	run_strict_chain(&first, &second, reuse);
	CHECK(text ? board_reported(&board, text) : board.reports == 0);
	finish(&first);
}

static void strict_reports_reuse_of_other_data(void)
{
	strict_chain_reports(B_AT, A_AT, 0x2000, NULL);
	strict_chain_reports(B_AT, A_AT, 0x1000, NULL);
	strict_chain_reports(B_AT, A_AT, 0x3000, "strict: both reuse bits");
	strict_chain_reports(B_AT + 0x10000, A_AT, 0x2000, "strict: reuse of what another task has loaded");
	strict_chain_reports(B_AT, A_AT + 0x10000, 0x1000, "strict: reuse of what another task has loaded");
}

static void strict_reports_a_mask_without_the_dpu(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	npu_core_set_strict(board.core, true);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	npu_core_write(board.core, PC_INTERRUPT_MASK, 0x30);
	board_work(&board);
	CHECK(board_reported(&board, "strict: INTERRUPT_MASK 0x00030 lacks the DPU's events"));
	finish(&mm);
}

void suite_modes(void)
{
	RUN(late_writes_land_when_drained);
	RUN(port_may_rest_while_a_task_runs);
	RUN(next_chain_finds_late_writes_in_memory);
	RUN(reset_drops_late_writes);
	RUN(late_write_into_nowhere_hangs);
	RUN(reset_while_late_writes_land_drops_the_rest);
	RUN(later_task_of_a_chain_reads_what_an_earlier_one_wrote);
	RUN(task_tells_what_it_did);
	RUN(cycles_follow_the_parameters);
	RUN(strict_is_silent_about_complete_programs);
	RUN(strict_reports_what_nothing_promises);
	RUN(strict_reports_values_of_an_earlier_chain);
	RUN(strict_reports_reuse_of_other_data);
	RUN(strict_reports_a_mask_without_the_dpu);
}
