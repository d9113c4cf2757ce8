/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "request.h"

/* Rows of A and C are copied through stages of about this size; larger products run in several passes. */
#define STAGE_BYTES ((size_t)64 << 20)

#define MAX_REQUANT_SHIFT 63

bool ork_requant_valid(const struct ork_requant *requant)
{
	return requant->scale >= INT16_MIN && requant->scale <= INT16_MAX && requant->shift <= MAX_REQUANT_SHIFT;
}

static int check_weights(struct ork_device *dev, const struct ork_matmul_desc *desc)
{
	const struct ork_weights *weights = desc->weights;

	if (!weights)
		return ork_fail(dev, -EINVAL, "matmul: weights is NULL");
	if (weights->dev != dev)
		return ork_fail(dev, -EINVAL, "matmul: the weights are of another device");
	if (!weights->k || !weights->n)
		return ork_fail(dev, -EINVAL, "matmul: the weights are empty so far");
	if (desc->c_type && !ork_c_type_valid(weights->operand, desc->c_type))
		return ork_fail(dev, -EINVAL, "matmul: C cannot be %s if A and B are %s", ork_dtype_name(desc->c_type),
				weights->operand->name);
	if (desc->c_type == ORK_I8 && !ork_requant_valid(&desc->requant))
		return ork_fail(dev, -EINVAL, "matmul: the scale does not fit 16 bits, or the shift is above %d",
				MAX_REQUANT_SHIFT);
	return 0;
}

static int check_sizes(struct ork_device *dev, const struct ork_matmul_desc *desc)
{
	if (!desc->m)
		return ork_fail(dev, -EINVAL, "matmul: M must be at least 1");
	if (desc->m > ORK_MAX_DIM || desc->batch > ORK_MAX_DIM)
		return ork_fail(dev, -E2BIG, "matmul: M = %zu or batch = %zu is above %d", desc->m, desc->batch,
				ORK_MAX_DIM);
	if (desc->weights->batch > 1 && desc->batch != desc->weights->batch)
		return ork_fail(dev, -EINVAL, "matmul: batch = %zu, but the weights have %u matrices", desc->batch,
				desc->weights->batch);
	return 0;
}

/* Whether rows of cols elements, ld apart, and their batch lie within what addresses can count. */
static int check_matrix(struct ork_device *dev, char name, size_t bytes, size_t rows, size_t cols, size_t ld,
			size_t batch, size_t stride)
{
	size_t row_end, end;

	if (ld < cols)
		return ork_fail(dev, -EINVAL, "matmul: ld%c = %zu is less than the %zu elements of a row", name, ld,
				cols);
	if (__builtin_mul_overflow(ld, rows, &row_end) || row_end > PTRDIFF_MAX / bytes)
		return ork_fail(dev, -EINVAL, "matmul: ld%c = %zu is larger than memory", name, ld);
	if (batch > 1 && (__builtin_mul_overflow(stride, batch, &end) || __builtin_add_overflow(end, row_end, &end) ||
			  end > PTRDIFF_MAX / bytes))
		return ork_fail(dev, -EINVAL, "matmul: %c_stride = %zu is larger than memory", name, stride);
	return 0;
}

static int check_data(struct ork_device *dev, const struct ork_matmul_desc *desc)
{
	const struct ork_weights *weights = desc->weights;
	const enum ork_dtype c_type = desc->c_type ? desc->c_type : ork_default_c_type(weights->operand);
	int err;

	if (!desc->a || !desc->c)
		return ork_fail(dev, -EINVAL, "matmul: a or c is NULL");
	err = check_matrix(dev, 'a', weights->operand->user_bytes, desc->m, weights->k, desc->lda, desc->batch,
			   desc->a_stride);
	if (err)
		return err;
	return check_matrix(dev, 'c', ork_dtype_bytes(c_type), desc->m, weights->n, desc->ldc, desc->batch,
			    desc->c_stride);
}

