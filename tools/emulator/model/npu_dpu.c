/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

/* Decodes the output side of a convolution from the registers of DPU and DPU_RDMA. */

static const struct npu_rule dpu_rules[] = {
	/* OUTPUT_MODE 2: to memory, not to the PPU. */
	{ DPU_FEATURE_MODE_CFG, ~(uint32_t)DPU_FEATURE_MODE_CFG_BURST_LEN, 2 << 1, "DPU feature mode" },
	{ DPU_DATA_FORMAT, DPU_DATA_FORMAT_MC_SURF_OUT, 0, "MC_SURF_OUT" },
	{ DPU_DATA_CUBE_HEIGHT, DPU_DATA_CUBE_HEIGHT_MINMAX_CTL, 0, "MINMAX_CTL" },
	{ DPU_BS_CFG, DPU_BS_CFG_BS_BYPASS, 1, "BS stage" },
	{ DPU_BS_OW_CFG, DPU_BS_OW_CFG_RGP_CNTER | DPU_BS_OW_CFG_TP_ORG_EN | DPU_BS_OW_CFG_OW_SRC, 0, "OW stage" },
	{ DPU_BS_OW_OP, DPU_BS_OW_OP_OW_OP, 0, "OW operand" },
	{ DPU_WDMA_SIZE_0, DPU_WDMA_SIZE_0_TP_PRECISION, 0, "transposed output" },
	{ DPU_BN_CFG, DPU_BN_CFG_BN_BYPASS, 1, "BN stage" },
	{ DPU_EW_CFG, DPU_EW_CFG_EW_BYPASS, 1, "EW stage" },
	{ DPU_OUT_CVT_OFFSET, 0xffffffff, 0, "output offset" },
	{ DPU_OUT_CVT_SCALE, DPU_OUT_CVT_SCALE_ALL, 1, "output scale" },
	{ DPU_OUT_CVT_SHIFT, DPU_OUT_CVT_SHIFT_OUT_CVT_SHIFT, 0, "output shift" },
};

/* The set-up of NPU reference 3.2 in which nothing of the block waits and nothing is read. */
static const struct npu_rule rdma_rules[] = {
	{ DPU_RDMA_FEATURE_MODE_CFG, DPU_RDMA_FEATURE_MODE_CFG_FLYING_MODE | DPU_RDMA_FEATURE_MODE_CFG_COMB_USE, 0,
	  "DPU_RDMA feature mode" },
	{ DPU_RDMA_BRDMA_CFG, DPU_RDMA_BRDMA_CFG_BRDMA_DATA_USE, 0, "BRDMA" },
	{ DPU_RDMA_NRDMA_CFG, DPU_RDMA_NRDMA_CFG_NRDMA_DATA_USE, 0, "NRDMA" },
	{ DPU_RDMA_ERDMA_CFG, DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE, 1, "ERDMA" },
};

static bool check_rdma(struct npu_core *core, const struct npu_view *view)
{
	uint32_t mode = npu_get(view, DPU_RDMA_FEATURE_MODE_CFG);
	uint32_t off = DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE | DPU_RDMA_FEATURE_MODE_CFG_FLYING_MODE;

	if (!(mode & off))
		return npu_core_hang(core, "DPU_RDMA is enabled with MRDMA on and has nothing to read");
	return npu_rules_hold(core, view, rdma_rules, sizeof(rdma_rules) / sizeof(rdma_rules[0]));
}

