/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "board.h"
#include "program.h"
#include "suites.h"
#include "tap.h"

#include <string.h>

#define LONG_CHAIN    100
#define PROGRAM_BYTES 0x800

static struct board board;

static uint32_t program_at(uint32_t task)
{
	return PROGRAM_AT + task * PROGRAM_BYTES;
}

/* Task t multiplies row t of a row-major matrix. Links go to programs that exist; the last one has none. */
static void store_chain(const struct matmul *mm, uint32_t tasks, uint32_t *amount)
{
	for (uint32_t task = 0; task < tasks; task++) {
		struct matmul row = *mm;
		struct program program;
		bool last = task + 1 == tasks;

		row.m = 1;
		row.a_at = A_AT + task * mm->k;
		row.c_at = C_AT + task * mm->n * 4;
		program_matmul(&program, &row);
		*amount = (program.count + 1) / 2 + 1;
		program_store(&program, &board, program_at(task), 0x0d, last ? 0 : program_at(task + 1),
			      last ? 0 : *amount);
	}
}

static void chain_of(uint32_t stored, uint32_t tasks, struct matmul *mm)
{
	uint32_t amount;

	*mm = (struct matmul){ .form = FORM_ROWS, .m = stored, .k = 64, .n = 32 };
	board_init(&board, 0);
	matmul_init(mm, &board);
	store_chain(mm, stored, &amount);
	board_kick(&board, 0, PROGRAM_AT, amount, tasks);
}

static void finish(struct matmul *mm)
{
	matmul_fini(mm);
	board_fini(&board);
}

static void chain_runs_all_tasks_and_interrupts_once(uint32_t tasks, uint32_t raw)
{
	struct matmul mm;

	chain_of(tasks, tasks, &mm);
	for (uint32_t task = 0; task < tasks; task++) {
		struct npu_task *work = npu_core_fetch(board.core);

		CHECK(work != NULL);
		CHECK(npu_core_read(board.core, PC_TASK_STATUS) == task);
		CHECK(!npu_core_irq(board.core));
		if (!work)
			break;
		npu_task_run(work);
		npu_core_retire(board.core, work);
	}
	CHECK(board_done(&board, raw));
	CHECK(matmul_exact(&mm, &board) && board.reports == 0);
	finish(&mm);
}

static void chain_of_one(void)
{
	chain_runs_all_tasks_and_interrupts_once(1, 0x155);
}

static void chain_of_two_uses_both_groups(void)
{
	chain_runs_all_tasks_and_interrupts_once(2, 0x3ff);
}

static void chain_of_three(void)
{
	chain_runs_all_tasks_and_interrupts_once(3, 0x3ff);
}

static void long_chain(void)
{
	chain_runs_all_tasks_and_interrupts_once(LONG_CHAIN, 0x3ff);
}

/* TASK_NUMBER has 12 bits (NPU reference 6.1); a program whose link leads to itself is as long as that. */
static void longest_chain_has_4095_tasks(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 1, .k = 32, .n = 32 };
	struct program program;
	uint32_t amount;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	amount = program_amount(&program) + 2;
	CHECK(program_store(&program, &board, PROGRAM_AT, 0x0d, PROGRAM_AT, amount) == amount);
	board_kick(&board, 0, PROGRAM_AT, amount, 4095);
	CHECK(board_work(&board) == 4095);
	CHECK(board_done(&board, 0x3ff) && board.reports == 0 && matmul_exact(&mm, &board));
	finish(&mm);
}

static void single_tasks_alternate_between_groups(void)
{
	struct matmul mm;
	uint32_t amount;

	chain_of(1, 1, &mm);
	board_work(&board);
	CHECK(board_done(&board, 0x155));
	npu_core_write(board.core, PC_INTERRUPT_CLEAR, 0x1ffff);
	store_chain(&mm, 1, &amount);
	board_kick(&board, 0, PROGRAM_AT, amount, 1);
	board_work(&board);
	CHECK(board_done(&board, 0x2aa));
	CHECK(npu_core_read(board.core, 0x4004) == 0xe && board.reports == 0);
	finish(&mm);
}

static void task_number_stops_before_a_dangling_link(void)
{
	struct matmul mm;

	chain_of(3, 2, &mm);
	CHECK(board_work(&board) == 2);
	CHECK(board_done(&board, 0x3ff) && board.reports == 0);
	CHECK(matmul_read(&mm, &board, 1, 0) == matmul_element(&mm, 1, 0));
	CHECK(matmul_read(&mm, &board, 2, 0) == (int32_t)0xa5a5a5a5);
	finish(&mm);
}

static void missing_link_stalls_with_the_counter_unchanged(void)
{
	struct matmul mm;

	chain_of(2, 3, &mm);
	CHECK(board_work(&board) == 2);
	CHECK(board_hung(&board, "2 of 3 tasks are done and there is no link"));
	CHECK(npu_core_read(board.core, PC_TASK_STATUS) == 2);
	CHECK(npu_core_read(board.core, PC_INTERRUPT_RAW_STATUS) == 0xc00003ff);
	CHECK(matmul_exact(&mm, &board));
	finish(&mm);
}

