/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PLAN_H
#define ORK_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"
#include "types.h"

/*
 * How a product is cut into tasks.
 *
 * Each C of a batch is tiled in N and M, and K is cut into the slices that the weights were packed in. The driver cuts
 * the list of tasks into one contiguous range per core, so a core's tiles are neighbours in the list: batch outermost,
 * then N tile, K slice and M tile.
 *
 * M tiles of the same columns need the same weights. If those fit the weight banks as a whole, all tasks but the first
 * of a range use what is on the chip (WEIGHT_REUSE, NPU reference 3.5.4). DATA_REUSE is not used. It needs neighbours
 * with the same rows, so it excludes the other; and as an N tile has up to 8192 columns, it would save less than 2 % of
 * what a task loads.
 */

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

/* What is to be computed. */
struct ork_shape {
	const struct ork_result *result;
	uint32_t batch;
	uint32_t rows;    /* M */
	uint32_t k_slice; /* K of each task, a multiple of 32 */
	uint32_t slices;
	uint32_t cols;    /* N, a multiple of the kernel group */
	/* In the packed weights, from one slice to the next and from one matrix to the next; 0: one matrix for all. */
	uint64_t b_slice_bytes, b_batch_bytes;
	/* In place: from one row to the next, 0 if there is a stage, and from one matrix to the next. */
	uint32_t a_pitch_bytes, c_pitch_bytes;
	uint64_t a_batch_bytes, c_batch_bytes;
};

enum ork_split {
	ORK_SPLIT_NONE,
	ORK_SPLIT_BATCH,
	ORK_SPLIT_N,
	ORK_SPLIT_M,
};

struct ork_plan {
	struct ork_shape shape;
	uint32_t cores;        /* cores that the tasks are cut for */
	enum ork_split split;  /* what the cores divide among themselves */
	uint32_t m_tiles;
	uint32_t n_tiles;
	uint32_t tile_rows;    /* of the largest tile */
	uint32_t tile_cols;
	uint32_t data_banks;   /* on-chip banks of features and of weights, for all tasks */
	uint32_t weight_banks;
	bool keep_weights;     /* tasks after the first of an N tile and K slice find its weights on the chip */
	uint64_t cost_ns;      /* estimate, only good for comparing plans */
	uint64_t costs_ns[ORK_MAX_CORES]; /* of the best plan for 1, 2, 3 cores; 0: not considered */
};

struct ork_tile {
	uint32_t batch;
	uint32_t row, rows;
	uint32_t col, cols;
	uint32_t slice;
};

/*
 * Plans the shape for the given number of cores, or for the cheapest number up to limits->cores if cores is 0. Fewer
 * cores are used if there are not as many parts.
 */
void ork_plan_make(struct ork_plan *plan, const struct ork_limits *limits, const struct ork_shape *shape,
		   uint32_t cores);

uint64_t ork_plan_tasks(const struct ork_plan *plan);

/*
 * Whether task number index of a program of count tasks, run on plan->cores, can use the weights of the task before it.
 * first is the number in the plan of the program's first task.
 */
bool ork_plan_reuses_weights(const struct ork_plan *plan, uint64_t first, uint32_t count, uint32_t index);

/* The part of the work that task number index does. */
void ork_plan_tile(const struct ork_plan *plan, uint64_t index, struct ork_tile *tile);

/* Bytes of the stages: all of A as tasks read it, and all that they write; 0 in place. */
uint64_t ork_shape_a_bytes(const struct ork_shape *shape);
uint64_t ork_shape_c_bytes(const struct ork_shape *shape);

/*
 * Where a tile lies: the bytes before it in A, in the packed weights and in C, if these are staged:
 *
 *   A stage: A[batch][rows][k], or per M tile one cube after the other for each slice.
 *   C stage: [batch][slice], then one block C[rows][tile columns] per N tile, and in it the M tiles. Blocks keep the
 *            pitch of C within the 8192 atoms that NOTCH can express and as small as possible, which is also faster
 *            (NPU reference 3.9).
 */
uint64_t ork_tile_a_offset(const struct ork_shape *shape, const struct ork_tile *tile);
uint64_t ork_tile_b_offset(const struct ork_shape *shape, const struct ork_tile *tile);
uint64_t ork_tile_c_offset(const struct ork_shape *shape, const struct ork_tile *tile);

/* From one row of a tile to the next, where rows are not planes. */
uint32_t ork_tile_a_pitch(const struct ork_shape *shape);
uint32_t ork_tile_c_pitch(const struct ork_shape *shape, const struct ork_tile *tile);

/*
 * Cuts a shape into passes whose stages take at most stage_bytes each (or one row, if that is more): the largest number
 * of whole products, else rows of one product, in nearly equal parts. The shape becomes that of the largest pass. What
 * has no stages is one pass.
 */
void ork_plan_pass(struct ork_shape *shape, size_t stage_bytes);

/* Adds the plan in words. */
void ork_plan_text(struct ork_text *text, const struct ork_plan *plan, const struct ork_limits *limits);

#endif
