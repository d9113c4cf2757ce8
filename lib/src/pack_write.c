/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "layout.h"
#include "pack_format.h"
#include "slice.h"

/* What int4 sums of any weights allow. */
#define USUAL_K_SLICE_I4 480
#define USUAL_K_SLICE    10240

/* Columns come in multiples of this: a kernel group of any type. */
#define UNIT_COLUMNS 64

struct ork_pack_writer {
	int fd;
	char *path, *temporary;
	uint64_t end;                   /* of what has been written */
	struct ork_pack_entry *entries; /* names are owned; the last one is the current tensor */
	uint32_t count, capacity;
	float *scales;                  /* of the current tensor */
	bool *put;                      /* of the current tensor: units of columns, matrix after matrix */
	uint64_t units;                 /* that have not been put */
	bool open;                      /* it is not complete */
	uint8_t *packed;                /* columns of one slice */
	size_t packed_bytes;
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int write_part(struct ork_pack_writer *writer, const void *from, uint64_t bytes, uint64_t offset, char *reason)
{
	uint64_t at = 0;
	ssize_t put;

	while (at < bytes) {
		put = pwrite(writer->fd, (const uint8_t *)from + at, bytes - at, (off_t)(offset + at));
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return ork_pack_fail(reason, -errno, "it cannot be written: %s", strerrordesc_np(errno));
		at += (uint64_t)put;
	}
	return 0;
}

static void writer_free(struct ork_pack_writer *writer)
{
	uint32_t i;

	for (i = 0; i < writer->count; i++)
		free((char *)(uintptr_t)writer->entries[i].tensor.name);
	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->path);
	free(writer->temporary);
	free(writer->entries);
	free(writer->scales);
	free(writer->put);
	free(writer->packed);
	free(writer);
}

void ork_pack_abandon(struct ork_pack_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0)
		unlink(writer->temporary);
	writer_free(writer);
}

/* The file replaces what has the name, which must not be done to a directory or a device. */
static int check_target(const char *path, char *reason)
{
	struct stat info;

	if (!*path)
		return ork_pack_fail(reason, -ENOENT, "the name is empty");
	if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
		return ork_pack_fail(reason, -EINVAL, "it is not a regular file");
	return 0;
}

