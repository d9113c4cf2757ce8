/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <ork.h>
#include <stdlib.h>
#include <string.h>

#include "product.h"
#include "tap.h"

/* Above this many multiplications only a part of the combinations is tried, so that the test stays within seconds. */
#define LARGE_MACS 20000000

static struct ork_device *dev;
static size_t max_k_slice; /* of the weights that follow */

/* One weights object, several M and all core counts. Returns the number of wrong products. */
static unsigned int wrong_products(size_t k, size_t n, const size_t *ms, size_t count, unsigned int *tried)
{
	const size_t max_m = ms[count - 1];
	int8_t *a = malloc(max_m * k), *b = malloc(k * n);
	int32_t *c = malloc(max_m * n * sizeof(*c)), *expected = malloc(max_m * n * sizeof(*c));
	const struct ork_weights_desc desc = {
		.type = ORK_I8, .b = b, .ldb = n, .k = k, .n = n, .max_k_slice = max_k_slice
	};
	struct ork_matmul_opts opts = { 0 };
	struct ork_weights *weights;
	uint64_t seed = k * 7919 + n;
	unsigned int wrong = 0;
	size_t i;

	random_fill(a, max_m * k, &seed);
	random_fill(b, k * n, &seed);
	ref_i8(a, k, b, n, expected, n, max_m, k, n);
	if (ork_weights_create(dev, &desc, &weights)) {
		note("weights %zux%zu: %s", k, n, ork_error(dev));
		return 1;
	}
	for (i = 0; i < count; i++) {
		for (opts.cores = 0; opts.cores <= 3; opts.cores++) {
			if (ms[i] * k * n > LARGE_MACS && (opts.cores + ms[i] + k + n / 32) % 4 != 0)
				continue;
			memset(c, 0x5a, ms[i] * n * sizeof(*c));
			(*tried)++;
			if (matmul_i8(dev, weights, a, k, ms[i], c, n, &opts) ||
			    memcmp(c, expected, ms[i] * n * sizeof(*c))) {
				note("M=%zu K=%zu N=%zu cores=%u is wrong (%s)", ms[i], k, n, opts.cores,
				     ork_error(dev));
				wrong++;
			}
		}
	}
	ork_weights_destroy(weights);
	free(a);
	free(b);
	free(c);
	free(expected);
	return wrong;
}

static void products_are_exact(void)
{
	static const size_t ms[] = { 1, 3, 7, 16, 64, 128 };
	static const size_t ks[] = { 1, 31, 32, 33, 768, 1792, 2048 };
	static const size_t ns[] = { 1, 31, 32, 33, 100, 2048, 6144 };
	size_t k, n;

	for (k = 0; k < sizeof(ks) / sizeof(ks[0]); k++) {
		unsigned int tried = 0, wrong = 0;

		for (n = 0; n < sizeof(ns) / sizeof(ns[0]); n++)
			wrong += wrong_products(ks[k], ns[n], ms, sizeof(ms) / sizeof(ms[0]), &tried);
		ok(wrong == 0, "K=%zu: %u products of M 1..128, N 1..6144 on auto, 1, 2 and 3 cores are exact", ks[k],
		   tried);
	}
}

static void extreme_shapes_are_exact(void)
{
	static const size_t one[] = { 1 }, three_thousand[] = { 3000 }, few[] = { 1, 4, 13 };
	unsigned int tried = 0;

	ok(wrong_products(10240, 96, few, 3, &tried) == 0, "K=10240, in five slices, is exact");
	max_k_slice = 10240;
	ok(wrong_products(10240, 96, few, 3, &tried) == 0, "K=10240, the largest of one task, is exact");
	ok(wrong_products(10241, 96, few, 3, &tried) == 0, "K=10241, in two slices, is exact");
	ok(wrong_products(40000, 33, few, 3, &tried) == 0, "K=40000, in four slices, is exact");
	max_k_slice = 0;
	ok(wrong_products(1048576, 1, one, 1, &tried) == 0, "K=1048576, the largest, is exact");
	ok(wrong_products(32, 40000, one, 1, &tried) == 0, "N=40000, wider than a row pitch can be, is exact");
	ok(wrong_products(40, 70, three_thousand, 1, &tried) == 0, "M=3000, more rows than a task has, is exact");
}

/* -128 everywhere gives the largest sums. */
static void largest_sums_are_exact(void)
{
	enum { M = 5, K = 2048, N = 64 };
	int8_t *a = malloc(M * K), *b = malloc(K * N);
	struct ork_weights *weights;
	int32_t c[M * N];
	bool good;
	int i;

	memset(a, -128, M * K);
	memset(b, -128, K * N);
	weights_i8(dev, b, N, K, N, &weights);
	good = matmul_i8(dev, weights, a, K, M, c, N, NULL) == 0;
	for (i = 0; i < M * N; i++)
		good &= c[i] == K * 16384;
	ok(good, "sums of -128 * -128 are exact");
	ork_weights_destroy(weights);
	free(a);
	free(b);
}

