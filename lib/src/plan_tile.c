/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "plan.h"

/* Start of part number index when total is cut into parts that differ by at most one. */
static uint32_t part_start(uint32_t total, uint32_t parts, uint32_t index)
{
	return (uint32_t)((uint64_t)total * index / parts);
}

void ork_plan_tile(const struct ork_plan *plan, uint64_t index, struct ork_tile *tile)
{
	const uint32_t group_n = plan->shape.result->operand->group_n;
	const uint32_t groups = plan->shape.cols / group_n;
	uint32_t m_tile, n_tile;

	m_tile = (uint32_t)(index % plan->m_tiles);
	index /= plan->m_tiles;
	tile->slice = (uint32_t)(index % plan->shape.slices);
	index /= plan->shape.slices;
	n_tile = (uint32_t)(index % plan->n_tiles);
	tile->batch = (uint32_t)(index / plan->n_tiles);

	tile->row = part_start(plan->shape.rows, plan->m_tiles, m_tile);
	tile->rows = part_start(plan->shape.rows, plan->m_tiles, m_tile + 1) - tile->row;
	tile->col = part_start(groups, plan->n_tiles, n_tile) * group_n;
	tile->cols = part_start(groups, plan->n_tiles, n_tile + 1) * group_n - tile->col;
}

/* Whether a core's range of count tasks starts at index, as DRM_ORK_PLACE_SPLIT cuts them. */
static bool starts_range(uint32_t count, uint32_t cores, uint32_t index)
{
	uint32_t core;

	for (core = 0; core < cores; core++)
		if (part_start(count, cores, core) == index)
			return true;
	return false;
}

bool ork_plan_reuses_weights(const struct ork_plan *plan, uint64_t first, uint32_t count, uint32_t index)
{
	return plan->keep_weights && (first + index) % plan->m_tiles && !starts_range(count, plan->cores, index);
}

/* Bytes of one row of A over all slices, and of one slice of it. */
static uint64_t a_slice_bytes(const struct ork_shape *shape)
{
	return ork_operand_bytes(shape->result->operand, shape->k_slice);
}

static uint64_t a_row_bytes(const struct ork_shape *shape)
{
	return a_slice_bytes(shape) * shape->slices;
}

static uint64_t c_row_bytes(const struct ork_shape *shape)
{
	return (uint64_t)shape->cols * shape->result->bytes;
}

uint64_t ork_shape_a_bytes(const struct ork_shape *shape)
{
	return shape->a_pitch_bytes ? 0 : a_row_bytes(shape) * shape->rows * shape->batch;
}

uint64_t ork_shape_c_bytes(const struct ork_shape *shape)
{
	return shape->c_pitch_bytes ? 0 : c_row_bytes(shape) * shape->rows * shape->slices * shape->batch;
}

uint32_t ork_tile_a_pitch(const struct ork_shape *shape)
{
	return shape->a_pitch_bytes ? shape->a_pitch_bytes : (uint32_t)a_row_bytes(shape);
}

uint32_t ork_tile_c_pitch(const struct ork_shape *shape, const struct ork_tile *tile)
{
	return shape->c_pitch_bytes ? shape->c_pitch_bytes : tile->cols * shape->result->bytes;
}

uint64_t ork_tile_a_offset(const struct ork_shape *shape, const struct ork_tile *tile)
{
	const uint64_t row = (uint64_t)tile->batch * shape->rows + tile->row;
	const uint64_t plane_rows = shape->result->operand->form == ORK_FORM_CUBE ? tile->rows : 1;

	if (shape->a_pitch_bytes)
		return tile->batch * shape->a_batch_bytes + (uint64_t)tile->row * shape->a_pitch_bytes +
		       tile->slice * a_slice_bytes(shape);
	return row * a_row_bytes(shape) + tile->slice * plane_rows * a_slice_bytes(shape);
}

uint64_t ork_tile_b_offset(const struct ork_shape *shape, const struct ork_tile *tile)
{
	return tile->batch * shape->b_batch_bytes + tile->slice * shape->b_slice_bytes +
	       tile->col * a_slice_bytes(shape);
}

uint64_t ork_tile_c_offset(const struct ork_shape *shape, const struct ork_tile *tile)
{
	const uint64_t block = (uint64_t)tile->batch * shape->slices + tile->slice;

	if (shape->c_pitch_bytes)
		return tile->batch * shape->c_batch_bytes + (uint64_t)tile->row * shape->c_pitch_bytes +
		       (uint64_t)tile->col * shape->result->bytes;
	return block * shape->rows * c_row_bytes(shape) +
	       ((uint64_t)tile->col * shape->rows + (uint64_t)tile->row * tile->cols) * shape->result->bytes;
}

static uint32_t nearly_equal_parts(uint32_t total, uint64_t most)
{
	uint32_t parts;

	if (most >= total)
		return total;
	if (most == 0)
		most = 1;
	parts = (uint32_t)((total + most - 1) / most);
	return (total + parts - 1) / parts;
}

void ork_plan_pass(struct ork_shape *shape, size_t stage_bytes)
{
	const uint64_t a_bytes = shape->a_pitch_bytes ? 0 : a_row_bytes(shape);
	const uint64_t c_bytes = shape->c_pitch_bytes ? 0 : c_row_bytes(shape) * shape->slices;
	const uint64_t widest = c_bytes > a_bytes ? c_bytes : a_bytes;
	uint64_t most_rows;

	if (!widest)
		return;
	most_rows = stage_bytes / widest;
	if (most_rows < shape->rows) {
		shape->batch = 1;
		shape->rows = nearly_equal_parts(shape->rows, most_rows);
	} else {
		shape->batch = nearly_equal_parts(shape->batch, most_rows / shape->rows);
	}
}
