/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "plan.h"

/* The on-chip buffer counts feature rows in units of 64 bytes (NPU reference 3.5.1). */
#define CBUF_ENTRY_BYTES 64

/*
 * Cost model, from published measurements on boards (measurements 2.2, 3 and 5): it only has to rank plans. A task
 * costs 5 to 10 us of fixed time; one core moves about 7 GB/s, all together are bounded by the memory, of which the NPU
 * gets about 20 GB/s; starting another core is worth it if it saves more than a short interrupt path.
 */
#define COST_TASK_NS           8000
#define COST_EXTRA_CORE_NS     15000
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

static uint32_t kernel_bytes(const struct ork_shape *shape)
{
	return ork_operand_bytes(shape->result->operand, shape->k_slice);
}

static uint32_t group_bytes(const struct ork_shape *shape)
{
	return shape->result->operand->group_n * kernel_bytes(shape);
}

static uint32_t row_bytes(const struct ork_shape *shape)
{
	return div_up(kernel_bytes(shape), CBUF_ENTRY_BYTES) * CBUF_ENTRY_BYTES;
}

/*
 * Weight banks that a task must have. One kernel group has to fit, and there should be room for two, so that the next
 * group loads while the current one computes (NPU reference 3.16). Where two do not fit, one is kept off the exact fit,
 * which is marginal on silicon. More rows in place of the second group would be faster by the model, but wrong elements
 * have been seen with it (NPU reference 3.5.2).
 */
static uint32_t min_weight_banks(const struct ork_limits *limits, const struct ork_shape *shape)
{
	const uint32_t two_groups = 2 * div_up(group_bytes(shape), limits->cbuf_bank_bytes);

	if (two_groups < limits->cbuf_banks)
		return two_groups;
	return group_bytes(shape) / limits->cbuf_bank_bytes + 1;
}

/* Rows of A that the remaining banks hold (NPU reference 3.5.1, 3.16). */
static uint32_t max_tile_rows(const struct ork_limits *limits, const struct ork_shape *shape)
{
	const uint32_t banks = limits->cbuf_banks - min_weight_banks(limits, shape);

	return min_u32(banks * limits->cbuf_bank_bytes / row_bytes(shape), ORK_MAX_ROWS_TASK);
}

/* Time of one task that loads this many bytes of weights. */
static uint64_t task_cost_ns(const struct ork_plan *plan, const struct ork_limits *limits, uint64_t weight_bytes)
{
	const struct ork_shape *shape = &plan->shape;
	const uint64_t other_bytes = (uint64_t)plan->tile_rows * kernel_bytes(shape) +
				     (uint64_t)plan->tile_rows * plan->tile_cols * shape->result->bytes;
	const uint64_t bandwidth = min_u32(COST_CORE_BYTES_PER_NS, COST_DRAM_BYTES_PER_NS / plan->cores);
	const uint64_t dma_ns = (weight_bytes + other_bytes) / bandwidth;
	const uint64_t mac_ns = (uint64_t)plan->tile_rows * shape->k_slice * plan->tile_cols /
				shape->result->operand->macs_per_ns;

	/* Weights load while the MACs run only if two kernel groups fit. */
	if ((uint64_t)plan->weight_banks * limits->cbuf_bank_bytes < 2 * (uint64_t)group_bytes(shape))
		return COST_TASK_NS + dma_ns + mac_ns;
	return COST_TASK_NS + (dma_ns > mac_ns ? dma_ns : mac_ns);
}

/* M tiles that follow each other on one core. */
static uint32_t m_tiles_per_core(const struct ork_plan *plan)
{
	return plan->split == ORK_SPLIT_M ? div_up(plan->m_tiles, plan->cores) : plan->m_tiles;
}

static uint64_t plan_cost_ns(const struct ork_plan *plan, const struct ork_limits *limits)
{
	const uint64_t weight_bytes = (uint64_t)kernel_bytes(&plan->shape) * plan->tile_cols;
	const uint64_t tasks = (ork_plan_tasks(plan) + plan->cores - 1) / plan->cores;
	const uint64_t loading = plan->keep_weights ? (tasks + m_tiles_per_core(plan) - 1) / m_tiles_per_core(plan) :
						      tasks;

	return loading * task_cost_ns(plan, limits, weight_bytes) + (tasks - loading) * task_cost_ns(plan, limits, 0) +
	       (uint64_t)COST_EXTRA_CORE_NS * (plan->cores - 1);
}

