/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <ork.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "product.h"
#include "product_types.h"

/*
 * Weights that grow, as a cache of keys and values does: after each step products are those of the whole B. Runs on the
 * device that ORK_DEVICE names; without it, on the first render node of the driver.
 */

enum { M = 3, MAX_K = 2300, MAX_N = 200, BATCH = 2 };

static struct ork_device *dev;

/* B as it would be if it did not have to grow, and products with it. */
static uint16_t a[BATCH * M * MAX_K], b[BATCH * MAX_K * MAX_N];
static float c[BATCH * M * MAX_N], expected[BATCH * M * MAX_N];

static const struct ork_requant requant = { .scale = 3, .shift = 12, .offset = -5 };

/* A cache whose B has ldb elements in a row, of which n are used so far, and k rows. */
struct cache {
	const struct product_type *type;
	struct ork_weights *weights;
	size_t k, n, ldb, stride;
};

static bool is_exact(const struct cache *cache)
{
	const size_t bytes = ork_dtype_bytes(cache->type->type), c_bytes = ork_dtype_bytes(cache->type->c_type);
	struct ork_matmul_desc product = {
		.weights = cache->weights, .c_type = cache->type->c_type, .m = M, .a = a, .lda = MAX_K, .c = c,
		.ldc = MAX_N, .batch = BATCH, .a_stride = M * MAX_K, .c_stride = M * MAX_N, .requant = requant,
	};
	struct ork_ref_desc ref = {
		.type = cache->type->type, .c_type = cache->type->c_type, .m = M, .k = cache->k, .n = cache->n,
		.lda = MAX_K, .ldb = cache->ldb, .ldc = MAX_N, .k_slice = ork_weights_k_slice(cache->weights),
		.requant = requant,
	};
	size_t i;

	memset(c, 0x5a, sizeof(c));
	memset(expected, 0x5a, sizeof(expected));
	for (i = 0; i < BATCH; i++) {
		ref.a = (uint8_t *)a + i * M * MAX_K * bytes;
		ref.b = (uint8_t *)b + i * cache->stride * bytes;
		ref.c = (uint8_t *)expected + i * M * MAX_N * c_bytes;
		if (ork_ref_matmul(&ref))
			return false;
	}
	return ork_matmul(dev, &product, NULL) == 0 && memcmp(c, expected, sizeof(c)) == 0;
}

static bool is_created(struct cache *cache, size_t k_capacity, size_t n_capacity)
{
	const struct ork_weights_desc desc = {
		.type = cache->type->type, .b = cache->k && cache->n ? b : NULL, .ldb = cache->ldb, .k = cache->k,
		.n = cache->n, .batch = BATCH, .b_stride = cache->stride, .k_capacity = k_capacity,
		.n_capacity = n_capacity,
	};
	uint64_t seed = 17;

	fill_type(cache->type->type, a, BATCH * M * MAX_K, &seed);
	fill_type(cache->type->type, b, BATCH * cache->stride, &seed);
	return ork_weights_create(dev, &desc, &cache->weights) == 0;
}

static bool appends_columns(struct cache *cache, size_t count)
{
	const uint8_t *columns = (uint8_t *)b + cache->n * ork_dtype_bytes(cache->type->type);

	if (ork_weights_append_columns(cache->weights, columns, cache->ldb, count, cache->stride))
		return false;
	cache->n += count;
	return true;
}

static bool appends_rows(struct cache *cache, size_t count)
{
	const uint8_t *rows = (uint8_t *)b + cache->k * cache->ldb * ork_dtype_bytes(cache->type->type);

	if (ork_weights_append_rows(cache->weights, rows, cache->ldb, count, cache->stride))
		return false;
	cache->k += count;
	return true;
}

/* Scores: K^T has a column per token. */
static void keys_grow_by_columns(const struct product_type *type)
{
	static const size_t steps[] = { 1, 1, 29, 1, 1, 31, 65, 3, 68 };
	struct cache cache = { .type = type, .k = 128, .ldb = MAX_N, .stride = 128 * MAX_N };
	bool good = is_created(&cache, 0, MAX_N);
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) && good; i++)
		good = appends_columns(&cache, steps[i]) && is_exact(&cache);
	ok(good && cache.n == MAX_N, "%s: products with keys are exact after each of %zu steps to %d columns%s%s",
	   type->name, i, MAX_N, good ? "" : ": ", good ? "" : ork_error(dev));
	ork_weights_destroy(cache.weights);
}

