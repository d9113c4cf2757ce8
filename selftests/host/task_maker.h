/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TASK_MAKER_H
#define ORK_TASK_MAKER_H

/*
 * Complete register programs for one matrix product, written from the hardware reference (section 3) and not from the
 * checker: what is made here must pass, and is where tests and fuzzers start to break things.
 */

#include <stdbool.h>
#include <stdint.h>

#include "../../drivers/rknpu-ork/ork_regcmd_types.h"

#define TASK_MAX_WORDS 64

enum task_form {
	TASK_CUBE,   /* 3.1: W = 1, H = M */
	TASK_ROWS,   /* 3.9: A and C row-major */
	TASK_NATIVE, /* 3.10: W = M, H = 1 */
	TASK_TILE,   /* 3.10: rows of a taller matrix in native layout */
	TASK_PANEL,  /* 3.4: A in panels of W rows, C row-major */
	TASK_FORMS
};

/* Reference 3.3. */
struct task_type {
	const char *name;
	uint32_t precision;
	uint32_t data_format;
	uint32_t size_e;
	uint32_t scale;
	uint32_t in_bits, out_bytes;
	uint32_t kernel_group, k_group;
};

extern const struct task_type task_types[];
extern const unsigned int task_type_count;

struct task_shape {
	const struct task_type *type;
	uint32_t m, k, n;
	uint32_t a, b, c;
	/* How features lie in memory, in atoms; surf is signed, 28 bits. */
	uint32_t w, h;
	bool lines;
	uint32_t line, surf;
	/* The output cube, in atoms. */
	uint32_t dw, dh, stride, notch;
	uint32_t data_banks, weight_banks, entries;
	/* CBUF_CON0's reuse bits. */
	uint32_t reuse;
};

/* Fills in everything but the addresses. full_m: rows of the whole matrix for TASK_TILE; panel: W of TASK_PANEL. */
void task_shape_init(struct task_shape *shape, const struct task_type *type, enum task_form form, uint32_t m, uint32_t k,
		     uint32_t n, uint32_t extra);

/* Returns the number of words. */
uint32_t task_make(const struct task_shape *shape, u64 *words);

/* The word that writes a register, or -1. */
int task_find(const u64 *words, uint32_t count, uint16_t reg);
u64 task_word(uint16_t reg, uint32_t value);

#endif
