/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>

#include "weights.h"

int ork_weights_check_values(const struct ork_weights *weights, const void *b, size_t ldb, size_t b_stride, size_t rows,
			     size_t cols)
{
	uint32_t i;

	if (weights->operand->type != ORK_I4)
		return 0;
	for (i = 0; i < weights->batch; i++)
		if (!ork_check_i4((const int8_t *)b + i * b_stride, ldb, (uint32_t)rows, (uint32_t)cols))
			return ork_fail(weights->dev, -EINVAL, "weights: B has values outside -8..7");
	return 0;
}

/* The piece of a part that lies in one slice, which starts row rows after the part. */
static struct ork_part piece_in_slice(const struct ork_weights *weights, const struct ork_part *part, uint32_t row)
{
	const uint32_t k = (part->k + row) % weights->k_slice, room = weights->k_slice - k, rest = part->rows - row;

	return (struct ork_part){ .k = k, .rows = rest < room ? rest : room, .n = part->n, .cols = part->cols };
}

static uint64_t slice_offset(const struct ork_weights *weights, uint32_t batch, uint32_t k)
{
	return batch * weights->batch_bytes + k / weights->k_slice * weights->slice_bytes;
}

void ork_weights_write(const struct ork_weights *weights, const struct ork_part *part, const void *b, size_t ldb,
		       size_t b_stride)
{
	const size_t bytes = weights->operand->user_bytes;
	const uint8_t *from;
	struct ork_part piece;
	uint32_t i, row;

	for (i = 0; i < weights->batch; i++) {
		for (row = 0; row < part->rows; row += piece.rows) {
			piece = piece_in_slice(weights, part, row);
			from = (const uint8_t *)b + (i * b_stride + row * ldb) * bytes;
			ork_pack_weights(weights->operand, weights->packed + slice_offset(weights, i, part->k + row),
					 weights->k_slice, &piece, from, ldb);
		}
	}
}

void ork_weights_resize(struct ork_weights *weights, uint32_t k, uint32_t n)
{
	weights->k = k;
	weights->n = n;
	weights->slices = (k + weights->k_slice - 1) / weights->k_slice;
	weights->n_pad = ork_round_up(n, weights->operand->group_n);
}

/* Byte ranges of the weights, without gaps between them where that can be avoided. */
struct ranges {
	struct ork_bo *bo;
	struct ork_sync_range *list;
	size_t count, room;
};

