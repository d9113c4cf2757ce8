/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

#include <string.h>

/*
 * Packed images (ARGB_IN) and the input converter. A pixel is 1 to 4 channels side by side, lines are LINE_STRIDE pixels apart. In
 * CBUF each pixel takes an atom whose other channels are 0, as in NVDLA; what silicon's rows look like there is not known, and the
 * planner refuses images for which it would matter.
 */

/* PIXELS_MAX is what DATAIN_WIDTH can say. */
#define PIXELS_MAX 2047
#define PIXEL_BYTES_MAX 8

static int8_t converted(const struct npu_image *image, uint32_t channel, int32_t value)
{
	const struct npu_input_cvt *cvt = &image->cvt[channel];
	int64_t result;

	if (image->add_first)
		result = npu_shift_right((int64_t)(value + cvt->offset) * cvt->scale, cvt->shift, image->rounding);
	else
		result = npu_shift_right((int64_t)value * cvt->scale, cvt->shift, image->rounding) + cvt->offset;
	return (int8_t)npu_saturate(result, 8);
}

static void convert_atom(const struct npu_image *image, uint8_t *atom)
{
	for (uint32_t c = 0; c < image->channels; c++)
		atom[c] = (uint8_t)converted(image, c, image->is_signed ? (int8_t)atom[c] : atom[c]);
}

bool npu_image_load(const struct npu_conv *conv, struct npu_port *port, struct npu_cbuf *cbuf)
{
	uint8_t line[PIXELS_MAX * PIXEL_BYTES_MAX];
	uint32_t pixel_bytes = (uint32_t)npu_type_bytes(conv->type, conv->image.channels);

	for (uint32_t y = 0; y < conv->height; y++) {
		uint8_t *to = cbuf->data + (size_t)y * conv->line_bytes;

		if (!npu_port_read(port, NPU_CLIENT_FEATURE,
				   conv->feature_address + y * conv->feature_line * pixel_bytes, line,
				   conv->image.width * pixel_bytes))
			return false;
		for (uint32_t x = 0; x < conv->image.width; x++, to += NPU_ATOM) {
			memset(to, 0, NPU_ATOM);
			memcpy(to, line + x * pixel_bytes, pixel_bytes);
			if (conv->image.convert)
				convert_atom(&conv->image, to);
		}
	}
	return true;
}
