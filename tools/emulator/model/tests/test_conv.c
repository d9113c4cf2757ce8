/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "board.h"
#include "program.h"
#include "suites.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static struct board board;

static bool multiplies(struct matmul mm)
{
	struct program program;
	bool right;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_run(&mm, &board, &program);
	right = board_done(&board, 0x155) && board.reports == 0 && matmul_exact(&mm, &board);
	if (!right)
		printf("# form %d, %u x %u x %u: %s\n", mm.form, mm.m, mm.k, mm.n, board.first_report);
	matmul_fini(&mm);
	board_fini(&board);
	return right;
}

static void form_is_exact_for_all_shapes(enum form form)
{
	static const uint32_t rows[] = { 1, 2, 3, 4, 5, 7, 8, 64 };
	static const uint32_t depths[] = { 32, 64, 96, 224, 1024, 4096 };
	static const uint32_t columns[] = { 32, 64, 160 };

	for (size_t m = 0; m < sizeof(rows) / sizeof(rows[0]); m++)
		for (size_t k = 0; k < sizeof(depths) / sizeof(depths[0]); k++)
			for (size_t n = 0; n < sizeof(columns) / sizeof(columns[0]); n++) {
				if (form == FORM_PANEL && rows[m] % 4 != 0)
					continue;
				CHECK(multiplies((struct matmul){ .form = form, .m = rows[m], .k = depths[k],
								  .n = columns[n], .full_m = 70 }));
			}
}

static void cube_form_is_exact(void)
{
	form_is_exact_for_all_shapes(FORM_CUBE);
}

static void row_major_form_is_exact(void)
{
	form_is_exact_for_all_shapes(FORM_ROWS);
}

static void native_form_in_group_mode_is_exact(void)
{
	form_is_exact_for_all_shapes(FORM_NATIVE);
}

static void native_tile_in_line_mode_is_exact(void)
{
	form_is_exact_for_all_shapes(FORM_TILE);
}

static void panels_with_another_output_shape_are_exact(void)
{
	form_is_exact_for_all_shapes(FORM_PANEL);
}

static void column_slice_stays_inside_its_columns(void)
{
	CHECK(multiplies((struct matmul){ .form = FORM_ROWS, .m = 9, .k = 128, .n = 64, .c_pitch = 512,
					  .c_at = C_AT + 256 }));
	CHECK(multiplies((struct matmul){ .form = FORM_PANEL, .m = 8, .k = 96, .n = 32, .c_pitch = 4096,
					  .c_at = C_AT + 128 }));
}

static void wide_and_tall_tasks_are_exact(void)
{
	CHECK(multiplies((struct matmul){ .form = FORM_ROWS, .m = 1, .k = 64, .n = 8192 }));
	CHECK(multiplies((struct matmul){ .form = FORM_CUBE, .m = 1022, .k = 32, .n = 32 }));
	CHECK(multiplies((struct matmul){ .form = FORM_NATIVE, .m = 2047, .k = 32, .n = 32 }));
}

static void longest_contraction_is_exact(void)
{
	CHECK(multiplies((struct matmul){ .form = FORM_CUBE, .m = 3, .k = 10752, .n = 64 }));
	CHECK(multiplies((struct matmul){ .form = FORM_ROWS, .m = 1, .k = 10752, .n = 32 }));
}

/* One full bank of data and one of weights are enough (NPU reference 3.5.1). */
static void exactly_full_banks_are_enough(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 32, .k = 1024, .n = 64 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	program_set(&program, CNA_CBUF_CON0, 0x11);
	matmul_run(&mm, &board, &program);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && matmul_exact(&mm, &board));
	matmul_fini(&mm);
	board_fini(&board);
}

/* NPU reference 3.5.1 rounds a line up to entries, 3.10 each pixel of it: 2 * 96 bytes are 3 or 4 entries. */
static void both_roundings_of_a_line_are_right(void)
{
	for (uint32_t entries = 3; entries <= 4; entries++) {
		struct matmul mm = { .form = FORM_NATIVE, .m = 2, .k = 96, .n = 32 };
		struct program program;

		board_init(&board, 0);
		program_matmul(&program, &mm);
		program_set(&program, CNA_CBUF_CON1, entries);
		matmul_run(&mm, &board, &program);
		CHECK(board_done(&board, 0x155) && board.reports == 0 && matmul_exact(&mm, &board));
		matmul_fini(&mm);
		board_fini(&board);
	}
}

