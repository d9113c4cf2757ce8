/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy.h"
#include "npy_internal.h"

/* Magic and version, then the length of the header's text in 2 (version 1) or 4 (version 2) bytes, little-endian. */
#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define PREFIX_BYTES 8

/* A header of three short entries needs about 100 bytes; NumPy itself refuses more than 10000 unless told otherwise. */
#define HEADER_MAX_BYTES 10000

/* The data starts at a multiple of this. */
#define DATA_ALIGN 64

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie in memory");

static int read_exactly(FILE *file, void *to, size_t bytes, char *reason)
{
	if (fread(to, 1, bytes, file) == bytes)
		return 0;
	if (ferror(file))
		return npy_fail(reason, "it cannot be read: %s", strerror(errno));
	return npy_fail(reason, "it is truncated");
}

static int read_header_length(FILE *file, size_t *length, char *reason)
{
	unsigned char prefix[PREFIX_BYTES], field[4] = { 0 };

	if (fread(prefix, 1, sizeof(prefix), file) != sizeof(prefix) || memcmp(prefix, MAGIC, MAGIC_BYTES) != 0)
		return npy_fail(reason, "it is not a NumPy file");
	if ((prefix[6] != 1 && prefix[6] != 2) || prefix[7] != 0)
		return npy_fail(reason, "its format version %d.%d is not supported", prefix[6], prefix[7]);
	if (read_exactly(file, field, prefix[6] == 1 ? 2 : 4, reason))
		return -1;
	*length = (size_t)field[0] | (size_t)field[1] << 8 | (size_t)field[2] << 16 | (size_t)field[3] << 24;
	if (*length > HEADER_MAX_BYTES)
		return npy_fail(reason, "its header of %zu bytes is too long", *length);
	return 0;
}

static int read_header(FILE *file, size_t max_dim, struct npy_matrix *matrix, char *reason)
{
	char text[HEADER_MAX_BYTES];
	size_t length = 0;

	if (read_header_length(file, &length, reason) || read_exactly(file, text, length, reason))
		return -1;
	return npy_parse_header(text, length, max_dim, matrix, reason);
}

static size_t data_bytes(const struct npy_matrix *matrix)
{
	return matrix->rows * matrix->cols * npy_type_bytes(matrix->type);
}

/* Compares sizes before any memory is taken for what the header promises. */
static int check_file_size(FILE *file, const struct npy_matrix *matrix, char *reason)
{
	const long at = ftell(file);
	const size_t bytes = data_bytes(matrix);
	struct stat stat;

	if (at < 0 || fstat(fileno(file), &stat))
		return npy_fail(reason, "it cannot be read: %s", strerror(errno));
	if ((unsigned long long)stat.st_size < at + (unsigned long long)bytes)
		return npy_fail(reason, "it is truncated: %zu x %zu elements need %zu bytes", matrix->rows,
				matrix->cols, bytes);
	if ((unsigned long long)stat.st_size > at + (unsigned long long)bytes)
		return npy_fail(reason, "more bytes follow than its %zu x %zu elements", matrix->rows, matrix->cols);
	return 0;
}

static int read_matrix(FILE *file, size_t max_dim, struct npy_matrix *matrix, char *reason)
{
	struct stat stat;

	if (fstat(fileno(file), &stat))
		return npy_fail(reason, "it cannot be read: %s", strerror(errno));
	if (!S_ISREG(stat.st_mode))
		return npy_fail(reason, "it is not a regular file");
	if (read_header(file, max_dim, matrix, reason) || check_file_size(file, matrix, reason))
		return -1;
	matrix->data = malloc(data_bytes(matrix));
	if (!matrix->data)
		return npy_fail(reason, "there is no memory for its %zu x %zu elements", matrix->rows, matrix->cols);
	if (!read_exactly(file, matrix->data, data_bytes(matrix), reason))
		return 0;
	free(matrix->data);
	matrix->data = NULL;
	return -1;
}

int npy_read(const char *path, size_t max_dim, struct npy_matrix *matrix, char *reason)
{
	FILE *file = fopen(path, "rbe");
	int err;

	*matrix = (struct npy_matrix){ 0 };
	if (!file)
		return npy_fail(reason, "%s", strerror(errno));
	err = read_matrix(file, max_dim, matrix, reason);
	fclose(file);
	return err;
}

int npy_check_writable(const char *path, char *reason)
{
	char *copy = strdup(path);
	struct stat info;
	int err = 0;

	if (!copy)
		return npy_fail(reason, "out of memory");
	/* The result replaces what has the name, which must not be done to a directory or a device. */
	if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
		err = npy_fail(reason, "it is not a regular file");
	else if (!*path || access(dirname(copy), W_OK | X_OK))
		err = npy_fail(reason, "its directory is not writable: %s", strerror(*path ? errno : ENOENT));
	free(copy);
	return err;
}

static int write_matrix(FILE *file, const struct npy_matrix *matrix)
{
	char text[256];
	unsigned char prefix[PREFIX_BYTES + 2] = MAGIC "\x01";
	int used = snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }",
			    npy_type_descr(matrix->type), matrix->rows, matrix->cols);
	const size_t total = (sizeof(prefix) + (size_t)used + 1 + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
	const size_t length = total - sizeof(prefix);

	memset(text + used, ' ', length - (size_t)used);
	text[length - 1] = '\n';
	prefix[PREFIX_BYTES] = length & 0xff;
	prefix[PREFIX_BYTES + 1] = (unsigned char)(length >> 8);
	if (fwrite(prefix, 1, sizeof(prefix), file) != sizeof(prefix) || fwrite(text, 1, length, file) != length)
		return -1;
	return fwrite(matrix->data, 1, data_bytes(matrix), file) == data_bytes(matrix) ? 0 : -1;
}

/* mkstemp() makes files private; the result gets the permissions that any new file has. */
static int set_usual_mode(int fd)
{
	const mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

/* Fills and closes the open file. Returns 0, or -1 with errno set. */
static int fill_and_close(int fd, const struct npy_matrix *matrix)
{
	FILE *file = fdopen(fd, "wb");
	int err;

	if (!file) {
		close(fd);
		return -1;
	}
	err = set_usual_mode(fd) || write_matrix(file, matrix) || fflush(file) || fsync(fd);
	return fclose(file) || err ? -1 : 0;
}

int npy_write(const char *path, const struct npy_matrix *matrix, char *reason)
{
	char *temporary;
	int fd, err = 0;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return npy_fail(reason, "out of memory");
	fd = mkstemp(temporary);
	if (fd < 0 || fill_and_close(fd, matrix) || rename(temporary, path)) {
		err = npy_fail(reason, "it cannot be written: %s", strerror(errno));
		if (fd >= 0)
			unlink(temporary);
	}
	free(temporary);
	return err;
}
