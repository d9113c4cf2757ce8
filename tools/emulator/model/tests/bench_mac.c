/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _POSIX_C_SOURCE 199309L

#include "../npu_mac.h"
#include "layer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Host time that the model needs: whole tasks through registers and memory port, and the MAC array by type. */

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

static void bench_layer(const char *what, struct layer layer)
{
	struct board board;
	double best = 1e9;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 1);
	for (int run = 0; run < 5; run++) {
		struct program program;
		double start;

		layer_store(&layer, &board);
		layer_program(&layer, &program);
		board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
		start = now();
		board_work(&board);
		if (now() - start < best)
			best = now() - start;
	}
	if (board.reports > 0)
		printf("%s\n", board.first_report);
	print(what, layer_macs(&layer), best);
	layer_fini(&layer);
	board_fini(&board);
}

#define CORES 3

static void *work_on(void *board)
{
	board_work(board);
	return NULL;
}

/* The same task on all three cores, each with a thread of its own, as the emulator runs them. */
static void bench_cores(const char *what, struct matmul mm)
{
	struct board boards[CORES];
	struct matmul products[CORES];
	struct program program;
	pthread_t threads[CORES];
	uint32_t amount = 0;
	double best = 1e9;

	for (unsigned int i = 0; i < CORES; i++) {
		products[i] = mm;
		board_init(&boards[i], i);
		matmul_init(&products[i], &boards[i]);
		program_matmul(&program, &mm);
		amount = program_store(&program, &boards[i], PROGRAM_AT, 0x0d, 0, 0);
	}
	for (int run = 0; run < 5; run++) {
		double start = now();

		for (unsigned int i = 0; i < CORES; i++) {
			board_kick(&boards[i], i, PROGRAM_AT, amount, 1);
			if (pthread_create(&threads[i], NULL, work_on, &boards[i]))
				abort();
		}
		for (unsigned int i = 0; i < CORES; i++)
			pthread_join(threads[i], NULL);
		if (now() - start < best)
			best = now() - start;
	}
	print(what, CORES * (double)mm.m * mm.k * mm.n, best);
	for (unsigned int i = 0; i < CORES; i++) {
		matmul_fini(&products[i]);
		board_fini(&boards[i]);
	}
}

/* The MAC array alone, operands prepared anew for every group, on data as networks have them. */
static void bench_array(const char *what, uint32_t input, size_t pixels)
{
	const struct npu_type *type = npu_type(input);
	const size_t length = 2048, kernels = type->kernel_group;
	uint8_t *features = malloc(npu_type_bytes(type, pixels * length));
	uint8_t *weights = malloc(npu_type_bytes(type, kernels * length));
	int32_t *sums = calloc(pixels, kernels * sizeof(*sums));
	struct npu_mac *mac = npu_mac_new(type, pixels, length);
	int runs = (int)(400 / pixels) + 1;
	double start;

	if (!features || !weights || !sums || !mac)
		abort();
	/* 0x33: reals around 0.2 in all formats */
	memset(features, 0x33, npu_type_bytes(type, pixels * length));
	memset(weights, 0x33, npu_type_bytes(type, kernels * length));
	start = now();
	npu_mac_features(mac, features, pixels);
	for (int run = 0; run < runs; run++)
		npu_mac_group(mac, weights, (struct npu_clip){ 0 }, sums);
	print(what, (double)pixels * length * kernels * runs, now() - start);
	npu_mac_delete(mac);
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
	bench_cores("task 512x512x512 cube, three cores", (struct matmul){ .form = FORM_CUBE, .m = 512, .k = 512, .n = 512 });
	bench_layer("task 1x2048x4096 fp16", (struct layer){ .input = 2, .output = 5, .c = 2048, .n = 4096 });
	bench_layer("task 64x2048x1024 fp16", (struct layer){ .input = 2, .output = 5, .h = 64, .c = 2048, .n = 1024 });
	bench_array("int8, 64 pixels", NPU_INT8, 64);
	bench_array("int8, 1 pixel", NPU_INT8, 1);
	bench_array("int4, 64 pixels", NPU_INT4, 64);
	bench_array("int16, 64 pixels", NPU_INT16, 64);
	bench_array("fp16, 64 pixels", NPU_FP16, 64);
	bench_array("fp16, 1 pixel", NPU_FP16, 1);
	bench_array("bf16, 64 pixels", NPU_BF16, 64);
	bench_array("tf32, 64 pixels", NPU_TF32, 64);
	return 0;
}