static void sums_are_exact_at_the_extremes(void)
{
	static const int8_t extreme[2] = { -128, 127 };

	for (int pair = 0; pair < 4; pair++) {
		struct matmul mm = { .form = FORM_CUBE, .m = 1, .k = 10752, .n = 32 };
		struct program program;

		board_init(&board, 0);
		matmul_init(&mm, &board);
		memset(mm.a, extreme[pair & 1], mm.m * mm.k);
		memset(mm.b, extreme[pair >> 1], mm.n * mm.k);
		matmul_pack(&mm, &board);
		program_matmul(&program, &mm);
		board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
		board_work(&board);
		CHECK(matmul_read(&mm, &board, 0, 31) == 10752 * extreme[pair & 1] * extreme[pair >> 1]);
		CHECK(matmul_exact(&mm, &board));
		matmul_fini(&mm);
		board_fini(&board);
	}
}

static const struct {
	uint16_t offset;
	uint32_t cube_4x64x64, cube_144x224x64, rows_4x32x32;
} worked[] = {
	/* NPU reference 3.12, columns 3 and 4, and the captured template of 3.13. */
	{ 0x4004, 0x0000000e, 0x0000000e, 0x0000000e },
	{ 0x100c, 0x00000000, 0x00000000, 0x20000000 },
	{ 0x1010, 0x00000050, 0x00000910, 0x00000050 },
	{ 0x1014, 0x00000009, 0x00000009, 0x00000009 },
	{ 0x1020, 0x00010004, 0x00010090, 0x00010004 },
	{ 0x1024, 0x003f0040, 0x00df00e0, 0x001f0020 },
	{ 0x1028, 0x00000001, 0x00000001, 0x00000001 },
	{ 0x102c, 0x00000004, 0x00000090, 0x00000004 },
	{ 0x1030, 0x00001000, 0x00003800, 0x00000400 },
	{ 0x1034, 0x00000040, 0x000000e0, 0x00000020 },
	{ 0x1038, 0x01010040, 0x01010040, 0x01010020 },
	{ 0x1040, 0x000000b1, 0x000000a2, 0x000000b1 },
	{ 0x1044, 0x00000001, 0x00000004, 0x00000001 },
	{ 0x104c, 0x0000000b, 0x0000000b, 0x0000000b },
	{ 0x1050, 0x00010000, 0x00010000, 0x00010000 },
	{ 0x1054, 0x00010000, 0x00010000, 0x00010000 },
	{ 0x1058, 0x00010000, 0x00010000, 0x00010000 },
	{ 0x105c, 0x00010000, 0x00010000, 0x00010000 },
	{ 0x1078, 0x000f000f, 0x000f000f, 0x000f000f },
	{ 0x107c, 0x00000004, 0x00000004, 0x00000002 },
	{ 0x1080, 0x00000000, 0x0000008c, 0x00000000 },
	{ 0x1084, 0x00010004, 0x00010090, 0x00010004 },
	{ 0x1088, 0x00000040, 0x000000e0, 0x00000020 },
	{ 0x3010, 0x00000000, 0x00000000, 0x00000001 },
	{ 0x3014, 0x00030000, 0x008f0000, 0x00030000 },
	{ 0x3018, 0x0000003f, 0x0000003f, 0x0000001f },
	{ 0x400c, 0x000001e4, 0x000001e4, 0x000001e4 },
	{ 0x4010, 0x80000000, 0x80000000, 0x80000000 },
	{ 0x4024, 0x00000040, 0x00000900, 0x00000010 },
	{ 0x4030, 0x00000000, 0x00000000, 0x00000000 },
	{ 0x4034, 0x00000003, 0x0000008f, 0x00000003 },
	{ 0x4038, 0x00000000, 0x00000000, 0x00070007 },
	{ 0x403c, 0x003f003f, 0x003f003f, 0x001f001f },
	{ 0x4040, 0x00000053, 0x00000053, 0x00000053 },
	{ 0x4050, 0x000007fe, 0x000007fe, 0x000007fc },
	{ 0x4058, 0x0000003f, 0x0000003f, 0x0000001f },
	{ 0x405c, 0x00030000, 0x008f0000, 0x00030000 },
	{ 0x4060, 0x00000053, 0x00000053, 0x00000053 },
	{ 0x4070, 0x00000383, 0x00000383, 0x00000383 },
	{ 0x4078, 0x00000001, 0x00000001, 0x00000001 },
	{ 0x4084, 0x00000001, 0x00000001, 0x00000001 },
	{ 0x40c0, 0x00000200, 0x00004800, 0x00000080 },
};

