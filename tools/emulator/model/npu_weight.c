/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

#include <string.h>

/*
 * Weights are one contiguous stream without any stride (NPU reference 3.6, 4.2): kernel groups one after another, each over all
 * channels and positions. A last group with fewer kernels, and a last channel group with fewer channels, are packed tightly.
 *
 * The positions of a kernel go line by line. NPU reference 4.2 names Mesa's loop over x as the outer one, but that x is the outer
 * axis of Mesa's images in memory as well; and kernels that are not square gave right results on silicon in this order.
 */

struct span {
	uint64_t position; /* in the stream */
	uint32_t kernels;
	uint32_t bytes;
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static struct span group_span(const struct npu_conv *conv, uint32_t group)
{
	uint32_t first = smaller(group * conv->group, conv->depthwise ? conv->channels : conv->kernel_rows);
	uint32_t positions = npu_conv_positions(conv), left;

	if (conv->depthwise) {
		left = smaller(conv->group, conv->channels - first);
		return (struct span){ npu_type_bytes(conv->type, (size_t)first * positions), 1,
				      (uint32_t)npu_type_bytes(conv->type, left * positions) };
	}
	left = smaller(conv->group, conv->kernel_rows - first);
	return (struct span){ (uint64_t)first * npu_conv_kernel_bytes(conv), left, left * npu_conv_kernel_bytes(conv) };
}

/* Brings a group to full tiles. */
static void expand(const struct npu_conv *conv, const uint8_t *raw, uint32_t kernels, uint8_t *tiles)
{
	uint32_t full = (uint32_t)npu_type_bytes(conv->type, conv->type->channel_group);
	uint32_t bytes = (uint32_t)npu_type_bytes(conv->type, conv->channels);

	for (uint32_t at = 0; at < bytes; at += full) {
		uint32_t part = smaller(full, bytes - at);

		for (uint32_t position = 0; position < npu_conv_positions(conv); position++)
			for (uint32_t kernel = 0; kernel < conv->group; kernel++) {
				uint32_t present = kernel < kernels ? part : 0;

				memcpy(tiles, raw, present);
				memset(tiles + present, 0, full - present);
				raw += present;
				tiles += full;
			}
	}
}

/* Only what stays in the ring has to go there. */
static void keep(const struct npu_conv *conv, struct npu_cbuf *cbuf, const struct span *span, const uint8_t *raw)
{
	uint64_t kept = conv->weight_bytes > conv->weight_capacity ? conv->weight_bytes - conv->weight_capacity : 0;
	uint32_t skipped = span->position < kept ? (uint32_t)(kept - span->position) : 0;

	if (skipped < span->bytes)
		npu_cbuf_put_weights(cbuf, conv->weight_capacity, span->position + skipped, raw + skipped,
				     span->bytes - skipped);
}

bool npu_weight_load(const struct npu_conv *conv, struct npu_port *port, struct npu_cbuf *cbuf, uint32_t group,
		     uint8_t *raw, uint8_t *tiles)
{
	struct span span = group_span(conv, group);
	bool full = !conv->depthwise && span.kernels == conv->group && conv->channels % conv->type->channel_group == 0;
	uint8_t *to = full || conv->depthwise ? tiles : raw;

	if (conv->weight_reuse) {
		npu_cbuf_get_weights(cbuf, conv->weight_capacity, span.position, to, span.bytes);
	} else {
		if (!npu_port_read(port, NPU_CLIENT_WEIGHT, conv->weight_address + (int64_t)span.position, to,
				   span.bytes))
			return false;
		keep(conv, cbuf, &span, to);
	}
	if (to == raw)
		expand(conv, raw, span.kernels, tiles);
	return true;
}
