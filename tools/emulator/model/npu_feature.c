/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

/*
 * The feature address generator, NPU reference 3.4: atom (g, y, x) holds 16 bytes of channels of
 * pixel (y, x), and lies at base + 16 * (y * line + x + g * surface). The order of accesses follows
 * the memory image, so that bursts get long. In CBUF a line begins at a multiple of DATA_ENTRIES and its pixels follow
 * each other with all channels.
 */

struct generator {
	const struct npu_conv *conv;
	struct npu_burst *burst;
	uint32_t pixel_bytes;
	uint8_t *data;
};

static bool read_atoms(const struct generator *gen, uint32_t surface, uint32_t y)
{
	const struct npu_conv *conv = gen->conv;
	int64_t atom = y * conv->feature_line + surface * conv->feature_surface;
	uint8_t *to = gen->data + (size_t)y * conv->line_bytes + surface * NPU_ATOM;

	for (uint32_t x = 0; x < conv->width; x++, to += gen->pixel_bytes)
		if (!npu_burst_atom(gen->burst, conv->feature_address + NPU_ATOM * (atom + x), to))
			return false;
	return true;
}

static bool read_surfaces(const struct generator *gen, uint32_t y, uint32_t end)
{
	for (uint32_t surface = 0; surface < gen->pixel_bytes / NPU_ATOM; surface++)
		for (uint32_t line = y; line < end; line++)
			if (!read_atoms(gen, surface, line))
				return false;
	return true;
}

static bool read_lines(const struct generator *gen, uint32_t end)
{
	for (uint32_t y = 0; y < end; y++)
		if (!read_surfaces(gen, y, y + 1))
			return false;
	return true;
}

bool npu_feature_load(const struct npu_conv *conv, struct npu_burst *burst, struct npu_cbuf *cbuf)
{
	struct generator gen = {
		.conv = conv,
		.burst = burst,
		.pixel_bytes = npu_conv_pixel_bytes(conv),
		.data = cbuf->data,
	};
	uint32_t rows = conv->rows_held < conv->height ? conv->rows_held : conv->height;
	bool done;

	if (conv->wrong_entries || conv->data_reuse)
		return true;
	if (conv->image.channels > 0)
		return npu_image_load(conv, burst->port, cbuf);
	done = conv->line_major ? read_lines(&gen, rows) : read_surfaces(&gen, 0, rows);
	return done && npu_burst_flush(burst);
}
