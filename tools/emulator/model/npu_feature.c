/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

/*
 * The feature address generator, NPU reference 3.4: atom (g, y, x) holds 16 bytes of channels of
 * pixel (y, x), and lies at base + 16 * (y * line + x + g * surface). The order of accesses follows
 * the memory image, so that bursts get long.
 */

struct generator {
	const struct npu_conv *conv;
	struct npu_burst *burst;
	uint32_t first; /* pixels [first, first + count) */
	uint32_t count;
	uint32_t row_bytes; /* of a pixel */
	uint8_t *features;
};

static bool in_cbuf(const struct npu_conv *conv, uint32_t pixel)
{
	return !conv->wrong_entries && pixel / conv->width < conv->rows_held;
}

/*
 * Pixels that the sequencer does not find in CBUF. FC_DATA_BANK breaks 64 to 75 % of a result (NPU
 * reference 3.5.4).
 */
static bool poisoned(const struct npu_conv *conv, uint32_t pixel)
{
	return !in_cbuf(conv, pixel) || (conv->wrong_bank && pixel % 4 != 3);
}

static bool read_atoms(const struct generator *gen, uint32_t surface, uint32_t pixel, uint32_t end)
{
	const struct npu_conv *conv = gen->conv;

	for (; pixel < end && in_cbuf(conv, pixel); pixel++) {
		int64_t atom = pixel / conv->width * conv->feature_line + pixel % conv->width +
			       surface * conv->feature_surface;
		uint8_t *to = gen->features + (size_t)(pixel - gen->first) * gen->row_bytes + surface * NPU_ATOM;

		if (!npu_burst_atom(gen->burst, conv->feature_address + NPU_ATOM * atom, to))
			return false;
	}
	return true;
}

static bool read_surfaces(const struct generator *gen, uint32_t pixel, uint32_t end)
{
	for (uint32_t surface = 0; surface < gen->row_bytes / NPU_ATOM; surface++)
		if (!read_atoms(gen, surface, pixel, end))
			return false;
	return true;
}

static bool read_lines(const struct generator *gen)
{
	uint32_t end = gen->first + gen->count;

	for (uint32_t pixel = gen->first; pixel < end;) {
		uint32_t line_end = (pixel / gen->conv->width + 1) * gen->conv->width;

		if (line_end > end)
			line_end = end;
		if (!read_surfaces(gen, pixel, line_end))
			return false;
		pixel = line_end;
	}
	return true;
}

static void poison_features(const struct generator *gen)
{
	for (uint32_t i = 0; i < gen->count; i++) {
		uint8_t *row = gen->features + (size_t)i * gen->row_bytes;

		if (!poisoned(gen->conv, gen->first + i))
			continue;
		for (uint32_t k = 0; k < gen->row_bytes; k++)
			row[k] = npu_poison(gen->first + i, k);
	}
}

bool npu_feature_read(const struct npu_conv *conv, struct npu_burst *burst, uint32_t first, uint32_t count,
		      uint8_t *features)
{
	struct generator gen = {
		.conv = conv,
		.burst = burst,
		.first = first,
		.count = count,
		.row_bytes = conv->channels * conv->type->input_bytes,
		.features = features,
	};
	bool done = conv->line_major ? read_lines(&gen) : read_surfaces(&gen, first, first + count);

	if (!done || !npu_burst_flush(burst))
		return false;
	poison_features(&gen);
	return true;
}