static void worked_program_is_exact(struct matmul mm, int column)
{
	struct program program = { .count = 0 };

	for (size_t i = 0; i < sizeof(worked) / sizeof(worked[0]); i++) {
		uint32_t values[3] = { worked[i].cube_4x64x64, worked[i].cube_144x224x64, worked[i].rows_4x32x32 };

		program_set(&program, worked[i].offset, values[column]);
	}
	program_set(&program, CNA_FEATURE_DATA_ADDR, A_AT);
	program_set(&program, CNA_DCOMP_ADDR0, B_AT);
	program_set(&program, DPU_DST_BASE_ADDR, C_AT);
	board_init(&board, 0);
	matmul_run(&mm, &board, &program);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && matmul_exact(&mm, &board));
	matmul_fini(&mm);
	board_fini(&board);
}

static void worked_cube_program_is_exact(void)
{
	worked_program_is_exact((struct matmul){ .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 }, 0);
}

static void worked_program_with_rounded_rows_is_exact(void)
{
	worked_program_is_exact((struct matmul){ .form = FORM_CUBE, .m = 144, .k = 224, .n = 64 }, 1);
}

static void captured_row_major_program_is_exact(void)
{
	worked_program_is_exact((struct matmul){ .form = FORM_ROWS, .m = 4, .k = 32, .n = 32 }, 2);
}

/* An image has the memory of a cube whose height is its number of pixels (NPU reference 4.1). */
static void image_is_exact(uint32_t line_off, uint32_t line, uint32_t surf)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 7 * 10, .k = 96, .n = 64 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	program_set(&program, CNA_CONV_CON1, line_off << 29);
	program_set(&program, CNA_DATA_SIZE0, 7 << 16 | 10);
	program_set(&program, CNA_DATA_SIZE2, 7);
	program_set(&program, CNA_CBUF_CON1, 11);
	program_set(&program, CNA_DMA_CON1, line);
	program_set(&program, CNA_DMA_CON2, surf);
	program_set(&program, CNA_FC_DATA_SIZE0, 7 << 16 | 10);
	program_set(&program, CORE_DATAOUT_SIZE_0, 9 << 16 | 6);
	program_set(&program, DPU_DATA_CUBE_WIDTH, 6);
	program_set(&program, DPU_DATA_CUBE_HEIGHT, 9);
	program_set(&program, DPU_WDMA_SIZE_1, 9 << 16 | 6);
	matmul_run(&mm, &board, &program);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && matmul_exact(&mm, &board));
	matmul_fini(&mm);
	board_fini(&board);
}

static void image_in_group_mode_is_exact(void)
{
	image_is_exact(0, 4 * 7, 7 * (10 - 4));
}

static void image_in_line_mode_is_exact(void)
{
	image_is_exact(1, 7, 70 - 7);
}

/* The set-up of NPU reference 3.2 in which DPU_RDMA has no work and does not wait for any. */
static void silent_rdma_block_changes_nothing(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 4, .k = 64, .n = 64 };
	struct program program;

	board_init(&board, 0);
	matmul_init(&mm, &board);
	program_matmul(&program, &mm);
	program_set(&program, 0x5004, 0xe);
	program_set(&program, DPU_RDMA_ERDMA_CFG, 1);
	program_set(&program, DPU_RDMA_FEATURE_MODE_CFG, 0x7810);
	program_set(&program, DPU_RDMA_WEIGHT, 0x01010101);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x1d, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && matmul_exact(&mm, &board));
	matmul_fini(&mm);
	board_fini(&board);
}

/* NPU reference 3.4: the clamp to 0 that some drivers do makes M = 1 read every fourth plane. */
static void clamped_surface_stride_spoils_one_row(void)
{
	struct matmul mm = { .form = FORM_CUBE, .m = 1, .k = 64, .n = 32 };
	struct program program;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	program_set(&program, CNA_DMA_CON2, 0);
	matmul_run(&mm, &board, &program);
	CHECK(board_done(&board, 0x155));
	CHECK(matmul_wrong(&mm, &board) > 24);
	matmul_fini(&mm);
	board_fini(&board);
}

void suite_conv(void)
{
	RUN(worked_cube_program_is_exact);
	RUN(worked_program_with_rounded_rows_is_exact);
	RUN(captured_row_major_program_is_exact);
	RUN(cube_form_is_exact);
	RUN(row_major_form_is_exact);
	RUN(native_form_in_group_mode_is_exact);
	RUN(native_tile_in_line_mode_is_exact);
	RUN(panels_with_another_output_shape_are_exact);
	RUN(column_slice_stays_inside_its_columns);
	RUN(wide_and_tall_tasks_are_exact);
	RUN(longest_contraction_is_exact);
	RUN(exactly_full_banks_are_enough);
	RUN(both_roundings_of_a_line_are_right);
	RUN(sums_are_exact_at_the_extremes);
	RUN(image_in_group_mode_is_exact);
	RUN(image_in_line_mode_is_exact);
	RUN(silent_rdma_block_changes_nothing);
	RUN(clamped_surface_stride_spoils_one_row);
}