static void link_with_amount_zero_halts_the_chain(void)
{
	struct matmul mm;
	uint64_t *words;

	chain_of(2, 2, &mm);
	words = board_memory(&board, program_at(0));
	for (unsigned int i = 0; i < 160; i++)
		if (words[i] >> 48 == 0x0101 && (words[i] & 0xffff) == PC_REGISTER_AMOUNTS)
			words[i] &= ~(UINT64_C(0xffffffff) << 16);
	CHECK(board_work(&board) == 1);
	CHECK(board_hung(&board, "there is no link"));
	finish(&mm);
}

static void link_is_read_when_its_task_is_fetched(void)
{
	struct matmul mm;
	struct npu_task *task;

	chain_of(2, 2, &mm);
	task = npu_core_fetch(board.core);
	CHECK(task != NULL);
	memset(board_memory(&board, program_at(0)), 0, PROGRAM_BYTES);
	npu_task_run(task);
	npu_core_retire(board.core, task);
	CHECK(board_work(&board) == 1);
	CHECK(board_done(&board, 0x3ff) && matmul_exact(&mm, &board));
	finish(&mm);
}

static void link_to_unmapped_memory_hangs(void)
{
	struct matmul mm;
	struct program program;
	uint32_t amount;

	mm = (struct matmul){ .form = FORM_ROWS, .m = 1, .k = 64, .n = 32 };
	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	amount = program_store(&program, &board, PROGRAM_AT, 0x0d, 0x80000000, 30);
	board_kick(&board, 0, PROGRAM_AT, amount, 2);
	CHECK(board_work(&board) == 1);
	CHECK(board_hung(&board, "core 0 task 1: register command read at 0x80000000 never completes"));
	CHECK(npu_core_read(board.core, 0x8030) == 0);
	finish(&mm);
}

/* A task that writes few registers inherits those of its group: two tasks back with ping-pong, one without. */
static void sparse_task_inherits(uint32_t s_pointer, uint32_t source_row)
{
	struct matmul mm = { .form = FORM_ROWS, .m = 3, .k = 64, .n = 32 };
	struct program program;
	uint32_t amount = 0;
	bool exact = true;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	store_chain(&mm, 3, &amount);
	program = (struct program){ .count = 0 };
	program_set(&program, DPU_DST_BASE_ADDR, C_AT + 2 * mm.n * 4);
	program_store(&program, &board, program_at(2), 0x0d, 0, 0);
	/* The link to it in the second program carries the amount of a full one. */
	memset(board_memory(&board, program_at(2) + program.count * 8), 0, PROGRAM_BYTES - program.count * 8);
	board_kick(&board, 0, PROGRAM_AT, amount, 3);
	npu_core_write(board.core, PC_BASE_ADDRESS, 1);
	npu_core_write(board.core, 0x1004, s_pointer);
	npu_core_write(board.core, 0x3004, s_pointer);
	for (uint32_t task = 0; task < 2; task++) {
		uint64_t *words = board_memory(&board, program_at(task));

		words[0] = UINT64_C(0x1001) << 48 | (uint64_t)s_pointer << 16 | 0x4004;
	}
	CHECK(board_work(&board) == 3);
	for (uint32_t column = 0; column < mm.n; column++)
		exact &= matmul_read(&mm, &board, 2, column) == matmul_element(&mm, source_row, column);
	CHECK(exact);
	CHECK(board.reports == 0);
	finish(&mm);
}

static void sparse_task_inherits_from_two_tasks_back(void)
{
	sparse_task_inherits(0xe, 0);
}

static void sparse_task_without_ping_pong_inherits_from_the_task_before(void)
{
	sparse_task_inherits(0x30, 1);
}

static void pointer_away_from_executer_hangs(void)
{
	struct matmul mm;

	chain_of(1, 1, &mm);
	npu_core_write(board.core, PC_BASE_ADDRESS, 1);
	npu_core_write(board.core, 0x1004, 1);
	CHECK(board_work(&board) == 0);
	CHECK(board_hung(&board, "CNA waits for group 0, its registers are in group 1"));
	finish(&mm);
}

/* S_POINTER pp_mode 0 lets the write pointer follow the executer. */
static void pointer_follows_executer_in_mode_0(void)
{
	struct matmul mm;

	chain_of(3, 3, &mm);
	npu_core_write(board.core, PC_BASE_ADDRESS, 1);
	npu_core_write(board.core, 0x1004, 0x6);
	CHECK(board_work(&board) == 3);
	CHECK(board_done(&board, 0x3ff) && matmul_exact(&mm, &board) && board.reports == 0);
	finish(&mm);
}

static void pointer_that_leaves_a_fixed_executer_hangs(void)
{
	struct matmul mm;

	chain_of(2, 2, &mm);
	npu_core_write(board.core, PC_BASE_ADDRESS, 1);
	npu_core_write(board.core, 0x1004, 0x2);
	CHECK(board_work(&board) == 1);
	CHECK(board_hung(&board, "core 0 task 1: CNA waits for group 0"));
	finish(&mm);
}

