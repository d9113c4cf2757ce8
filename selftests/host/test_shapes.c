/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <ork.h>
#include <stdlib.h>
#include <string.h>

#include "product_types.h"

/*
 * Shapes that other libraries refuse or get wrong, for all types, with K slices as they come and as long as a task can
 * have. Runs on the device that ORK_DEVICE names; without it, on the first render node of the driver.
 */

static const struct shape {
	const char *why;
	size_t min_m, max_m, k, n;
} shapes[] = {
	{ "fewer than four rows, and no multiple of four", 1, 7, 96, 64 },
	{ "the smallest", 1, 1, 1, 1 },
	{ "K and N of no group", 2, 4, 33, 31 },
	{ "K=768", 1, 5, 768, 100 },
	{ "K=1792", 1, 5, 1792, 50 },
	{ "K=3584", 5, 5, 3584, 40 },
	{ "K=10240, the longest of a task", 3, 3, 10240, 40 },
	{ "K=10753, above what the hardware takes", 3, 3, 10753, 17 },
	{ "K=18944", 1, 5, 18944, 20 },
	{ "N=8193, more than a task has", 2, 2, 33, 8193 },
	{ "N=18944", 1, 2, 64, 18944 },
	{ "N=32000", 1, 1, 40, 32000 },
	{ "M=1023, more than a task has", 1023, 1023, 40, 33 },
};

static const struct ork_requant requant = { .scale = 77, .shift = 17, .offset = -3 };

static struct ork_device *dev;

struct matrices {
	void *a, *b, *c, *expected;
};

static bool make(struct matrices *x, const struct product_type *type, const struct shape *shape)
{
	const size_t bytes = ork_dtype_bytes(type->type), c_bytes = ork_dtype_bytes(type->c_type);
	uint64_t seed = shape->k * 31 + shape->n;

	x->a = malloc(shape->max_m * shape->k * bytes);
	x->b = malloc(shape->k * shape->n * bytes);
	x->c = malloc(shape->max_m * shape->n * c_bytes);
	x->expected = malloc(shape->max_m * shape->n * c_bytes);
	if (!x->a || !x->b || !x->c || !x->expected)
		return false;
	fill_type(type->type, x->a, shape->max_m * shape->k, &seed);
	fill_type(type->type, x->b, shape->k * shape->n, &seed);
	return true;
}

static bool is_exact(const struct product_type *type, const struct shape *shape, const struct matrices *x,
		     size_t max_k_slice)
{
	const struct ork_weights_desc b = {
		.type = type->type, .b = x->b, .ldb = shape->n, .k = shape->k, .n = shape->n, .max_k_slice = max_k_slice
	};
	struct ork_ref_desc ref = {
		.type = type->type, .c_type = type->c_type, .m = shape->max_m, .k = shape->k, .n = shape->n, .a = x->a,
		.lda = shape->k, .b = x->b, .ldb = shape->n, .c = x->expected, .ldc = shape->n, .requant = requant,
	};
	struct ork_matmul_desc desc = {
		.c_type = type->c_type, .a = x->a, .lda = shape->k, .c = x->c, .ldc = shape->n, .requant = requant
	};
	bool exact = ork_weights_create(dev, &b, &desc.weights) == 0;

	ref.k_slice = ork_weights_k_slice(desc.weights);
	exact = exact && ork_ref_matmul(&ref) == 0;
	for (desc.m = shape->min_m; desc.m <= shape->max_m && exact; desc.m++) {
		const size_t bytes = desc.m * shape->n * ork_dtype_bytes(type->c_type);

		memset(x->c, 0x5a, bytes);
		exact = ork_matmul(dev, &desc, NULL) == 0 && memcmp(x->c, x->expected, bytes) == 0;
	}
	if (!exact)
		note("%s, max_k_slice %zu, M=%zu: %s", type->name, max_k_slice, desc.m - 1, ork_error(dev));
	ork_weights_destroy(desc.weights);
	return exact;
}

static void all_types_are_exact(const struct shape *shape)
{
	unsigned int exact = 0;
	size_t i;

	for (i = 0; i < PRODUCT_TYPES; i++) {
		struct matrices x = { 0 };

		exact += make(&x, &product_types[i], shape) && is_exact(&product_types[i], shape, &x, 0) &&
			 (shape->k <= 1024 || is_exact(&product_types[i], shape, &x, 10240));
		free(x.a);
		free(x.b);
		free(x.c);
		free(x.expected);
	}
	ok(exact == i, "%s: M=%zu..%zu K=%zu N=%zu is exact for %u of %zu types", shape->why, shape->min_m,
	   shape->max_m, shape->k, shape->n, exact, i);
}

int main(void)
{
	size_t i;

	if (!ok(ork_open(NULL, &dev) == 0, "the device opens"))
		return done();
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		all_types_are_exact(&shapes[i]);
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
