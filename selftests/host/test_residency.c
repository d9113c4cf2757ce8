/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "residency.h"
#include "tap.h"

/* Matrices of 16 KiB each, the i-th full of i. */
enum { K = 128, N = 128, COUNT = 24, BYTES = K * N };

/* A page is added because a matrix need not begin with one. */
enum { ROOM = BYTES + 4096 };

static char path[] = "/tmp/ork-residency-XXXXXX";
static char reason[ORK_PACK_REASON_BYTES];
static struct ork_device *dev;
static struct ork_pack *pack;

static bool make_file(void)
{
	const struct ork_pack_tensor tensors[2] = {
		{ .name = "experts", .type = ORK_I8, .k = K, .n = N, .batch = COUNT, .groups = 1 },
		{ .name = "grouped", .type = ORK_I4, .k = K, .n = N, .batch = 2, .groups = 3 },
	};
	struct ork_pack_writer *writer;
	static int8_t bt[N * K];
	int i;

	if (ork_pack_create(path, &writer, reason) || ork_pack_begin(writer, &tensors[0], reason))
		return false;
	for (i = 0; i < COUNT; i++) {
		memset(bt, i, sizeof(bt));
		if (ork_pack_put(writer, (size_t)i, 0, N, bt, K, NULL, reason))
			return false;
	}
	if (ork_pack_begin(writer, &tensors[1], reason))
		return false;
	for (i = 0; i < 6; i++) {
		memset(bt, i - 3, sizeof(bt));
		if (ork_pack_put(writer, (size_t)i, 0, N, bt, K, NULL, reason))
			return false;
	}
	return !ork_pack_finish(writer, reason) && !ork_pack_open(path, &pack, reason);
}

/* Every sum of a row of ones. */
static bool multiplies_to(struct ork_weights *weights, const int32_t *wanted, size_t batch)
{
	int8_t a[3 * K];
	int32_t c[3 * N];
	const struct ork_matmul_desc product = {
		.weights = weights, .m = 1, .a = a, .lda = K, .c = c, .ldc = N, .batch = batch, .a_stride = K,
		.c_stride = N,
	};
	bool good;
	size_t i;

	memset(a, 1, sizeof(a));
	good = !ork_matmul(dev, &product, NULL);
	for (i = 0; i < batch * N; i++)
		good &= c[i] == wanted[i / N];
	return good;
}

static bool use(struct ork_residency *residency, size_t b)
{
	const int32_t wanted = (int32_t)b * K;
	struct ork_weights *weights;
	bool good;

	if (ork_residency_get(residency, 0, b, &weights))
		return false;
	good = multiplies_to(weights, &wanted, 1);
	ork_residency_put(residency, 0, b);
	return good;
}

static struct ork_residency *make(uint64_t budget)
{
	struct ork_residency *residency = NULL;

	ork_residency_create(dev, pack, budget, &residency);
	return residency;
}

static void least_recently_used_goes_first(void)
{
	struct ork_residency *residency = make(3 * ROOM);
	struct ork_residency_info info;
	bool good;

	good = use(residency, 1) && use(residency, 2) && use(residency, 3);
	ork_residency_query(residency, &info);
	ok(good && info.misses == 3 && !info.hits && !info.evictions && info.resident_bytes <= 3 * ROOM,
	   "three matrices are loaded");
	good = use(residency, 1) && use(residency, 4);
	ork_residency_query(residency, &info);
	ok(good && info.misses == 4 && info.hits == 1 && info.evictions == 1, "a fourth takes the place of one");
	good = use(residency, 1) && use(residency, 3);
	ork_residency_query(residency, &info);
	ok(good && info.misses == 4 && info.hits == 3, "the others are still there");
	good = use(residency, 2);
	ork_residency_query(residency, &info);
	ok(good && info.misses == 5, "the one that was not used for longest is not");
	ork_residency_destroy(residency);
}

