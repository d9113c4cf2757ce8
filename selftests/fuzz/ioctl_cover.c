// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* What a thread's calls have reached in the driver, on kernels that tell (KCOV). */

#include <fcntl.h>
#include <linux/kcov.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ioctl_fuzz.h"

#define COVER_WORDS (1u << 16)

void fuzz_cover_init(struct fuzz_cover *cover)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	void *area;

	cover->area = NULL;
	if (fd < 0)
		return;
	area = MAP_FAILED;
	if (!ioctl(fd, KCOV_INIT_TRACE, (unsigned long)COVER_WORDS))
		area = mmap(NULL, COVER_WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (area != MAP_FAILED && !ioctl(fd, KCOV_ENABLE, (unsigned long)KCOV_TRACE_PC))
		cover->area = area;
	/* The mapping keeps it. */
	close(fd);
}

void fuzz_cover_begin(struct fuzz_cover *cover)
{
	if (cover->area)
		__atomic_store_n(&cover->area[0], 0, __ATOMIC_RELAXED);
}

bool fuzz_cover_end(struct fuzz_cover *cover)
{
	uint32_t size = sizeof(fuzz_shared->seen);
	uint64_t i, count;
	bool found = false;

	if (!cover->area)
		return false;
	count = __atomic_load_n(&cover->area[0], __ATOMIC_RELAXED);
	for (i = 0; i < count && i + 1 < COVER_WORDS; i++) {
		_Atomic uint8_t *seen = &fuzz_shared->seen[fuzz_mix(0, cover->area[i + 1]) % size];

		if (!*seen) {
			*seen = 1;
			fuzz_shared->points++;
			found = true;
		}
	}
	return found;
}
