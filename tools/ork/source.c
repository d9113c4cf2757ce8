/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"

int source_fail(char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, SOURCE_REASON_CHARS, format, args);
	va_end(args);
	return -1;
}

struct source_tensor *source_add(struct source *source, const char *name, size_t name_bytes)
{
	struct source_tensor *tensors;
	char *copy;

	/* Doubled when the count reaches a power of two. */
	if (!(source->count & (source->count - 1))) {
		tensors = realloc(source->tensors, (source->count ? 2 * source->count : 1) * sizeof(*tensors));
		if (!tensors)
			return NULL;
		source->tensors = tensors;
	}
	copy = strndup(name, name_bytes);
	if (!copy)
		return NULL;
	source->tensors[source->count] = (struct source_tensor){ .name = copy, .shape = { 1, 1, 1, 1 } };
	return &source->tensors[source->count++];
}

int source_check(const struct source_tensor *tensor, uint64_t data_end, char *reason)
{
	uint64_t elements = 1, bytes;
	uint32_t i;

	for (i = 0; i < SOURCE_MAX_DIMS; i++)
		if (__builtin_mul_overflow(elements, tensor->shape[i], &elements))
			return source_fail(reason, "tensor \"%.64s\" at byte %llu is too large", tensor->name,
					   (unsigned long long)tensor->header_at);
	if (tensor->type == SOURCE_UNKNOWN)
		return 0;
	if (tensor->shape[tensor->dims ? tensor->dims - 1 : 0] % source_block(tensor->type))
		return source_fail(reason, "tensor \"%.64s\" at byte %llu: its rows are no whole blocks of %s", tensor->name,
				   (unsigned long long)tensor->header_at, tensor->type_name);
	if (__builtin_mul_overflow(elements / source_block(tensor->type), source_block_bytes(tensor->type), &bytes) ||
	    tensor->offset > data_end || bytes > data_end - tensor->offset)
		return source_fail(reason, "tensor \"%.64s\" at byte %llu: its data at byte %llu lies outside the file",
				   tensor->name, (unsigned long long)tensor->header_at,
				   (unsigned long long)tensor->offset);
	return 0;
}

int source_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason)
{
	if (size >= 4 && memcmp(bytes, "GGUF", 4) == 0)
		return gguf_parse(bytes, size, source, reason);
	if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
		return npy_source_parse(bytes, size, source, reason);
	if (size >= 9 && bytes[8] == '{')
		return safetensors_parse(bytes, size, source, reason);
	return source_fail(reason, "it is neither GGUF nor safetensors nor a NumPy file");
}

static int parse_file(struct source *source, char *reason)
{
	struct stat info;
	void *map;
	int err;

	if (fstat(source->fd, &info))
		return source_fail(reason, "it cannot be read: %s", strerror(errno));
	if (!S_ISREG(info.st_mode))
		return source_fail(reason, "it is not a regular file");
	source->file_bytes = (uint64_t)info.st_size;
	if (!source->file_bytes)
		return source_fail(reason, "it is empty");
	map = mmap(NULL, source->file_bytes, PROT_READ, MAP_PRIVATE, source->fd, 0);
	if (map == MAP_FAILED)
		return source_fail(reason, "it cannot be mapped: %s", strerror(errno));
	err = source_parse(map, source->file_bytes, source, reason);
	munmap(map, source->file_bytes);
	return err;
}

int source_open(const char *path, struct source *source, char *reason)
{
	*source = (struct source){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (source->fd < 0)
		return source_fail(reason, "%s", strerror(errno));
	if (!parse_file(source, reason))
		return 0;
	source_close(source);
	return -1;
}

void source_close(struct source *source)
{
	size_t i;

	for (i = 0; i < source->count; i++)
		free(source->tensors[i].name);
	free(source->tensors);
	if (source->fd >= 0)
		close(source->fd);
	*source = (struct source){ .fd = -1 };
}

int source_read(const struct source *source, void *to, size_t bytes, uint64_t offset, char *reason)
{
	size_t at = 0;
	ssize_t got;

	while (at < bytes) {
		got = pread(source->fd, (uint8_t *)to + at, bytes - at, (off_t)(offset + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return source_fail(reason, "it cannot be read: %s", strerror(errno));
		if (!got)
			return source_fail(reason, "it ends at byte %llu", (unsigned long long)(offset + at));
		at += (size_t)got;
	}
	return 0;
}
