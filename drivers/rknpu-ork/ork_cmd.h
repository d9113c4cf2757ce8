/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_CMD_H
#define ORK_CMD_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include <drm/drm_mm.h>

struct ork_cmd_chunk;
struct ork_device;
struct ork_vm;

/**
 * struct ork_cmd_heap - command memory of one VM
 */
struct ork_cmd_heap {
	/** @vm: the VM */
	struct ork_vm *vm;

	/** @lock: protects the other members and the pieces of chunks. Innermost */
	spinlock_t lock;

	/** @chunks: mapped pieces of memory */
	struct list_head chunks;

	/** @closed: the user has closed the VM; empty chunks go at once */
	bool closed;
};

/**
 * struct ork_cmd - piece of command memory
 */
struct ork_cmd {
	/** @chunk: where it lies; NULL if this is none */
	struct ork_cmd_chunk *chunk;

	/** @node: offset and size in the chunk, in bytes */
	struct drm_mm_node node;

	/** @words: CPU address */
	u64 *words;

	/** @va: address for the NPU, which may only read */
	u32 va;
};

void ork_cmd_heap_init(struct ork_cmd_heap *heap, struct ork_vm *vm);
void ork_cmd_heap_close(struct ork_cmd_heap *heap);

int ork_cmd_alloc(struct ork_device *ork, struct ork_cmd_heap *heap, u64 words,
		  struct ork_cmd *cmd);
bool ork_cmd_drop(struct ork_cmd *cmd);
void ork_cmd_free(struct ork_cmd *cmd);

#endif
