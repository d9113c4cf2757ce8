/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <ork_quant.h>
#include <string.h>

#include "source.h"

static const struct {
	uint32_t block, bytes;
} layouts[SOURCE_TYPES] = {
	[SOURCE_I8] = { 1, 1 },     [SOURCE_F32] = { 1, 4 },    [SOURCE_F16] = { 1, 2 },    [SOURCE_BF16] = { 1, 2 },
	[SOURCE_Q8_0] = { 32, 34 }, [SOURCE_Q4_0] = { 32, 18 }, [SOURCE_Q4_K] = { 256, 144 }, [SOURCE_Q6_K] = { 256, 210 },
};

uint32_t source_block(enum source_type type)
{
	return layouts[type].block;
}

uint32_t source_block_bytes(enum source_type type)
{
	return layouts[type].bytes;
}

static float half_at(const uint8_t *bytes)
{
	const uint16_t half = (uint16_t)(bytes[0] | bytes[1] << 8);
	float value;

	ork_f32_of_f16(&value, &half, 1);
	return value;
}

/* A scale, and 32 signed bytes. */
static void decode_q8_0(const uint8_t *block, float *to)
{
	const float scale = half_at(block);
	int i;

	for (i = 0; i < 32; i++)
		to[i] = scale * (int8_t)block[2 + i];
}

/* A scale, and 32 numbers of -8 to 7: the low halves of 16 bytes, then the high ones. */
static void decode_q4_0(const uint8_t *block, float *to)
{
	const float scale = half_at(block);
	int i;

	for (i = 0; i < 16; i++) {
		to[i] = scale * ((block[2 + i] & 15) - 8);
		to[16 + i] = scale * ((block[2 + i] >> 4) - 8);
	}
}

/*
 * 6-bit scale and minimum number i of 8, out of 12 bytes: the first four of each have the low bits of bytes 0 to 7, the
 * others have four bits in bytes 8 to 11 and two in the top of the first ones.
 */
static void scale_and_minimum(const uint8_t *packed, int i, int *scale, int *minimum)
{
	if (i < 4) {
		*scale = packed[i] & 63;
		*minimum = packed[i + 4] & 63;
	} else {
		*scale = (packed[i + 4] & 15) | packed[i - 4] >> 6 << 4;
		*minimum = packed[i + 4] >> 4 | packed[i] >> 6 << 4;
	}
}

/* Scales of the scales and of the minima, 12 bytes of these, and 8 groups of 32 numbers, two to 32 bytes. */
static void decode_q4_k(const uint8_t *block, float *to)
{
	const float scale = half_at(block), minimum = half_at(block + 2);
	int group, i, s, m;

	for (group = 0; group < 8; group++) {
		const uint8_t *numbers = block + 16 + group / 2 * 32;

		scale_and_minimum(block + 4, group, &s, &m);
		for (i = 0; i < 32; i++)
			to[32 * group + i] =
				scale * (float)s * (float)(numbers[i] >> group % 2 * 4 & 15) - minimum * (float)m;
	}
}

/* Two halves of 128: 64 bytes of low bits, 32 of high ones, 8 scales. 32 numbers after another use the same bits. */
static void decode_q6_k(const uint8_t *block, float *to)
{
	const float scale = half_at(block + 208);
	int half, part, i;

	for (half = 0; half < 2; half++) {
		const uint8_t *low = block + 64 * half, *high = block + 128 + 32 * half;
		const int8_t *scales = (const int8_t *)block + 192 + 8 * half;

		for (part = 0; part < 4; part++) {
			for (i = 0; i < 32; i++) {
				const int bits = (low[part % 2 * 32 + i] >> part / 2 * 4 & 15) |
						 (high[i] >> 2 * part & 3) << 4;

				to[128 * half + 32 * part + i] = scale * scales[2 * part + i / 16] * (float)(bits - 32);
			}
		}
	}
}

static void decode_blocks(enum source_type type, const uint8_t *bytes, float *to, size_t count)
{
	const uint32_t block = layouts[type].block;

	for (; count; count -= block, bytes += layouts[type].bytes, to += block) {
		switch (type) {
		case SOURCE_Q8_0:
			decode_q8_0(bytes, to);
			break;
		case SOURCE_Q4_0:
			decode_q4_0(bytes, to);
			break;
		case SOURCE_Q4_K:
			decode_q4_k(bytes, to);
			break;
		default:
			decode_q6_k(bytes, to);
		}
	}
}

void source_decode(enum source_type type, const uint8_t *bytes, float *to, size_t count)
{
	uint32_t bits;
	size_t i;

	switch (type) {
	case SOURCE_F32:
		memcpy(to, bytes, 4 * count);
		return;
	case SOURCE_F16:
		ork_f32_of_f16(to, (const uint16_t *)(const void *)bytes, count);
		return;
	case SOURCE_BF16:
		for (i = 0; i < count; i++) {
			bits = (uint32_t)bytes[2 * i] << 16 | (uint32_t)bytes[2 * i + 1] << 24;
			memcpy(&to[i], &bits, sizeof(bits));
		}
		return;
	case SOURCE_I8:
		for (i = 0; i < count; i++)
			to[i] = (int8_t)bytes[i];
		return;
	default:
		decode_blocks(type, bytes, to, count);
	}
}
