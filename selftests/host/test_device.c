/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <ork.h>
#include <stdlib.h>
#include <string.h>

#include "product.h"
#include "tap.h"

static void devices_are_found_by_name(void)
{
	struct ork_device *dev;
	struct ork_info info;

	unsetenv("ORK_DEVICE");
	ok(ork_open("/nonexistent", &dev) == -ENOENT, "a path that does not exist is refused");
	ok(ork_open("/dev/null", &dev) == -ENODEV, "a node of another driver is refused");
	ok(ork_open("model", NULL) == -EINVAL, "a missing result pointer is refused");
	setenv("ORK_DEVICE", "model", 1);
	ok(ork_open(NULL, &dev) == 0 && ork_query(dev, &info) == 0 && strcmp(info.backend, "model") == 0,
	   "ORK_DEVICE chooses the device");
	ork_close(dev);
	setenv("ORK_DEVICE", "/dev/null", 1);
	ok(ork_open("model", &dev) == 0, "an explicit device goes before ORK_DEVICE");
	ork_close(dev);
	ok(ork_close(NULL) == 0, "closing nothing is fine");
}

static void query_tells_the_hardware(struct ork_device *dev)
{
	struct ork_info info;

	ok(ork_query(dev, &info) == 0 && info.hw_version == 0x46495245 && info.cores == 3 && info.core_mask == 7 &&
		   info.cbuf_banks == 12 && info.cbuf_bank_bytes == 32768 && info.max_tasks == 4095,
	   "query tells the RK3588's facts");
	ok(ork_query(dev, NULL) == -EINVAL && *ork_error(dev), "query without result is refused, with a reason");
	ok(ork_query(NULL, &info) == -EINVAL && *ork_error(NULL) == '\0', "query without device is refused");
}

static bool all_zero(const uint8_t *bytes, size_t count)
{
	while (count && !*bytes++)
		count--;
	return count == 0;
}

static void buffers_are_usable(struct ork_device *dev)
{
	struct ork_bo *bo, *wc;
	uint32_t address, again, other;
	void *ptr, *same;

	ok(ork_bo_create(dev, 5000, 0, &bo) == 0 && ork_bo_size(bo) == 8192, "sizes are rounded up to pages");
	ok(ork_bo_map(bo, &ptr) == 0 && ork_bo_map(bo, &same) == 0 && ptr == same, "a buffer is mapped once");
	ok(all_zero(ptr, 8192), "a new buffer reads as 0");
	ok(ork_bo_address(bo, &address) == 0 && address >= 4096 && address % 4096 == 0,
	   "the NPU's address is page aligned, not page 0");
	ok(ork_bo_create(dev, 1, ORK_BO_WC, &wc) == 0 && ork_bo_address(wc, &other) == 0,
	   "a write-combined buffer has an address too");
	ok(other >= address + 8192 + 4096 || other + 4096 + 4096 <= address, "a guard page lies between buffers");
	ok(ork_bo_address(bo, &again) == 0 && again == address, "the address does not change");
	ork_bo_destroy(bo);
	ork_bo_destroy(wc);
	ork_bo_destroy(NULL);
}

static void wrong_buffers_are_refused(struct ork_device *dev)
{
	struct ork_bo *bo = NULL;

	ok(ork_bo_create(NULL, 1, 0, &bo) == -EINVAL && ork_bo_create(dev, 1, 0, NULL) == -EINVAL,
	   "null pointers are refused");
	ok(ork_bo_create(dev, 0, 0, &bo) == -EINVAL, "size 0 is refused");
	ok(ork_bo_create(dev, 1, 0x80, &bo) == -EINVAL, "unknown flags are refused");
	ok(ork_bo_create(dev, (size_t)1 << 32, 0, &bo) == -E2BIG && ork_bo_create(dev, SIZE_MAX, 0, &bo) == -E2BIG &&
		   !bo,
	   "4 GiB and more are refused");
}

static void sync_checks_all_ranges_first(struct ork_device *dev)
{
	struct ork_sync_range ranges[40];
	struct ork_device *other_dev;
	struct ork_bo *bo, *other;
	size_t i;

	ork_open("model", &other_dev);
	ork_bo_create(dev, 4096, 0, &bo);
	ork_bo_create(other_dev, 4096, 0, &other);
	for (i = 0; i < 40; i++)
		ranges[i] = (struct ork_sync_range){ bo, i % 2 ? ORK_SYNC_TO_CPU : ORK_SYNC_TO_DEVICE, i * 100, 96 };
	ok(ork_bo_sync(dev, ranges, 40) == 0, "many ranges are synchronised in one call");
	ranges[39].size_bytes = 0;
	ok(ork_bo_sync(dev, ranges, 40) == -EINVAL, "an empty range is refused");
	ranges[39].size_bytes = 197;
	ok(ork_bo_sync(dev, ranges, 40) == -EINVAL, "a range behind the end is refused");
	ranges[39].offset_bytes = SIZE_MAX;
	ok(ork_bo_sync(dev, ranges, 40) == -EINVAL, "a range that wraps is refused");
	ranges[39] = (struct ork_sync_range){ other, ORK_SYNC_TO_CPU, 0, 1 };
	ok(ork_bo_sync(dev, ranges, 40) == -EINVAL, "a buffer of another device is refused");
	ok(ork_bo_sync(dev, ranges, 0) == -EINVAL && ork_bo_sync(dev, NULL, 1) == -EINVAL, "no ranges are refused");
	ork_bo_destroy(bo);
	ork_bo_destroy(other);
	ork_close(other_dev);
}

