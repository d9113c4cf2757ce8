/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_dpu.h"

/*
 * The output writer, NPU reference 3.7: a surface is 16 bytes of channels of every pixel. Within a
 * kernel group surfaces are DST_SURF_STRIDE apart, groups are SURFACE_ADD apart; after a line NOTCH
 * atoms are skipped. A group delivers as many surfaces as size_e says, even if it has more.
 */

struct writer {
	const struct npu_dpu *dpu;
	struct npu_burst *burst;
	const struct npu_sums *sums;
	uint32_t surface_channels;
};

static bool write_atom(const struct writer *writer, uint32_t group, uint32_t surface, uint32_t pixel)
{
	const struct npu_dpu *dpu = writer->dpu;
	const struct npu_sums *sums = writer->sums;
	uint32_t at = sums->first_pixel + pixel;
	int64_t line = (int64_t)dpu->width + dpu->notch[surface % 2];
	int64_t atom = at / dpu->width * line + at % dpu->width + surface * dpu->surface +
		       (sums->first_group + group) * dpu->next_group;
	size_t from = ((size_t)group * sums->pixels + pixel) * dpu->group + surface * writer->surface_channels;

	return npu_burst_atom(writer->burst, dpu->address + NPU_ATOM * atom,
			      sums->output + from * npu_dpu_output_bytes(dpu));
}

/* Surfaces of a group that hold channels of the cube and that the writer delivers. */
static uint32_t written_surfaces(const struct writer *writer, uint32_t group)
{
	const struct npu_dpu *dpu = writer->dpu;
	uint32_t first = (writer->sums->first_group + group) * dpu->group;
	uint32_t present = (dpu->channels - first + writer->surface_channels - 1) / writer->surface_channels;

	return present < dpu->group_surfaces ? present : dpu->group_surfaces;
}

static bool write_pixel_major(const struct writer *writer)
{
	for (uint32_t pixel = 0; pixel < writer->sums->pixels; pixel++)
		for (uint32_t group = 0; group < writer->sums->groups; group++)
			for (uint32_t surface = 0; surface < written_surfaces(writer, group); surface++)
				if (!write_atom(writer, group, surface, pixel))
					return false;
	return true;
}

static bool write_surface_major(const struct writer *writer)
{
	for (uint32_t group = 0; group < writer->sums->groups; group++)
		for (uint32_t surface = 0; surface < written_surfaces(writer, group); surface++)
			for (uint32_t pixel = 0; pixel < writer->sums->pixels; pixel++)
				if (!write_atom(writer, group, surface, pixel))
					return false;
	return true;
}

bool npu_output_write(const struct npu_dpu *dpu, struct npu_burst *burst, const struct npu_sums *sums)
{
	struct writer writer = {
		.dpu = dpu,
		.burst = burst,
		.sums = sums,
		.surface_channels = NPU_ATOM / npu_dpu_output_bytes(dpu),
	};
	/* Neighbouring surfaces of one pixel touch in memory: go along them, in the order of a row-major matrix. */
	bool done = dpu->surface == 1 ? write_pixel_major(&writer) : write_surface_major(&writer);

	return done && npu_burst_flush(burst);
}
