/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_HOST_ADDRESSES_H
#define ORK_HOST_ADDRESSES_H

#include <ork.h>
#include <time.h>

/* Addresses in use, without those of jobs that have ended a moment ago and that the driver is about to give back. */
static inline uint64_t used_addresses(struct ork_device *dev)
{
	const struct timespec moment = { .tv_nsec = 2000000 };
	uint64_t least = UINT64_MAX;
	struct ork_info info;
	int i;

	for (i = 0; i < 25; i++) {
		if (ork_query(dev, &info) == 0 && info.vm_used_bytes < least)
			least = info.vm_used_bytes;
		nanosleep(&moment, NULL);
	}
	return least;
}

#endif