/* Buffers of 1 GiB are never touched, so they cost addresses and no memory. */
static void exhausted_addresses_lose_nothing(struct ork_device *dev)
{
	struct ork_info before, full, after;
	struct ork_bo *bo[4], *last;
	uint32_t address;
	int i, mapped = 0;

	ork_query(dev, &before);
	for (i = 0; i < 4; i++) {
		ork_bo_create(dev, (size_t)1 << 30, 0, &bo[i]);
		mapped += ork_bo_address(bo[i], &address) == 0;
	}
	ok(mapped == 3 && ork_bo_address(bo[3], &address) == -ENOSPC && strstr(ork_error(dev), "largest hole") &&
		   strstr(ork_error(dev), "destroy buffers"),
	   "a full address space is refused with -ENOSPC and says what would fit and what to do");
	ork_query(dev, &full);
	ork_bo_create(dev, full.vm_largest_hole_bytes, 0, &last);
	ok(ork_bo_address(last, &address) == 0, "the largest hole can be used as a whole");
	ork_bo_destroy(last);
	ork_bo_destroy(bo[1]);
	ok(ork_bo_address(bo[3], &address) == 0, "after one buffer has gone the next fits");
	ork_bo_destroy(bo[0]);
	ork_bo_destroy(bo[2]);
	ork_bo_destroy(bo[3]);
	ork_query(dev, &after);
	ok(before.vm_used_bytes == after.vm_used_bytes && before.vm_largest_hole_bytes == after.vm_largest_hole_bytes,
	   "all addresses come back");
}

static void close_refuses_while_objects_live(void)
{
	struct ork_weights *weights;
	struct ork_device *dev;
	const int8_t b = 1;
	struct ork_bo *bo;

	ork_open("model", &dev);
	ork_bo_create(dev, 1, 0, &bo);
	ok(ork_close(dev) == -EBUSY && *ork_error(dev), "a device with a buffer stays open");
	ork_bo_destroy(bo);
	weights_i8(dev, &b, 1, 1, 1, &weights);
	ok(ork_close(dev) == -EBUSY, "a device with weights stays open");
	ork_weights_destroy(weights);
	ok(ork_close(dev) == 0, "then it closes");
}

static void errors_have_words(void)
{
	static const int errors[] = { 0,      -EINVAL,	-ENOMEM, -ENODEV, -ENOENT,    -EACCES,
				      -EBUSY, -ENOTSUP, -E2BIG,	 -ENOSPC, -ETIMEDOUT, -EIO };
	unsigned int named = 0;
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		named += strcmp(ork_strerror(errors[i]), ork_strerror(-12345)) != 0;
	ok(named == i, "every error of the interface has words of its own");
	ok(strcmp(ork_version(), "0.1.0") == 0, "the version is that of the header");
}

static void types_have_sizes(void)
{
	ok(ork_dtype_bytes(ORK_I4) == 1 && ork_dtype_bytes(ORK_I8) == 1 && ork_dtype_bytes(ORK_F16) == 2 &&
		   ork_dtype_bytes(ORK_BF16) == 2 && ork_dtype_bytes(ORK_I32) == 4 && ork_dtype_bytes(ORK_F32) == 4,
	   "elements have the size of their C types");
	ok(ork_dtype_bytes(ORK_DEFAULT) == 0 && ork_dtype_bytes((enum ork_dtype)99) == 0, "what is no type has none");
}

int main(void)
{
	struct ork_device *dev;

	devices_are_found_by_name();
	ok(ork_open("model", &dev) == 0, "the model opens");
	query_tells_the_hardware(dev);
	buffers_are_usable(dev);
	wrong_buffers_are_refused(dev);
	sync_checks_all_ranges_first(dev);
	exhausted_addresses_lose_nothing(dev);
	ok(ork_close(dev) == 0, "the model closes");
	close_refuses_while_objects_live();
	errors_have_words();
	types_have_sizes();
	return done();
}
