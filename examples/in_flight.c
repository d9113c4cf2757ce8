/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Keeps the NPU busy while the CPU works: two jobs are in flight, each with several independent products, and an event
 * loop waits for the descriptor of the older one.
 *
 *     cc in_flight.c -lork && ORK_DEVICE=model ./a.out
 */

#include <ork.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { M = 4, K = 256, N = 96, HEADS = 3, ROUNDS = 6, DEPTH = 2 };

/* One round of work: the same weights, other rows. */
struct slot {
	int8_t a[HEADS][M * K];
	int32_t c[HEADS][M * N];
	struct ork_job *job;
};

static int8_t b[HEADS][K * N];
static struct ork_weights *weights[HEADS];
static struct slot slots[DEPTH];

static int start(struct ork_device *dev, struct slot *slot, int round)
{
	struct ork_matmul_desc products[HEADS];
	int head;

	for (head = 0; head < HEADS; head++) {
		memset(slot->a[head], round + head, sizeof(slot->a[head]));
		products[head] = (struct ork_matmul_desc){
			.weights = weights[head], .m = M, .a = slot->a[head], .lda = K, .c = slot->c[head], .ldc = N
		};
	}
	return ork_matmul_submit(dev, products, HEADS, NULL, &slot->job);
}

static int finish(struct slot *slot, int round)
{
	struct pollfd ready = { .events = POLLIN };
	int head, err;

	err = ork_job_fd(slot->job, &ready.fd);
	if (err)
		return err;
	/* A real event loop has other descriptors here. */
	poll(&ready, 1, -1);
	close(ready.fd);
	err = ork_job_wait(slot->job, 0);
	ork_job_destroy(slot->job);
	for (head = 0; head < HEADS && !err; head++) {
		printf("round %d, product %d: %d\n", round, head, slot->c[head][0]);
		/* A is round + head, B is 1. */
		if (slot->c[head][0] != (round + head) * K)
			return -1;
	}
	return err;
}

static int run(struct ork_device *dev)
{
	int round, err = 0;

	for (round = 0; round < ROUNDS + DEPTH && !err; round++) {
		if (round >= DEPTH)
			err = finish(&slots[round % DEPTH], round - DEPTH);
		if (round < ROUNDS && !err)
			err = start(dev, &slots[round % DEPTH], round);
	}
	return err;
}

int main(void)
{
	struct ork_device *dev;
	int head, err;

	err = ork_open(NULL, &dev);
	if (err) {
		fprintf(stderr, "open: %s\n", ork_strerror(err));
		return 1;
	}
	memset(b, 1, sizeof(b));
	for (head = 0; head < HEADS && !err; head++) {
		const struct ork_weights_desc desc = { .type = ORK_I8, .b = b[head], .ldb = N, .k = K, .n = N };

		err = ork_weights_create(dev, &desc, &weights[head]);
	}
	if (!err)
		err = run(dev);
	if (err)
		fprintf(stderr, "failed: %s\n", ork_error(dev));
	for (head = 0; head < HEADS; head++)
		ork_weights_destroy(weights[head]);
	ork_close(dev);
	return err != 0;
}