int ork_pack_create(const char *path, struct ork_pack_writer **writer, char *reason)
{
	struct ork_pack_writer *created;
	int err;

	if (!path || !writer)
		return ork_pack_fail(reason, -EINVAL, "path or writer is NULL");
	err = check_target(path, reason);
	if (err)
		return err;
	created = calloc(1, sizeof(*created));
	if (!created)
		return ork_pack_fail(reason, -ENOMEM, "out of memory");
	created->fd = -1;
	created->end = ORK_PACK_HEADER_BYTES;
	created->path = strdup(path);
	if (!created->path || asprintf(&created->temporary, "%s.%ld.tmp", path, (long)getpid()) < 0) {
		created->temporary = NULL;
		writer_free(created);
		return ork_pack_fail(reason, -ENOMEM, "out of memory");
	}
	created->fd = open(created->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (created->fd < 0) {
		err = ork_pack_fail(reason, -errno, "it cannot be written: %s", strerrordesc_np(errno));
		writer_free(created);
		return err;
	}
	*writer = created;
	return 0;
}

static int make_room(struct ork_pack_writer *writer)
{
	const uint32_t capacity = writer->capacity ? 2 * writer->capacity : 64;
	struct ork_pack_entry *entries;

	if (writer->count < writer->capacity)
		return 0;
	entries = realloc(writer->entries, capacity * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	writer->entries = entries;
	writer->capacity = capacity;
	return 0;
}

static void choose_k_slice(struct ork_pack_tensor *tensor)
{
	if (!tensor->k_slice && tensor->k && tensor->k <= ORK_MAX_DIM)
		tensor->k_slice = ork_slice_even((uint32_t)tensor->k,
						 tensor->type == ORK_I4 ? USUAL_K_SLICE_I4 : USUAL_K_SLICE);
}

static uint64_t units_of_matrix(const struct ork_pack_tensor *tensor)
{
	return (tensor->n + UNIT_COLUMNS - 1) / UNIT_COLUMNS;
}

/* Memory for the scales and the marks, and the tensor at the end of the list. */
static int add_entry(struct ork_pack_writer *writer, const struct ork_pack_tensor *tensor, char *reason)
{
	char *name = strdup(tensor->name);

	free(writer->scales);
	free(writer->put);
	writer->units = units_of_matrix(tensor) * tensor->batch * tensor->groups;
	writer->put = calloc(writer->units, sizeof(*writer->put));
	writer->scales = malloc(ork_pack_scale_bytes(tensor) + 1);
	if (!name || !writer->put || !writer->scales || make_room(writer)) {
		free(name);
		return ork_pack_fail(reason, -ENOMEM, "out of memory");
	}
	writer->entries[writer->count] = (struct ork_pack_entry){ .tensor = *tensor };
	writer->entries[writer->count].tensor.name = name;
	writer->entries[writer->count].tensor.scales = NULL;
	writer->count++;
	return 0;
}

int ork_pack_begin(struct ork_pack_writer *writer, const struct ork_pack_tensor *tensor, char *reason)
{
	struct ork_pack_tensor copy;
	int err;

	if (!writer || !tensor || !tensor->name)
		return ork_pack_fail(reason, -EINVAL, "writer, tensor or its name is NULL");
	if (writer->open)
		return ork_pack_fail(reason, -EBUSY, "\"%.64s\" is not complete",
				     writer->entries[writer->count - 1].tensor.name);
	if (!ork_pack_name_valid(tensor->name, strlen(tensor->name)))
		return ork_pack_fail(reason, -EINVAL, "the name is empty, longer than %d bytes or has control characters",
				     ORK_PACK_MAX_NAME);
	copy = *tensor;
	choose_k_slice(&copy);
	err = ork_pack_check_tensor(&copy, reason);
	if (err)
		return err;
	copy.offset_bytes = round_up(writer->end, ORK_PACK_PAGE_BYTES);
	err = add_entry(writer, &copy, reason);
	if (err)
		return err;
	writer->end = copy.offset_bytes + ork_pack_data_bytes(&copy);
	writer->open = true;
	return 0;
}

/* Columns of the current tensor. */
struct piece {
	size_t matrix, first, columns;
	const void *bt;
	size_t ldb;
	const float *scales;
};

static int check_place(const struct ork_pack_writer *writer, const struct ork_pack_tensor *tensor,
		       const struct piece *piece, char *reason)
{
	const bool *put;
	uint64_t i;

	if (piece->matrix >= tensor->batch * tensor->groups || piece->first >= tensor->n || !piece->columns ||
	    piece->columns > tensor->n - piece->first || piece->first % UNIT_COLUMNS ||
	    (piece->columns % UNIT_COLUMNS && piece->columns != tensor->n - piece->first))
		return ork_pack_fail(reason, -EINVAL, "matrix %zu has no %zu columns from %zu on, in multiples of %d",
				     piece->matrix, piece->columns, piece->first, UNIT_COLUMNS);
	put = writer->put + piece->matrix * units_of_matrix(tensor) + piece->first / UNIT_COLUMNS;
	for (i = 0; i * UNIT_COLUMNS < piece->columns; i++)
		if (put[i])
			return ork_pack_fail(reason, -EINVAL, "columns from %zu on of matrix %zu were put before",
					     piece->first, piece->matrix);
	return 0;
}

static int check_piece(const struct ork_pack_writer *writer, const struct piece *piece, char *reason)
{
	const struct ork_pack_tensor *tensor;

	if (!writer || !piece->bt || !writer->open)
		return ork_pack_fail(reason, -EINVAL, "bt is NULL or no tensor was begun");
	tensor = &writer->entries[writer->count - 1].tensor;
	if (piece->ldb < tensor->k || tensor->scaled != (piece->scales != NULL))
		return ork_pack_fail(reason, -EINVAL, "ldb is below K, or scales are given or missing against the tensor");
	if (check_place(writer, tensor, piece, reason))
		return -EINVAL;
	if (tensor->type == ORK_I4 &&
	    !ork_check_i4(piece->bt, piece->ldb, (uint32_t)piece->columns, (uint32_t)tensor->k))
		return ork_pack_fail(reason, -EINVAL, "there are values outside -8..7");
	return 0;
}

static void mark(struct ork_pack_writer *writer, const struct ork_pack_tensor *tensor, const struct piece *piece)
{
	bool *put = writer->put + piece->matrix * units_of_matrix(tensor) + piece->first / UNIT_COLUMNS;
	uint64_t i;

	for (i = 0; i * UNIT_COLUMNS < piece->columns; i++)
		put[i] = true;
	writer->units -= i;
	if (piece->scales)
		memcpy(writer->scales + piece->matrix * tensor->n + piece->first, piece->scales,
		       piece->columns * sizeof(*piece->scales));
}

static int reserve_packed(struct ork_pack_writer *writer, size_t bytes)
{
	uint8_t *packed;

	if (bytes <= writer->packed_bytes)
		return 0;
	packed = realloc(writer->packed, bytes);
	if (!packed)
		return -ENOMEM;
	writer->packed = packed;
	writer->packed_bytes = bytes;
	return 0;
}

/* Columns of one slice are contiguous in the file. */
static int put_slices(struct ork_pack_writer *writer, const struct ork_pack_tensor *tensor, const struct piece *piece,
		      char *reason)
{
	const struct ork_operand *operand = ork_operand_find(tensor->type);
	const uint32_t k_slice = (uint32_t)tensor->k_slice, k = (uint32_t)tensor->k;
	const uint32_t slices = (k + k_slice - 1) / k_slice;
	const uint64_t line = ork_operand_bytes(operand, k_slice);
	const uint64_t bytes = line * ork_round_up((uint32_t)piece->columns, operand->group_n);
	const uint8_t *bt = piece->bt;
	uint64_t at = tensor->offset_bytes + piece->matrix * tensor->matrix_bytes + piece->first * line;
	uint32_t k0;
	int err;

	if (reserve_packed(writer, bytes))
		return ork_pack_fail(reason, -ENOMEM, "out of memory");
	for (k0 = 0; k0 < k; k0 += k_slice) {
		ork_pack_columns(operand, writer->packed, bt + k0 * operand->user_bytes, piece->ldb,
				 k - k0 < k_slice ? k - k0 : k_slice, k_slice, (uint32_t)piece->columns);
		err = write_part(writer, writer->packed, bytes, at, reason);
		if (err)
			return err;
		at += tensor->matrix_bytes / slices;
	}
	return 0;
}

/* Checksums are of what the file has, so they are read back. */
static int complete_tensor(struct ork_pack_writer *writer, struct ork_pack_entry *entry, char *reason)
{
	const uint64_t scale_bytes = ork_pack_scale_bytes(&entry->tensor);
	int err;

	err = ork_hash_file(writer->fd, entry->tensor.offset_bytes, ork_pack_data_bytes(&entry->tensor),
			    &entry->data_hash);
	if (err)
		return ork_pack_fail(reason, err, "it cannot be read back: %s", ork_strerror(err));
	if (scale_bytes) {
		entry->scale_offset = round_up(writer->end, ORK_PACK_SCALE_ALIGN);
		entry->scale_hash = ork_hash_of(writer->scales, scale_bytes);
		writer->end = entry->scale_offset + scale_bytes;
		err = write_part(writer, writer->scales, scale_bytes, entry->scale_offset, reason);
	}
	writer->open = false;
	return err;
}

int ork_pack_put(struct ork_pack_writer *writer, size_t matrix, size_t first, size_t columns, const void *bt, size_t ldb,
		 const float *scales, char *reason)
{
	const struct piece piece = { matrix, first, columns, bt, ldb, scales };
	struct ork_pack_entry *entry;
	int err;

	err = check_piece(writer, &piece, reason);
	if (err)
		return err;
	entry = &writer->entries[writer->count - 1];
	err = put_slices(writer, &entry->tensor, &piece, reason);
	if (err)
		return err;
	mark(writer, &entry->tensor, &piece);
	return writer->units ? 0 : complete_tensor(writer, entry, reason);
}

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct ork_pack_entry *)a)->tensor.name, ((const struct ork_pack_entry *)b)->tensor.name);
}

