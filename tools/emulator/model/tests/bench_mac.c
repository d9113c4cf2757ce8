/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _POSIX_C_SOURCE 199309L

#include "../npu_mac.h"
#include "board.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Host time that the model needs: whole tasks through registers and memory port, and the two inner kernels. */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print(const char *what, double macs, double seconds)
{
	printf("%-40s %8.2f ms %8.2f GMAC/s\n", what, seconds * 1e3, macs / seconds * 1e-9);
}

static void bench_task(const char *what, struct matmul mm)
{
	struct board board;
	struct program program;
	uint32_t amount;
	double best = 1e9;

	board_init(&board, 0);
	program_matmul(&program, &mm);
	matmul_init(&mm, &board);
	amount = program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0);
	for (int run = 0; run < 5; run++) {
		double start = now();

		board_kick(&board, 0, PROGRAM_AT, amount, 1);
		board_work(&board);
		if (now() - start < best)
			best = now() - start;
	}
	if (board.reports > 0)
		printf("%s\n", board.first_report);
	print(what, (double)mm.m * mm.k * mm.n, best);
	matmul_fini(&mm);
	board_fini(&board);
}

typedef void (*kernel)(const int8_t *, size_t, size_t, const int8_t *, int32_t *);

static void bench_kernel(const char *what, kernel mac, size_t pixels)
{
	const size_t channels = 2048;
	int8_t *features = calloc(pixels, channels), *weights = calloc(NPU_MAC_INT8_KERNELS, channels);
	int32_t *sums = calloc(pixels, NPU_MAC_INT8_KERNELS * sizeof(*sums));
	int runs = (int)(400 / pixels) + 1;
	double start = now();

	if (!features || !weights || !sums)
		abort();
	for (int run = 0; run < runs; run++)
		mac(features, pixels, channels, weights, sums);
	print(what, (double)pixels * channels * NPU_MAC_INT8_KERNELS * runs, now() - start);
	free(features);
	free(weights);
	free(sums);
}

int main(void)
{
	bench_task("task 1x2048x6144 native", (struct matmul){ .form = FORM_NATIVE, .m = 1, .k = 2048, .n = 6144 });
	bench_task("task 8x2048x6144 native", (struct matmul){ .form = FORM_NATIVE, .m = 8, .k = 2048, .n = 6144 });
	bench_task("task 64x2048x6144 cube", (struct matmul){ .form = FORM_CUBE, .m = 64, .k = 2048, .n = 6144 });
	bench_task("task 64x2048x6144 row-major", (struct matmul){ .form = FORM_ROWS, .m = 64, .k = 2048, .n = 6144 });
	bench_task("task 512x512x512 cube", (struct matmul){ .form = FORM_CUBE, .m = 512, .k = 512, .n = 512 });
	bench_kernel("kernel, 64 pixels", npu_mac_int8, 64);
	bench_kernel("kernel, 1 pixel", npu_mac_int8, 1);
	bench_kernel("definition, 64 pixels", npu_mac_int8_plain, 64);
	return 0;
}
