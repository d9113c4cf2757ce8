/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "matmul_args.h"
#include "npy.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork matmul -m M -k K -n N [--seed S] [OPTIONS]\n"
	"       ork matmul --a A.npy --b B.npy [OPTIONS]\n"
	"\n"
	"Computes C[M][N] = A[M][K] * B[K][N], int8 times int8 to int32, on the NPU.\n"
	"\n"
	"  -m M -k K -n N    multiply random matrices of this shape\n"
	"  --seed S          which random matrices, default 1\n"
	"  --a A.npy         read A and B: NumPy files, int8, 2-D, C order\n"
	"  --b B.npy\n"
	"  -o C.npy          write C as a NumPy file (int32)\n"
	"  --cores C         split over 1, 2 or 3 cores, default auto\n"
	"  --verify          compare with a CPU reference; without equality exit 1, no file\n"
	"  --repeat R        run R times and print the shortest time\n"
	"  --timeout MS      give up after MS milliseconds without progress\n"
	"  --device DEVICE   \"model\" or a render node, default see ork --help\n";

/* Bytes that C holds before each run, so that a result that was not written does not pass for a right one. */
#define C_POISON 0xa5

struct matmul {
	struct matmul_args args;
	size_t m, k, n;
	int8_t *a, *b;
	int32_t *c;
	int32_t *expected;      /* NULL without --verify */
	struct ork_device *dev;
	struct ork_weights *weights;
	size_t wrong;           /* most wrong elements of any run */
	double best_ms;
	uint64_t jobs[ORK_MAX_CORES];
	const char *backend;
};

/* splitmix64: eight elements per step. */
static int8_t *random_matrix(size_t elements, uint64_t *state)
{
	int8_t *data = malloc(elements);
	size_t i, part;

	for (i = 0; data && i < elements; i += part) {
		uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		z ^= z >> 31;
		part = elements - i < sizeof(z) ? elements - i : sizeof(z);
		memcpy(data + i, &z, part);
	}
	return data;
}

static int make_operands(struct matmul *mm)
{
	uint64_t state = mm->args.seed;

	mm->m = mm->args.m;
	mm->k = mm->args.k;
	mm->n = mm->args.n;
	mm->a = random_matrix(mm->m * mm->k, &state);
	mm->b = random_matrix(mm->k * mm->n, &state);
	if (!mm->a || !mm->b)
		return complain(EXIT_USAGE, "not enough memory for the matrices");
	return EXIT_OK;
}

static int read_operands(struct matmul *mm)
{
	char reason[NPY_REASON_CHARS];
	struct npy_matrix a, b;

	if (npy_read_i8(mm->args.a_path, ORK_MAX_DIM, &a, reason))
		return complain(EXIT_USAGE, "cannot use %s: %s", mm->args.a_path, reason);
	mm->a = a.data;
	if (npy_read_i8(mm->args.b_path, ORK_MAX_DIM, &b, reason))
		return complain(EXIT_USAGE, "cannot use %s: %s", mm->args.b_path, reason);
	mm->b = b.data;
	mm->m = a.rows;
	mm->k = a.cols;
	mm->n = b.cols;
	if (a.cols != b.rows)
		return complain(EXIT_USAGE, "the shapes do not fit: A has %zu columns, B has %zu rows", a.cols, b.rows);
	return EXIT_OK;
}

static int prepare(struct matmul *mm)
{
	char reason[NPY_REASON_CHARS];
	int status;

	if (mm->args.out_path && npy_check_writable(mm->args.out_path, reason))
		return complain(EXIT_USAGE, "cannot write %s: %s", mm->args.out_path, reason);
	status = mm->args.a_path ? read_operands(mm) : make_operands(mm);
	if (status)
		return status;
	mm->c = malloc(mm->m * mm->n * sizeof(*mm->c));
	if (mm->args.verify)
		mm->expected = malloc(mm->m * mm->n * sizeof(*mm->expected));
	if (!mm->c || (mm->args.verify && !mm->expected))
		return complain(EXIT_USAGE, "not enough memory for the result");
	return EXIT_OK;
}

/* What the values of the user rule out is the user's mistake, the rest is the device's. */
static int device_error(const struct matmul *mm, int err)
{
	const int status = err == -EINVAL || err == -E2BIG || err == -ENOTSUP ? EXIT_USAGE : EXIT_DEVICE;

	return complain(status, "%s", ork_error(mm->dev));
}

