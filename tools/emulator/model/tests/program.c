/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "program.h"

#include "../npu_regs.h"

#include <stdlib.h>
#include <string.h>

#define PANEL 4

static uint64_t word(uint32_t target, uint32_t offset, uint32_t value)
{
	return (uint64_t)target << 48 | (uint64_t)value << 16 | offset;
}

static uint32_t target_of(uint32_t offset)
{
	static const uint16_t target[8] = { 0x0101, 0x0201, 0, 0x0801, 0x1001, 0x2001, 0x4001, 0x8001 };

	return target[offset >> 12 & 7];
}

void program_set(struct program *program, uint32_t offset, uint32_t value)
{
	for (unsigned int i = 0; i < program->count; i++)
		if ((program->words[i] & 0xffff) == offset) {
			program->words[i] = word(target_of(offset), offset, value);
			return;
		}
	program->words[program->count++] = word(target_of(offset), offset, value);
}

uint32_t program_amount(const struct program *program)
{
	return (program->count + 1) / 2 - 1;
}

uint32_t program_store(struct program *program, struct board *board, uint32_t at, uint32_t map, uint32_t next,
		       uint32_t next_amount)
{
	if (program->count % 2)
		program->words[program->count++] = 0;
	program->words[program->count++] = next ? word(0x0101, PC_BASE_ADDRESS, next) : 0;
	program->words[program->count++] = word(0x0101, PC_REGISTER_AMOUNTS, next_amount);
	program->words[program->count++] = UINT64_C(0x0041) << 48;
	program->words[program->count++] = word(0x0081, 0x0008, map);
	memcpy(board_memory(board, at), program->words, program->count * sizeof(program->words[0]));
	return program_amount(program);
}

