// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Calls of the driver that make and use memory, address spaces and queues. */

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <xf86drm.h>

#include "ioctl_fuzz.h"

#define PAGES_BITS 20

/* Pages of both fit 20 bits: an address space has 4 GiB. */
uint64_t fuzz_map_value(uint32_t vm, uint32_t va, uint64_t bytes)
{
	return (uint64_t)vm << 2 * PAGES_BITS | bytes / FUZZ_PAGE << PAGES_BITS | va / FUZZ_PAGE;
}

uint32_t fuzz_map_vm(uint64_t map)
{
	return map >> 2 * PAGES_BITS;
}

uint32_t fuzz_map_va(uint64_t map)
{
	return map * FUZZ_PAGE;
}

uint32_t fuzz_map_bytes(uint64_t map)
{
	return (map >> PAGES_BITS) * FUZZ_PAGE;
}

static int query(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_query args = { .type = fuzz_below(r, 2), .size = fuzz_below(r, 256), .ptr = fuzz_scratch(s) };

	if (args.type == DRM_ORK_QUERY_VM)
		args.id = fuzz_pick(&f->vms, r);
	if (fuzz_one_in(r, 16))
		args.ptr = fuzz_bad_pointer(s, r);
	return fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_QUERY, &args);
}

static void bo_made(struct fuzz_file *f, struct fuzz_rng *r, uint32_t handle, uint64_t bytes)
{
	fuzz_put(&f->bos, r, bytes << 32 | handle);
}

static int map_window(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r, uint64_t offset, uint64_t bytes)
{
	void *at = fuzz_window(s, r);
	int prot = fuzz_below(r, 8);

	if (bytes > FUZZ_WINDOW_BYTES)
		bytes = FUZZ_WINDOW_BYTES;
	return mmap(at, bytes, prot, MAP_SHARED | MAP_FIXED, f->fd, offset) == MAP_FAILED ? -errno : 0;
}

static int bo_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_bo_create args = { .size_bytes = fuzz_size(r), .flags = fuzz_one_in(r, 4) ? fuzz_below(r, 4) : 0 };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_BO_CREATE, &args);

	if (!ret)
		bo_made(f, r, args.handle, args.size_bytes);
	if (!ret && fuzz_one_in(r, 4))
		map_window(s, f, r, args.mmap_offset, args.size_bytes);
	return ret;
}

static int bo_user(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_bo_user args = {
		.ptr = (uintptr_t)fuzz_window(s, r), .size_bytes = fuzz_pages(r),
	};
	int ret;

	if (fuzz_one_in(r, 12))
		args.ptr = fuzz_bad_pointer(s, r);
	else if (fuzz_one_in(r, 2))
		mmap((void *)(uintptr_t)args.ptr, args.size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
	if (fuzz_one_in(r, 12))
		args.size_bytes = fuzz_size(r);
	ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_BO_USER, &args);
	if (!ret)
		bo_made(f, r, args.handle, args.size_bytes);
	return ret;
}

static int bo_map(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	/* Offsets are drawn from those that DRM gives out first; mmap() itself is the call. */
	uint64_t offset = 0x10000000ull + FUZZ_PAGE * fuzz_below(r, 4096);

	if (fuzz_one_in(r, 8))
		offset = FUZZ_PAGE * (fuzz_random(r) >> fuzz_below(r, 64));
	fuzz_shared->calls++;
	return map_window(s, f, r, offset, fuzz_size(r));
}

static int bo_sync(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_sync_range ranges[4] = { 0 };
	uint32_t i, count = fuzz_below(r, 5);
	struct drm_ork_bo_sync args = { .ranges = fuzz_array(s, r, ranges, sizeof(ranges[0]), count) };

	for (i = 0; i < count; i++) {
		uint64_t bo = fuzz_pick(&f->bos, r);
		uint32_t bytes = bo >> 32;

		ranges[i].handle = bo;
		ranges[i].op = fuzz_below(r, 2);
		ranges[i].offset_bytes = bytes && fuzz_one_in(r, 2) ? fuzz_below(r, bytes) : 0;
		ranges[i].size_bytes = fuzz_one_in(r, 8) ? fuzz_size(r) : bytes - ranges[i].offset_bytes;
	}
	return fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_BO_SYNC, &args);
}

static int bo_wait(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_bo_wait args = {
		.handle = fuzz_pick(&f->bos, r), .flags = fuzz_below(r, 2), .timeout_ns = fuzz_deadline(r),
	};

	return fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_BO_WAIT, &args);
}

static int vm_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_vm_create args = { 0 };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_VM_CREATE, &args);

	if (!ret)
		fuzz_put(&f->vms, r, args.vm);
	return ret;
}

