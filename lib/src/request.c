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

/* All rows of cols elements lie in the buffer. The sizes have been checked, so that nothing wraps. */
static int check_buffer(struct ork_device *dev, char name, const struct ork_place *place, uint32_t batch, uint32_t rows,
			uint32_t cols)
{
	const uint64_t room = ork_bo_size(place->bo);

	if (place->bo->dev != dev)
		return ork_fail(dev, -EINVAL, "matmul: the buffer of %c is of another device", name);
	if (place->offset_bytes % place->bytes)
		return ork_fail(dev, -EINVAL, "matmul: %c is misaligned: offset %zu for elements of %zu bytes", name,
				place->offset_bytes, place->bytes);
	if (place->offset_bytes > room ||
	    ork_place_extent(place, batch, rows, cols) > room - place->offset_bytes)
		return ork_fail(dev, -EINVAL, "matmul: %c does not lie in its buffer as a whole", name);
	return 0;
}

static int check_place(const struct ork_request *req, char name, const struct ork_place *place,
		       const struct ork_matmul_desc *desc, uint32_t cols)
{
	struct ork_device *dev = req->dev;
	int err;

	if (!place->data == !place->bo)
		return ork_fail(dev, -EINVAL, "matmul: of %c and %c_bo one must be given, the other be NULL", name,
				name);
	err = check_matrix(dev, name, place->bytes, desc->m, cols, place->ld, desc->batch, place->stride);
	if (err || !place->bo)
		return err;
	return check_buffer(dev, name, place, desc->batch ? (uint32_t)desc->batch : 1, (uint32_t)desc->m, cols);
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
	if (opts->in_order > 1)
		return ork_fail(dev, -EINVAL, "matmul: in_order is neither 0 nor 1");
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
	if (req->batch > 1 && (req->a.stride != req->m * req->a.ld || req->c.stride != req->m * req->c.ld))
		return;
	req->m = (uint32_t)rows;
	req->batch = 1;
}

/* A single row, and a single matrix, have no distance to the next. */
static void use_in_place(struct ork_request *req)
{
	struct ork_shape *shape = &req->pass;

	req->a.copied = ork_place_a_copied(&req->a, shape, req->k);
	req->c.copied = ork_place_c_copied(&req->c, shape, req->n, req->c_type);
	if (!req->a.copied) {
		shape->a_pitch_bytes = (uint32_t)((req->m > 1 ? req->a.ld : req->k) * req->a.bytes);
		shape->a_batch_bytes = req->batch > 1 ? req->a.stride * req->a.bytes : 0;
	}
	if (!req->c.copied) {
		shape->c_pitch_bytes = (uint32_t)((req->m > 1 ? req->c.ld : req->n) * req->c.bytes);
		shape->c_batch_bytes = req->batch > 1 ? req->c.stride * req->c.bytes : 0;
	}
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
	use_in_place(req);
	ork_plan_pass(&req->pass, STAGE_BYTES);
}

static struct ork_place place_of(struct ork_bo *bo, size_t offset_bytes, const void *data, size_t ld, size_t stride,
				 size_t bytes)
{
	return (struct ork_place){
		.bo = bo, .offset_bytes = offset_bytes, .data = (uint8_t *)(uintptr_t)data, .ld = ld, .stride = stride,
		.bytes = bytes,
	};
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
		.m = (uint32_t)desc->m,
		.k = desc->weights->k,
		.n = desc->weights->n,
		.batch = desc->batch ? (uint32_t)desc->batch : 1,
		.shared_b = desc->weights->batch == 1,
		.requant = desc->requant,
	};
	req->a = place_of(desc->a_bo, desc->a_offset_bytes, desc->a, desc->lda, desc->a_stride,
			  desc->weights->operand->user_bytes);
	req->c = place_of(desc->c_bo, desc->c_offset_bytes, desc->c, desc->ldc, desc->c_stride,
			  ork_dtype_bytes(req->c_type));
	req->result = ork_result_find(req->weights->operand, req->c_type, req->weights->slices);
	join_batch(req);
	cut_passes(req);
	return apply_opts(req, opts);
}

int ork_request_init_data(struct ork_request *req, struct ork_device *dev, const struct ork_matmul_desc *desc,
			  const struct ork_matmul_opts *opts)
{
	int err = ork_request_init(req, dev, desc, opts);

	if (!err)
		err = check_place(req, 'a', &req->a, desc, req->k);
	return err ? err : check_place(req, 'c', &req->c, desc, req->n);
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
		.vm = req->weights->vm,
	};
	if (req->result->type == ORK_I8)
		key->requant = req->requant;
}
