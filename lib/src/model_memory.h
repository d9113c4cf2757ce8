/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MODEL_MEMORY_H
#define ORK_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The address space of the in-process NPU: which NPU addresses are backed by which memory. Like the driver it places
 * mappings first fit, keeps page 0 unmapped and a guard page behind every mapping.
 */
struct model_region {
	uint64_t va;
	uint64_t bytes;
	uint8_t *memory;
	bool writable;  /* by the NPU: buffers are, programs are not */
	uint32_t owner; /* for the caller: the handle of the buffer */
};

struct model_memory {
	struct model_region *regions; /* by ascending va */
	size_t count;
	size_t capacity;
};

/* Maps memory at an address chosen here. bytes is a multiple of 4096. -ENOSPC, -ENOMEM. */
int model_memory_map(struct model_memory *mem, uint8_t *memory, uint64_t bytes, bool writable, uint32_t owner,
		     uint64_t *va);

/* Removes the mapping that starts at va and returns its owner, or 0 if there is none. */
uint32_t model_memory_unmap(struct model_memory *mem, uint64_t va);

/* The bytes at [va, va + bytes) if they all lie in one mapping that allows the access, else NULL. */
uint8_t *model_memory_at(const struct model_memory *mem, uint64_t va, size_t bytes, bool write);

/* Sizes as the driver reports them. */
uint64_t model_memory_total(void);
uint64_t model_memory_used(const struct model_memory *mem);
uint64_t model_memory_largest_hole(const struct model_memory *mem);

void model_memory_free(struct model_memory *mem);

#endif
