/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_LITTLE_H
#define ORK_LITTLE_H

#include <stdint.h>

/* Little-endian numbers at any address. */

static inline uint32_t get_le32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t get_le64(const uint8_t *at)
{
	return get_le32(at) | (uint64_t)get_le32(at + 4) << 32;
}

static inline void put_le32(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
	at[2] = (uint8_t)(value >> 16);
	at[3] = (uint8_t)(value >> 24);
}

static inline void put_le64(uint8_t *at, uint64_t value)
{
	put_le32(at, (uint32_t)value);
	put_le32(at + 4, (uint32_t)(value >> 32));
}

#endif
