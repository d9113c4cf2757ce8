/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

/*
 * Depthwise convolution: each channel has a kernel of its own. Weights of a group of channels lie as [kernel y][kernel x][channel]
 * (NPU reference 4.2). How real products are added up is not published: here one after another, y outside of x.
 */

static int32_t add_product(const struct npu_conv *conv, const uint8_t *pixel, uint32_t channel, const uint8_t *weights,
			   size_t weight, int32_t sum)
{
	struct npu_exact product = { { 0 } };

	if (!conv->type->real)
		return sum + npu_integer_at(conv->type, pixel, channel) * npu_integer_at(conv->type, weights, weight);
	npu_exact_add_product(&product, npu_real_at(conv->type, pixel, channel),
			      npu_real_at(conv->type, weights, weight));
	return (int32_t)npu_fp32_add((uint32_t)sum, npu_exact_round(&product));
}

static void clip_sums(const struct npu_conv *conv, int32_t *sums, uint32_t count)
{
	enum npu_rounding rounding = conv->clip.half_up ? NPU_HALF_UP : NPU_HALF_TO_EVEN;

	for (uint32_t i = 0; !conv->type->real && i < count; i++)
		sums[i] = (int32_t)npu_shift_right(sums[i], conv->clip.shift, rounding);
}

void npu_depthwise_group(const struct npu_conv *conv, const struct npu_cbuf *cbuf, uint32_t group,
			 const uint8_t *weights, uint32_t first, uint32_t pixels, int32_t *sums)
{
	uint8_t padding[NPU_CBUF_BANK_BYTES * 2], scratch[NPU_CBUF_BANK_BYTES * 2];
	uint32_t channel = group * conv->group;
	uint32_t present = channel < conv->channels ? conv->channels - channel : 0;
	int64_t x, y;

	if (present > conv->group)
		present = conv->group;
	npu_patch_padding(conv, padding);
	for (uint32_t i = 0; i < pixels; i++) {
		int32_t *sum = sums + (size_t)i * conv->group;
		const uint8_t *pixel;

		for (uint32_t c = 0; c < conv->group; c++)
			sum[c] = 0;
		for (uint32_t position = 0; position < npu_conv_positions(conv); position++) {
			npu_patch_position(conv, first + i, position % conv->kernel_width,
					   position / conv->kernel_width, &x, &y);
			pixel = npu_patch_pixel(conv, cbuf, x, y, padding, scratch);
			for (uint32_t c = 0; c < present; c++)
				sum[c] = add_product(conv, pixel, channel + c, weights, position * present + c, sum[c]);
		}
		clip_sums(conv, sum, present);
	}
}
