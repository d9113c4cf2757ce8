/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PROG_H
#define ORK_PROG_H

#include <linux/kref.h>
#include <linux/sizes.h>
#include <linux/xarray.h>

#include <uapi/drm/rknpu_ork.h>

#include "ork_cmd.h"

struct drm_device;
struct drm_file;
struct ork_device;
struct ork_file;
struct ork_vm;

/**
 * struct ork_prog_task - where a task's commands lie
 */
struct ork_prog_task {
	/** @first_word: index of its first word in the program */
	u32 first_word;

	/** @word_count: number of words, trailer included */
	u32 word_count;

	/** @amount: value of REGISTER_AMOUNTS that fetches it */
	u32 amount;

	/** @first_patch: index of its first patch; its patches end where the next task's begin */
	u32 first_patch;

	/**
	 * @reuses: it uses what the task before it left on the chip, so a range cannot begin
	 * here
	 */
	bool reuses;

	/** @moved: bytes that it and all before it move, as &struct ork_regcmd_state.bytes */
	u64 moved;
};

/**
 * struct ork_prog_patch - word that gets a job's address
 */
struct ork_prog_patch {
	/** @word: index of the word in the program */
	u32 word;

	/** @slot: index in the job's addresses */
	u32 slot;
};

/**
 * struct ork_prog_slot - what the tasks touch through an address slot
 */
struct ork_prog_slot {
	/** @start: smallest offset */
	u64 start;

	/** @end: end of the furthest access; 0 if the slot is not used */
	u64 end;

	/** @write: something is written */
	bool write;
};

/**
 * struct ork_prog - checked, immutable chain of tasks
 */
struct ork_prog {
	/** @ref: one for the handle, one per part that runs it */
	struct kref ref;

	/** @vm: address space; holds a reference */
	struct ork_vm *vm;

	/** @names: the user's mappings that the tasks name, by page number; holds references */
	struct xarray names;

	/** @command: where the program runs, if it has no address slots */
	struct ork_cmd command;

	/** @image: the words, for parts to copy, if it has address slots; links are relative */
	u64 *image;

	/** @patches: words that are patched in copies, in the order of the tasks */
	struct ork_prog_patch *patches;

	/** @patch_count: number of patches; 0 if the program has no address slots */
	u32 patch_count;

	/** @slots: by slot number */
	struct ork_prog_slot slots[DRM_ORK_MAX_SLOTS];

	/** @slot_count: number of addresses that a job has to give */
	u32 slot_count;

	/** @task_count: number of tasks */
	u32 task_count;

	/** @tasks: per task */
	struct ork_prog_task tasks[];
};

/*
 * What a part of a job has at most, as a core cannot be interrupted within one; a part may also be
 * a single task of any size. It takes as long as its memory traffic or up to three times that, some
 * 10 to 30 ms; a single task can move six times as much. To start a chain takes little longer than
 * one of the smallest tasks, so longer parts would gain less than one percent.
 */
#define ORK_PART_MAX_TASKS 256
#define ORK_PART_MAX_BYTES SZ_64M

/* Tag of &struct ork_prog.names: something is written. */
#define ORK_PROG_WRITES XA_MARK_0

struct ork_prog *ork_prog_lookup(struct ork_file *priv, u32 handle);
void ork_prog_get(struct ork_prog *prog);
void ork_prog_put(struct ork_prog *prog);
void ork_prog_close_all(struct ork_file *priv);
int ork_prog_instantiate(struct ork_device *ork, struct ork_prog *prog, u32 first, u32 count,
			 const u64 *addresses, struct ork_cmd *cmd);

int ork_ioctl_prog_create(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_prog_destroy(struct drm_device *drm, void *data, struct drm_file *file);

#endif
