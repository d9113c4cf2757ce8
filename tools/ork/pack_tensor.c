/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <math.h>
#include <ork_quant.h>
#include <stdlib.h>
#include <string.h>

#include "pack_tensor.h"

_Static_assert(SOURCE_REASON_CHARS == ORK_PACK_REASON_BYTES, "reasons of the library are passed on");

/* Weights that are in memory at a time, as real numbers. */
#define PANEL_BYTES ((size_t)32 << 20)
#define RAW_BYTES   ((size_t)4 << 20)

/* int4 sums of this many k fit int16, whatever the weights are. */
#define SAFE_K_I4 480

struct work {
	const struct source *source;
	const struct source_tensor *tensor;
	struct ork_pack_tensor packed;
	struct ork_pack_writer *writer;
	const struct pack_progress *progress;
	size_t k;           /* of all groups */
	size_t columns;     /* of a panel */
	float *panel;       /* [columns][k] */
	void *elements;     /* [columns][k], as they are packed */
	uint8_t *raw;
	size_t raw_bytes;
	float *scales;      /* [groups][columns] */
	double changed, power;
	char *reason;
};

static size_t dim(const struct source_tensor *tensor, uint32_t from_last)
{
	return tensor->dims > from_last ? tensor->shape[tensor->dims - 1 - from_last] : 1;
}

/* Integers are taken as they are where they fit. */
static bool is_exact(const struct source_tensor *tensor, enum ork_dtype type)
{
	return tensor->type == SOURCE_I8 && type == ORK_I8;
}

int pack_describe(const struct source *source, const struct source_tensor *tensor, const char *name,
		  const struct pack_options *options, struct ork_pack_tensor *packed, char *reason)
{
	const size_t k = dim(tensor, source->rows_are_k ? 1 : 0), n = dim(tensor, source->rows_are_k ? 0 : 1);
	const size_t groups = options->group ? k / options->group : 1;
	const unsigned long long at = tensor->header_at;

	if (tensor->type == SOURCE_UNKNOWN)
		return source_fail(reason, "tensor \"%.64s\" at byte %llu has the type %s, which is not supported", name, at,
				   tensor->type_name);
	if (tensor->dims < 2 || tensor->dims > 3)
		return source_fail(reason, "tensor \"%.64s\" at byte %llu has %u dimensions, not 2 or 3", name, at,
				   tensor->dims);
	if (k < 1 || n < 1 || dim(tensor, 2) < 1 || k > ORK_MAX_DIM || n > ORK_MAX_DIM || dim(tensor, 2) > ORK_MAX_DIM)
		return source_fail(reason, "tensor \"%.64s\" at byte %llu: a dimension is 0 or above %d", name, at,
				   ORK_MAX_DIM);
	if (options->group && k % options->group)
		return source_fail(reason, "tensor \"%.64s\": K = %zu is no multiple of the group of %zu", name, k,
				   options->group);
	*packed = (struct ork_pack_tensor){
		.name = name, .type = options->type, .k = k / groups, .n = n, .batch = dim(tensor, 2), .groups = groups,
		/* The largest power of two that divides K. */
		.hadamard = options->hadamard ? k & -k : 0,
		.scaled = options->type != ORK_F16 && !is_exact(tensor, options->type),
	};
	return 0;
}

/* Rows of the file are columns of B: a few of them at a time. */
static int read_rows(struct work *work, size_t matrix, size_t first, size_t count)
{
	const struct source_tensor *tensor = work->tensor;
	const size_t row_bytes = work->k / source_block(tensor->type) * source_block_bytes(tensor->type);
	const size_t most = work->raw_bytes / row_bytes;
	size_t done, rows;

	for (done = 0; done < count; done += rows) {
		rows = count - done < most ? count - done : most;
		if (source_read(work->source, work->raw, rows * row_bytes,
				tensor->offset + (matrix * work->packed.n + first + done) * row_bytes, work->reason))
			return -1;
		source_decode(tensor->type, work->raw, work->panel + done * work->k, rows * work->k);
	}
	return 0;
}

