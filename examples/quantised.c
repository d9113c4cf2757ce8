/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Two int8 layers in a row: the first gives int8, scaled on the NPU, which the second takes as it is. Then a batch of
 * int4 products with a B of each, and what the planner makes of it.
 *
 *     cc quantised.c -lork && ORK_DEVICE=model ./a.out
 */

#include <ork.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 8, K = 512, HIDDEN = 256, N = 64, BATCH = 4 };

static int8_t a[M * K], b1[K * HIDDEN], b2[HIDDEN * N], hidden[M * HIDDEN];
static int8_t a4[BATCH * M * K], b4[BATCH * K * N];
static int32_t c[M * N], c4[BATCH * M * N];

static void fill(int8_t *data, size_t count, int low, int high)
{
	size_t i;

	for (i = 0; i < count; i++)
		data[i] = (int8_t)(low + rand() % (high - low + 1));
}

static int two_layers(struct ork_device *dev)
{
	const struct ork_weights_desc desc1 = { .type = ORK_I8, .b = b1, .ldb = HIDDEN, .k = K, .n = HIDDEN };
	const struct ork_weights_desc desc2 = { .type = ORK_I8, .b = b2, .ldb = N, .k = HIDDEN, .n = N };
	struct ork_matmul_desc first = {
		.c_type = ORK_I8, .m = M, .a = a, .lda = K, .c = hidden, .ldc = HIDDEN,
		/* sums times 3 / 2^12 */
		.requant = { .scale = 3, .shift = 12 },
	};
	struct ork_matmul_desc second = { .m = M, .a = hidden, .lda = HIDDEN, .c = c, .ldc = N };
	int err;

	fill(a, sizeof(a), -128, 127);
	fill(b1, sizeof(b1), -128, 127);
	fill(b2, sizeof(b2), -128, 127);
	err = ork_weights_create(dev, &desc1, &first.weights);
	if (!err)
		err = ork_weights_create(dev, &desc2, &second.weights);
	if (!err)
		err = ork_matmul(dev, &first, NULL);
	if (!err)
		err = ork_matmul(dev, &second, NULL);
	if (!err)
		printf("hidden[0][0] = %d, c[0][0] = %d\n", hidden[0], c[0]);
	ork_weights_destroy(first.weights);
	ork_weights_destroy(second.weights);
	return err;
}

static int int4_batch(struct ork_device *dev)
{
	const struct ork_weights_desc desc = {
		.type = ORK_I4, .b = b4, .ldb = N, .k = K, .n = N, .batch = BATCH, .b_stride = K * N
	};
	struct ork_matmul_desc product = {
		.m = M, .a = a4, .lda = K, .c = c4, .ldc = N, .batch = BATCH, .a_stride = M * K, .c_stride = M * N
	};
	char plan[1024];
	int err;

	fill(a4, sizeof(a4), -8, 7);
	fill(b4, sizeof(b4), -8, 7);
	err = ork_weights_create(dev, &desc, &product.weights);
	if (!err)
		err = ork_matmul(dev, &product, NULL);
	if (!err && ork_plan_explain(dev, &product, NULL, plan, sizeof(plan)) > 0)
		fputs(plan, stdout);
	ork_weights_destroy(product.weights);
	return err;
}

int main(void)
{
	struct ork_device *dev;
	int err;

	err = ork_open(NULL, &dev);
	if (err) {
		fprintf(stderr, "open: %s\n", ork_strerror(err));
		return 1;
	}
	err = two_layers(dev);
	if (!err)
		err = int4_batch(dev);
	if (err)
		fprintf(stderr, "failed: %s\n", ork_error(dev));
	ork_close(dev);
	return err != 0;
}
