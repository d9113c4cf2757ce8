/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_FDINFO_H
#define ORK_FDINFO_H

#include <linux/kref.h>
#include <linux/types.h>

#include <uapi/drm/rknpu_ork.h>

#include "ork_ended.h"

struct file;
struct seq_file;

/**
 * struct ork_usage - what a file has used and uses; jobs that outlive the file still count here
 */
struct ork_usage {
	/** @ref: one for the file, one per job */
	struct kref ref;

	/** @client: number of the file */
	u32 client;

	/** @ended: page that shows which of its jobs have ended */
	struct ork_ended ended;

	/** @queued: jobs that have not ended, by their weight */
	atomic_t queued;

	/** @busy_ns: time that each core has spent on the file's jobs, in nanoseconds */
	atomic64_t busy_ns[DRM_ORK_MAX_CORES];
};

struct ork_usage *ork_usage_create(u32 client);
struct ork_usage *ork_usage_get(struct ork_usage *usage);
void ork_usage_put(struct ork_usage *usage);

void ork_show_fdinfo(struct seq_file *m, struct file *filp);

#endif