/* Rows of the file are rows of B: a part of each, turned. Blocks of such files have one element. */
static int read_parts(struct work *work, size_t matrix, size_t first, size_t count)
{
	const struct source_tensor *tensor = work->tensor;
	const size_t bytes = source_block_bytes(tensor->type);
	float *row = (float *)work->elements;
	size_t k, i;

	for (k = 0; k < work->k; k++) {
		if (source_read(work->source, work->raw, count * bytes,
				tensor->offset + ((matrix * work->k + k) * work->packed.n + first) * bytes, work->reason))
			return -1;
		source_decode(tensor->type, work->raw, row, count);
		for (i = 0; i < count; i++)
			work->panel[i * work->k + k] = row[i];
	}
	return 0;
}

static int read_panel(struct work *work, size_t matrix, size_t first, size_t count)
{
	const int err = work->source->rows_are_k ? read_parts(work, matrix, first, count) :
						   read_rows(work, matrix, first, count);

	if (!err && work->packed.hadamard)
		ork_hadamard(work->panel, work->k, count, work->k, work->packed.hadamard);
	return err;
}

/* What the panel lost, and its size. */
static void add_error(struct work *work, size_t group, size_t count)
{
	const size_t k = work->packed.k, start = group * k;
	size_t i, j;

	for (i = 0; i < count; i++) {
		const float *real = work->panel + i * work->k + start;
		const int8_t *integers = (const int8_t *)work->elements + i * work->k + start;
		const float scale = work->packed.scaled ? work->scales[group * work->columns + i] : 1;
		float changed = 0, power = 0;

		for (j = 0; j < k; j++) {
			const float difference = real[j] - integers[j] * scale;

			changed += difference * difference;
			power += real[j] * real[j];
		}
		work->changed += changed;
		work->power += power;
	}
}

static int quantise_group(struct work *work, size_t group, size_t count)
{
	const size_t start = group * work->packed.k;
	int8_t *q = (int8_t *)work->elements;
	size_t i, j;
	int err = 0;

	if (work->packed.scaled)
		err = ork_quantise_rows(work->packed.type, work->panel + start, work->k, count, work->packed.k, q + start,
					work->k, work->scales + group * work->columns);
	else
		for (i = 0; i < count; i++)
			for (j = start; j < start + work->packed.k; j++)
				q[i * work->k + j] = (int8_t)work->panel[i * work->k + j];
	return err ? source_fail(work->reason, "it has infinite numbers or what is no number") : 0;
}

static int convert_to_f16(struct work *work, size_t count)
{
	uint16_t *halves = work->elements;
	float back;
	size_t i;

	ork_f16_of_f32(halves, work->panel, count * work->k);
	for (i = 0; i < count * work->k; i++) {
		const float real = work->panel[i];

		ork_f32_of_f16(&back, &halves[i], 1);
		if (!isfinite(back))
			return source_fail(work->reason, "it has numbers that binary16 does not have");
		work->changed += ((double)real - back) * ((double)real - back);
		work->power += (double)real * real;
	}
	return 0;
}

/* Integers of all groups, or halves. */
static int convert(struct work *work, size_t count)
{
	size_t group;

	if (work->packed.type == ORK_F16)
		return convert_to_f16(work, count);
	for (group = 0; group < work->packed.groups; group++)
		if (quantise_group(work, group, count))
			return -1;
	return 0;
}

static int put_panel(struct work *work, size_t matrix, size_t first, size_t count)
{
	const size_t bytes = work->packed.type == ORK_F16 ? 2 : 1;
	size_t group;

	for (group = 0; group < work->packed.groups; group++) {
		if (work->packed.type != ORK_F16)
			add_error(work, group, count);
		if (ork_pack_put(work->writer, matrix * work->packed.groups + group, first, count,
				 (uint8_t *)work->elements + group * work->packed.k * bytes, work->k,
				 work->packed.scaled ? work->scales + group * work->columns : NULL, work->reason))
			return -1;
	}
	return 0;
}

