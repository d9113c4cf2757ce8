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
};

void ork_cmd_heap_init(struct ork_cmd_heap *heap, struct ork_vm *vm)
{
	heap->vm = vm;
	mutex_init(&heap->lock);
	INIT_LIST_HEAD(&heap->chunks);
}

void ork_cmd_heap_fini(struct ork_cmd_heap *heap)
{
	mutex_destroy(&heap->lock);
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
	list_add(&chunk->node, &heap->chunks);
	return chunk;

err_unmap:
	ork_mapping_put(chunk->mapping);
err_free:
	kfree(chunk);
	return ERR_PTR(ret);
}

/* May free the heap with its VM: the caller holds a reference to it. */
static void ork_cmd_chunk_destroy(struct ork_cmd_chunk *chunk)
{
	list_del(&chunk->node);
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

	cmd->chunk = chunk;
	cmd->words = chunk->map.vaddr + cmd->node.start;
	cmd->va = chunk->mapping->node.start + cmd->node.start;
	return 0;
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
	int ret = -ENOSPC;

	mutex_lock(&heap->lock);
	list_for_each_entry(chunk, &heap->chunks, node) {
		ret = ork_cmd_take(chunk, bytes, cmd);
		if (!ret)
			break;
	}

	if (ret) {
		chunk = ork_cmd_chunk_create(ork, heap, bytes);
		ret = IS_ERR(chunk) ? PTR_ERR(chunk) : ork_cmd_take(chunk, bytes, cmd);
	}
	mutex_unlock(&heap->lock);

	return ret;
}

/**
 * ork_cmd_free - give memory back
 * @cmd: piece, or none
 */
void ork_cmd_free(struct ork_cmd *cmd)
{
	struct ork_cmd_heap *heap;
	struct ork_vm *vm;

	if (!cmd->chunk)
		return;

	heap = cmd->chunk->heap;
	vm = heap->vm;
	ork_vm_get(vm);

	mutex_lock(&heap->lock);
	drm_mm_remove_node(&cmd->node);
	/* One chunk is kept for the next user. */
	if (drm_mm_clean(&cmd->chunk->mm) &&
	    (heap->closed || !list_is_singular(&heap->chunks)))
		ork_cmd_chunk_destroy(cmd->chunk);
	cmd->chunk = NULL;
	mutex_unlock(&heap->lock);

	ork_vm_put(vm);
}

/**
 * ork_cmd_heap_close - the VM gets no more programs
 * @heap: heap; the caller holds a reference to the VM
 */
void ork_cmd_heap_close(struct ork_cmd_heap *heap)
{
	struct ork_cmd_chunk *chunk, *next;

	mutex_lock(&heap->lock);
	heap->closed = true;
	list_for_each_entry_safe(chunk, next, &heap->chunks, node)
		if (drm_mm_clean(&chunk->mm))
			ork_cmd_chunk_destroy(chunk);
	mutex_unlock(&heap->lock);
}
