/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "plan.h"

/* The on-chip buffer counts feature rows in units of 64 bytes (NPU reference 3.5.1). */
#define CBUF_ENTRY_BYTES 64

/*
 * Cost model, from published measurements on boards: it only has to rank plans. A task costs 5 to 10 us of fixed time;
 * int8 runs 1024 MACs per cycle at 1 GHz; one core streams weights at about 7 GB/s, all together are bounded by the
 * memory.
 */
#define COST_TASK_NS           8000
#define COST_EXTRA_CORE_NS     15000
#define COST_MACS_PER_NS       1024
#define COST_CORE_BYTES_PER_NS 7
#define COST_DRAM_BYTES_PER_NS 20

static uint32_t div_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t row_bytes(uint32_t k)
{
	return div_up(k, CBUF_ENTRY_BYTES) * CBUF_ENTRY_BYTES;
}

/*
 * Weight banks that a task must have. One kernel group has to fit, and there should be room for two, so that the next
 * group loads while the current one computes (NPU reference 3.16). Where two do not fit, one is kept off the exact fit,
 * which is marginal on silicon (NPU reference 3.5.2).
 */
static uint32_t min_weight_banks(const struct ork_limits *limits, uint32_t k)
{
	const uint32_t group_bytes = ORK_I8_GROUP_N * k;
	const uint32_t two_groups = 2 * div_up(group_bytes, limits->cbuf_bank_bytes);

	if (two_groups < limits->cbuf_banks)
		return two_groups;
	return group_bytes / limits->cbuf_bank_bytes + 1;
}

/* Rows of A that the remaining banks hold (NPU reference 3.5.1, 3.16). */
static uint32_t max_tile_rows(const struct ork_limits *limits, uint32_t k)
{
	const uint32_t banks = limits->cbuf_banks - min_weight_banks(limits, k);

	return min_u32(banks * limits->cbuf_bank_bytes / row_bytes(k), ORK_MAX_ROWS_TASK);
}

static uint64_t plan_cost_ns(const struct ork_plan *plan, const struct ork_limits *limits)
{
	const uint32_t tasks_per_core = ork_plan_tasks(plan) / plan->cores;
	const uint64_t weight_bytes = (uint64_t)plan->k * plan->tile_cols;
	const uint64_t bandwidth = min_u32(COST_CORE_BYTES_PER_NS, COST_DRAM_BYTES_PER_NS / plan->cores);
	const uint64_t stream_ns = weight_bytes / bandwidth;
	const uint64_t mac_ns = weight_bytes * plan->tile_rows / COST_MACS_PER_NS;
	const uint32_t two_groups = 2 * ORK_I8_GROUP_N * plan->k;
	uint64_t task_ns = COST_TASK_NS;

	if (plan->weight_banks * limits->cbuf_bank_bytes >= two_groups)
		task_ns += stream_ns > mac_ns ? stream_ns : mac_ns;
	else
		task_ns += stream_ns + mac_ns;
	return task_ns * tasks_per_core + (uint64_t)COST_EXTRA_CORE_NS * (plan->cores - 1);
}

/* Cuts for exactly this number of cores; returns 0 if neither N nor M has so many parts. */
static int plan_for_cores(struct ork_plan *plan, const struct ork_limits *limits, uint32_t cores)
{
	const uint32_t groups = plan->cols / ORK_I8_GROUP_N;
	const uint32_t max_groups = ORK_MAX_COLS_TASK / ORK_I8_GROUP_N;
	const uint32_t max_rows = max_tile_rows(limits, plan->k);

	if (groups >= cores) {
		plan->n_tiles = cores * div_up(div_up(groups, cores), max_groups);
		plan->m_tiles = div_up(plan->rows, max_rows);
	} else if (plan->rows >= cores) {
		plan->n_tiles = 1;
		plan->m_tiles = cores * div_up(div_up(plan->rows, cores), max_rows);
	} else {
		return 0;
	}
	plan->cores = cores;
	plan->tile_rows = div_up(plan->rows, plan->m_tiles);
	plan->tile_cols = div_up(groups, plan->n_tiles) * ORK_I8_GROUP_N;
	plan->data_banks = div_up(plan->tile_rows * row_bytes(plan->k), limits->cbuf_bank_bytes);
	plan->weight_banks = limits->cbuf_banks - plan->data_banks;
	plan->cost_ns = plan_cost_ns(plan, limits);
	return 1;
}

