/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "board.h"

/*
 * Register programs and matrices for int8 -> int32 multiplications, made from the formulas of NPU
 * reference 3 and 4.
 */

struct program {
	uint64_t words[160];
	unsigned int count;
};

enum form {
	FORM_CUBE,   /* 3.1: W = 1, H = M */
	FORM_ROWS,   /* 3.9: A and C row-major */
	FORM_NATIVE, /* 3.10: W = M, H = 1 */
	FORM_TILE,   /* 3.10: rows of a taller matrix in native layout */
	FORM_PANEL,  /* 3.4, 4.1: A in panels of 4 rows, C row-major */
};

struct matmul {
	enum form form;
	uint32_t m, k, n;
	uint32_t full_m; /* FORM_TILE: rows of the whole matrix */
	uint32_t c_pitch; /* FORM_ROWS, FORM_PANEL: columns of the matrix that C is a slice of; 0: n */
	uint32_t a_at, b_at, c_at; /* 0: A_AT, B_AT, C_AT */
	int8_t *a;        /* [m][k] */
	int8_t *b;        /* [n][k] */
};

/* Appends a register write, or changes it where the program already has it. */
void program_set(struct program *program, uint32_t offset, uint32_t value);
void program_matmul(struct program *program, const struct matmul *mm);

/* Appends the trailer of NPU reference 2.2, stores the program and returns its amount. next 0: no successor. */
uint32_t program_store(struct program *program, struct board *board, uint32_t at, uint32_t map, uint32_t next,
		       uint32_t next_amount);
uint32_t program_amount(const struct program *program);

/* Random operands, packed into the board's memory; the output area gets a pattern. */
void matmul_init(struct matmul *mm, struct board *board);
void matmul_pack(const struct matmul *mm, struct board *board);
void matmul_fini(struct matmul *mm);

/* Sum of products of one element. */
int32_t matmul_element(const struct matmul *mm, uint32_t row, uint32_t column);
/* Where it must be in memory. */
uint32_t matmul_element_at(const struct matmul *mm, uint32_t row, uint32_t column);
int32_t matmul_read(const struct matmul *mm, struct board *board, uint32_t row, uint32_t column);

/* The output area holds exactly the product and, elsewhere, the pattern. */
bool matmul_exact(const struct matmul *mm, struct board *board);
/* Elements that are not the product. */
uint32_t matmul_wrong(const struct matmul *mm, struct board *board);

/* Init, pack, store as the only task, kick and work on core 0. */
void matmul_run(struct matmul *mm, struct board *board, struct program *program);

#define PATTERN 0xa5

#endif