static size_t count_wrong(const struct matmul *mm)
{
	size_t wrong = 0, i;

	for (i = 0; i < mm->m * mm->n; i++)
		wrong += mm->c[i] != mm->expected[i];
	return wrong;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int run_once(struct matmul *mm)
{
	const struct ork_matmul_opts opts = { .cores = (uint32_t)mm->args.cores,
					      .timeout_ms = (uint32_t)mm->args.timeout_ms };
	double start, elapsed;
	size_t wrong;
	int err;

	memset(mm->c, C_POISON, mm->m * mm->n * sizeof(*mm->c));
	start = now_ms();
	err = ork_matmul_i8(mm->dev, mm->weights, mm->a, mm->k, mm->m, mm->c, mm->n, &opts);
	elapsed = now_ms() - start;
	if (err)
		return device_error(mm, err);
	if (mm->best_ms == 0 || elapsed < mm->best_ms)
		mm->best_ms = elapsed;
	wrong = mm->expected ? count_wrong(mm) : 0;
	if (wrong > mm->wrong)
		mm->wrong = wrong;
	return EXIT_OK;
}

static int run_all(struct matmul *mm)
{
	struct ork_info before, after;
	unsigned long i;
	int err, status;

	err = ork_weights_create_i8(mm->dev, mm->b, mm->n, mm->k, mm->n, &mm->weights);
	if (!err)
		err = ork_query(mm->dev, &before);
	if (err)
		return device_error(mm, err);
	if (mm->expected)
		ork_ref_matmul_i8(mm->a, mm->k, mm->b, mm->n, mm->expected, mm->n, mm->m, mm->k, mm->n);
	for (i = 0; i < mm->args.repeat; i++) {
		status = run_once(mm);
		if (status)
			return status;
	}
	err = ork_query(mm->dev, &after);
	if (err)
		return device_error(mm, err);
	for (i = 0; i < ORK_MAX_CORES; i++)
		mm->jobs[i] = after.jobs_done[i] - before.jobs_done[i];
	mm->backend = after.backend;
	return EXIT_OK;
}

static void print_summary(const struct matmul *mm)
{
	int used = 0, i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		used += mm->jobs[i] != 0;
	printf("matmul M=%zu K=%zu N=%zu int8: %s, %d core%s, jobs per core %" PRIu64 "/%" PRIu64 "/%" PRIu64 ", ",
	       mm->m, mm->k, mm->n, mm->backend, used, used == 1 ? "" : "s", mm->jobs[0], mm->jobs[1], mm->jobs[2]);
	if (mm->expected)
		printf("verify %s (%zu of %zu elements wrong), ", mm->wrong ? "FAILED" : "ok", mm->wrong,
		       mm->m * mm->n);
	else
		printf("not verified, ");
	printf("%.3f ms", mm->best_ms);
	if (mm->args.repeat > 1)
		printf(" (shortest of %lu)", mm->args.repeat);
	putchar('\n');
}

static int run_on_device(struct matmul *mm)
{
	char reason[NPY_REASON_CHARS];
	int status = open_device(mm->args.device, &mm->dev);

	if (status)
		return status;
	status = run_all(mm);
	ork_weights_destroy(mm->weights);
	ork_close(mm->dev);
	if (status)
		return status;
	if (!mm->wrong && mm->args.out_path && npy_write_i32(mm->args.out_path, mm->c, mm->m, mm->n, reason))
		return complain(EXIT_USAGE, "cannot write %s: %s", mm->args.out_path, reason);
	print_summary(mm);
	return mm->wrong ? EXIT_MISMATCH : EXIT_OK;
}

int cmd_matmul(int argc, char **argv)
{
	struct matmul mm = { 0 };
	int status;

	status = parse_matmul_args(argc, argv, &mm.args);
	if (status)
		return status;
	if (mm.args.help) {
		fputs(usage_text, stdout);
		return EXIT_OK;
	}
	status = prepare(&mm);
	if (!status)
		status = run_on_device(&mm);
	free(mm.a);
	free(mm.b);
	free(mm.c);
	free(mm.expected);
	return status;
}