static int sort_entries(struct ork_pack_writer *writer, char *reason)
{
	uint32_t i;

	if (writer->count)
		qsort(writer->entries, writer->count, sizeof(*writer->entries), compare_entries);
	for (i = 1; i < writer->count; i++)
		if (compare_entries(&writer->entries[i - 1], &writer->entries[i]) == 0)
			return ork_pack_fail(reason, -EEXIST, "there are two tensors \"%.64s\"",
					     writer->entries[i].tensor.name);
	return 0;
}

/* Entries and then the names, each with a terminating 0. */
static uint8_t *make_index(struct ork_pack_writer *writer, uint64_t *bytes)
{
	uint64_t at = (uint64_t)writer->count * ORK_PACK_ENTRY_BYTES;
	uint8_t *index;
	uint32_t i;

	*bytes = at;
	for (i = 0; i < writer->count; i++)
		*bytes += strlen(writer->entries[i].tensor.name) + 1;
	index = malloc(*bytes + 1);
	if (!index)
		return NULL;
	for (i = 0; i < writer->count; i++) {
		const char *name = writer->entries[i].tensor.name;

		ork_pack_write_entry(index + (uint64_t)i * ORK_PACK_ENTRY_BYTES, &writer->entries[i], (uint32_t)at);
		memcpy(index + at, name, strlen(name) + 1);
		at += strlen(name) + 1;
	}
	return index;
}