/* Tiles of at most max_groups column groups. */
static void cut_n(struct ork_plan *plan, uint32_t parts, uint32_t max_groups)
{
	const uint32_t group_n = plan->shape.result->operand->group_n;
	const uint32_t groups = plan->shape.cols / group_n;

	plan->n_tiles = min_u32(parts * div_up(div_up(groups, parts), max_groups), groups);
	plan->tile_cols = div_up(groups, plan->n_tiles) * group_n;
}

/* Tiles as high as the banks allow. */
static void cut_m(struct ork_plan *plan, const struct ork_limits *limits, uint32_t parts)
{
	const struct ork_shape *shape = &plan->shape;
	const uint32_t tiles = parts * div_up(div_up(shape->rows, parts), max_tile_rows(limits, shape));

	plan->m_tiles = min_u32(tiles, shape->rows);
	plan->tile_rows = div_up(shape->rows, plan->m_tiles);
	plan->data_banks = div_up(plan->tile_rows * row_bytes(shape), limits->cbuf_bank_bytes);
	plan->weight_banks = limits->cbuf_banks - plan->data_banks;
}

/* Cuts for this number of cores in the given way; returns false if there are not as many parts. */
static bool plan_split(struct ork_plan *plan, const struct ork_limits *limits, uint32_t cores, enum ork_split split,
		       bool keep_weights)
{
	const struct ork_shape *shape = &plan->shape;
	const uint32_t group_n = shape->result->operand->group_n;
	const uint32_t n_parts = split == ORK_SPLIT_N ? cores : 1;
	const uint32_t m_parts = split == ORK_SPLIT_M ? cores : 1;
	uint32_t max_groups = ORK_MAX_COLS_TASK / group_n;

	if (shape->cols / group_n < n_parts || shape->rows < m_parts ||
	    (split == ORK_SPLIT_BATCH && shape->batch < cores))
		return false;
	plan->cores = cores;
	plan->split = split;
	plan->keep_weights = keep_weights;
	cut_m(plan, limits, m_parts);
	if (keep_weights)
		max_groups = min_u32(max_groups, plan->weight_banks * limits->cbuf_bank_bytes / group_bytes(shape));
	cut_n(plan, n_parts, max_groups);
	/* M tiles of one core are neighbours only if there is one N tile. */
	if (split == ORK_SPLIT_M && plan->n_tiles > 1)
		return false;
	plan->cost_ns = plan_cost_ns(plan, limits);
	/* Many small tiles take command memory; one program bounds it. */
	return !keep_weights || (m_tiles_per_core(plan) > 1 && ork_plan_tasks(plan) <= limits->max_tasks);
}

static void take_cheaper(struct ork_plan *best, const struct ork_plan *candidate)
{
	if (!best->cores || candidate->cost_ns < best->cost_ns)
		*best = *candidate;
}

/* The best plan for exactly this number of cores; its cores are 0 if there is none. */
static struct ork_plan plan_for_cores(const struct ork_limits *limits, const struct ork_shape *shape, uint32_t cores)
{
	const enum ork_split last = cores == 1 ? ORK_SPLIT_NONE : ORK_SPLIT_M;
	struct ork_plan best = { 0 }, candidate = { .shape = *shape };
	enum ork_split split;
	int keep;

	for (split = cores == 1 ? ORK_SPLIT_NONE : ORK_SPLIT_BATCH; split <= last; split++)
		for (keep = 0; keep <= 1; keep++)
			if (plan_split(&candidate, limits, cores, split, keep))
				take_cheaper(&best, &candidate);
	return best;
}

void ork_plan_make(struct ork_plan *plan, const struct ork_limits *limits, const struct ork_shape *shape,
		   uint32_t cores)
{
	struct ork_plan best = { 0 }, candidate;
	uint64_t costs_ns[ORK_MAX_CORES] = { 0 };
	uint32_t c;

	for (c = cores ? min_u32(cores, limits->cores) : limits->cores; c >= 1; c--) {
		candidate = plan_for_cores(limits, shape, c);
		if (!candidate.cores)
			continue;
		costs_ns[c - 1] = candidate.cost_ns;
		take_cheaper(&best, &candidate);
		if (cores)
			break;
	}
	*plan = best;
	for (c = 0; c < ORK_MAX_CORES; c++)
		plan->costs_ns[c] = costs_ns[c];
}

uint64_t ork_plan_tasks(const struct ork_plan *plan)
{
	return (uint64_t)plan->shape.batch * plan->m_tiles * plan->n_tiles * plan->shape.slices;
}