static void other_cores_run_with_their_index(void)
{
	for (unsigned int index = 1; index < 3; index++) {
		struct matmul mm = { .form = FORM_ROWS, .m = 1, .k = 64, .n = 32 };
		uint32_t amount;

		board_init(&board, index);
		matmul_init(&mm, &board);
		store_chain(&mm, 1, &amount);
		board_kick(&board, index, PROGRAM_AT, amount, 1);
		board_work(&board);
		CHECK(board_done(&board, 0x155) && matmul_exact(&mm, &board) && board.reports == 0);
		finish(&mm);
	}
}

static void reset_before_retire_leaves_a_fresh_core(void)
{
	struct matmul mm;
	struct npu_task *old;
	uint32_t amount;

	chain_of(1, 1, &mm);
	old = npu_core_fetch(board.core);
	npu_task_run(old);
	npu_core_reset(board.core);
	CHECK(!npu_core_busy(board.core));
	store_chain(&mm, 1, &amount);
	board_kick(&board, 0, PROGRAM_AT, amount, 1);
	npu_core_retire(board.core, old);
	CHECK(npu_core_read(board.core, PC_INTERRUPT_RAW_STATUS) == 0xc0000000);
	CHECK(npu_core_busy(board.core));
	board_work(&board);
	CHECK(board_done(&board, 0x155) && board.reports == 0);
	finish(&mm);
}

static void reset_during_fetch_leaves_an_idle_core(void)
{
	struct matmul mm;

	chain_of(1, 1, &mm);
	board.reset_after_reads = 1;
	CHECK(npu_core_fetch(board.core) == NULL);
	CHECK(!npu_core_busy(board.core) && board.reports == 0);
	CHECK(npu_core_read(board.core, PC_INTERRUPT_MASK) == 0x1ffff);
	finish(&mm);
}

static void reset_during_run_is_forgotten(void)
{
	struct matmul mm;

	chain_of(1, 1, &mm);
	board.reset_after_reads = 2;
	CHECK(board_work(&board) == 1);
	CHECK(board.reports == 0 && !npu_core_irq(board.core));
	CHECK(npu_core_read(board.core, 0x8030) == 0x100);
	finish(&mm);
}

static void hung_core_ignores_op_en_until_reset(void)
{
	struct matmul mm;
	uint32_t amount;

	chain_of(1, 2, &mm);
	board_work(&board);
	store_chain(&mm, 1, &amount);
	board_kick(&board, 0, PROGRAM_AT, amount, 1);
	CHECK(!npu_core_busy(board.core));
	npu_core_reset(board.core);
	board_kick(&board, 0, PROGRAM_AT, amount, 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155));
	finish(&mm);
}

static void words_after_the_enable_word_do_nothing(void)
{
	struct matmul mm = { .form = FORM_ROWS, .m = 1, .k = 64, .n = 32 };
	struct program program;
	uint64_t *words;
	uint32_t amount;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0);
	words = board_memory(&board, PROGRAM_AT);
	words[program.count++] = UINT64_C(0x0201) << 48 | UINT64_C(99) << 16 | CNA_DATA_SIZE0;
	words[program.count++] = UINT64_C(0x0201) << 48 | UINT64_C(99) << 16 | CNA_DATA_SIZE0;
	amount = program_amount(&program);
	board_kick(&board, 0, PROGRAM_AT, amount, 1);
	CHECK(board_work(&board) == 1);
	CHECK(board_done(&board, 0x155) && matmul_exact(&mm, &board));
	CHECK(board_reported(&board, "after the enable word"));
	finish(&mm);
}

void suite_chain(void)
{
	RUN(chain_of_one);
	RUN(chain_of_two_uses_both_groups);
	RUN(chain_of_three);
	RUN(long_chain);
	RUN(longest_chain_has_4095_tasks);
	RUN(single_tasks_alternate_between_groups);
	RUN(task_number_stops_before_a_dangling_link);
	RUN(missing_link_stalls_with_the_counter_unchanged);
	RUN(link_with_amount_zero_halts_the_chain);
	RUN(link_is_read_when_its_task_is_fetched);
	RUN(link_to_unmapped_memory_hangs);
	RUN(sparse_task_inherits_from_two_tasks_back);
	RUN(sparse_task_without_ping_pong_inherits_from_the_task_before);
	RUN(pointer_away_from_executer_hangs);
	RUN(pointer_follows_executer_in_mode_0);
	RUN(pointer_that_leaves_a_fixed_executer_hangs);
	RUN(other_cores_run_with_their_index);
	RUN(reset_before_retire_leaves_a_fresh_core);
	RUN(reset_during_fetch_leaves_an_idle_core);
	RUN(reset_during_run_is_forgotten);
	RUN(hung_core_ignores_op_en_until_reset);
	RUN(words_after_the_enable_word_do_nothing);
}
