/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_mac.h"

/* The definition of the MAC array for every type. The fast ways are tested against it, bit for bit. */

int64_t npu_shift_right(int64_t value, unsigned int shift, enum npu_rounding rounding)
{
	int64_t floor, rest, half;

	if (shift == 0)
		return value;
	/* Values here stay below 2^62: less than half of the unit is left. */
	if (shift > 62)
		return 0;
	floor = value >> shift;
	rest = value - (int64_t)((uint64_t)floor << shift);
	half = INT64_C(1) << (shift - 1);
	if (rest != half)
		return floor + (rest > half);
	switch (rounding) {
	case NPU_HALF_TO_EVEN: return floor + (floor & 1);
	case NPU_HALF_AWAY: return floor + (value > 0);
	case NPU_HALF_UP: break;
	}
	return floor + 1;
}

int32_t npu_saturate(int64_t value, unsigned int bits)
{
	int64_t max = (INT64_C(1) << (bits - 1)) - 1;

	if (value > max)
		return (int32_t)max;
	return (int32_t)(value < -max - 1 ? -max - 1 : value);
}

/* Number of the weight of product k of a kernel in the tiles of its group. */
static size_t weight_at(const struct npu_type *type, size_t kernel, size_t k)
{
	size_t tile = k / type->channel_group;

	return (tile * type->kernel_group + kernel) * type->channel_group + k % type->channel_group;
}

static int32_t integer_sum(const struct npu_type *type, const uint8_t *features, size_t length, const uint8_t *weights,
			   size_t kernel, struct npu_clip clip)
{
	int64_t sum = 0;

	for (size_t k = 0; k < length; k++)
		sum += (int64_t)npu_integer_at(type, features, k) *
		       npu_integer_at(type, weights, weight_at(type, kernel, k));
	return npu_saturate(npu_shift_right(sum, clip.shift, clip.half_up ? NPU_HALF_UP : NPU_HALF_TO_EVEN), 32);
}

static uint32_t group_sum(const struct npu_type *type, const uint8_t *features, size_t first, const uint8_t *weights,
			  size_t kernel)
{
	struct npu_exact sum = { { 0 } };

	for (size_t k = first; k < first + type->channel_group; k++)
		npu_exact_add_product(&sum, npu_real_at(type, features, k),
				      npu_real_at(type, weights, weight_at(type, kernel, k)));
	return npu_exact_round(&sum);
}

static uint32_t real_sum(const struct npu_type *type, const uint8_t *features, size_t length, const uint8_t *weights,
			 size_t kernel)
{
	uint32_t sum = 0;

	for (size_t k = 0; k < length; k += type->channel_group)
		sum = npu_fp32_add(sum, group_sum(type, features, k, weights, kernel));
	return sum;
}

void npu_mac_plain(const struct npu_type *type, const uint8_t *features, size_t pixels, size_t length,
		   const uint8_t *weights, struct npu_clip clip, int32_t *sums)
{
	for (size_t pixel = 0; pixel < pixels; pixel++) {
		const uint8_t *row = features + pixel * npu_type_bytes(type, length);

		for (size_t kernel = 0; kernel < type->kernel_group; kernel++)
			*sums++ = type->real ? (int32_t)real_sum(type, row, length, weights, kernel) :
					       integer_sum(type, row, length, weights, kernel, clip);
	}
}
