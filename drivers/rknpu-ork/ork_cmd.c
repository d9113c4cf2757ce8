// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Command memory
 *
 * Programs, and the copies that jobs get of programs with address slots, are small and come and go
 * often. They share chunks that are mapped into the VM for the NPU to read and into the kernel to
 * write. An empty chunk is kept for the next user until the VM is closed; then a chunk goes with
 * its last piece. (A chunk's mapping holds the VM, so a VM that is not closed never goes.)
 *
 * Writing and the doorbell: the memory is write-combined; the register write that starts a core is
 * ordered after the commands by its barrier.
 */

#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "ork_cmd.h"
#include "ork_compat.h"
#include "ork_drv.h"
#include "ork_gem.h"
#include "ork_vm.h"

#define ORK_CMD_CHUNK_BYTES SZ_256K

/* Whole cache lines keep one task's fetch out of the next one's. */
#define ORK_CMD_ALIGN_BYTES 64

/**
 * struct ork_cmd_chunk - mapped piece of memory that is handed out in pieces
 */
struct ork_cmd_chunk {
	/** @node: in &struct ork_cmd_heap.chunks */
	struct list_head node;

	/** @heap: where it belongs */
	struct ork_cmd_heap *heap;

	/** @mapping: in the VM; holds the memory */
	struct ork_mapping *mapping;

	/** @map: in the kernel */
	struct iosys_map map;

	/** @mm: bytes that are handed out */
	struct drm_mm mm;

	/** @pieces: in how many pieces */
	unsigned int pieces;
};

void ork_cmd_heap_init(struct ork_cmd_heap *heap, struct ork_vm *vm)
{
	heap->vm = vm;
	spin_lock_init(&heap->lock);
	INIT_LIST_HEAD(&heap->chunks);
}

static struct ork_cmd_chunk *ork_cmd_chunk_create(struct ork_device *ork,
						  struct ork_cmd_heap *heap, u64 bytes)
{
	struct ork_cmd_chunk *chunk = kzalloc(sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	struct drm_gem_object *obj;
	int ret;

	if (!chunk)
		return ERR_PTR(-ENOMEM);

	obj = ork_gem_create(&ork->drm, max_t(u64, bytes, ORK_CMD_CHUNK_BYTES), DRM_ORK_BO_WC);
	if (IS_ERR(obj)) {
		ret = PTR_ERR(obj);
		goto err_free;
	}

	chunk->mapping = ork_mapping_create_command(heap->vm, obj);
	/* The mapping holds it from here on. */
	drm_gem_object_put(obj);
	if (IS_ERR(chunk->mapping)) {
		ret = PTR_ERR(chunk->mapping);
		goto err_free;
	}

	ret = ork_gem_vmap(obj, &chunk->map);
	if (ret)
		goto err_unmap;

	chunk->heap = heap;
	drm_mm_init(&chunk->mm, 0, chunk->mapping->size);
	return chunk;

err_unmap:
	ork_mapping_put(chunk->mapping);
err_free:
	kfree(chunk);
	return ERR_PTR(ret);
}

static void ork_cmd_chunk_destroy(struct ork_cmd_chunk *chunk)
{
	drm_mm_takedown(&chunk->mm);
	ork_gem_vunmap(chunk->mapping->obj, &chunk->map);
	ork_mapping_put(chunk->mapping);
	kfree(chunk);
}

static int ork_cmd_take(struct ork_cmd_chunk *chunk, u64 bytes, struct ork_cmd *cmd)
{
	int ret;

	ret = drm_mm_insert_node_generic(&chunk->mm, &cmd->node, bytes, ORK_CMD_ALIGN_BYTES, 0,
					 DRM_MM_INSERT_BEST);
	if (ret)
		return ret;

	chunk->pieces++;
	cmd->chunk = chunk;
	cmd->words = chunk->map.vaddr + cmd->node.start;
	cmd->va = chunk->mapping->node.start + cmd->node.start;
	return 0;
}

static int ork_cmd_take_any(struct ork_cmd_heap *heap, u64 bytes, struct ork_cmd *cmd)
{
	struct ork_cmd_chunk *chunk;
	int ret = -ENOSPC;

	spin_lock_irq(&heap->lock);
	list_for_each_entry(chunk, &heap->chunks, node) {
		ret = ork_cmd_take(chunk, bytes, cmd);
		if (!ret)
			break;
	}
	spin_unlock_irq(&heap->lock);

	return ret;
}

/**
 * ork_cmd_alloc - get memory for commands
 * @ork: device
 * @heap: of the VM that will run them; the caller holds a reference to the VM
 * @words: number of 64-bit words
 * @cmd: set to the piece; its memory has no defined contents
 *
 * Return: 0, -ENOSPC if the VM has no room for another chunk, -ENOMEM.
 */
int ork_cmd_alloc(struct ork_device *ork, struct ork_cmd_heap *heap, u64 words,
		  struct ork_cmd *cmd)
{
	u64 bytes = words * sizeof(u64);
	struct ork_cmd_chunk *chunk;
	int ret;

	ret = ork_cmd_take_any(heap, bytes, cmd);
	if (!ret)
		return 0;

	chunk = ork_cmd_chunk_create(ork, heap, bytes);
	if (IS_ERR(chunk))
		return PTR_ERR(chunk);

	spin_lock_irq(&heap->lock);
	list_add(&chunk->node, &heap->chunks);
	ret = ork_cmd_take(chunk, bytes, cmd);
	spin_unlock_irq(&heap->lock);

	return ret;
}

/* Whether a chunk goes with a piece of it. One is kept for the next user. */
static bool ork_cmd_is_last(const struct ork_cmd_chunk *chunk)
{
	return chunk->pieces == 1 &&
	       (chunk->heap->closed || !list_is_singular(&chunk->heap->chunks));
}

static void ork_cmd_give(struct ork_cmd *cmd)
{
	drm_mm_remove_node(&cmd->node);
	cmd->chunk->pieces--;
	cmd->chunk = NULL;
}

/**
 * ork_cmd_drop - give memory back without sleeping
 * @cmd: piece, or none; the caller holds a reference to the VM
 *
 * Return: false if that cannot be: ork_cmd_free() must do it.
 */
bool ork_cmd_drop(struct ork_cmd *cmd)
{
	struct ork_cmd_heap *heap;
	unsigned long flags;
	bool last;

	if (!cmd->chunk)
		return true;

	heap = cmd->chunk->heap;
	spin_lock_irqsave(&heap->lock, flags);
	last = ork_cmd_is_last(cmd->chunk);
	if (!last)
		ork_cmd_give(cmd);
	spin_unlock_irqrestore(&heap->lock, flags);

	return !last;
}

/**
 * ork_cmd_free - give memory back
 * @cmd: piece, or none; the caller holds a reference to the VM
 */
void ork_cmd_free(struct ork_cmd *cmd)
{
	struct ork_cmd_chunk *chunk = cmd->chunk;
	struct ork_cmd_heap *heap;
	bool last;

	if (!chunk)
		return;

	heap = chunk->heap;
	spin_lock_irq(&heap->lock);
	last = ork_cmd_is_last(chunk);
	if (last)
		list_del(&chunk->node);
	ork_cmd_give(cmd);
	spin_unlock_irq(&heap->lock);

	if (last)
		ork_cmd_chunk_destroy(chunk);
}

/**
 * ork_cmd_heap_close - the VM gets no more programs
 * @heap: heap; the caller holds a reference to the VM
 */
void ork_cmd_heap_close(struct ork_cmd_heap *heap)
{
	struct ork_cmd_chunk *chunk, *next;
	LIST_HEAD(empty);

	spin_lock_irq(&heap->lock);
	heap->closed = true;
	list_for_each_entry_safe(chunk, next, &heap->chunks, node)
		if (!chunk->pieces)
			list_move(&chunk->node, &empty);
	spin_unlock_irq(&heap->lock);

	list_for_each_entry_safe(chunk, next, &empty, node)
		ork_cmd_chunk_destroy(chunk);
}
