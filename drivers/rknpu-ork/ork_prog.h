/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PROG_H
#define ORK_PROG_H

#include <linux/kref.h>
#include <linux/xarray.h>

struct drm_device;
struct drm_file;
struct ork_file;
struct ork_mapping;
struct ork_vm;

/**
 * struct ork_prog_task - where a task's commands lie
 */
struct ork_prog_task {
	/** @first_word: index of its first word in the command memory */
	u32 first_word;

	/** @amount: value of REGISTER_AMOUNTS that fetches it */
	u32 amount;
};

/**
 * struct ork_prog - checked, immutable chain of tasks
 */
struct ork_prog {
	/** @ref: one for the handle, one per part that runs it */
	struct kref ref;

	/** @vm: address space; kept alive by @command */
	struct ork_vm *vm;

	/** @command: command memory, read-only for the NPU; holds a reference */
	struct ork_mapping *command;

	/** @names: the user's mappings that the tasks name, by page number; holds references */
	struct xarray names;

	/** @task_count: number of tasks */
	u32 task_count;

	/** @tasks: per task */
	struct ork_prog_task tasks[];
};

struct ork_prog *ork_prog_lookup(struct ork_file *priv, u32 handle);
void ork_prog_get(struct ork_prog *prog);
void ork_prog_put(struct ork_prog *prog);
u32 ork_prog_task_va(const struct ork_prog *prog, u32 task);
u32 ork_prog_task_amount(const struct ork_prog *prog, u32 task);
void ork_prog_close_all(struct ork_file *priv);

int ork_ioctl_prog_create(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_prog_destroy(struct drm_device *drm, void *data, struct drm_file *file);

#endif