static int apply_opts(struct ork_request *req, const struct ork_matmul_opts *opts)
{
	struct ork_device *dev = req->dev;

	req->core_mask = dev->core_mask;
	if (!opts)
		return 0;
	if (opts->core_mask & ~dev->core_mask)
		return ork_fail(dev, -EINVAL,
				"matmul: core mask 0x%x names cores that the device does not have (0x%x)",
				opts->core_mask, dev->core_mask);
	if (opts->core_mask)
		req->core_mask = opts->core_mask;
	if (opts->cores > (uint32_t)__builtin_popcount(req->core_mask))
		return ork_fail(dev, -EINVAL, "matmul: %u cores asked for, but only %d may be used", opts->cores,
				__builtin_popcount(req->core_mask));
	if (opts->timeout_ms > dev->max_timeout_ms)
		return ork_fail(dev, -EINVAL, "matmul: a timeout of %u ms is above the maximum of %u ms",
				opts->timeout_ms, dev->max_timeout_ms);
	req->cores = opts->cores;
	req->timeout_ms = opts->timeout_ms;
	return 0;
}

/* Products with the same B whose rows follow each other are one product with more rows. */
static void join_batch(struct ork_request *req)
{
	const uint64_t rows = (uint64_t)req->m * req->batch;

	if (!req->shared_b || rows > ORK_MAX_DIM)
		return;
	if (req->batch > 1 && (req->a_stride != req->m * req->lda || req->c_stride != req->m * req->ldc))
		return;
	req->m = (uint32_t)rows;
	req->batch = 1;
}

static void cut_passes(struct ork_request *req)
{
	req->pass = (struct ork_shape){
		.result = req->result,
		.batch = req->batch,
		.rows = req->m,
		.k_slice = req->weights->k_slice,
		.slices = req->weights->slices,
		.cols = req->weights->n_pad,
		.b_slice_bytes = req->weights->slice_bytes,
		.b_batch_bytes = req->shared_b ? 0 : req->weights->batch_bytes,
	};
	ork_plan_pass(&req->pass, STAGE_BYTES);
}

int ork_request_init(struct ork_request *req, struct ork_device *dev, const struct ork_matmul_desc *desc,
		     const struct ork_matmul_opts *opts)
{
	int err;

	if (!dev)
		return -EINVAL;
	if (!desc)
		return ork_fail(dev, -EINVAL, "matmul: desc is NULL");
	err = check_weights(dev, desc);
	if (!err)
		err = check_sizes(dev, desc);
	if (err)
		return err;
	*req = (struct ork_request){
		.dev = dev,
		.weights = desc->weights,
		.c_type = desc->c_type ? desc->c_type : ork_default_c_type(desc->weights->operand),
		.a = desc->a,
		.c = desc->c,
		.lda = desc->lda,
		.ldc = desc->ldc,
		.a_stride = desc->a_stride,
		.c_stride = desc->c_stride,
		.m = (uint32_t)desc->m,
		.k = desc->weights->k,
		.n = desc->weights->n,
		.batch = desc->batch ? (uint32_t)desc->batch : 1,
		.shared_b = desc->weights->batch == 1,
		.requant = desc->requant,
	};
	req->result = ork_result_find(req->weights->operand, req->c_type, req->weights->slices);
	join_batch(req);
	cut_passes(req);
	return apply_opts(req, opts);
}

int ork_request_init_data(struct ork_request *req, struct ork_device *dev, const struct ork_matmul_desc *desc,
			  const struct ork_matmul_opts *opts)
{
	const int err = ork_request_init(req, dev, desc, opts);

	return err ? err : check_data(dev, desc);
}

static uint32_t parts(uint32_t total, uint32_t part)
{
	return (total + part - 1) / part;
}

uint64_t ork_request_passes(const struct ork_request *req)
{
	return (uint64_t)parts(req->batch, req->pass.batch) * parts(req->m, req->pass.rows);
}

static uint32_t rest(uint32_t total, uint32_t first, uint32_t most)
{
	return total - first < most ? total - first : most;
}

void ork_request_pass(const struct ork_request *req, uint64_t index, struct ork_pass *pass)
{
	const uint32_t row_passes = parts(req->m, req->pass.rows);

	pass->req = req;
	pass->first_batch = (uint32_t)(index / row_passes) * req->pass.batch;
	pass->first_row = (uint32_t)(index % row_passes) * req->pass.rows;
	pass->shape = req->pass;
	pass->shape.batch = rest(req->batch, pass->first_batch, req->pass.batch);
	pass->shape.rows = rest(req->m, pass->first_row, req->pass.rows);
}

void ork_pass_key(const struct ork_pass *pass, struct ork_program_key *key)
{
	const struct ork_request *req = pass->req;

	*key = (struct ork_program_key){
		.shape = pass->shape,
		.requant = { .scale = 1 },
		.cores = req->cores,
		.core_mask = req->core_mask,
	};
	if (req->result->type == ORK_I8)
		key->requant = req->requant;
}
