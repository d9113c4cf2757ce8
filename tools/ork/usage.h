/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_USAGE_H
#define ORK_USAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <ork.h>

/*
 * Who uses the NPU: /proc/PID/fdinfo in the kernel's common format (drm-usage-stats) of all processes that this one may
 * look into, which are all for root.
 */

/* A file of the driver that is open; what several processes or descriptors share counts once. */
struct usage_client {
	unsigned long id;
	long pid;        /* the lowest of the processes that have it */
	char name[32];   /* of that process */
	unsigned long long busy_ns[ORK_MAX_CORES];
	unsigned long long total_kib, shared_kib, resident_kib;
};

struct usage {
	struct usage_client *clients; /* ascending by id */
	size_t count;
	bool hidden;                  /* there are processes that may not be looked into */
};

/* root: see machine.h. Returns 0, or -1 without memory or procfs. The caller calls usage_free(). */
int usage_read(const char *root, struct usage *usage);
void usage_free(struct usage *usage);

#endif
