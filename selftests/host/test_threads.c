/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <ork.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "product.h"
#include "product_types.h"

/*
 * What the header promises to threads: devices are independent of each other, and one device may go from thread to
 * thread if they take turns. Built with ThreadSanitizer too. Runs on the device that ORK_DEVICE names; without it, on
 * the first render node of the driver.
 */

enum { THREADS = 4, ROUNDS = 6, M = 9, K = 200, N = 70 };

/* Operands of one thread. */
struct work {
	uint64_t seed;
	int8_t a[M * K], b[K * N];
	int32_t c[M * N], expected[M * N];
};

static void prepare(struct work *work)
{
	random_fill(work->a, sizeof(work->a), &work->seed);
	random_fill(work->b, sizeof(work->b), &work->seed);
	ref_i8(work->a, K, work->b, N, work->expected, N, M, K, N);
	memset(work->c, 0x55, sizeof(work->c));
}

static bool is_exact(const struct work *work)
{
	return memcmp(work->c, work->expected, sizeof(work->c)) == 0;
}

/* Everything on a device of its own. */
static void *use_own_device(void *argument)
{
	struct work *work = argument;
	struct ork_matmul_desc desc = { .m = M, .a = work->a, .lda = K, .c = work->c, .ldc = N };
	struct ork_weights *weights = NULL;
	struct ork_device *dev = NULL;
	struct ork_job *job;
	bool good = ork_open(NULL, &dev) == 0;
	int i;

	for (i = 0; i < ROUNDS && good; i++) {
		prepare(work);
		good = weights_i8(dev, work->b, N, K, N, &weights) == 0;
		desc.weights = weights;
		if (good && i % 2) {
			good = ork_matmul(dev, &desc, NULL) == 0;
		} else if (good) {
			good = ork_matmul_submit(dev, &desc, 1, NULL, &job) == 0 && ork_job_wait(job, -1) == 0;
			if (good)
				ork_job_destroy(job);
		}
		/* A failure writes a sentence into this device only. */
		good = good && ork_matmul(dev, NULL, NULL) < 0 && *ork_error(dev) && is_exact(work);
		ork_weights_destroy(weights);
	}
	return ork_close(dev) == 0 && good ? work : NULL;
}

/* Work of all threads at the same time; how many say that all went well. */
static unsigned int run_threads(void *(*function)(void *), struct work *works)
{
	pthread_t threads[THREADS];
	unsigned int i, good = 0;
	void *result;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, function, &works[i]);
	for (i = 0; i < THREADS; i++)
		good += pthread_join(threads[i], &result) == 0 && result;
	return good;
}

static struct ork_device *shared;
static struct ork_weights *shared_weights;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int8_t shared_b[K * N];

/* The library has no lock of its own: the users of a device agree on one. */
static void *take_turns(void *argument)
{
	struct work *work = argument;
	struct ork_matmul_desc desc = {
		.weights = shared_weights, .m = M, .a = work->a, .lda = K, .c = work->c, .ldc = N
	};
	struct ork_job *job;
	bool good = true;
	int i;

	memcpy(work->b, shared_b, sizeof(work->b));
	for (i = 0; i < ROUNDS && good; i++) {
		random_fill(work->a, sizeof(work->a), &work->seed);
		ref_i8(work->a, K, work->b, N, work->expected, N, M, K, N);
		pthread_mutex_lock(&turn);
		good = ork_matmul_submit(shared, &desc, 1, NULL, &job) == 0;
		pthread_mutex_unlock(&turn);
		pthread_mutex_lock(&turn);
		good = good && ork_job_wait(job, -1) == 0;
		if (good)
			ork_job_destroy(job);
		pthread_mutex_unlock(&turn);
		good = good && is_exact(work);
	}
	return good ? work : NULL;
}

int main(void)
{
	static struct work works[THREADS];
	uint64_t seed = 41;
	unsigned int i, good;

	for (i = 0; i < THREADS; i++)
		works[i].seed = i;
	good = run_threads(use_own_device, works);
	ok(good == THREADS, "%u of %d threads with devices of their own get exact results", good, THREADS);
	random_fill(shared_b, sizeof(shared_b), &seed);
	if (ok(ork_open(NULL, &shared) == 0 && weights_i8(shared, shared_b, N, K, N, &shared_weights) == 0,
	       "a device is opened for all of them")) {
		good = run_threads(take_turns, works);
		ok(good == THREADS, "%u of %d threads that take turns on it do so too, with jobs in flight", good, THREADS);
	}
	ork_weights_destroy(shared_weights);
	ok(ork_close(shared) == 0, "and it closes");
	return done();
}
