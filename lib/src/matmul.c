/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "internal.h"
#include "layout.h"

/* Rows of A and C are copied through stages of about this size; larger products run in several passes. */
#define STAGE_BYTES ((size_t)64 << 20)

struct request {
	struct ork_device *dev;
	struct ork_weights *weights;
	const int8_t *a;
	size_t lda;
	uint32_t m;
	int32_t *c;
	size_t ldc;
	uint32_t cores;     /* 0: chosen by the planner */
	uint32_t core_mask;
	uint32_t timeout_ms;
};

static int check_operands(struct ork_device *dev, const struct ork_weights *weights, const int8_t *a, size_t lda,
			  size_t m, const int32_t *c, size_t ldc)
{
	if (!weights || !a || !c)
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: weights, a or c is NULL");
	if (weights->dev != dev)
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: the weights are of another device");
	if (!m)
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: M must be at least 1");
	if (m > ORK_MAX_DIM)
		return ork_fail(dev, -E2BIG, "M = %zu is above %d", m, ORK_MAX_DIM);
	if (lda < weights->k)
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: lda = %zu is less than K = %u", lda, weights->k);
	if (ldc < weights->n)
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: ldc = %zu is less than N = %u", ldc, weights->n);
	if (lda > SIZE_MAX / m || ldc > SIZE_MAX / sizeof(*c) / m)
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: lda or ldc is larger than memory");
	return 0;
}

static int apply_opts(struct request *req, const struct ork_matmul_opts *opts)
{
	struct ork_device *dev = req->dev;

	req->core_mask = dev->core_mask;
	if (!opts)
		return 0;
	if (opts->core_mask & ~dev->core_mask)
		return ork_fail(dev, -EINVAL,
				"ork_matmul_i8: core mask 0x%x names cores that the device does not have (0x%x)",
				opts->core_mask, dev->core_mask);
	if (opts->core_mask)
		req->core_mask = opts->core_mask;
	if (opts->cores > (uint32_t)__builtin_popcount(req->core_mask))
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: %u cores asked for, but only %d may be used", opts->cores,
				__builtin_popcount(req->core_mask));
	if (opts->timeout_ms > dev->max_timeout_ms)
		return ork_fail(dev, -EINVAL, "ork_matmul_i8: a timeout of %u ms is above the maximum of %u ms",
				opts->timeout_ms, dev->max_timeout_ms);
	req->cores = opts->cores;
	req->timeout_ms = opts->timeout_ms;
	return 0;
}

/* The lowest count cores of the mask. */
static uint32_t lowest_cores(uint32_t mask, uint32_t count)
{
	uint32_t picked = 0;

	for (; count; count--) {
		picked |= mask & -mask;
		mask &= mask - 1;
	}
	return picked;
}

static int run(const struct request *req, const struct ork_program *program)
{
	const uint32_t cores = program->plan.cores;
	const struct drm_ork_job job = {
		.prog = program->handle,
		/* One core is left to the driver, which knows the idle ones. */
		.placement = cores == 1 ? DRM_ORK_PLACE_AUTO : DRM_ORK_PLACE_SPLIT,
		.core_mask = cores == 1 ? req->core_mask : lowest_cores(req->core_mask, cores),
		.task_count = ork_plan_tasks(&program->plan),
		.timeout_ms = req->timeout_ms,
	};

	return req->dev->backend->run(req->dev, &job);
}

/* Copies the blocks of the C stage (see program.c) to where the user wants them. */
static void copy_out(const struct request *req, const struct ork_plan *plan, uint32_t row0)
{
	const int32_t *stage = (const int32_t *)(const void *)req->dev->stage_c.cpu;
	struct ork_tile tile;
	uint32_t i, cols;

	for (i = 0; i < plan->n_tiles; i++) {
		ork_plan_tile(plan, i * plan->m_tiles, &tile);
		cols = tile.cols;
		if (tile.col + cols > req->weights->n)
			cols = req->weights->n - tile.col;
		ork_unpack_rows_i32(req->c + row0 * req->ldc + tile.col, req->ldc,
				    stage + (size_t)tile.col * plan->rows, tile.cols, plan->rows, cols);
	}
}

/* Rows [row0, row0 + rows) of C. */
static int run_pass(const struct request *req, uint32_t row0, uint32_t rows)
{
	struct ork_device *dev = req->dev;
	const struct ork_weights *weights = req->weights;
	struct ork_sync_range a_range = { .op = ORK_SYNC_TO_DEVICE, .size_bytes = (size_t)rows * weights->k_pad };
	struct ork_sync_range c_range = { .op = ORK_SYNC_TO_CPU,
					  .size_bytes = (size_t)rows * weights->n_pad * sizeof(int32_t) };
	struct ork_program *program;
	int err;

	err = ork_stage_grow(dev, &dev->stage_a, a_range.size_bytes);
	if (!err)
		err = ork_stage_grow(dev, &dev->stage_c, c_range.size_bytes);
	if (!err)
		err = ork_program_get(req->weights, rows, req->cores, req->core_mask, &program);
	if (err)
		return err;

	ork_pack_rows_i8((int8_t *)dev->stage_a.cpu, weights->k_pad, req->a + row0 * req->lda, req->lda, rows,
			 weights->k);
	a_range.bo = dev->stage_a.bo;
	c_range.bo = dev->stage_c.bo;
	err = ork_bo_sync(dev, &a_range, 1);
	if (!err)
		err = run(req, program);
	if (!err)
		err = ork_bo_sync(dev, &c_range, 1);
	if (!err)
		copy_out(req, &program->plan, row0);
	return err;
}

int ork_matmul_i8(struct ork_device *dev, struct ork_weights *weights, const int8_t *a, size_t lda, size_t m,
		  int32_t *c, size_t ldc, const struct ork_matmul_opts *opts)
{
	struct request req = {
		.dev = dev, .weights = weights, .a = a, .lda = lda, .m = (uint32_t)m, .c = c, .ldc = ldc
	};
	uint32_t row, rows, pass_rows;
	int err;

	if (!dev)
		return -EINVAL;
	err = check_operands(dev, weights, a, lda, m, c, ldc);
	if (!err)
		err = apply_opts(&req, opts);
	if (err)
		return err;

	pass_rows = ork_plan_pass_rows(&dev->limits, req.m, weights->k_pad, weights->n_pad, STAGE_BYTES);
	for (row = 0; row < req.m; row += rows) {
		rows = req.m - row < pass_rows ? req.m - row : pass_rows;
		err = run_pass(&req, row, rows);
		if (err)
			return err;
	}
	return 0;
}