/* The output: V has a row per token. */
static void values_grow_by_rows(const struct product_type *type)
{
	static const size_t steps[] = { 1, 1, 29, 1, 1, 600, 500, 1100, 67 };
	struct cache cache = { .type = type, .n = 70, .ldb = 70, .stride = MAX_K * 70 };
	bool good = is_created(&cache, MAX_K, 0);
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) && good; i++)
		good = appends_rows(&cache, steps[i]) && is_exact(&cache);
	ok(good && cache.k == MAX_K, "%s: products with values are exact after each of %zu steps to %d rows%s%s",
	   type->name, i, MAX_K, good ? "" : ": ", good ? "" : ork_error(dev));
	ork_weights_destroy(cache.weights);
}

static void both_directions_mix(const struct product_type *type)
{
	struct cache cache = { .type = type, .k = 40, .n = 33, .ldb = 90, .stride = 1200 * 90 };
	bool good = is_created(&cache, 1200, 90) && is_exact(&cache);

	good = good && appends_columns(&cache, 7) && is_exact(&cache);
	good = good && appends_rows(&cache, 1001) && is_exact(&cache);
	good = good && appends_columns(&cache, 50) && is_exact(&cache);
	good = good && appends_rows(&cache, 159) && is_exact(&cache);
	ok(good && cache.k == 1200 && cache.n == 90, "%s: rows and columns are appended in turn%s%s", type->name,
	   good ? "" : ": ", good ? "" : ork_error(dev));
	ork_weights_destroy(cache.weights);
}

/* A token costs no new program until its column needs one more kernel group. */
static void steps_within_a_group_make_nothing(void)
{
	struct cache cache = { .type = &product_types[0], .k = 128, .n = 32, .ldb = MAX_N, .stride = 128 * MAX_N };
	uint64_t before, after;
	bool good = is_created(&cache, 0, MAX_N) && appends_columns(&cache, 1) && is_exact(&cache);
	int i;

	before = used_addresses(dev);
	for (i = 0; i < 31 && good; i++)
		good = appends_columns(&cache, 1) && is_exact(&cache);
	after = used_addresses(dev);
	ok(good && before == after, "31 more columns of a kernel group take no addresses");
	ork_weights_destroy(cache.weights);
}

static void jobs_in_flight_do_not_see_it(void)
{
	enum { N = 40 };
	struct cache cache = { .type = &product_types[0], .k = 64, .n = N, .ldb = N + 2, .stride = 66 * (N + 2) };
	struct ork_matmul_desc product = {
		.m = M, .a = a, .lda = MAX_K, .c = c, .ldc = N + 2, .batch = BATCH, .a_stride = M * MAX_K,
		.c_stride = M * (N + 2),
	};
	bool good = is_created(&cache, 66, N + 2);
	struct ork_job *job = NULL;
	int32_t *want = (int32_t *)expected;
	size_t i;

	memset(c, 0x11, sizeof(c));
	memset(expected, 0x11, sizeof(expected));
	for (i = 0; i < BATCH; i++)
		ref_i8((int8_t *)a + i * M * MAX_K, MAX_K, (int8_t *)b + i * cache.stride, N + 2,
		       want + i * M * (N + 2), N + 2, M, 64, N);
	product.weights = cache.weights;
	good = good && ork_matmul_submit(dev, &product, 1, NULL, &job) == 0;
	good = good && appends_rows(&cache, 2) && appends_columns(&cache, 2);
	good = good && ork_job_wait(job, -1) == 0 && memcmp(c, expected, sizeof(c)) == 0;
	ok(good, "a job in flight computes with the weights that it was submitted with");
	ork_job_destroy(job);
	ok(is_exact(&cache), "the next one with all");
	ork_weights_destroy(cache.weights);
}

