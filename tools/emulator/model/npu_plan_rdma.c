/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

/* Decodes DPU_RDMA. Operands that a stage waits for and nobody reads hang, and so does a reader that nobody wants (3.2). */

static const struct npu_rule rdma_rules[] = {
	{ DPU_RDMA_DATA_CUBE_HEIGHT, DPU_RDMA_DATA_CUBE_HEIGHT_EW_LINE_NOTCH_ADDR, 0, "line notch of operands" },
	{ DPU_RDMA_ERDMA_CFG, DPU_RDMA_ERDMA_CFG_ERDMA_NONALIGN | DPU_RDMA_ERDMA_CFG_ERDMA_SURF_MODE, 0, "ERDMA mode" },
	{ DPU_RDMA_SRC_DMA_CFG, 0xffffffff, 0, "line notch or unpooling" },
	{ DPU_RDMA_PAD_CFG, 0xffffffff, 0, "unpooling" },
};

/* BRDMA data uses that are known (NPU reference 5.5). */
#define USE_BIAS   1
#define USE_TRIPLE 7

static bool plan_channel_operands(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t use = npu_field(npu_get(view, DPU_RDMA_BRDMA_CFG), DPU_RDMA_BRDMA_CFG_BRDMA_DATA_USE);
	uint32_t other = npu_field(npu_get(view, DPU_RDMA_NRDMA_CFG), DPU_RDMA_NRDMA_CFG_NRDMA_DATA_USE);

	if (other == USE_TRIPLE)
		return npu_core_hang(core, "NRDMA with data use 7");
	if (other != 0)
		return npu_core_hang(core, "not modelled: NRDMA");
	if (use != 0 && use != USE_BIAS && use != USE_TRIPLE)
		return npu_core_hang(core, "not modelled: BRDMA data use %u", (unsigned int)use);
	dpu->rdma.bias = use == USE_BIAS;
	dpu->rdma.triple = use == USE_TRIPLE;
	dpu->rdma.channel_address = npu_get(view, DPU_RDMA_BS_BASE_ADDR);
	return true;
}

/* The bytes of an element, by the code of a size field. */
static uint32_t size_bytes(uint32_t code)
{
	return 1u << code >> 1;
}

static void decode_addresses(const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t mode = npu_get(view, DPU_RDMA_FEATURE_MODE_CFG);
	struct npu_rdma *rdma = &dpu->rdma;

	rdma->elements = !(npu_get(view, DPU_RDMA_ERDMA_CFG) & DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE);
	rdma->shared = npu_field(mode, DPU_RDMA_FEATURE_MODE_CFG_COMB_USE) & DPU_RDMA_COMB_USE_SHARE;
	rdma->element_address = npu_get(view, DPU_RDMA_EW_BASE_ADDR);
	rdma->element_pitch = (int64_t)npu_field(npu_get(view, DPU_RDMA_EW_SURF_STRIDE), DPU_RDMA_SURFACE_ATOMS) +
			      npu_field(npu_get(view, DPU_RDMA_EW_SURF_NOTCH), DPU_RDMA_SURFACE_ATOMS);
	rdma->main_address = npu_get(view, DPU_RDMA_SRC_BASE_ADDR);
	rdma->main_pitch = (int64_t)dpu->width * dpu->height +
			   npu_field(npu_get(view, DPU_RDMA_SURF_NOTCH), DPU_RDMA_SURFACE_ATOMS);
}

