/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_dpu.h"

#include <stdlib.h>
#include <string.h>

/*
 * DPU_RDMA reads operands: for each channel (NPU reference 5.5), and for each element. The latter lie in surfaces of 16 bytes of
 * channels, like features. Their addresses fit every program of NPU reference 5.6 and Mesa's addition: MRDMA's surfaces are
 * W * H + SURF_NOTCH atoms apart, ERDMA's EW_SURF_STRIDE + EW_SURF_NOTCH, and if they share the work each reads every other one.
 */

/* Channels of one group of operands A, B and C, and its bytes. */
#define TRIPLE_CHANNELS 8
#define TRIPLE_BYTES    64

static bool read_triples(const struct npu_dpu *dpu, struct npu_port *port, struct npu_channel_operands *operands)
{
	uint8_t group[TRIPLE_BYTES];

	for (uint32_t c = 0; c < dpu->channels; c += TRIPLE_CHANNELS) {
		int64_t address = dpu->rdma.channel_address + (int64_t)c / TRIPLE_CHANNELS * TRIPLE_BYTES;

		if (!npu_port_read(port, NPU_CLIENT_DPU, address, group, sizeof(group)))
			return false;
		memcpy(operands->a + c, group, 32);
		memcpy(operands->b + c, group + 32, 16);
		memcpy(operands->c + c, group + 48, 16);
	}
	return true;
}

void npu_rdma_channels_delete(struct npu_channel_operands *operands)
{
	free(operands->a);
	free(operands->b);
	free(operands->c);
}

bool npu_rdma_channels(const struct npu_dpu *dpu, struct npu_port *port, struct npu_channel_operands *operands)
{
	size_t count = (dpu->channels + TRIPLE_CHANNELS - 1) / TRIPLE_CHANNELS * TRIPLE_CHANNELS;

	*operands = (struct npu_channel_operands){
		.a = calloc(count, sizeof(*operands->a)),
		.b = calloc(count, sizeof(*operands->b)),
		.c = calloc(count, sizeof(*operands->c)),
	};
	if (!operands->a || !operands->b || !operands->c)
		return false;
	/* A failed read shows in the port. */
	if (dpu->rdma.triple)
		read_triples(dpu, port, operands);
	else if (dpu->rdma.bias)
		npu_port_read(port, NPU_CLIENT_DPU, dpu->rdma.channel_address, operands->a,
			      dpu->channels * sizeof(*operands->a));
	return true;
}

static int64_t element_surface(const struct npu_rdma *rdma, uint32_t surface)
{
	if (!rdma->shared)
		return rdma->element_address + NPU_ATOM * (int64_t)surface * rdma->element_pitch;
	if (surface % 2)
		return rdma->element_address + NPU_ATOM * (int64_t)(surface / 2) * rdma->element_pitch;
	return rdma->main_address + NPU_ATOM * (int64_t)(surface / 2) * rdma->main_pitch;
}

static int64_t main_surface(const struct npu_rdma *rdma, uint32_t surface)
{
	return rdma->main_address + NPU_ATOM * (int64_t)surface * rdma->main_pitch;
}

/* Reads surfaces of elements of the given size into to, in the order of sums. */
static bool read_surfaces(const struct npu_dpu *dpu, struct npu_burst *burst, const struct npu_sums *sums,
			  uint32_t bytes, int64_t (*address)(const struct npu_rdma *, uint32_t), uint8_t *to)
{
	uint32_t per_group = dpu->group * bytes / NPU_ATOM, total = (dpu->channels * bytes + NPU_ATOM - 1) / NPU_ATOM;

	for (uint32_t group = 0; group < sums->groups; group++)
		for (uint32_t i = 0; i < per_group; i++) {
			uint32_t surface = (sums->first_group + group) * per_group + i;
			int64_t at = address(&dpu->rdma, surface) + NPU_ATOM * (int64_t)sums->first_pixel;
			uint8_t *atom = to + ((size_t)group * sums->pixels * per_group + i) * NPU_ATOM;

			for (uint32_t pixel = 0; surface < total && pixel < sums->pixels; pixel++)
				if (!npu_burst_atom(burst, at + NPU_ATOM * (int64_t)pixel,
						    atom + (size_t)pixel * per_group * NPU_ATOM))
					return false;
		}
	return npu_burst_flush(burst);
}

bool npu_rdma_elements(const struct npu_dpu *dpu, struct npu_burst *burst, const struct npu_sums *sums)
{
	if (!dpu->rdma.elements)
		return true;
	return read_surfaces(dpu, burst, sums, npu_precision_bytes(dpu->ew.operand), element_surface, sums->elements);
}

/* Widens the main data of a task without convolution, which lie at the end of the space for sums. */
static void widen(const struct npu_dpu *dpu, const uint8_t *raw, int32_t *sums, size_t count)
{
	int16_t half;

	for (size_t i = 0; i < count; i++)
		switch (dpu->rdma.main) {
		case NPU_INT8: sums[i] = (int8_t)raw[i]; break;
		case NPU_INT16: memcpy(&half, raw + 2 * i, 2); sums[i] = half; break;
		case NPU_FP16: memcpy(&half, raw + 2 * i, 2); sums[i] = (int32_t)npu_fp32_from_fp16((uint16_t)half); break;
		case NPU_BF16: memcpy(&half, raw + 2 * i, 2); sums[i] = (int32_t)npu_fp32_from_bf16((uint16_t)half); break;
		default: memcpy(&sums[i], raw + 4 * i, 4); break;
		}
}

bool npu_rdma_main(const struct npu_dpu *dpu, struct npu_burst *burst, const struct npu_sums *sums)
{
	size_t count = (size_t)sums->groups * sums->pixels * dpu->group, bytes = npu_precision_bytes(dpu->rdma.main);
	uint8_t *raw = (uint8_t *)sums->sum + count * (sizeof(*sums->sum) - bytes);

	if (!read_surfaces(dpu, burst, sums, (uint32_t)bytes, main_surface, raw))
		return false;
	widen(dpu, raw, sums->sum, count);
	return true;
}
