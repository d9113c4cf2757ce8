/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_PENDING_H
#define NPU_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes that have left the output writer and not reached memory yet, for chaos mode (NPU reference 6.7). Only a task that
 * nobody reads from in the same chain may leave some behind.
 */
#define NPU_PENDING_WRITES 256
#define NPU_PENDING_BYTES  256

struct npu_pending {
	uint64_t random;  /* state, never 0 */
	bool shuffled;    /* land in random order; else first in, first out */
	uint32_t limit;   /* writes that may wait */
	uint32_t count;
	struct npu_pending_write {
		int64_t address;
		uint32_t bytes;
		uint8_t data[NPU_PENDING_BYTES];
	} write[NPU_PENDING_WRITES];
};

/* Steps a random state that is not 0. */
uint64_t npu_random(uint64_t *state);

/* Starts a list with a random limit. */
void npu_pending_init(struct npu_pending *pending, uint64_t seed, bool shuffled);

/* Takes the write that lands next out of the list, which is not empty. */
void npu_pending_take(struct npu_pending *pending, struct npu_pending_write *write);

/* Appends one of at most NPU_PENDING_BYTES to a list that is not full. */
void npu_pending_add(struct npu_pending *pending, int64_t address, const void *data, size_t bytes);

#endif
