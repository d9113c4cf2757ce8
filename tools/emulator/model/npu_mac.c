/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_mac.h"

#include <stdlib.h>

/* Chooses the fast way for a type, and turns operands into what it computes with. */

struct npu_mac {
	const struct npu_type *type;
	size_t length;
	size_t pixels;
	const uint8_t *features;   /* as given, for types that need no conversion */
	int8_t *wide_features;     /* int4 as int8 */
	int8_t *wide_weights;
	int64_t *wide_sums;        /* int16 */
	struct npu_reals features_real;
	struct npu_reals weights_real;
};

void npu_mac_delete(struct npu_mac *mac)
{
	if (!mac)
		return;
	free(mac->wide_features);
	free(mac->wide_weights);
	free(mac->wide_sums);
	free(mac->features_real.value);
	free(mac->features_real.bounds);
	free(mac->weights_real.value);
	free(mac->weights_real.bounds);
	free(mac);
}

static bool allocate_reals(struct npu_reals *reals, size_t count, size_t groups)
{
	reals->value = malloc(count * sizeof(*reals->value));
	reals->bounds = malloc(groups * sizeof(*reals->bounds));
	return reals->value && reals->bounds;
}

static bool allocate(struct npu_mac *mac, size_t max_pixels)
{
	const struct npu_type *type = mac->type;
	size_t groups = mac->length / type->channel_group, kernels = type->kernel_group;

	if (type->real)
		return allocate_reals(&mac->features_real, max_pixels * mac->length, max_pixels * groups) &&
		       allocate_reals(&mac->weights_real, kernels * mac->length, groups);
	if (type->input == NPU_INT16) {
		mac->wide_sums = malloc(max_pixels * kernels * sizeof(*mac->wide_sums));
		return mac->wide_sums;
	}
	if (type->input != NPU_INT4)
		return true;
	mac->wide_features = malloc(max_pixels * mac->length);
	mac->wide_weights = malloc(kernels * mac->length);
	return mac->wide_features && mac->wide_weights;
}

struct npu_mac *npu_mac_new(const struct npu_type *type, size_t max_pixels, size_t length)
{
	struct npu_mac *mac = calloc(1, sizeof(*mac));

	if (!mac)
		return NULL;
	mac->type = type;
	mac->length = length;
	if (allocate(mac, max_pixels))
		return mac;
	npu_mac_delete(mac);
	return NULL;
}

static void widen(const struct npu_type *type, const uint8_t *packed, size_t count, int8_t *wide)
{
	for (size_t i = 0; i < count; i++)
		wide[i] = (int8_t)npu_integer_at(type, packed, i);
}

void npu_mac_features(struct npu_mac *mac, const uint8_t *features, size_t pixels)
{
	mac->pixels = pixels;
	mac->features = features;
	if (mac->type->real)
		npu_reals_features(mac->type, features, pixels * mac->length, &mac->features_real);
	else if (mac->type->input == NPU_INT4)
		widen(mac->type, features, pixels * mac->length, mac->wide_features);
}

static void clip_sums(struct npu_clip clip, int32_t *sums, size_t count)
{
	enum npu_rounding rounding = clip.half_up ? NPU_HALF_UP : NPU_HALF_TO_EVEN;

	for (size_t i = 0; clip.shift > 0 && i < count; i++)
		sums[i] = (int32_t)npu_shift_right(sums[i], clip.shift, rounding);
}

static void group_int16(struct npu_mac *mac, const uint8_t *weights, struct npu_clip clip, int32_t *sums)
{
	enum npu_rounding rounding = clip.half_up ? NPU_HALF_UP : NPU_HALF_TO_EVEN;

	npu_mac_int16((const int16_t *)(const void *)mac->features, mac->pixels, mac->length,
		      (const int16_t *)(const void *)weights, mac->wide_sums);
	for (size_t i = 0; i < mac->pixels * mac->type->kernel_group; i++)
		sums[i] = npu_saturate(npu_shift_right(mac->wide_sums[i], clip.shift, rounding), 32);
}

void npu_mac_group(struct npu_mac *mac, const uint8_t *weights, struct npu_clip clip, int32_t *sums)
{
	size_t kernels = mac->type->kernel_group;

	switch (mac->type->input) {
	case NPU_INT8:
		npu_mac_int8((const int8_t *)mac->features, mac->pixels, mac->length, (const int8_t *)weights, kernels,
			     sums);
		break;
	case NPU_INT4:
		widen(mac->type, weights, kernels * mac->length, mac->wide_weights);
		npu_mac_int8(mac->wide_features, mac->pixels, mac->length, mac->wide_weights, kernels, sums);
		break;
	case NPU_INT16:
		group_int16(mac, weights, clip, sums);
		return;
	default:
		npu_reals_weights(mac->type, weights, mac->length, &mac->weights_real);
		npu_mac_real(&mac->features_real, mac->pixels, mac->length, mac->type->channel_group,
			     &mac->weights_real, (uint32_t *)sums);
		return;
	}
	clip_sums(clip, sums, mac->pixels * kernels);
}