/* Slices that fit all groups of the panel. */
static int shorten_slices(struct work *work, size_t count)
{
	size_t group;

	for (group = 0; group < work->packed.groups; group++)
		if (ork_i4_k_slice((int8_t *)work->elements + group * work->packed.k, work->k, count, work->packed.k,
				   work->packed.k_slice, &work->packed.k_slice))
			return source_fail(work->reason, "its K slices cannot be found");
	return 0;
}

/* Reads and converts panel after panel and hands them on. */
static int for_each_panel(struct work *work, bool put)
{
	const size_t total = work->packed.batch * work->packed.n;
	size_t matrix, first, count;

	for (matrix = 0; matrix < work->packed.batch; matrix++) {
		for (first = 0; first < work->packed.n; first += count) {
			count = work->packed.n - first < work->columns ? work->packed.n - first : work->columns;
			work->progress->report(work->progress->opaque,
					       (double)(matrix * work->packed.n + first) / (double)total);
			if (read_panel(work, matrix, first, count) || convert(work, count))
				return -1;
			if (put ? put_panel(work, matrix, first, count) : shorten_slices(work, count))
				return -1;
		}
	}
	return 0;
}

/*
 * int4 slices have to suit all columns. A shorter one cuts elsewhere, so that it is looked for until it stays; weights
 * that come with slices that always fit need no search.
 */
static int find_slices(struct work *work)
{
	size_t last;

	if (work->packed.type != ORK_I4 || work->packed.k <= SAFE_K_I4)
		return 0;
	do {
		last = work->packed.k_slice;
		if (for_each_panel(work, false))
			return -1;
	} while (work->packed.k_slice != last);
	return 0;
}

static int allocate(struct work *work)
{
	const struct source_tensor *tensor = work->tensor;
	const size_t row_bytes = work->k / source_block(tensor->type) * source_block_bytes(tensor->type);

	work->columns = PANEL_BYTES / (work->k * sizeof(float)) / 64 * 64;
	if (!work->columns)
		work->columns = 64;
	if (work->columns > (work->packed.n + 63) / 64 * 64)
		work->columns = (work->packed.n + 63) / 64 * 64;
	work->raw_bytes = work->source->rows_are_k ? work->columns * source_block_bytes(tensor->type) :
			  row_bytes > RAW_BYTES	   ? row_bytes :
						     RAW_BYTES;
	work->panel = malloc(work->columns * work->k * sizeof(float));
	/* A row of real numbers goes through it as well. */
	work->elements = malloc(work->columns * (work->k + 4) * sizeof(uint16_t));
	work->raw = malloc(work->raw_bytes);
	work->scales = malloc(work->packed.groups * work->columns * sizeof(float));
	if (work->panel && work->elements && work->raw && work->scales)
		return 0;
	return source_fail(work->reason, "there is no memory for %zu columns of %zu", work->columns, work->k);
}

int pack_tensor(const struct source *source, const struct source_tensor *tensor, const struct ork_pack_tensor *packed,
		struct ork_pack_writer *writer, const struct pack_progress *progress, double *error, char *reason)
{
	struct work work = {
		.source = source, .tensor = tensor, .packed = *packed, .writer = writer, .progress = progress,
		.k = packed->k * packed->groups, .reason = reason,
	};
	int err;

	err = allocate(&work) || find_slices(&work) || ork_pack_begin(writer, &work.packed, reason) ||
	      for_each_panel(&work, true);
	*error = work.power > 0 ? sqrt(work.changed / work.power) : 0;
	free(work.panel);
	free(work.elements);
	free(work.raw);
	free(work.scales);
	return err ? -1 : 0;
}
