/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "chain.h"

/* First byte and end of A or C of a whole request: in its buffer, or in the caller's memory. */
struct extent {
	const struct ork_bo *bo;
	uint64_t start, end;
};

static struct extent extent_of(const struct ork_request *req, const struct ork_place *place, uint32_t cols)
{
	const uint64_t start = place->bo ? place->offset_bytes : (uintptr_t)place->data;

	return (struct extent){ place->bo, start, start + ork_place_extent(place, req->batch, req->m, cols) };
}

static bool overlap(const struct extent *x, const struct extent *y)
{
	return x->bo == y->bo && x->start < y->end && y->start < x->end;
}

static int check_pair(const struct ork_request *earlier, size_t j, const struct ork_request *later, size_t i)
{
	const struct extent written = extent_of(earlier, &earlier->c, earlier->n);
	const struct extent a = extent_of(later, &later->a, later->k), c = extent_of(later, &later->c, later->n);
	struct ork_device *dev = later->dev;

	if (overlap(&written, &a) && later->a.copied)
		return ork_fail(dev, -EINVAL, "chain: product %zu needs C of product %zu, but copies A, because %s", i,
				j, later->a.copied);
	if (overlap(&written, &a) && earlier->c.copied)
		return ork_fail(dev, -EINVAL, "chain: product %zu needs C of product %zu, which is copied, because %s",
				i, j, earlier->c.copied);
	if (overlap(&written, &c) && earlier->c.copied && !later->c.copied)
		return ork_fail(dev, -EINVAL, "chain: C of product %zu is copied over that of product %zu, because %s",
				j, i, earlier->c.copied);
	return 0;
}

int ork_chain_check(const struct ork_request *reqs, size_t count)
{
	size_t i, j;
	int err;

	for (i = 1; i < count; i++) {
		for (j = 0; j < i; j++) {
			err = check_pair(&reqs[j], j, &reqs[i], i);
			if (err)
				return err;
		}
	}
	return 0;
}
