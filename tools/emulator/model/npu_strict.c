/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_internal.h"

/*
 * Strict mode: programs that run, here and on silicon, but rely on what nothing promises. Each kind is reported once for a task.
 */

/* NPU reference 1.6: everyone writes 0. */
static const uint16_t undocumented[] = { CORE_UNDOCUMENTED_3030, DPU_UNDOCUMENTED_40C4 };

#define DPU_EVENTS    0x300u
#define GRAINS_MAX    1022u
#define EW_WIDTH_MAX  8190u
#define GATING_OPEN   0x07800800u

struct search {
	const struct npu_core *core;
	uint32_t map;
	uint32_t found;
	uint32_t first;
};

/* NPU reference 1.4, 6.4.7: values that another chain has left. Zeros, and what reset leaves, are everyone's defaults. */
static void look_at_register(void *opaque, uint32_t offset)
{
	static const uint8_t bits[8] = { 0, ENABLE_CNA, 0, ENABLE_CORE, ENABLE_DPU, ENABLE_DPU_RDMA, ENABLE_PPU, ENABLE_PPU_RDMA };
	static const uint8_t ids[8] = { 0, NPU_CNA, 0, NPU_CORE, NPU_DPU, NPU_DPU_RDMA, NPU_PPU, NPU_PPU_RDMA };
	struct search *search = opaque;
	const struct npu_block *block = &search->core->block[ids[offset >> 12]];
	uint32_t word = (offset & 0xfff) / 4, value = block->regs[block->executer][word];

	if (!(search->map & bits[offset >> 12]) || value == 0 || block->chain[block->executer][word] == search->core->chain ||
	    (offset == CORE_MAC_GATING && value == GATING_OPEN))
		return;
	if (search->found++ == 0)
		search->first = offset;
}

static void check_registers(struct npu_core *core, const struct npu_view *view, uint32_t map)
{
	struct search search = { .core = core, .map = map };

	npu_registers_visit(look_at_register, &search);
	if (search.found > 0)
		npu_core_warn(core, "strict: %u registers keep values of an earlier chain, the first is 0x%04x",
			      (unsigned int)search.found, (unsigned int)search.first);
	for (size_t i = 0; i < sizeof(undocumented) / sizeof(undocumented[0]); i++)
		if (npu_get(view, undocumented[i]) != 0)
			npu_core_warn(core, "strict: undocumented register 0x%04x is not 0", undocumented[i]);
}

/* NPU reference 3.5.4: in the first task of a job the banks may hold anybody's data. */
static void check_reuse(struct npu_core *core, const struct npu_conv *conv)
{
	const struct npu_residents *held = &core->residents;

	if (!conv->weight_reuse && !conv->data_reuse)
		return;
	if (conv->weight_reuse && conv->data_reuse)
		npu_core_warn(core, "strict: both reuse bits");
	if (core->counter == 0)
		npu_core_warn(core, "strict: reuse bit in the first task of a chain");
	else if ((conv->weight_reuse && (held->weights != conv->weight_address || held->weight_bytes != conv->weight_bytes)) ||
		 (conv->data_reuse && held->features != conv->feature_address))
		npu_core_warn(core, "strict: reuse of what another task has loaded");
}

static void check_conv(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv)
{
	uint32_t grains = npu_field(npu_get(view, CNA_CONV_CON2), CNA_CONV_CON2_FEATURE_GRAINS);

	/* NPU reference 3.8 and 0.4, D11 */
	if (grains == 0 || (conv->width == 1 && conv->height > GRAINS_MAX))
		npu_core_warn(core, "strict: FEATURE_GRAINS %u for %u lines", (unsigned int)grains, (unsigned int)conv->height);
	check_reuse(core, conv);
}

static void check_dpu(struct npu_core *core, const struct npu_dpu *dpu)
{
	const struct npu_rdma *rdma = &dpu->rdma;
	bool main = dpu->flying || (rdma->elements && rdma->shared);

	if ((main && rdma->main_address % NPU_ATOM) || (rdma->elements && rdma->element_address % NPU_ATOM) ||
	    ((rdma->bias || rdma->triple) && rdma->channel_address % NPU_ATOM))
		npu_core_warn(core, "strict: operand address that is not a multiple of %u", NPU_ATOM);
	/* NPU reference 6.1 */
	if (dpu->flying && dpu->width > EW_WIDTH_MAX)
		npu_core_warn(core, "strict: DPU cube of width %u without convolution", (unsigned int)dpu->width);
	/* NPU reference 0.4, D22 */
	if (!(core->interrupt_mask & DPU_EVENTS))
		npu_core_warn(core, "strict: INTERRUPT_MASK 0x%05x lacks the DPU's events", (unsigned int)core->interrupt_mask);
}

void npu_strict_check(struct npu_core *core, const struct npu_view *view, uint32_t map, const struct npu_task *task)
{
	check_registers(core, view, map);
	if (task->convolution)
		check_conv(core, view, &task->conv);
	check_dpu(core, &task->dpu);
}
