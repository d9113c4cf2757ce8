// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Random numbers, what calls have made, and arguments that are mostly right. */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "../ork_test.h"
#include "ioctl_fuzz.h"

#define ARGUMENT_BYTES 512
#define SMALL_BYTES (256u << 10)
#define LARGE_BYTES (32u << 20)

/* splitmix64 */
uint64_t fuzz_mix(uint64_t seed, uint64_t value)
{
	uint64_t z = seed + (value + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint64_t fuzz_random(struct fuzz_rng *r)
{
	r->state += 0x9e3779b97f4a7c15ull;
	return fuzz_mix(r->state, 0);
}

uint32_t fuzz_below(struct fuzz_rng *r, uint32_t limit)
{
	return fuzz_random(r) % limit;
}

bool fuzz_one_in(struct fuzz_rng *r, uint32_t n)
{
	return !fuzz_below(r, n);
}

void fuzz_put(struct fuzz_table *table, struct fuzz_rng *r, uint64_t value)
{
	table->value[fuzz_below(r, FUZZ_ENTRIES)] = value;
}

void fuzz_drop(struct fuzz_table *table, struct fuzz_rng *r, uint64_t value)
{
	uint32_t i;

	if (fuzz_one_in(r, 12))
		return;
	for (i = 0; i < FUZZ_ENTRIES; i++)
		if (table->value[i] == value)
			table->value[i] = 0;
}

uint64_t fuzz_pick(struct fuzz_table *table, struct fuzz_rng *r)
{
	uint32_t i, at = fuzz_below(r, FUZZ_ENTRIES);
	uint64_t value = 0;

	if (fuzz_one_in(r, 24))
		return fuzz_one_in(r, 2) ? fuzz_below(r, 64) : fuzz_random(r);
	for (i = 0; i < FUZZ_ENTRIES && !value; i++)
		value = table->value[(at + i) % FUZZ_ENTRIES];
	return value;
}

/* Mostly small: here a page costs as much as a call, and to kill a process that gets gigabytes takes minutes. */
uint64_t fuzz_size(struct fuzz_rng *r)
{
	uint64_t bytes;

	switch (fuzz_below(r, 16)) {
	case 0:
		bytes = fuzz_random(r) >> fuzz_below(r, 64);
		return bytes < SMALL_BYTES || bytes >> 32 ? bytes : bytes % (fuzz_one_in(r, 200) ? LARGE_BYTES : SMALL_BYTES);
	case 1:
		return fuzz_one_in(r, 8) ? FUZZ_PAGE * fuzz_below(r, 64) : FUZZ_PAGE << 4;
	case 2:
		return fuzz_below(r, 1 << 16);
	case 3:
	case 4:
		return FUZZ_PAGE << 3;
	default:
		return FUZZ_PAGE << (fuzz_one_in(r, 8) ? fuzz_below(r, 6) : fuzz_below(r, 2));
	}
}

uint32_t fuzz_pages(struct fuzz_rng *r)
{
	return FUZZ_PAGE << (fuzz_one_in(r, 16) ? fuzz_below(r, 9) : fuzz_below(r, 3));
}

uint64_t fuzz_bad_pointer(struct fuzz_state *s, struct fuzz_rng *r)
{
	const uint64_t pointers[] = {
		0, 1, FUZZ_PAGE, UINT64_MAX, 0xffff000000000000ull, (uintptr_t)fuzz_window(s, r), (uintptr_t)fuzz_window(s, r) + 4,
		(uintptr_t)fuzz_window(s, r) + FUZZ_WINDOW_BYTES - 8, 0xffff800000000000ull + fuzz_random(r) % (1ull << 40),
	};

	return pointers[fuzz_below(r, sizeof(pointers) / sizeof(pointers[0]))];
}

/* In the middle of nothing else, as changed pointers hit what is near. */
uint64_t fuzz_scratch(struct fuzz_state *s)
{
	return (uintptr_t)s->windows + FUZZ_WINDOWS * FUZZ_WINDOW_BYTES;
}

void *fuzz_window(struct fuzz_state *s, struct fuzz_rng *r)
{
	return s->windows + fuzz_below(r, FUZZ_WINDOWS) * FUZZ_WINDOW_BYTES;
}

struct drm_ork_array fuzz_array(struct fuzz_state *s, struct fuzz_rng *r, const void *ptr, uint32_t stride, uint32_t count)
{
	struct drm_ork_array array = { stride, count, (uintptr_t)ptr };

	if (!fuzz_one_in(r, 48))
		return array;
	switch (fuzz_below(r, 6)) {
	case 0:
		array.stride = 8 * fuzz_below(r, 32);
		break;
	case 1:
		array.stride = fuzz_random(r);
		break;
	case 2:
		array.count = fuzz_below(r, 8);
		break;
	case 3:
		array.count = fuzz_random(r) >> fuzz_below(r, 64);
		break;
	case 4:
		array.ptr += fuzz_below(r, 64);
		break;
	default:
		array.ptr = fuzz_bad_pointer(s, r);
		break;
	}
	return array;
}

int64_t fuzz_deadline(struct fuzz_rng *r)
{
	switch (fuzz_below(r, 8)) {
	case 0:
		return INT64_MAX;
	case 1:
		return fuzz_random(r);
	case 2:
	case 3:
		return 0;
	default:
		return fuzz_now_ns() + fuzz_below(r, 4000000);
	}
}

/* DRM itself has a warning for an array of syncobjs that is too long, so its own calls are not changed. */
static bool is_drivers(unsigned long request)
{
	return _IOC_TYPE(request) == DRM_IOCTL_BASE && _IOC_NR(request) >= DRM_COMMAND_BASE && _IOC_NR(request) < DRM_COMMAND_END;
}

/* Whatever has changed it: see fuzz_size(). */
static void limit_size(unsigned long request, void *arg)
{
	struct drm_ork_bo_create *args = arg;

	if (is_drivers(request) && _IOC_NR(request) == _IOC_NR(DRM_IOCTL_ORK_BO_CREATE) && !(args->size_bytes >> 32))
		args->size_bytes %= LARGE_BYTES;
}

int fuzz_ioctl(struct fuzz_rng *r, int fd, unsigned long request, void *arg)
{
	uint64_t buffer[ARGUMENT_BYTES / 8] = { 0 };
	uint32_t bytes = _IOC_SIZE(request);
	int ret;

	fuzz_shared->calls++;
	memcpy(buffer, arg, bytes);
	if (is_drivers(request) && bytes && fuzz_one_in(r, 48))
		buffer[fuzz_below(r, bytes / 8)] ^= 1ull << fuzz_below(r, 64);
	if (fuzz_one_in(r, 64))
		request = _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), fuzz_below(r, ARGUMENT_BYTES));
	limit_size(request, buffer);
	ret = ioctl(fd, request, buffer) < 0 ? -errno : 0;
	memcpy(arg, buffer, bytes);
	return ret;
}

/* Its descriptor may go to another process or be closed here, and its number be another file's then; that is meant so. */
int fuzz_open(const struct fuzz_state *s, struct fuzz_file *f)
{
	int fd = open(s->node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	memset(&f->bos, 0, sizeof(*f) - offsetof(struct fuzz_file, bos));
	f->fd = fd;
	return 0;
}

bool fuzz_find_node(struct fuzz_state *s)
{
	int fd = ork_test_open();
	char link[32];
	ssize_t length;

	if (fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, s->node, sizeof(s->node) - 1);
	close(fd);
	return length > 0;
}

bool fuzz_state_init(struct fuzz_state *s)
{
	uint32_t i;

	s->windows = mmap(NULL, 2 * FUZZ_WINDOWS * FUZZ_WINDOW_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->windows == MAP_FAILED ||
	    mprotect((void *)(uintptr_t)fuzz_scratch(s), FUZZ_WINDOW_BYTES, PROT_READ | PROT_WRITE))
		return false;
	for (i = 0; i < FUZZ_FILES; i++)
		if (fuzz_open(s, &s->files[i]))
			return false;
	return true;
}
