/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PLAN_H
#define ORK_PLAN_H

#include <stddef.h>
#include <stdint.h>

/*
 * How a product is cut into tasks.
 *
 * C is tiled in N and M. The tiles of one core are neighbours in the task list and every core has the same number of
 * them, because the driver cuts the list into equal contiguous ranges. Order: N tile outer, M tile inner, so that
 * consecutive tasks stream the same weights.
 */

/* int8: weights come in groups of 32 kernels, and K in groups of 32 (NPU reference 4.2). */
#define ORK_I8_GROUP_N 32
#define ORK_I8_GROUP_K 32

/* Largest K of one task: 10752 works, 10784 hangs; the vendor's limit is kept (NPU reference 6.1, D10). */
#define ORK_MAX_K_TASK 10240
/* FEATURE_GRAINS holds rows + 1 in 10 bits (NPU reference 6.1, D11). */
#define ORK_MAX_ROWS_TASK 1022
/* The DPU's 13-bit channel fields hold N - 1 (NPU reference 6.1). */
#define ORK_MAX_COLS_TASK 8192

/* Facts of the device that a plan depends on. */
struct ork_limits {
	uint32_t cores;
	uint32_t cbuf_banks;
	uint32_t cbuf_bank_bytes;
	uint32_t max_tasks;
};

struct ork_plan {
	uint32_t rows;         /* M */
	uint32_t k, cols;      /* K and N, padded to groups */
	uint32_t cores;        /* cores that the tasks are cut for */
	uint32_t m_tiles;
	uint32_t n_tiles;
	uint32_t tile_rows;    /* of the largest tile */
	uint32_t tile_cols;
	uint32_t data_banks;   /* on-chip banks of features and of weights, for all tasks */
	uint32_t weight_banks;
	uint64_t cost_ns;      /* estimate, only good for comparing plans */
};

struct ork_tile {
	uint32_t row, rows;
	uint32_t col, cols;
};

/*
 * Plans rows x k x cols for the given number of cores, or for the cheapest number up to limits->cores if cores is 0.
 * Fewer cores are used if neither N nor M can be cut into that many parts. k and cols are multiples of their groups.
 * -ENOTSUP: k is above ORK_MAX_K_TASK. -E2BIG: more tasks than one program can have.
 */
int ork_plan_make(struct ork_plan *plan, const struct ork_limits *limits, uint32_t rows, uint32_t k, uint32_t cols,
		  uint32_t cores);

static inline uint32_t ork_plan_tasks(const struct ork_plan *plan)
{
	return plan->m_tiles * plan->n_tiles;
}

/* The part of C that task number index computes. */
void ork_plan_tile(const struct ork_plan *plan, uint32_t index, struct ork_tile *tile);

/*
 * Rows to compute with one program, so that staging A and C takes at most stage_bytes each (or one row, if that is
 * more) and the program has at most max_tasks tasks. A product with more rows is run in several passes of nearly equal
 * size.
 */
uint32_t ork_plan_pass_rows(const struct ork_limits *limits, uint32_t rows, uint32_t k, uint32_t cols,
			    size_t stage_bytes);

/* Writes the plan in words, as snprintf() would. */
int ork_plan_explain(const struct ork_plan *plan, const struct ork_limits *limits, char *text, size_t size);

#endif
