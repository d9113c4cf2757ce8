/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <drm/rknpu_ork.h>
#include <ork.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"

/* Which calls of the driver the library makes. Needs the driver: on the model there are none. */

enum { M = 8, K = 128, N = 128, PRODUCTS = 5, BUFFER_BYTES = 65536 };

static unsigned int calls, submits, waits, syncs;

/* Takes the place of the C library's, for libork and libdrm alike. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	calls++;
	submits += request == DRM_IOCTL_ORK_SUBMIT;
	waits += request == DRM_IOCTL_ORK_JOB_WAIT;
	syncs += request == DRM_IOCTL_ORK_BO_SYNC;
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

static void count_from_now(void)
{
	calls = submits = waits = syncs = 0;
}

static struct ork_device *dev;
static struct ork_bo *buffer;
static struct ork_weights *weights;
static int8_t a[M * K], b[K * N];
static int32_t c[M * N];

/* First once, to make what is kept. */
static bool repeats(const struct ork_matmul_desc *product, uint32_t cores)
{
	const struct ork_matmul_opts opts = { .cores = cores };
	bool good = ork_matmul(dev, product, &opts) == 0;

	count_from_now();
	return good && ork_matmul(dev, product, &opts) == 0;
}

static void repeated_products_take_two_calls(void)
{
	struct ork_matmul_desc product = { .weights = weights, .m = M, .a = a, .lda = K, .c = c, .ldc = N };
	uint32_t cores;

	for (cores = 0; cores <= 3; cores++)
		ok(repeats(&product, cores) && submits == 1 && waits <= 1 && calls == submits + waits,
		   "a repeated product on %u cores is one ioctl to submit and at most one to wait (%u, %u of %u)", cores, submits,
		   waits, calls);
	product.a = NULL;
	product.a_bo = buffer;
	product.c = NULL;
	product.c_bo = buffer;
	product.c_offset_bytes = BUFFER_BYTES / 2;
	ok(repeats(&product, 0) && submits == 1 && waits <= 1 && calls == submits + waits, "in buffers as well (%u, %u of %u)", submits,
	   waits, calls);
}

static void submissions_are_one_call(bool in_order)
{
	const struct ork_matmul_opts opts = { .in_order = in_order };
	struct ork_matmul_desc products[PRODUCTS];
	struct ork_job *job;
	bool good = true;
	int i, round;

	for (i = 0; i < PRODUCTS; i++)
		products[i] = (struct ork_matmul_desc){
			.weights = weights, .m = M, .lda = K, .ldc = N, .c_type = ORK_I8, .requant = { .scale = 1 },
			.a_bo = buffer, .a_offset_bytes = i * M * K, .c_bo = buffer, .c_offset_bytes = (i + 1) * M * K,
		};
	for (round = 0; round < 2; round++) {
		count_from_now();
		good = good && ork_matmul_submit(dev, products, PRODUCTS, &opts, &job) == 0;
		if (!good)
			break;
		good = (round == 0 || calls == submits) && ork_job_wait(job, -1) == 0;
		ork_job_destroy(job);
	}
	ok(good && submits == 1 && waits <= 1 && calls == submits + waits,
	   "%d %s products are one ioctl to submit and at most one to wait (%u, %u of %u)", PRODUCTS,
	   in_order ? "dependent" : "independent", submits, waits, calls);
}

static void an_append_is_one_call(void)
{
	const struct ork_weights_desc desc = {
		.type = ORK_I8, .k = K, .n_capacity = N, .batch = 8
	};
	struct ork_weights *cache;
	bool good = ork_weights_create(dev, &desc, &cache) == 0;

	count_from_now();
	good = good && ork_weights_append_columns(cache, b, 1, 1, K) == 0;
	ok(good && syncs == 1 && calls == 1, "a column for each of 8 matrices is one ioctl to clean caches (%u of %u)", syncs,
	   calls);
	ork_weights_destroy(cache);
}

int main(void)
{
	const struct ork_weights_desc desc = { .type = ORK_I8, .b = b, .ldb = N, .k = K, .n = N };
	struct ork_info info;

	if (!ok(ork_open(NULL, &dev) == 0 && ork_query(dev, &info) == 0 && strcmp(info.backend, "kernel") == 0 &&
			ork_bo_create(dev, BUFFER_BYTES, 0, &buffer) == 0 &&
			ork_weights_create(dev, &desc, &weights) == 0,
		"the driver's device opens"))
		return done();
	repeated_products_take_two_calls();
	submissions_are_one_call(false);
	submissions_are_one_call(true);
	an_append_is_one_call();
	ork_weights_destroy(weights);
	ork_bo_destroy(buffer);
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
