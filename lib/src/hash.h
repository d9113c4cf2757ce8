/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_HASH_H
#define ORK_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH64 with seed 0: not cryptographic, but as fast as memory without special instructions. */
struct ork_hash {
	uint64_t lane[4];
	uint64_t bytes;
};

#define ORK_HASH_STRIPE 32

void ork_hash_init(struct ork_hash *hash);

/* bytes is a multiple of ORK_HASH_STRIPE. */
void ork_hash_update(struct ork_hash *hash, const uint8_t *data, size_t bytes);

/* The rest of the data, of any length, and the result. */
uint64_t ork_hash_final(struct ork_hash *hash, const uint8_t *data, size_t bytes);

uint64_t ork_hash_of(const void *data, size_t bytes);

/* Of a part of a file. Returns 0, or a negative errno value; -EIO: the file ends before. */
int ork_hash_file(int fd, uint64_t offset, uint64_t bytes, uint64_t *result);

#endif