static void strides_are_respected(void)
{
	enum { M = 5, K = 40, N = 50, LDA = 47, LDB = 61, LDC = 70 };
	int8_t a[M * LDA], b[K * LDB];
	int32_t c[M * LDC], expected[M * LDC];
	struct ork_weights *weights;
	uint64_t seed = 3;

	random_fill(a, sizeof(a), &seed);
	random_fill(b, sizeof(b), &seed);
	memset(c, 0x11, sizeof(c));
	memset(expected, 0x11, sizeof(expected));
	ref_i8(a, LDA, b, LDB, expected, LDC, M, K, N);
	weights_i8(dev, b, LDB, K, N, &weights);
	ok(ork_weights_bytes(weights) == 64 * 64 && ork_weights_k_slice(weights) == 64,
	   "packed weights take K and N rounded up to groups of 32");
	ok(matmul_i8(dev, weights, a, LDA, M, c, LDC, NULL) == 0 && memcmp(c, expected, sizeof(c)) == 0,
	   "leading dimensions are respected and gaps in C are untouched");
	ork_weights_destroy(weights);
}

static void jobs_run_where_asked(void)
{
	enum { M = 4, K = 64, N = 192 };
	static int8_t a[M * K], b[K * N];
	struct ork_matmul_opts opts = { .cores = 1, .core_mask = 4 };
	struct ork_info before, after;
	struct ork_weights *weights;
	int32_t c[M * N];

	weights_i8(dev, b, N, K, N, &weights);
	ork_query(dev, &before);
	matmul_i8(dev, weights, a, K, M, c, N, &opts);
	ork_query(dev, &after);
	ok(after.jobs_done[0] == before.jobs_done[0] && after.jobs_done[1] == before.jobs_done[1] &&
	   after.jobs_done[2] == before.jobs_done[2] + 1, "a core mask of one core uses that core");
	before = after;
	opts = (struct ork_matmul_opts){ .cores = 2, .core_mask = 5 };
	matmul_i8(dev, weights, a, K, M, c, N, &opts);
	ork_query(dev, &after);
	ok(after.jobs_done[0] == before.jobs_done[0] + 1 && after.jobs_done[1] == before.jobs_done[1] &&
	   after.jobs_done[2] == before.jobs_done[2] + 1, "two cores of a mask share the product");
	before = after;
	opts = (struct ork_matmul_opts){ .cores = 3 };
	matmul_i8(dev, weights, a, K, M, c, N, &opts);
	ork_query(dev, &after);
	ok(after.jobs_done[0] == before.jobs_done[0] + 1 && after.jobs_done[1] == before.jobs_done[1] + 1 &&
	   after.jobs_done[2] == before.jobs_done[2] + 1, "three cores share the product");
	ork_weights_destroy(weights);
}

/* The same product on auto: the cores that may be used decide, not the ones of the last call. */
static void auto_follows_the_mask(void)
{
	enum { K = 2048, N = 768 };
	int8_t *a = calloc(K, 1), *b = calloc(K, N);
	struct ork_matmul_opts opts = { .core_mask = 4 };
	struct ork_info before, one, all;
	struct ork_weights *weights;
	int32_t c[N];

	weights_i8(dev, b, N, K, N, &weights);
	ork_query(dev, &before);
	matmul_i8(dev, weights, a, K, 1, c, N, &opts);
	ork_query(dev, &one);
	matmul_i8(dev, weights, a, K, 1, c, N, NULL);
	ork_query(dev, &all);
	ok(one.jobs_done[0] == before.jobs_done[0] && one.jobs_done[1] == before.jobs_done[1] &&
	   one.jobs_done[2] == before.jobs_done[2] + 1, "auto stays within its mask");
	ok(all.jobs_done[0] == one.jobs_done[0] + 1 && all.jobs_done[1] == one.jobs_done[1] + 1 &&
	   all.jobs_done[2] == one.jobs_done[2] + 1, "without mask it uses all cores again");
	ork_weights_destroy(weights);
	free(a);
	free(b);
}

