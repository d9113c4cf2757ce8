/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_ENDED_H
#define ORK_ENDED_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct file;
struct page;
struct vm_area_struct;

/**
 * struct ork_ended - page of a file that shows its processes which jobs have ended
 */
struct ork_ended {
	/** @lock: keeps writers apart; taken in any context */
	spinlock_t lock;

	/** @page: &struct drm_ork_ended, NULL until it is mapped; holds a reference */
	struct page *page;
};

void ork_ended_init(struct ork_ended *ended);
void ork_ended_fini(struct ork_ended *ended);
void ork_ended_show(struct ork_ended *ended, u64 id, int error);

int ork_mmap(struct file *filp, struct vm_area_struct *vma);

#endif
