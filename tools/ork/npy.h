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

enum npy_type {
	NPY_I1, /* int8 */
	NPY_I4, /* int32 */
	NPY_F2, /* binary16 */
	NPY_F4, /* binary32 */
};

struct npy_matrix {
	enum npy_type type;
	void *data; /* rows * cols elements, from malloc() */
	size_t rows, cols;
};

/* Bytes of one element, and its name in a file. */
size_t npy_type_bytes(enum npy_type type);
const char *npy_type_descr(enum npy_type type);

/*
 * Reads a matrix with 1 to max_dim rows and columns. The file must hold exactly what its header announces. Returns 0,
 * or -1 with a reason of up to NPY_REASON_CHARS characters that does not name the file.
 */
int npy_read(const char *path, size_t max_dim, struct npy_matrix *matrix, char *reason);

/* Tells whether npy_write() to this path can work as far as one can know before. Returns as npy_read(). */
int npy_check_writable(const char *path, char *reason);

/*
 * Writes a matrix. The file appears under its name only when it is complete; on failure nothing is left behind and an
 * older file of that name is unchanged. Returns as npy_read().
 */
int npy_write(const char *path, const struct npy_matrix *matrix, char *reason);

/*
 * The header's text between the length field and the data. Returns 0 with type, rows and cols of the matrix, or -1 with
 * a reason.
 */
int npy_parse_header(const char *text, size_t length, size_t max_dim, struct npy_matrix *matrix, char *reason);

#endif
