/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "operands.h"
#include "tool.h"

/* splitmix64 */
static uint64_t random_u64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Floating-point numbers from 2^-8 to 2 with either sign, so that sums stay far from overflow. */
static uint16_t random_half(enum ork_dtype type, uint16_t bits)
{
	if (type == ORK_F16)
		return (uint16_t)((bits & 0x9fff) + 0x1c00);
	return (uint16_t)((bits & 0x83ff) + 0x3b80);
}

/* Random bits made elements of the type. */
static void shape_elements(enum ork_dtype type, void *data, size_t count)
{
	uint16_t *halves = data;
	int8_t *bytes = data;
	size_t i;

	if (type == ORK_I4)
		for (i = 0; i < count; i++)
			bytes[i] = (int8_t)((bytes[i] & 15) - 8);
	else if (type != ORK_I8)
		for (i = 0; i < count; i++)
			halves[i] = random_half(type, halves[i]);
}

/* Eight bytes per step. */
void *random_matrix(enum ork_dtype type, size_t count, uint64_t *state)
{
	const size_t bytes = count * ork_dtype_bytes(type);
	uint8_t *data = malloc(bytes);
	size_t i, part;
	uint64_t z;

	for (i = 0; data && i < bytes; i += part) {
		z = random_u64(state);
		part = bytes - i < sizeof(z) ? bytes - i : sizeof(z);
		memcpy(data + i, &z, part);
	}
	if (data)
		shape_elements(type, data, count);
	return data;
}

static int make_operands(const struct matmul_args *args, struct operands *operands)
{
	uint64_t state = args->seed;

	operands->m = args->m;
	operands->k = args->k;
	operands->n = args->n;
	operands->a = random_matrix(args->type->type, operands->m * operands->k, &state);
	operands->b = random_matrix(args->type->type, operands->k * operands->n, &state);
	if (!operands->a || !operands->b)
		return complain(EXIT_USAGE, "not enough memory for the matrices");
	return EXIT_OK;
}

/* To bfloat16, to nearest, ties to even. */
static uint16_t narrow_bf16(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (value != value)
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* binary32 becomes bfloat16 in place. */
static void narrow(void *data, size_t count)
{
	const float *from = data;
	uint16_t *to = data;
	float value;
	size_t i;

	for (i = 0; i < count; i++) {
		memcpy(&value, &from[i], sizeof(value));
		to[i] = narrow_bf16(value);
	}
}

/* Each type of product has one type of file. */
static int convert(enum ork_dtype type, struct npy_matrix *matrix, const char *path)
{
	const enum npy_type wanted = type == ORK_F16 ? NPY_F2 : type == ORK_BF16 ? NPY_F4 : NPY_I1;

	if (matrix->type != wanted)
		return complain(EXIT_USAGE, "cannot use %s: its type is %s, not %s", path,
				npy_type_descr(matrix->type), npy_type_descr(wanted));
	if (type == ORK_BF16)
		narrow(matrix->data, matrix->rows * matrix->cols);
	return EXIT_OK;
}

static int read_matrix(enum ork_dtype type, const char *path, struct npy_matrix *matrix)
{
	char reason[NPY_REASON_CHARS];

	if (npy_read(path, ORK_MAX_DIM, matrix, reason))
		return complain(EXIT_USAGE, "cannot use %s: %s", path, reason);
	return convert(type, matrix, path);
}

static int read_operands(const struct matmul_args *args, struct operands *operands)
{
	struct npy_matrix a, b = { 0 };
	int status;

	status = read_matrix(args->type->type, args->a_path, &a);
	if (!status)
		status = read_matrix(args->type->type, args->b_path, &b);
	*operands = (struct operands){ .m = a.rows, .k = a.cols, .n = b.cols, .a = a.data, .b = b.data };
	if (status)
		return status;
	if (a.cols != b.rows)
		return complain(EXIT_USAGE, "the shapes do not fit: A has %zu columns, B has %zu rows", a.cols, b.rows);
	return EXIT_OK;
}

int get_operands(const struct matmul_args *args, struct operands *operands)
{
	return args->a_path ? read_operands(args, operands) : make_operands(args, operands);
}

void free_operands(struct operands *operands)
{
	free(operands->a);
	free(operands->b);
}