static int add_range(struct ranges *ranges, uint64_t offset, uint32_t bytes)
{
	struct ork_sync_range *last = ranges->count ? &ranges->list[ranges->count - 1] : NULL, *more;

	if (last && last->offset_bytes + last->size_bytes == offset) {
		last->size_bytes += bytes;
		return 0;
	}
	if (ranges->count == ranges->room) {
		ranges->room = ranges->room ? 2 * ranges->room : 64;
		more = realloc(ranges->list, ranges->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		ranges->list = more;
	}
	ranges->list[ranges->count++] = (struct ork_sync_range){
		.bo = ranges->bo, .op = ORK_SYNC_TO_DEVICE, .offset_bytes = offset, .size_bytes = bytes
	};
	return 0;
}

/* In each tile, the kernels of the piece's columns follow each other. */
static int add_piece(struct ranges *ranges, const struct ork_weights *weights, uint64_t slice,
		     const struct ork_part *piece)
{
	const uint32_t group_n = weights->operand->group_n, kernel_bytes = ORK_TILE_BYTES / group_n;
	const uint32_t tiles_k = weights->k_slice / ORK_GROUP_K, end = piece->n + piece->cols;
	uint32_t n, k, first, cols;
	int err = 0;

	for (n = piece->n; n < end; n += cols) {
		first = n % group_n;
		cols = end - n < group_n - first ? end - n : group_n - first;
		for (k = piece->k / ORK_GROUP_K; k <= (piece->k + piece->rows - 1) / ORK_GROUP_K && !err; k++)
			err = add_range(ranges,
					slice + ((uint64_t)(n / group_n) * tiles_k + k) * ORK_TILE_BYTES +
						first * kernel_bytes,
					cols * kernel_bytes);
	}
	return err;
}

/* What writing the part changes. */
static int collect(struct ranges *ranges, const struct ork_weights *weights, const struct ork_part *part)
{
	struct ork_part piece;
	uint32_t i, row;
	int err = 0;

	for (i = 0; i < weights->batch; i++) {
		for (row = 0; row < part->rows && !err; row += piece.rows) {
			piece = piece_in_slice(weights, part, row);
			err = add_piece(ranges, weights, slice_offset(weights, i, part->k + row), &piece);
		}
	}
	return err ? ork_fail(weights->dev, err, "out of memory") : 0;
}

/* The part lies behind what products see, so that it does not matter if the last step fails. */
static int append(struct ork_weights *weights, const struct ork_part *part, const void *b, size_t ldb, size_t b_stride)
{
	struct ranges ranges = { .bo = weights->bo };
	int err;

	err = ork_weights_check_values(weights, b, ldb, b_stride, part->rows, part->cols);
	if (!err)
		err = collect(&ranges, weights, part);
	if (!err) {
		ork_weights_write(weights, part, b, ldb, b_stride);
		err = ork_bo_sync(weights->dev, ranges.list, ranges.count);
	}
	free(ranges.list);
	return err;
}

/* The elements that are appended: rows x cols, of each matrix. */
static int check(const struct ork_weights *weights, const void *b, size_t ldb, size_t rows, size_t cols,
		 size_t b_stride)
{
	const size_t bytes = weights->operand->user_bytes;
	size_t matrix, end;

	if (!b || !rows || !cols)
		return ork_fail(weights->dev, -EINVAL,
				"weights: b is NULL, or there is nothing to append or to append to");
	if (ldb < cols)
		return ork_fail(weights->dev, -EINVAL, "weights: ldb = %zu is less than the %zu elements of a row", ldb,
				cols);
	if (__builtin_mul_overflow(ldb, rows, &matrix) || matrix > PTRDIFF_MAX / bytes)
		return ork_fail(weights->dev, -EINVAL, "weights: ldb = %zu is larger than memory", ldb);
	if (weights->batch > 1 && (__builtin_mul_overflow(b_stride, weights->batch, &end) ||
				   __builtin_add_overflow(end, matrix, &end) || end > PTRDIFF_MAX / bytes))
		return ork_fail(weights->dev, -EINVAL, "weights: b_stride = %zu is larger than memory", b_stride);
	return 0;
}

static int check_room(const struct ork_weights *weights, const char *what, size_t count, uint32_t used,
		      uint32_t capacity)
{
	if (count <= capacity - used)
		return 0;
	return ork_fail(weights->dev, -ENOSPC, "weights: %zu %s do not fit behind %u of %u", count, what, used,
			capacity);
}

int ork_weights_append_rows(struct ork_weights *weights, const void *b, size_t ldb, size_t count, size_t b_stride)
{
	struct ork_part part;
	int err;

	if (!weights)
		return -EINVAL;
	err = check_room(weights, "rows", count, weights->k, weights->k_capacity);
	if (!err)
		err = check(weights, b, ldb, count, weights->n, b_stride);
	if (err)
		return err;
	part = (struct ork_part){ .k = weights->k, .rows = (uint32_t)count, .cols = weights->n };
	err = append(weights, &part, b, ldb, b_stride);
	if (!err)
		ork_weights_resize(weights, weights->k + (uint32_t)count, weights->n);
	return err;
}

int ork_weights_append_columns(struct ork_weights *weights, const void *b, size_t ldb, size_t count, size_t b_stride)
{
	struct ork_part part;
	int err;

	if (!weights)
		return -EINVAL;
	err = check_room(weights, "columns", count, weights->n, weights->n_capacity);
	if (!err)
		err = check(weights, b, ldb, weights->k, count, b_stride);
	if (err)
		return err;
	part = (struct ork_part){ .rows = weights->k, .n = weights->n, .cols = (uint32_t)count };
	err = append(weights, &part, b, ldb, b_stride);
	if (!err)
		ork_weights_resize(weights, weights->k, weights->n + (uint32_t)count);
	return err;
}
