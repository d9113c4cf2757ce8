/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "board.h"
#include "program.h"
#include "suites.h"
#include "tap.h"

#include <string.h>

/* What completes with wrong results (NPU reference 6.4). The model says so and computes garbage. */

static struct board board;

static const struct matmul small = { .form = FORM_CUBE, .m = 8, .k = 64, .n = 64 };

/* A multiplication with one register changed completes, and the board stays for a look at the result. */
static void register_spoils(struct matmul *mm, uint32_t offset, uint32_t value, const char *text)
{
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, mm);
	program_set(&program, offset, value);
	matmul_run(mm, &board, &program);
	CHECK(board_done(&board, 0x155));
	CHECK(board_reported(&board, text));
}

static void finish(struct matmul *mm)
{
	matmul_fini(mm);
	board_fini(&board);
}

static bool row_is_right(const struct matmul *mm, uint32_t row)
{
	for (uint32_t column = 0; column < mm->n; column++)
		if (matmul_read(mm, &board, row, column) != matmul_element(mm, row, column))
			return false;
	return true;
}

/* NPU reference 3.5.1: 144 rows of 224 bytes fill 1.125 banks because of rounding; one bank holds 128 of them. */
static void rows_beyond_the_data_banks_are_garbage(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 144, .k = 224, .n = 64 };

	register_spoils(&mm, CNA_CBUF_CON0, 0xb1, "1 data banks hold 128 of 144 lines");
	CHECK(row_is_right(&mm, 0) && row_is_right(&mm, 127));
	CHECK(!row_is_right(&mm, 128) && !row_is_right(&mm, 143));
	CHECK(matmul_wrong(&mm, &board) > 15 * 64);
	finish(&mm);
}

static void wrong_data_entries_spoil_everything(void)
{
	struct matmul mm = small;

	register_spoils(&mm, CNA_CBUF_CON1, 2, "data entries");
	CHECK(matmul_wrong(&mm, &board) > mm.m * mm.n * 9 / 10);
	finish(&mm);
}

static void fc_data_bank_spoils_most_rows(void)
{
	struct matmul mm = small;

	register_spoils(&mm, CNA_CBUF_CON0, 0xb1 | 1 << 8, "FC_DATA_BANK is 1");
	CHECK(matmul_wrong(&mm, &board) > mm.m * mm.n * 64 / 100);
	CHECK(matmul_wrong(&mm, &board) <= mm.m * mm.n * 75 / 100);
	finish(&mm);
}

static void half_kernel_group_is_garbage(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 48 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_run(&mm, &board, &program);
	CHECK(board_done(&board, 0x155));
	CHECK(board_reported(&board, "48 kernels are not a multiple of 32"));
	CHECK(matmul_wrong(&mm, &board) > mm.m * mm.n * 9 / 10);
	finish(&mm);
}

/* NPU reference 3.7: size_e 3 leaves the upper half of each kernel group unwritten. */
static void small_size_e_leaves_upper_columns_unwritten(void)
{
	struct matmul mm = small;
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	program_set(&program, DPU_BS_OW_CFG, 0x36e);
	matmul_run(&mm, &board, &program);
	CHECK(board_done(&board, 0x155));
	CHECK(strstr(board.first_report, "corrupt: size_e leaves 4 of 8 surfaces"));
	for (uint32_t column = 0; column < mm.n; column++) {
		bool written = column % 32 < 16;

		CHECK(matmul_read(&mm, &board, 5, column) ==
		      (written ? matmul_element(&mm, 5, column) : (int32_t)0xa5a5a5a5));
	}
	finish(&mm);
}

/* A wrong SURFACE_ADD moves the second kernel group. */
static void surface_add_moves_kernel_groups(void)
{
	struct matmul mm = small;
	int32_t moved;

	register_spoils(&mm, DPU_SURFACE_ADD, (mm.m * 10) << 4, "SURFACE_ADD");
	CHECK(matmul_read(&mm, &board, 3, 31) == matmul_element(&mm, 3, 31));
	memcpy(&moved, board_memory(&board, matmul_element_at(&mm, 3, 33) + 2 * mm.m * 16), sizeof(moved));
	CHECK(moved == matmul_element(&mm, 3, 33));
	finish(&mm);
}

/*
 * Surfaces take turns with the halves of NOTCH_ADDR: without the upper one, odd surfaces do not
 * skip to the next row.
 */
static void half_a_notch_writes_where_the_generator_says(void)
{
	struct matmul mm = { .form = FORM_ROWS, .m = 8, .k = 64, .n = 64 };

	register_spoils(&mm, DPU_DATA_CUBE_NOTCH_ADDR, 15, "NOTCH_ADDR");
	CHECK(matmul_read(&mm, &board, 7, 0) == matmul_element(&mm, 7, 0));
	CHECK(matmul_read(&mm, &board, 7, 4) == (int32_t)0xa5a5a5a5);
	finish(&mm);
}

/* NPU reference 3.6: weights have no stride, so the second group of kernels begins within the first one's remaining channels. */
static void slice_of_k_is_right_in_its_first_kernel_group_only(void)
{
	struct matmul full = { .form = FORM_CUBE, .m = 8, .k = 128, .n = 64 }, slice = full;
	struct program program;
	uint32_t right[2] = { 0, 0 };

	board_init(&board, 0);
	slice.k = 64;
	matmul_init(&slice, &board);
	matmul_init(&full, &board);
	matmul_pack(&slice, &board);
	for (uint32_t n = 0; n < 64; n++)
		memcpy(slice.b + n * 64, full.b + n * 128, 64);
	/* The weights of the full depth again, over those of the slice. */
	full.a_at = A_AT + 0x10000;
	matmul_pack(&full, &board);
	program_matmul(&program, &slice);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155));
	for (uint32_t n = 0; n < 64; n++)
		for (uint32_t m = 0; m < 8; m++)
			right[n / 32] += matmul_read(&slice, &board, m, n) == matmul_element(&slice, m, n);
	CHECK(right[0] == 8 * 32 && right[1] < 8);
	matmul_fini(&slice);
	finish(&full);
}

void suite_corrupt(void)
{
	RUN(slice_of_k_is_right_in_its_first_kernel_group_only);
	RUN(rows_beyond_the_data_banks_are_garbage);
	RUN(wrong_data_entries_spoil_everything);
	RUN(fc_data_bank_spoils_most_rows);
	RUN(half_kernel_group_is_garbage);
	RUN(small_size_e_leaves_upper_columns_unwritten);
	RUN(surface_add_moves_kernel_groups);
	RUN(half_a_notch_writes_where_the_generator_says);
}