static bool check_cube(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t width = npu_field(npu_get(view, DPU_DATA_CUBE_WIDTH), DPU_DATA_CUBE_WIDTH_WIDTH) + 1;
	uint32_t height = npu_field(npu_get(view, DPU_DATA_CUBE_HEIGHT), DPU_DATA_CUBE_HEIGHT_HEIGHT) + 1;
	uint32_t channels = npu_field(npu_get(view, DPU_DATA_CUBE_CHANNEL), DPU_DATA_CUBE_CHANNEL_CHANNEL) + 1;
	uint32_t size0 = npu_get(view, DPU_WDMA_SIZE_0), size1 = npu_get(view, DPU_WDMA_SIZE_1);

	if (size0 & DPU_WDMA_SIZE_0_SIZE_C_WDMA)
		return npu_core_hang(core, "SIZE_C_WDMA is not 0 and wedges the output writer");
	if (width * height != npu_conv_pixels(conv))
		return npu_core_hang(core, "DPU waits for %u pixels, CORE makes %u", (unsigned int)(width * height),
				     (unsigned int)npu_conv_pixels(conv));
	if (channels != conv->kernels)
		return npu_core_hang(core, "not modelled: DPU has %u channels, CORE %u", (unsigned int)channels,
				     (unsigned int)conv->kernels);
	if (npu_field(size0, DPU_WDMA_SIZE_0_CHANNEL_WDMA) + 1 != channels ||
	    npu_field(size1, DPU_WDMA_SIZE_1_WIDTH_WDMA) + 1 != width ||
	    npu_field(size1, DPU_WDMA_SIZE_1_HEIGHT_WDMA) + 1 != height)
		return npu_core_hang(core, "not modelled: WDMA_SIZE differs from DATA_CUBE");
	conv->output_width = width;
	return true;
}

/* NPU reference 3.7 */
static bool plan_surfaces(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t ow = npu_get(view, DPU_BS_OW_CFG);
	uint32_t size_e = npu_field(ow, DPU_BS_OW_CFG_SIZE_E_0);
	uint32_t yields = conv->type->kernel_group * conv->type->output_bytes / NPU_ATOM;

	if (npu_field(ow, DPU_BS_OW_CFG_SIZE_E_1) != size_e || npu_field(ow, DPU_BS_OW_CFG_SIZE_E_2) != size_e)
		return npu_core_hang(core, "not modelled: different size_e for first, middle and last line");
	conv->group_surfaces = size_e + 1;
	if (conv->group_surfaces > yields)
		return npu_core_hang(core, "writer waits for %u surfaces of a kernel group that yields %u",
				     (unsigned int)conv->group_surfaces, (unsigned int)yields);
	if (conv->group_surfaces < yields)
		npu_core_warn(core, "corrupt: size_e leaves %u of %u surfaces of each kernel group unwritten",
			      (unsigned int)(yields - conv->group_surfaces), (unsigned int)yields);
	return true;
}

static void plan_address(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t notch = npu_get(view, DPU_DATA_CUBE_NOTCH_ADDR);

	conv->output_address = npu_get(view, DPU_DST_BASE_ADDR);
	conv->output_surface = npu_field(npu_get(view, DPU_DST_SURF_STRIDE), DPU_DST_SURF_STRIDE_DST_SURF_STRIDE);
	conv->output_group = npu_field(npu_get(view, DPU_SURFACE_ADD), DPU_SURFACE_ADD_SURF_ADD);
	conv->notch[0] = npu_field(notch, DPU_DATA_CUBE_NOTCH_ADDR_0);
	conv->notch[1] = npu_field(notch, DPU_DATA_CUBE_NOTCH_ADDR_1);
	if (conv->notch[0] != conv->notch[1])
		npu_core_warn(core, "corrupt: the halves of NOTCH_ADDR differ (0x%08x)", (unsigned int)notch);
	if (conv->output_group != conv->output_surface * conv->group_surfaces)
		npu_core_warn(core, "corrupt: SURFACE_ADD is not DST_SURF_STRIDE * (size_e + 1)");
}

bool npu_plan_output(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	if (!npu_rules_hold(core, view, dpu_rules, sizeof(dpu_rules) / sizeof(dpu_rules[0])))
		return false;
	if (conv->rdma && !check_rdma(core, view))
		return false;
	if (!check_cube(core, view, conv) || !plan_surfaces(core, view, conv))
		return false;
	plan_address(core, view, conv);
	return true;
}