/* Programs and stages are kept: the address space tells whether something was made. */
static void repeated_calls_create_nothing(void)
{
	enum { M = 64, K = 64, N = 64 };
	static int8_t a[M * K], b[K * N];
	static int32_t c[M * N];
	struct ork_info before, first, again, after;
	struct ork_weights *weights, *others;

	weights_i8(dev, b, N, K, N, &weights);
	matmul_i8(dev, weights, a, K, M, c, N, NULL);
	ork_query(dev, &first);
	matmul_i8(dev, weights, a, K, M, c, N, NULL);
	ork_query(dev, &again);
	ok(first.vm_used_bytes == again.vm_used_bytes, "a repeated product takes no more addresses");
	ork_query(dev, &before);
	weights_i8(dev, b, N, K, N, &others);
	matmul_i8(dev, others, a, K, M, c, N, NULL);
	ork_weights_destroy(others);
	ork_query(dev, &after);
	ok(after.vm_used_bytes == before.vm_used_bytes, "other weights of that shape use the same program and stages");
	ork_weights_destroy(weights);
}

/* Many shapes on two weights. A buffer behind the stages makes them move when they grow. */
static void many_shapes_share_one_device(void)
{
	enum { K = 96, N = 96, MAX_M = 2000 };
	int8_t *a = malloc(MAX_M * K), *b = malloc(2 * K * N);
	int32_t *c = malloc(MAX_M * N * sizeof(*c)), *expected = malloc(2 * MAX_M * N * sizeof(*c));
	struct ork_weights *weights[2];
	struct ork_device *all_tests = dev;
	unsigned int wrong = 0;
	struct ork_bo *obstacle;
	uint64_t seed = 5;
	uint32_t address;
	size_t i, m;

	wrong += ork_open("model", &dev) != 0;
	random_fill(a, MAX_M * K, &seed);
	random_fill(b, 2 * K * N, &seed);
	for (i = 0; i < 2; i++) {
		ref_i8(a, K, b + i * K * N, N, expected + i * MAX_M * N, N, MAX_M, K, N);
		wrong += weights_i8(dev, b + i * K * N, N, K, N, &weights[i]) != 0;
		wrong += matmul_i8(dev, weights[i], a, K, 1, c, N, NULL) != 0;
	}
	wrong += ork_bo_create(dev, 65536, 0, &obstacle) != 0 || ork_bo_address(obstacle, &address) != 0;
	for (m = 1, i = 0; m <= MAX_M; m = m * 3 / 2 + 1, i++) {
		wrong += matmul_i8(dev, weights[i % 2], a, K, m, c, N, NULL) != 0;
		wrong += memcmp(c, expected + i % 2 * MAX_M * N, m * N * sizeof(*c)) != 0;
		wrong += matmul_i8(dev, weights[0], a, K, 1, c, N, NULL) != 0;
		wrong += memcmp(c, expected, N * sizeof(*c)) != 0;
	}
	ok(wrong == 0, "many shapes on two weights stay exact while buffers grow");
	ork_bo_destroy(obstacle);
	ork_weights_destroy(weights[0]);
	ork_weights_destroy(weights[1]);
	ok(ork_close(dev) == 0, "their device closes");
	dev = all_tests;
	free(a);
	free(b);
	free(c);
	free(expected);
}

static void wrong_weights_are_refused(void)
{
	const int8_t b[4] = { 1, 2, 3, 4 };
	struct ork_weights *weights = NULL;

	ok(weights_i8(NULL, b, 2, 2, 2, &weights) == -EINVAL &&
		   weights_i8(dev, NULL, 2, 2, 2, &weights) == -EINVAL &&
		   weights_i8(dev, b, 2, 2, 2, NULL) == -EINVAL,
	   "weights: null pointers are refused");
	ok(weights_i8(dev, b, 2, 0, 2, &weights) == -EINVAL &&
		   weights_i8(dev, b, 2, 2, 0, &weights) == -EINVAL,
	   "weights: empty shapes are refused");
	ok(weights_i8(dev, b, 1, 2, 2, &weights) == -EINVAL, "weights: ldb < N is refused");
	ok(weights_i8(dev, b, SIZE_MAX, 2, 1048577, &weights) == -E2BIG &&
		   weights_i8(dev, b, SIZE_MAX, 2, SIZE_MAX, &weights) == -E2BIG,
	   "weights: too large dimensions are refused");
	ok(weights_i8(dev, b, SIZE_MAX, 2, 2, &weights) == -EINVAL && !weights,
	   "weights: a stride that wraps is refused");
}