static bool check_elements(struct npu_core *core, const struct npu_view *view, const struct npu_dpu *dpu)
{
	uint32_t cfg = npu_get(view, DPU_RDMA_ERDMA_CFG);
	uint32_t comb = npu_field(npu_get(view, DPU_RDMA_FEATURE_MODE_CFG), DPU_RDMA_FEATURE_MODE_CFG_COMB_USE);

	if (!dpu->rdma.elements)
		return true;
	if (dpu->flying && dpu->rdma.shared)
		return npu_core_hang(core, "COMB_USE %u in an operation on two buffers", (unsigned int)comb);
	if (comb != 0 && comb != 5)
		return npu_core_hang(core, "not modelled: COMB_USE %u", (unsigned int)comb);
	if (!dpu->ew.on || !dpu->ew.memory)
		return npu_core_hang(core, "ERDMA reads an operand that EW does not take");
	if (npu_field(cfg, DPU_RDMA_ERDMA_CFG_ERDMA_DATA_MODE) != 1 ||
	    size_bytes(npu_field(cfg, DPU_RDMA_ERDMA_CFG_ERDMA_DATA_SIZE)) != npu_precision_bytes(dpu->ew.operand))
		return npu_core_hang(core, "not modelled: ERDMA and EW differ about the operand (register 0x5034 is 0x%08x)",
				     (unsigned int)cfg);
	return true;
}

static bool check_main(struct npu_core *core, const struct npu_view *view, const struct npu_dpu *dpu)
{
	uint32_t mode = npu_get(view, DPU_RDMA_FEATURE_MODE_CFG);
	bool flying = mode & DPU_RDMA_FEATURE_MODE_CFG_FLYING_MODE;
	bool disabled = mode & DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE;

	if (!disabled && !flying && !(dpu->rdma.elements && dpu->rdma.shared))
		return npu_core_hang(core, "DPU_RDMA is enabled with MRDMA on and has nothing to read");
	if (flying != dpu->flying)
		return npu_core_hang(core, "not modelled: DPU_RDMA feature mode (register 0x5044 is 0x%08x)",
				     (unsigned int)mode);
	if (disabled && (dpu->flying || (dpu->rdma.elements && dpu->rdma.shared)))
		return npu_core_hang(core, "MRDMA is off and its data are waited for");
	return true;
}

static bool check_demand(struct npu_core *core, const struct npu_dpu *dpu)
{
	const struct npu_rdma *rdma = &dpu->rdma;

	if ((dpu->bs.alu_memory && !rdma->bias && !rdma->triple) || (dpu->bs.mul_memory && !rdma->triple) ||
	    (dpu->ow && dpu->ow_memory && !rdma->triple))
		return npu_core_hang(core, "BS or OW waits for operands that BRDMA does not read");
	if (dpu->ew.on && dpu->ew.memory && !rdma->elements)
		return npu_core_hang(core, "EW waits for operands that ERDMA does not read");
	return true;
}

static bool check_cube(struct npu_core *core, const struct npu_view *view, const struct npu_dpu *dpu)
{
	uint32_t width = npu_field(npu_get(view, DPU_RDMA_DATA_CUBE_WIDTH), DPU_RDMA_DATA_CUBE_WIDTH_WIDTH) + 1;
	uint32_t height = npu_field(npu_get(view, DPU_RDMA_DATA_CUBE_HEIGHT), DPU_RDMA_DATA_CUBE_HEIGHT_HEIGHT) + 1;
	uint32_t channels = npu_field(npu_get(view, DPU_RDMA_DATA_CUBE_CHANNEL), DPU_RDMA_DATA_CUBE_CHANNEL_CHANNEL) + 1;
	bool reads = dpu->flying || dpu->rdma.elements || dpu->rdma.bias || dpu->rdma.triple;

	if (reads && (width * height != dpu->width * dpu->height || channels != dpu->channels))
		return npu_core_hang(core, "not modelled: DPU_RDMA's cube of %u x %u pixels and %u channels is not the DPU's",
				     (unsigned int)width, (unsigned int)height, (unsigned int)channels);
	return true;
}

bool npu_plan_rdma(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	if (!dpu->rdma.enabled)
		return check_demand(core, dpu);
	decode_addresses(view, dpu);
	return npu_rules_hold(core, view, rdma_rules, sizeof(rdma_rules) / sizeof(rdma_rules[0])) &&
	       check_main(core, view, dpu) && check_elements(core, view, dpu) &&
	       plan_channel_operands(core, view, dpu) && check_demand(core, dpu) && check_cube(core, view, dpu);
}