static void wrong_appends_change_nothing(void)
{
	static const int8_t some[64 * 64], outside[64] = { [63] = 8 };
	struct cache cache = { .type = &product_types[2], .k = 60, .n = 60, .ldb = 64, .stride = 64 * 64 };
	struct ork_weights *w;

	is_created(&cache, 64, 64);
	w = cache.weights;
	ok(ork_weights_append_rows(NULL, some, 64, 1, 64) == -EINVAL &&
		   ork_weights_append_columns(NULL, some, 64, 1, 64) == -EINVAL &&
		   ork_weights_append_rows(w, NULL, 64, 1, 64) == -EINVAL &&
		   ork_weights_append_columns(w, NULL, 64, 1, 64) == -EINVAL,
	   "null pointers are refused");
	ok(ork_weights_append_rows(w, some, 64, 0, 64) == -EINVAL &&
		   ork_weights_append_columns(w, some, 64, 0, 64) == -EINVAL,
	   "nothing to append is refused");
	ok(ork_weights_append_rows(w, some, 64, 5, 64) == -ENOSPC &&
		   ork_weights_append_columns(w, some, 64, 5, 64) == -ENOSPC &&
		   ork_weights_append_rows(w, some, 64, SIZE_MAX, 64) == -ENOSPC && *ork_error(dev),
	   "more than the capacity is refused");
	ok(ork_weights_append_rows(w, some, 59, 1, 64) == -EINVAL &&
		   ork_weights_append_columns(w, some, 1, 2, 64) == -EINVAL,
	   "short rows are refused");
	ok(ork_weights_append_rows(w, some, SIZE_MAX, 2, 64) == -EINVAL &&
		   ork_weights_append_columns(w, some, SIZE_MAX / 2, 1, 64) == -EINVAL &&
		   ork_weights_append_rows(w, some, 64, 1, SIZE_MAX) == -EINVAL,
	   "strides that wrap are refused");
	ok(ork_weights_append_rows(w, outside, 64, 1, 0) == 0, "values outside -8..7 that are not appended do not matter");
	cache.k++;
	memset((int8_t *)b + 60 * 64, 0, 60);
	memset((int8_t *)b + cache.stride + 60 * 64, 0, 60);
	ok(ork_weights_append_columns(w, outside + 3, 1, 1, 0) == -EINVAL, "values outside -8..7 are refused");
	ok(is_exact(&cache), "after all that the weights are what they were");
	ork_weights_destroy(w);
}

static void wrong_capacities_are_refused(void)
{
	struct ork_weights_desc desc = { .type = ORK_I8, .b = b, .ldb = 8, .k = 8, .n = 8, .k_capacity = 7 };
	struct ork_matmul_desc product = { .m = 1, .a = a, .lda = 8, .c = c, .ldc = 8 };
	struct ork_weights *w = NULL;

	ok(ork_weights_create(dev, &desc, &w) == -EINVAL, "a capacity below K is refused");
	desc.k_capacity = 0;
	desc.n_capacity = 7;
	ok(ork_weights_create(dev, &desc, &w) == -EINVAL, "a capacity below N is refused");
	desc.n_capacity = ORK_MAX_DIM + 1;
	ok(ork_weights_create(dev, &desc, &w) == -E2BIG, "a capacity that no matrix can have is refused");
	desc = (struct ork_weights_desc){ .type = ORK_I8, .k_capacity = 8, .n_capacity = 8 };
	ok(ork_weights_create(dev, &desc, &w) == -EINVAL && !w, "no rows and no columns are refused");
	desc = (struct ork_weights_desc){ .type = ORK_I8, .k = 8, .n_capacity = 8 };
	ok(ork_weights_create(dev, &desc, &w) == 0 && ork_weights_bytes(w) == 32 * 32,
	   "weights take the room of their capacity");
	product.weights = w;
	ok(ork_matmul(dev, &product, NULL) == -EINVAL && strstr(ork_error(dev), "empty"),
	   "a product with empty weights is refused");
	ok(ork_weights_append_rows(w, b, 8, 1, 0) == -ENOSPC, "what has no capacity to grow does not");
	ork_weights_destroy(w);
	desc = (struct ork_weights_desc){ .type = ORK_I8, .n = 8, .k_capacity = 8 };
	ok(ork_weights_create(dev, &desc, &w) == 0, "without a first row nothing is said about its length");
	ork_weights_destroy(w);
}

int main(void)
{
	size_t i;

	if (!ok(ork_open(NULL, &dev) == 0, "the device opens"))
		return done();
	for (i = 0; i < PRODUCT_TYPES; i++) {
		keys_grow_by_columns(&product_types[i]);
		values_grow_by_rows(&product_types[i]);
		both_directions_mix(&product_types[i]);
	}
	steps_within_a_group_make_nothing();
	jobs_in_flight_do_not_see_it();
	wrong_appends_change_nothing();
	wrong_capacities_are_refused();
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
