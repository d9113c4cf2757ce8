/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_NPY_H
#define ORK_NPY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Matrices in NumPy's file format, versions 1 and 2: 2-D, C order, little-endian.
 */

#define NPY_REASON_CHARS 160

struct npy_matrix {
	int8_t *data; /* rows * cols elements, from malloc() */
	size_t rows, cols;
};

/*
 * Reads an int8 matrix with 1 to max_dim rows and columns. The file must hold exactly what its header announces.
 * Returns 0, or -1 with a reason of up to NPY_REASON_CHARS characters that does not name the file.
 */
int npy_read_i8(const char *path, size_t max_dim, struct npy_matrix *matrix, char *reason);

/* Tells whether npy_write_i32() to this path can work as far as one can know before. Returns as npy_read_i8(). */
int npy_check_writable(const char *path, char *reason);

/*
 * Writes an int32 matrix. The file appears under its name only when it is complete; on failure nothing is left behind
 * and an older file of that name is unchanged. Returns as npy_read_i8().
 */
int npy_write_i32(const char *path, const int32_t *data, size_t rows, size_t cols, char *reason);

/* The header's text between the length field and the data. Returns 0 and the shape, or -1 with a reason. */
int npy_parse_header(const char *text, size_t length, size_t max_dim, size_t *rows, size_t *cols, char *reason);

#endif
