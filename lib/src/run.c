/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "job.h"
#include "layout.h"
#include "unpack.h"

/* The first slice of a tile. */
static void tile_at(const struct ork_plan *plan, uint32_t batch, uint32_t n_tile, uint32_t m_tile, struct ork_tile *tile)
{
	const uint64_t first = ((uint64_t)batch * plan->n_tiles + n_tile) * plan->shape.slices * plan->m_tiles;

	ork_plan_tile(plan, first + m_tile, tile);
}

/* The caller's A or C from the tile's first row on. */
static uint8_t *data_of_tile(const struct ork_run *run, const struct ork_place *place, const struct ork_tile *tile)
{
	return place->data +
	       ork_place_offset(place, run->pass.first_batch + tile->batch, run->pass.first_row + tile->row);
}

static int copy_tile_in(const struct ork_run *run, const struct ork_tile *tile)
{
	const struct ork_request *req = &run->req;
	const struct ork_shape *shape = &run->plan.shape;
	const struct ork_a_shape a_shape = {
		.rows = tile->rows, .k = req->k, .k_slice = shape->k_slice, .slices = shape->slices
	};
	const void *a = data_of_tile(run, &req->a, tile);

	if (req->weights->operand->type == ORK_I4 && !ork_check_i4(a, req->a.ld, tile->rows, a_shape.k))
		return ork_fail(req->dev, -EINVAL, "matmul: A has values outside -8..7");
	ork_pack_a(req->weights->operand, run->a->cpu + ork_tile_a_offset(shape, tile), a, req->a.ld, &a_shape);
	return 0;
}

int ork_run_copy_in(const struct ork_run *run)
{
	struct ork_tile tile;
	uint32_t batch, m_tile;
	int err = 0;

	if (!run->a)
		return 0;
	for (batch = 0; batch < run->plan.shape.batch; batch++) {
		for (m_tile = 0; m_tile < run->plan.m_tiles && !err; m_tile++) {
			tile_at(&run->plan, batch, 0, m_tile, &tile);
			err = copy_tile_in(run, &tile);
		}
	}
	return err;
}

static void copy_tile_out(const struct ork_run *run, const struct ork_tile *tile)
{
	const struct ork_request *req = &run->req;
	const struct ork_shape *shape = &run->plan.shape;
	const struct ork_c_tile c_tile = {
		.result = shape->result,
		.stage = run->c->cpu + ork_tile_c_offset(shape, tile),
		.slice_bytes = (size_t)shape->rows * shape->cols * shape->result->bytes,
		.slices = shape->slices,
		.rows = tile->rows,
		.cols = tile->cols,
		.used_cols = tile->col + tile->cols > req->n ? req->n - tile->col : tile->cols,
	};
	uint8_t *c = data_of_tile(run, &req->c, tile) + tile->col * req->c.bytes;

	ork_unpack_c(&c_tile, req->c_type, &req->requant, c, req->c.ld);
}

void ork_run_copy_out(const struct ork_run *run)
{
	struct ork_tile tile;
	uint32_t batch, n_tile, m_tile;

	if (!run->c)
		return;
	for (batch = 0; batch < run->plan.shape.batch; batch++) {
		for (n_tile = 0; n_tile < run->plan.n_tiles; n_tile++) {
			for (m_tile = 0; m_tile < run->plan.m_tiles; m_tile++) {
				tile_at(&run->plan, batch, n_tile, m_tile, &tile);
				copy_tile_out(run, &tile);
			}
		}
	}
}
