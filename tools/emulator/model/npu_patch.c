/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

#include <string.h>

/*
 * Which byte of PAD_VALUE a byte of a pixel gets. In a depthwise int8 convolution the odd ones among the first 32 channels of a group
 * get the second byte; somebody has probed the first group on silicon, others are taken to be alike.
 */
static uint32_t pad_byte(const struct npu_conv *conv, uint32_t i)
{
	if (conv->type->bits > 8)
		return i % (conv->type->bits / 8u);
	return conv->depthwise && i % conv->group < 32 ? i % 2 : 0;
}

void npu_patch_padding(const struct npu_conv *conv, uint8_t *padding)
{
	for (uint32_t i = 0; i < npu_conv_pixel_bytes(conv); i++)
		padding[i] = conv->pad_value[pad_byte(conv, i)];
}

void npu_patch_position(const struct npu_conv *conv, uint32_t pixel, uint32_t kernel_x, uint32_t kernel_y, int64_t *x,
			int64_t *y)
{
	*x = (int64_t)(pixel % conv->out_width) * conv->stride[0] + (int64_t)kernel_x * conv->step[0] - conv->pad[0];
	*y = (int64_t)(pixel / conv->out_width) * conv->stride[1] + (int64_t)kernel_y * conv->step[1] - conv->pad[1];
}

/*
 * Pixels that the sequencer does not find in CBUF. FC_DATA_BANK breaks 64 to 75 % of a result (NPU
 * reference 3.5.4).
 */
static bool poisoned(const struct npu_conv *conv, int64_t x, int64_t y)
{
	return conv->wrong_entries || y >= conv->rows_held || (conv->wrong_bank && (y * conv->width + x) % 4 != 3);
}

const uint8_t *npu_patch_pixel(const struct npu_conv *conv, const struct npu_cbuf *cbuf, int64_t x, int64_t y,
			       const uint8_t *padding, uint8_t *scratch)
{
	uint32_t bytes = npu_conv_pixel_bytes(conv);

	if (x < 0 || y < 0 || x >= conv->width || y >= conv->height)
		return padding;
	if (!poisoned(conv, x, y))
		return cbuf->data + (size_t)y * conv->line_bytes + (size_t)x * bytes;
	for (uint32_t i = 0; i < bytes; i++)
		scratch[i] = npu_poison((uint32_t)(y * conv->width + x), i);
	return scratch;
}

/* Spreads the channels of one position over the channel groups of a patch. */
static void scatter(const struct npu_conv *conv, const uint8_t *channels, uint32_t position, uint8_t *patch)
{
	uint32_t group_bytes = (uint32_t)npu_type_bytes(conv->type, conv->type->channel_group);
	uint32_t bytes = npu_conv_pixel_bytes(conv), positions = npu_conv_positions(conv);

	for (uint32_t at = 0; at < bytes; at += group_bytes) {
		uint32_t part = bytes - at < group_bytes ? bytes - at : group_bytes;
		uint8_t *to = patch + (size_t)at * positions + (size_t)position * group_bytes;

		memcpy(to, channels + at, part);
		memset(to + part, 0, group_bytes - part);
	}
}

void npu_patch_gather(const struct npu_conv *conv, const struct npu_cbuf *cbuf, uint32_t first, uint32_t count,
		      uint8_t *patches)
{
	uint8_t padding[NPU_CBUF_BANK_BYTES * 2], scratch[NPU_CBUF_BANK_BYTES * 2];
	size_t patch_bytes = npu_type_bytes(conv->type, npu_conv_length(conv));
	int64_t x, y;

	npu_patch_padding(conv, padding);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t ky = 0; ky < conv->kernel_height; ky++)
			for (uint32_t kx = 0; kx < conv->kernel_width; kx++) {
				npu_patch_position(conv, first + i, kx, ky, &x, &y);
				scatter(conv, npu_patch_pixel(conv, cbuf, x, y, padding, scratch),
					ky * conv->kernel_width + kx, patches + i * patch_bytes);
			}
}
