/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ork.h>
#include <string.h>
#include <unistd.h>

#include "product.h"
#include "tap.h"

/* The hardware goes away while the library uses it: root takes a core from the driver. Needs the driver. */

#define CORES "/sys/bus/platform/drivers/rknpu-ork-core/"
#define CORE  "fdab0000.npu"

enum { M = 8, K = 128, N = 64 };

static int8_t a[M * K], b[K * N], more[N];
static int32_t c[M * N], expected[M * N];

static bool tell_driver(const char *what)
{
	const int fd = open(what, O_WRONLY | O_CLOEXEC);
	const bool told = fd >= 0 && write(fd, CORE, strlen(CORE)) == (ssize_t)strlen(CORE);

	if (fd >= 0)
		close(fd);
	return told;
}

static struct ork_matmul_desc product_of(struct ork_weights *weights)
{
	return (struct ork_matmul_desc){ .weights = weights, .m = M, .a = a, .lda = K, .c = c, .ldc = N };
}

static bool is_exact(struct ork_device *dev, struct ork_weights *weights)
{
	const struct ork_matmul_desc product = product_of(weights);

	memset(c, 0x55, sizeof(c));
	return ork_matmul(dev, &product, NULL) == 0 && memcmp(c, expected, sizeof(c)) == 0;
}

static int weights_with_room(struct ork_device *dev, struct ork_weights **weights)
{
	const struct ork_weights_desc desc = { .type = ORK_I8, .b = b, .ldb = N, .k = K, .n = N, .k_capacity = K + 1 };

	return ork_weights_create(dev, &desc, weights);
}

/* Everything that needs the device says so; what it has can be given back. */
static void calls_fail_without_hardware(struct ork_device *dev, struct ork_weights *weights, struct ork_job *job)
{
	const struct ork_matmul_desc product = product_of(weights);
	struct ork_weights *other = NULL;
	struct ork_job *next = NULL;
	struct ork_bo *bo = NULL;
	struct ork_info info;
	int err;

	err = ork_job_wait(job, -1);
	ok(err == 0 || err == -ENODEV || err == -ECANCELED, "waiting for a job that was in flight ends (%d)", err);
	ork_job_destroy(job);
	ok(ork_query(dev, &info) == -ENODEV && *ork_error(dev), "asking gives -ENODEV");
	ok(ork_matmul(dev, &product, NULL) == -ENODEV && ork_matmul_submit(dev, &product, 1, NULL, &next) == -ENODEV,
	   "products give -ENODEV");
	ok(ork_bo_create(dev, 4096, 0, &bo) == -ENODEV && weights_with_room(dev, &other) == -ENODEV,
	   "buffers and weights give -ENODEV");
	ok(ork_weights_append_rows(weights, more, N, 1, 0) == -ENODEV, "appending gives -ENODEV");
	ok(!next && !bo && !other, "nothing was made");
	ork_weights_destroy(weights);
	ok(ork_close(dev) == 0, "the device closes");
}

int main(void)
{
	struct ork_device *dev;
	struct ork_weights *weights = NULL;
	struct ork_matmul_desc product;
	struct ork_job *job = NULL;
	uint64_t seed = 43;
	int tries;

	random_fill(a, sizeof(a), &seed);
	random_fill(b, sizeof(b), &seed);
	ref_i8(a, K, b, N, expected, N, M, K, N);
	if (!ok(ork_open(NULL, &dev) == 0 && weights_with_room(dev, &weights) == 0 && is_exact(dev, weights),
		"the device works"))
		return done();
	product = product_of(weights);
	ok(ork_matmul_submit(dev, &product, 1, NULL, &job) == 0 && tell_driver(CORES "unbind"), "it is taken away");
	calls_fail_without_hardware(dev, weights, job);
	ok(tell_driver(CORES "bind"), "it comes back");
	for (tries = 0; tries < 100 && ork_open(NULL, &dev); tries++)
		usleep(20000);
	ok(tries < 100 && weights_with_room(dev, &weights) == 0 && is_exact(dev, weights), "and works again");
	ork_weights_destroy(weights);
	ork_close(dev);
	return done();
}