static int vm_destroy(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_vm_destroy args = { .vm = fuzz_pick(&f->vms, r) };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_VM_DESTROY, &args);

	if (!ret)
		fuzz_drop(&f->vms, r, args.vm);
	return ret;
}

static int vm_map(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint64_t bo = fuzz_pick(&f->bos, r);
	uint32_t pages = (bo >> 32) / FUZZ_PAGE;
	struct drm_ork_vm_map args = {
		.vm = fuzz_one_in(r, 3) ? fuzz_pick(&f->vms, r) : 0, .handle = bo,
		.flags = fuzz_one_in(r, 4) ? fuzz_below(r, 4) : 0, .size_bytes = (uint64_t)pages * FUZZ_PAGE,
	};
	int ret;

	if (pages > 1 && fuzz_one_in(r, 4)) {
		args.offset_bytes = FUZZ_PAGE * (uint64_t)fuzz_below(r, pages);
		args.size_bytes = FUZZ_PAGE * (1ull + fuzz_below(r, pages));
	}
	if (args.flags & DRM_ORK_MAP_FIXED)
		args.va = fuzz_one_in(r, 4) ? fuzz_random(r) >> 32 : fuzz_map_va(fuzz_pick(&f->maps, r)) + FUZZ_PAGE * fuzz_below(r, 4);
	ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_VM_MAP, &args);
	if (!ret)
		fuzz_put(&f->maps, r, fuzz_map_value(args.vm, args.va, args.size_bytes));
	return ret;
}

static int vm_unmap(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint64_t map = fuzz_pick(&f->maps, r);
	struct drm_ork_vm_unmap args = { .vm = fuzz_map_vm(map), .va = fuzz_map_va(map) };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_VM_UNMAP, &args);

	if (!ret)
		fuzz_drop(&f->maps, r, map);
	return ret;
}

int fuzz_queue_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_queue_create args = { .priority = fuzz_below(r, 3), .core_mask = fuzz_one_in(r, 2) ? fuzz_below(r, 8) : 0 };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_QUEUE_CREATE, &args);

	if (!ret)
		fuzz_put(&f->queues, r, args.queue);
	return ret;
}

static int queue_destroy(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_queue_destroy args = { .queue = fuzz_pick(&f->queues, r) };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_QUEUE_DESTROY, &args);

	if (!ret)
		fuzz_drop(&f->queues, r, args.queue);
	return ret;
}

/* Any call of the driver with anything in it. */
static int anything(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint64_t args[64];
	uint32_t i;

	for (i = 0; i < 64; i++) {
		if (fuzz_one_in(r, 3))
			args[i] = fuzz_bad_pointer(s, r);
		else
			args[i] = fuzz_one_in(r, 2) ? fuzz_below(r, 16) : fuzz_random(r) >> fuzz_below(r, 64);
	}
	return fuzz_ioctl(r, f->fd, _IOC(fuzz_below(r, 4), 'd', DRM_COMMAND_BASE + fuzz_below(r, 20), 8 * fuzz_below(r, 32)), args);
}

const struct fuzz_kind_info fuzz_driver_kinds[] = {
	{ "query", query, 60 },
	{ "bo-create", bo_create, 24 },
	{ "bo-user", bo_user, 3 },
	{ "bo-map", bo_map, 12 },
	{ "bo-sync", bo_sync, 50 },
	{ "bo-wait", bo_wait, 60 },
	{ "vm-create", vm_create, 6 },
	{ "vm-destroy", vm_destroy, 3 },
	{ "vm-map", vm_map, 24 },
	{ "vm-unmap", vm_unmap, 10 },
	{ "queue-create", fuzz_queue_create, 12 },
	{ "queue-destroy", queue_destroy, 6 },
	{ "anything", anything, 100 },
};

const uint32_t fuzz_driver_kind_count = sizeof(fuzz_driver_kinds) / sizeof(fuzz_driver_kinds[0]);

/* A buffer in VM 0 that a product fits in, a program on it, a queue and a syncobj. */
void fuzz_begin(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_ork_bo_create bo = { .size_bytes = 64 * 1024 };
	struct drm_ork_vm_map map = { .size_bytes = bo.size_bytes };

	if (ioctl(f->fd, DRM_IOCTL_ORK_BO_CREATE, &bo))
		return;
	bo_made(f, r, bo.handle, bo.size_bytes);
	map.handle = bo.handle;
	if (ioctl(f->fd, DRM_IOCTL_ORK_VM_MAP, &map))
		return;
	fuzz_put(&f->maps, r, fuzz_map_value(0, map.va, map.size_bytes));
	fuzz_prog_create(s, f, r);
	fuzz_prog_create(s, f, r);
	fuzz_queue_create(s, f, r);
	fuzz_sync_create(s, f, r);
}