static int write_index(struct ork_pack_writer *writer, char *reason)
{
	uint8_t bytes[ORK_PACK_HEADER_BYTES];
	struct ork_pack_header header = {
		.tensors = writer->count,
		.index_offset = round_up(writer->end, ORK_PACK_PAGE_BYTES),
	};
	uint8_t *index = make_index(writer, &header.index_bytes);
	int err;

	if (!index)
		return ork_pack_fail(reason, -ENOMEM, "out of memory");
	header.file_bytes = header.index_offset + header.index_bytes;
	header.index_hash = ork_hash_of(index, header.index_bytes);
	ork_pack_write_header(bytes, &header);
	err = write_part(writer, index, header.index_bytes, header.index_offset, reason);
	free(index);
	/* A file without tensors ends before its index would. */
	if (!err && ftruncate(writer->fd, (off_t)header.file_bytes))
		err = ork_pack_fail(reason, -errno, "it cannot be written: %s", strerrordesc_np(errno));
	return err ? err : write_part(writer, bytes, sizeof(bytes), 0, reason);
}

/* The new name is on the disk only when its directory is. */
static int sync_directory(const char *path)
{
	char *copy = strdup(path);
	const int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	const int err = fd < 0 || fsync(fd) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	free(copy);
	return err;
}

int ork_pack_finish(struct ork_pack_writer *writer, char *reason)
{
	int err = 0;

	if (!writer)
		return ork_pack_fail(reason, -EINVAL, "writer is NULL");
	if (writer->open)
		err = ork_pack_fail(reason, -EBUSY, "\"%.64s\" is not complete",
				    writer->entries[writer->count - 1].tensor.name);
	if (!err)
		err = sort_entries(writer, reason);
	if (!err)
		err = write_index(writer, reason);
	if (!err && (fsync(writer->fd) || rename(writer->temporary, writer->path)))
		err = ork_pack_fail(reason, -errno, "it cannot be written: %s", strerrordesc_np(errno));
	if (err) {
		ork_pack_abandon(writer);
		return err;
	}
	err = sync_directory(writer->path);
	writer_free(writer);
	return err ? ork_pack_fail(reason, err, "its directory cannot be written: %s", ork_strerror(err)) : 0;
}
