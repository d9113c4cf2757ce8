/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_pending.h"

#include <string.h>

/* xorshift64 */
uint64_t npu_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

void npu_pending_init(struct npu_pending *pending, uint64_t seed, bool shuffled)
{
	pending->random = seed;
	pending->shuffled = shuffled;
	pending->limit = (uint32_t)(npu_random(&pending->random) % (NPU_PENDING_WRITES + 1));
	pending->count = 0;
}

void npu_pending_take(struct npu_pending *pending, struct npu_pending_write *write)
{
	uint32_t nth = pending->shuffled ? (uint32_t)(npu_random(&pending->random) % pending->count) : 0;

	*write = pending->write[nth];
	pending->count--;
	memmove(&pending->write[nth], &pending->write[nth + 1], (pending->count - nth) * sizeof(*write));
}

void npu_pending_add(struct npu_pending *pending, int64_t address, const void *data, size_t bytes)
{
	struct npu_pending_write *write = &pending->write[pending->count++];

	write->address = address;
	write->bytes = (uint32_t)bytes;
	memcpy(write->data, data, bytes);
}