static uint32_t round_up_div(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

struct geometry {
	uint32_t w, h;         /* feature cube */
	uint32_t dw, dh;       /* DPU's cube */
	uint32_t line_off, line, surf;
	uint32_t surf_stride, notch;
};

static struct geometry geometry(const struct matmul *mm)
{
	uint32_t m = mm->m, pitch = mm->c_pitch ? mm->c_pitch : mm->n;

	switch (mm->form) {
	case FORM_CUBE: return (struct geometry){ 1, m, 1, m, 0, 4, m - 4, m, 0 };
	case FORM_ROWS: return (struct geometry){ 1, m, 1, m, 1, mm->k / 16, 0, 1, pitch / 4 - 1 };
	case FORM_NATIVE: return (struct geometry){ m, 1, m, 1, 0, 4 * m, 0u - 3 * m, m, 0 };
	case FORM_TILE: return (struct geometry){ m, 1, m, 1, 1, mm->full_m, mm->full_m - m, mm->full_m, 0 };
	case FORM_PANEL:
		return (struct geometry){ PANEL, m / PANEL, 1, m, 1, PANEL * mm->k / 16, 0, 1, pitch / 4 - 1 };
	}
	abort();
}

static void set_cna(struct program *p, const struct matmul *mm, const struct geometry *g)
{
	uint32_t entries = round_up_div(g->w * mm->k, 64);
	uint32_t banks = round_up_div(g->h * entries * 64, 32768);

	program_set(p, CNA_CONV_CON1, g->line_off << 29);
	program_set(p, CNA_CONV_CON2, (g->h + 1) << 4);
	program_set(p, CNA_CONV_CON3, 0x9);
	program_set(p, CNA_DATA_SIZE0, g->w << 16 | g->h);
	program_set(p, CNA_DATA_SIZE1, (mm->k - 1) << 16 | mm->k);
	program_set(p, CNA_DATA_SIZE2, g->w);
	program_set(p, CNA_DATA_SIZE3, mm->m);
	program_set(p, CNA_WEIGHT_SIZE0, mm->k * mm->n);
	program_set(p, CNA_WEIGHT_SIZE1, mm->k);
	program_set(p, CNA_WEIGHT_SIZE2, 0x01010000 | mm->n);
	program_set(p, CNA_CBUF_CON0, (12 - banks) << 4 | banks);
	program_set(p, CNA_CBUF_CON1, entries);
	program_set(p, CNA_CVT_CON0, 0xb);
	for (uint32_t offset = CNA_CVT_CON1; offset <= CNA_CVT_CON4; offset += 4)
		program_set(p, offset, 0x10000);
	program_set(p, CNA_FEATURE_DATA_ADDR, mm->a_at ? mm->a_at : A_AT);
	program_set(p, CNA_DMA_CON0, 0x000f000f);
	program_set(p, CNA_DMA_CON1, g->line);
	program_set(p, CNA_DMA_CON2, g->surf & 0x0fffffff);
	program_set(p, CNA_FC_DATA_SIZE0, g->w << 16 | g->h);
	program_set(p, CNA_FC_DATA_SIZE1, mm->k);
	program_set(p, CNA_DCOMP_ADDR0, mm->b_at ? mm->b_at : B_AT);
}

static void set_dpu(struct program *p, const struct matmul *mm, const struct geometry *g)
{
	program_set(p, DPU_FEATURE_MODE_CFG, 0x1e4);
	program_set(p, DPU_DATA_FORMAT, 0x80000000);
	program_set(p, DPU_DST_BASE_ADDR, mm->c_at ? mm->c_at : C_AT);
	program_set(p, DPU_DST_SURF_STRIDE, g->surf_stride << 4);
	program_set(p, DPU_DATA_CUBE_WIDTH, g->dw - 1);
	program_set(p, DPU_DATA_CUBE_HEIGHT, g->dh - 1);
	program_set(p, DPU_DATA_CUBE_NOTCH_ADDR, g->notch << 16 | g->notch);
	program_set(p, DPU_DATA_CUBE_CHANNEL, (mm->n - 1) << 16 | (mm->n - 1));
	program_set(p, DPU_BS_CFG, 0x53);
	program_set(p, DPU_BS_OW_CFG, 0x7fe);
	program_set(p, DPU_WDMA_SIZE_0, mm->n - 1);
	program_set(p, DPU_WDMA_SIZE_1, (g->dh - 1) << 16 | (g->dw - 1));
	program_set(p, DPU_BN_CFG, 0x53);
	program_set(p, DPU_EW_CFG, 0x383);
	program_set(p, DPU_EW_CVT_SCALE_VALUE, 1);
	program_set(p, DPU_OUT_CVT_SCALE, 1);
	program_set(p, DPU_SURFACE_ADD, (g->surf_stride * 8) << 4);
}

void program_matmul(struct program *program, const struct matmul *mm)
{
	struct geometry g = geometry(mm);

	program->count = 0;
	program_set(program, 0x4004, 0xe);
	set_cna(program, mm, &g);
	program_set(program, CORE_MISC_CFG, 1);
	program_set(program, CORE_DATAOUT_SIZE_0, (g.h - 1) << 16 | (g.w - 1));
	program_set(program, CORE_DATAOUT_SIZE_1, mm->n - 1);
	program_set(program, CORE_CLIP_TRUNCATE, 0);
	program_set(program, CORE_UNDOCUMENTED_3030, 0);
	set_dpu(program, mm, &g);
}

static uint32_t a_index(const struct matmul *mm, uint32_t m, uint32_t k)
{
	uint32_t rows = mm->form == FORM_TILE ? mm->full_m : mm->m;

	switch (mm->form) {
	case FORM_ROWS: return m * mm->k + k;
	case FORM_PANEL: return m / PANEL * PANEL * mm->k + (k / 16 * PANEL + m % PANEL) * 16 + k % 16;
	default: return (k / 16 * rows + m) * 16 + k % 16;
	}
}

static uint32_t b_index(const struct matmul *mm, uint32_t n, uint32_t k)
{
	return n / 32 * 32 * mm->k + k / 32 * 32 * 32 + n % 32 * 32 + k % 32;
}

uint32_t matmul_element_at(const struct matmul *mm, uint32_t row, uint32_t column)
{
	uint32_t at = mm->c_at ? mm->c_at : C_AT;
	uint32_t rows = mm->form == FORM_TILE ? mm->full_m : mm->m;

	if (mm->form == FORM_ROWS || mm->form == FORM_PANEL)
		return at + 4 * (row * (mm->c_pitch ? mm->c_pitch : mm->n) + column);
	return at + 4 * (column / 4 * rows * 4 + row * 4 + column % 4);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 24;
}

void matmul_init(struct matmul *mm, struct board *board)
{
	uint32_t state = mm->m * 31 + mm->k * 17 + mm->n;

	mm->a = malloc((size_t)mm->m * mm->k);
	mm->b = malloc((size_t)mm->n * mm->k);
	if (!mm->a || !mm->b)
		abort();
	for (uint32_t i = 0; i < mm->m * mm->k; i++)
		mm->a[i] = (int8_t)next_random(&state);
	for (uint32_t i = 0; i < mm->n * mm->k; i++)
		mm->b[i] = (int8_t)next_random(&state);
	matmul_pack(mm, board);
}

void matmul_pack(const struct matmul *mm, struct board *board)
{
	int8_t *a = board_memory(board, mm->a_at ? mm->a_at : A_AT);
	int8_t *b = board_memory(board, mm->b_at ? mm->b_at : B_AT);

	for (uint32_t m = 0; m < mm->m; m++)
		for (uint32_t k = 0; k < mm->k; k++)
			a[a_index(mm, m, k)] = mm->a[m * mm->k + k];
	for (uint32_t n = 0; n < mm->n; n++)
		for (uint32_t k = 0; k < mm->k; k++)
			b[b_index(mm, n, k)] = mm->b[n * mm->k + k];
	memset(board_memory(board, C_AT - 4096), PATTERN, MEMORY_BASE + MEMORY_BYTES - C_AT + 4096);
}

void matmul_fini(struct matmul *mm)
{
	free(mm->a);
	free(mm->b);
}

int32_t matmul_element(const struct matmul *mm, uint32_t row, uint32_t column)
{
	int32_t sum = 0;

	for (uint32_t k = 0; k < mm->k; k++)
		sum += mm->a[row * mm->k + k] * mm->b[column * mm->k + k];
	return sum;
}

int32_t matmul_read(const struct matmul *mm, struct board *board, uint32_t row, uint32_t column)
{
	int32_t value;

	memcpy(&value, board_memory(board, matmul_element_at(mm, row, column)), sizeof(value));
	return value;
}

uint32_t matmul_wrong(const struct matmul *mm, struct board *board)
{
	uint32_t wrong = 0;

	for (uint32_t row = 0; row < mm->m; row++)
		for (uint32_t column = 0; column < mm->n; column++)
			wrong += matmul_read(mm, board, row, column) != matmul_element(mm, row, column);
	return wrong;
}

bool matmul_exact(const struct matmul *mm, struct board *board)
{
	uint32_t from = C_AT - 4096, bytes = MEMORY_BASE + MEMORY_BYTES - from;
	uint8_t *expected = malloc(bytes);
	bool exact;

	if (!expected)
		abort();
	memset(expected, PATTERN, bytes);
	for (uint32_t row = 0; row < mm->m; row++)
		for (uint32_t column = 0; column < mm->n; column++) {
			int32_t value = matmul_element(mm, row, column);

			memcpy(expected + (matmul_element_at(mm, row, column) - from), &value, sizeof(value));
		}
	exact = memcmp(expected, board_memory(board, from), bytes) == 0;
	free(expected);
	return exact;
}

void matmul_run(struct matmul *mm, struct board *board, struct program *program)
{
	uint32_t amount;

	matmul_init(mm, board);
	amount = program_store(program, board, PROGRAM_AT, 0x0d, 0, 0);
	board_kick(board, 0, PROGRAM_AT, amount, 1);
	board_work(board);
}
