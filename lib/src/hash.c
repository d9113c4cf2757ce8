/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "hash.h"
#include "little.h"

#define PRIME1 UINT64_C(0x9e3779b185ebca87)
#define PRIME2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME3 UINT64_C(0x165667b19e3779f9)
#define PRIME4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME5 UINT64_C(0x27d4eb2f165667c5)

#define CHUNK_BYTES ((size_t)1 << 20)

static uint64_t rotate(uint64_t value, int bits)
{
	return value << bits | value >> (64 - bits);
}

static uint64_t mix(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * PRIME2, 31) * PRIME1;
}

void ork_hash_init(struct ork_hash *hash)
{
	*hash = (struct ork_hash){ .lane = { PRIME1 + PRIME2, PRIME2, 0, -PRIME1 } };
}

void ork_hash_update(struct ork_hash *hash, const uint8_t *data, size_t bytes)
{
	size_t at;
	int i;

	for (at = 0; at < bytes; at += ORK_HASH_STRIPE)
		for (i = 0; i < 4; i++)
			hash->lane[i] = mix(hash->lane[i], get_le64(data + at + 8 * i));
	hash->bytes += bytes;
}

/* What the lanes have in common, once there was at least one stripe. */
static uint64_t join(const struct ork_hash *hash)
{
	static const int bits[4] = { 1, 7, 12, 18 };
	uint64_t result = 0;
	int i;

	for (i = 0; i < 4; i++)
		result += rotate(hash->lane[i], bits[i]);
	for (i = 0; i < 4; i++)
		result = (result ^ mix(0, hash->lane[i])) * PRIME1 + PRIME4;
	return result;
}

static uint64_t add_tail(uint64_t result, const uint8_t *data, size_t bytes)
{
	for (; bytes >= 8; bytes -= 8, data += 8)
		result = rotate(result ^ mix(0, get_le64(data)), 27) * PRIME1 + PRIME4;
	if (bytes >= 4) {
		result = rotate(result ^ get_le32(data) * PRIME1, 23) * PRIME2 + PRIME3;
		bytes -= 4;
		data += 4;
	}
	for (; bytes; bytes--, data++)
		result = rotate(result ^ *data * PRIME5, 11) * PRIME1;
	return result;
}

uint64_t ork_hash_final(struct ork_hash *hash, const uint8_t *data, size_t bytes)
{
	const size_t stripes = bytes / ORK_HASH_STRIPE * ORK_HASH_STRIPE;
	uint64_t result;

	ork_hash_update(hash, data, stripes);
	result = hash->bytes ? join(hash) : PRIME5;
	result += hash->bytes + bytes - stripes;
	result = add_tail(result, data + stripes, bytes - stripes);
	result = (result ^ result >> 33) * PRIME2;
	result = (result ^ result >> 29) * PRIME3;
	return result ^ result >> 32;
}

uint64_t ork_hash_of(const void *data, size_t bytes)
{
	struct ork_hash hash;

	ork_hash_init(&hash);
	return ork_hash_final(&hash, data, bytes);
}

static int read_all(int fd, uint8_t *to, size_t bytes, uint64_t offset)
{
	ssize_t got;

	for (; bytes; to += got, bytes -= (size_t)got, offset += (uint64_t)got) {
		got = pread(fd, to, bytes, (off_t)offset);
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got <= 0)
			return got ? -errno : -EIO;
	}
	return 0;
}

int ork_hash_file(int fd, uint64_t offset, uint64_t bytes, uint64_t *result)
{
	uint8_t *chunk = malloc(CHUNK_BYTES);
	struct ork_hash hash;
	int err = chunk ? 0 : -ENOMEM;

	ork_hash_init(&hash);
	for (; !err && bytes > CHUNK_BYTES; bytes -= CHUNK_BYTES, offset += CHUNK_BYTES) {
		err = read_all(fd, chunk, CHUNK_BYTES, offset);
		if (!err)
			ork_hash_update(&hash, chunk, CHUNK_BYTES);
	}
	if (!err)
		err = read_all(fd, chunk, bytes, offset);
	if (!err)
		*result = ork_hash_final(&hash, chunk, bytes);
	free(chunk);
	return err;
}
