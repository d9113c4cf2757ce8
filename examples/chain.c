/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Four float16 layers in one submission: each reads what the one before it has written, in a buffer that the NPU works
 * in directly. The CPU puts the input there and takes the output.
 *
 *     cc chain.c -lork && ORK_DEVICE=model ./a.out
 */

#include <ork.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 16, WIDTH = 256, LAYERS = 4, BYTES = M * WIDTH * 2 };

static uint16_t b[LAYERS][WIDTH * WIDTH];
static struct ork_weights *weights[LAYERS];

/* binary16: sign, exponent 2^-5, random fraction, so that layers neither grow nor vanish. */
static void fill(uint16_t *data, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		data[i] = (uint16_t)((rand() & 0x83ff) | 0x2800);
}

/* Two places in the buffer take turns. */
static struct ork_matmul_desc layer(struct ork_bo *buffer, int number)
{
	return (struct ork_matmul_desc){
		.weights = weights[number], .c_type = ORK_F16, .m = M,
		.a_bo = buffer, .a_offset_bytes = number % 2 * BYTES, .lda = WIDTH,
		.c_bo = buffer, .c_offset_bytes = (number + 1) % 2 * BYTES, .ldc = WIDTH,
	};
}

static int run_chain(struct ork_device *dev, struct ork_bo *buffer)
{
	const struct ork_matmul_opts in_order = { .in_order = 1 };
	struct ork_matmul_desc layers[LAYERS];
	char plan[1024];
	struct ork_job *job;
	int i, err;

	for (i = 0; i < LAYERS; i++)
		layers[i] = layer(buffer, i);
	if (ork_plan_explain(dev, &layers[0], NULL, plan, sizeof(plan)) > 0)
		fputs(plan, stdout);
	err = ork_matmul_submit(dev, layers, LAYERS, &in_order, &job);
	if (err)
		return err;
	err = ork_job_wait(job, -1);
	ork_job_destroy(job);
	return err;
}

/* The same layer by layer on the CPU, in place. */
static int reference(uint16_t *x)
{
	uint16_t next[M * WIDTH];
	int i, err = 0;

	for (i = 0; i < LAYERS && !err; i++) {
		const struct ork_ref_desc desc = {
			.type = ORK_F16, .c_type = ORK_F16, .m = M, .k = WIDTH, .n = WIDTH, .a = x, .lda = WIDTH,
			.b = b[i], .ldb = WIDTH, .c = next, .ldc = WIDTH, .k_slice = ork_weights_k_slice(weights[i]),
		};

		err = ork_ref_matmul(&desc);
		memcpy(x, next, sizeof(next));
	}
	return err;
}

static int run(struct ork_device *dev, struct ork_bo *buffer)
{
	static uint16_t x[M * WIDTH];
	void *memory;
	int err;

	err = ork_bo_map(buffer, &memory);
	if (err)
		return err;
	fill(x, M * WIDTH);
	memcpy(memory, x, BYTES);
	err = run_chain(dev, buffer);
	if (err || reference(x))
		return -1;
	if (memcmp((char *)memory + LAYERS % 2 * BYTES, x, BYTES) != 0) {
		fprintf(stderr, "the result differs from the reference\n");
		return -1;
	}
	printf("%d layers are equal to the reference to the bit\n", LAYERS);
	return 0;
}

int main(void)
{
	struct ork_bo *buffer = NULL;
	struct ork_device *dev;
	int i, err;

	err = ork_open(NULL, &dev);
	if (err) {
		fprintf(stderr, "open: %s\n", ork_strerror(err));
		return 1;
	}
	err = ork_bo_create(dev, 2 * BYTES, 0, &buffer);
	for (i = 0; i < LAYERS && !err; i++) {
		const struct ork_weights_desc desc = {
			.type = ORK_F16, .b = b[i], .ldb = WIDTH, .k = WIDTH, .n = WIDTH
		};

		fill(b[i], WIDTH * WIDTH);
		err = ork_weights_create(dev, &desc, &weights[i]);
	}
	if (!err)
		err = run(dev, buffer);
	if (err)
		fprintf(stderr, "failed: %s\n", ork_error(dev));
	for (i = 0; i < LAYERS; i++)
		ork_weights_destroy(weights[i]);
	ork_bo_destroy(buffer);
	ork_close(dev);
	return err != 0;
}