static void slices_are_as_long_as_asked(void)
{
	static const struct {
		enum ork_dtype type;
		size_t k, max, slice;
	} cases[] = {
		{ ORK_I8, 2048, 0, 2048 },   { ORK_I8, 2049, 0, 1056 },       { ORK_I8, 18944, 0, 1920 },
		{ ORK_F16, 1024, 0, 1024 },  { ORK_BF16, 3584, 0, 896 },      { ORK_I8, 10240, 10240, 10240 },
		{ ORK_F16, 4096, 4096, 4096 }, { ORK_F16, 100, 32, 32 },      { ORK_I4, 4096, 0, 4096 },
		{ ORK_I4, 8192, 10240, 8192 }, { ORK_I4, 8192, 0, 4096 },
	};
	const size_t wrong[] = { 31, 33, 10272, SIZE_MAX, SIZE_MAX - 31 };
	struct ork_weights_desc desc = { .b = calloc(18944, 2), .ldb = 1, .n = 1 };
	struct ork_weights *weights;
	unsigned int good = 0, refused = 0;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		desc.type = cases[i].type;
		desc.k = cases[i].k;
		desc.max_k_slice = cases[i].max;
		if (ork_weights_create(dev, &desc, &weights))
			continue;
		good += ork_weights_k_slice(weights) == cases[i].slice;
		ork_weights_destroy(weights);
	}
	ok(good == i, "K slices are short by default, or as long as asked for (%u of %zu)", good, i);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		desc.max_k_slice = wrong[i];
		refused += ork_weights_create(dev, &desc, &weights) == -EINVAL;
	}
	ok(refused == i, "lengths that no task can have are refused");
	free((void *)(uintptr_t)desc.b);
}

static void wrong_products_are_refused(void)
{
	const int8_t a[4] = { 0 }, b[4] = { 0 };
	struct ork_matmul_opts opts = { .cores = 4 };
	struct ork_weights *weights, *foreign;
	struct ork_device *other;
	int32_t c[4];

	ork_open("model", &other);
	weights_i8(dev, b, 2, 2, 2, &weights);
	weights_i8(other, b, 2, 2, 2, &foreign);
	ok(matmul_i8(NULL, weights, a, 2, 2, c, 2, NULL) == -EINVAL &&
		   matmul_i8(dev, NULL, a, 2, 2, c, 2, NULL) == -EINVAL &&
		   matmul_i8(dev, weights, NULL, 2, 2, c, 2, NULL) == -EINVAL &&
		   matmul_i8(dev, weights, a, 2, 2, NULL, 2, NULL) == -EINVAL,
	   "null pointers are refused");
	ok(matmul_i8(dev, foreign, a, 2, 2, c, 2, NULL) == -EINVAL, "weights of another device are refused");
	ok(matmul_i8(dev, weights, a, 1, 2, c, 2, NULL) == -EINVAL &&
		   matmul_i8(dev, weights, a, 2, 2, c, 1, NULL) == -EINVAL,
	   "short strides are refused");
	ok(matmul_i8(dev, weights, a, 2, 0, c, 2, NULL) == -EINVAL &&
		   matmul_i8(dev, weights, a, 2, SIZE_MAX, c, 2, NULL) == -E2BIG,
	   "M = 0 and too large M are refused");
	ok(matmul_i8(dev, weights, a, SIZE_MAX, 2, c, 2, NULL) == -EINVAL &&
		   matmul_i8(dev, weights, a, 2, 2, c, SIZE_MAX / 4, NULL) == -EINVAL,
	   "strides that wrap are refused");
	ok(matmul_i8(dev, weights, a, 2, 2, c, 2, &opts) == -EINVAL, "four cores are refused");
	opts = (struct ork_matmul_opts){ .cores = 2, .core_mask = 1 };
	ok(matmul_i8(dev, weights, a, 2, 2, c, 2, &opts) == -EINVAL, "more cores than the mask has are refused");
	opts = (struct ork_matmul_opts){ .core_mask = 8 };
	ok(matmul_i8(dev, weights, a, 2, 2, c, 2, &opts) == -EINVAL, "unknown cores are refused");
	opts = (struct ork_matmul_opts){ .timeout_ms = UINT32_MAX };
	ok(matmul_i8(dev, weights, a, 2, 2, c, 2, &opts) == -EINVAL, "a timeout above the maximum is refused");
	ork_weights_destroy(foreign);
	ork_weights_destroy(weights);
	ork_close(other);
}

int main(void)
{
	if (!ok(ork_open("model", &dev) == 0, "the model opens"))
		return done();
	products_are_exact();
	extreme_shapes_are_exact();
	largest_sums_are_exact();
	strides_are_respected();
	jobs_run_where_asked();
	auto_follows_the_mask();
	repeated_calls_create_nothing();
	many_shapes_share_one_device();
	slices_are_as_long_as_asked();
	wrong_weights_are_refused();
	wrong_products_are_refused();
	ok(ork_close(dev) == 0, "the model closes");
	return done();
}