int ork_plan_make(struct ork_plan *plan, const struct ork_limits *limits, uint32_t rows, uint32_t k, uint32_t cols,
		  uint32_t cores)
{
	struct ork_plan best = { 0 };
	uint32_t c;

	if (k > ORK_MAX_K_TASK)
		return -ENOTSUP;
	for (c = cores ? min_u32(cores, limits->cores) : limits->cores; c >= 1; c--) {
		struct ork_plan candidate = { .rows = rows, .k = k, .cols = cols };

		if (!plan_for_cores(&candidate, limits, c))
			continue;
		if (!best.cores || candidate.cost_ns < best.cost_ns)
			best = candidate;
		if (cores)
			break;
	}
	if (!best.cores || (uint64_t)best.m_tiles * best.n_tiles > limits->max_tasks)
		return -E2BIG;
	*plan = best;
	return 0;
}

/* Start of part number index when total is cut into parts that differ by at most one. */
static uint32_t part_start(uint32_t total, uint32_t parts, uint32_t index)
{
	return (uint32_t)((uint64_t)total * index / parts);
}

void ork_plan_tile(const struct ork_plan *plan, uint32_t index, struct ork_tile *tile)
{
	const uint32_t groups = plan->cols / ORK_I8_GROUP_N;
	const uint32_t n_tile = index / plan->m_tiles;
	const uint32_t m_tile = index % plan->m_tiles;

	tile->row = part_start(plan->rows, plan->m_tiles, m_tile);
	tile->rows = part_start(plan->rows, plan->m_tiles, m_tile + 1) - tile->row;
	tile->col = part_start(groups, plan->n_tiles, n_tile) * ORK_I8_GROUP_N;
	tile->cols = part_start(groups, plan->n_tiles, n_tile + 1) * ORK_I8_GROUP_N - tile->col;
}

uint32_t ork_plan_pass_rows(const struct ork_limits *limits, uint32_t rows, uint32_t k, uint32_t cols,
			    size_t stage_bytes)
{
	const uint64_t c_row_bytes = (uint64_t)cols * sizeof(int32_t);
	const uint64_t widest = c_row_bytes > k ? c_row_bytes : k;
	/* The most N tiles that any number of cores leads to; splitting M adds at most one M tile per core. */
	const uint32_t n_tiles = cols / ORK_MAX_COLS_TASK + limits->cores;
	const uint32_t m_tiles = limits->max_tasks / n_tiles;
	uint64_t most = stage_bytes / widest;

	if (m_tiles > limits->cores && most > (uint64_t)(m_tiles - limits->cores) * max_tile_rows(limits, k))
		most = (uint64_t)(m_tiles - limits->cores) * max_tile_rows(limits, k);
	if (most == 0)
		most = 1;
	if (rows <= most)
		return rows;
	return div_up(rows, div_up(rows, (uint32_t)most));
}

int ork_plan_explain(const struct ork_plan *plan, const struct ork_limits *limits, char *text, size_t size)
{
	const uint32_t need = ORK_I8_GROUP_N * plan->k;

	return snprintf(text, size,
			"M=%" PRIu32 " K=%" PRIu32 " N=%" PRIu32 " (padded) on %" PRIu32 " core(s), %s split: %" PRIu32
			" M tile(s) of up to %" PRIu32 " rows, %" PRIu32 " N tile(s) of up to %" PRIu32
			" columns, %" PRIu32 " task(s) per core; banks: %" PRIu32 " features, %" PRIu32
			" weights (%s); estimate %" PRIu64 " us",
			plan->rows, plan->k, plan->cols, plan->cores, plan->n_tiles >= plan->cores ? "N" : "M",
			plan->m_tiles, plan->tile_rows, plan->n_tiles, plan->tile_cols,
			ork_plan_tasks(plan) / plan->cores, plan->data_banks, plan->weight_banks,
			plan->weight_banks * limits->cbuf_bank_bytes >= 2 * need ? "room for two kernel groups"
										 : "one kernel group fits",
			plan->cost_ns / 1000);
}