static void weights_in_use_stay(void)
{
	struct ork_residency *residency = make(2 * ROOM);
	struct ork_weights *one, *two, *three, *again;
	struct ork_residency_info info;
	const int32_t wanted = K;

	ok(!ork_residency_get(residency, 0, 1, &one) && !ork_residency_get(residency, 0, 2, &two), "two are in use");
	ok(ork_residency_get(residency, 0, 3, &three) == -EBUSY, "a third has no room: %s", ork_error(dev));
	ok(multiplies_to(one, &wanted, 1), "the first still works");
	ok(!ork_residency_get(residency, 0, 1, &again) && again == one, "the same again is the same");
	ork_residency_put(residency, 0, 1);
	ok(ork_residency_get(residency, 0, 3, &three) == -EBUSY, "it is still in use once");
	ork_residency_put(residency, 0, 1);
	ork_residency_query(residency, &info);
	ok(!ork_residency_get(residency, 0, 3, &three) && info.pinned_bytes >= BYTES, "then it goes");
	ork_residency_put(residency, 0, 2);
	ork_residency_put(residency, 0, 3);
	ork_residency_query(residency, &info);
	ok(info.pinned_bytes == 0, "nothing is in use in the end");
	ok(ork_close(dev) == -EBUSY, "the device cannot be closed meanwhile: %s", ork_error(dev));
	ork_residency_destroy(residency);
}

/* Room for two in an address space, so that 24 need more of them than there are. */
static void address_spaces_are_added_and_then_reused(void)
{
	struct ork_residency *residency = make(UINT64_C(1) << 40);
	struct ork_residency_info info;
	unsigned int good = 0, round;
	size_t b;

	residency->vm_limit_bytes = 2 * ROOM;
	for (b = 0; b < COUNT; b++)
		good += use(residency, b);
	ork_residency_query(residency, &info);
	ok(good == COUNT && info.vms == 12 && !info.evictions, "%u matrices work in %u address spaces", good, info.vms);
	residency->vm_limit_bytes = ROOM;
	ork_residency_destroy(residency);

	residency = make(UINT64_C(1) << 40);
	residency->vm_limit_bytes = ROOM;
	for (round = 0, good = 0; round < 2; round++)
		for (b = 0; b < COUNT; b++)
			good += use(residency, b);
	ork_residency_query(residency, &info);
	ok(good == 2 * COUNT && info.vms == 15 && info.evictions,
	   "when there are no more, matrices take turns: %u worked in %u", good, info.vms);
	ork_residency_destroy(residency);
}

static void groups_are_a_batch(void)
{
	static const int32_t wanted[] = { 0, K, 2 * K };
	struct ork_residency *residency = make(1 << 20);
	struct ork_weights *weights;

	ok(!ork_residency_get(residency, 1, 1, &weights) && multiplies_to(weights, wanted, 3),
	   "the groups of a matrix are the batch of its weights");
	ork_residency_put(residency, 1, 1);
	ork_residency_destroy(residency);
}

static void wrong_requests_are_refused(void)
{
	struct ork_residency *residency = make(BYTES / 2);
	struct ork_weights *weights;

	ok(ork_residency_get(residency, 0, 0, &weights) == -E2BIG, "larger than the budget: %s", ork_error(dev));
	ok(ork_residency_get(residency, 0, COUNT, &weights) == -EINVAL, "a matrix that is not there");
	ok(ork_residency_get(residency, 2, 0, &weights) == -EINVAL, "a tensor that is not there");
	ork_residency_put(residency, 0, 1);
	ork_residency_put(residency, 7, 1);
	ork_residency_destroy(residency);
	ok(ork_residency_create(dev, pack, 0, &residency) == -EINVAL, "no budget");
}

int main(void)
{
	if (close(mkstemp(path)) || ork_open(NULL, &dev))
		return 1;
	ok(make_file(), "a file with %d matrices", COUNT);
	least_recently_used_goes_first();
	weights_in_use_stay();
	address_spaces_are_added_and_then_reused();
	groups_are_a_batch();
	wrong_requests_are_refused();
	ork_pack_close(pack);
	ok(!ork_close(dev), "nothing is left open");
	unlink(path);
	return done();
}
