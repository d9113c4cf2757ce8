/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

/* Decodes the output side of a task from the registers of the DPU: types, cube and writer. */

static const struct npu_rule dpu_rules[] = {
	{ DPU_DATA_FORMAT, DPU_DATA_FORMAT_MC_SURF_OUT, 0, "MC_SURF_OUT" },
	{ DPU_DATA_CUBE_HEIGHT, DPU_DATA_CUBE_HEIGHT_MINMAX_CTL, 0, "MINMAX_CTL" },
	{ DPU_BS_OW_CFG, DPU_BS_OW_CFG_RGP_CNTER | DPU_BS_OW_CFG_TP_ORG_EN, 0, "regrouped or transposed output" },
	{ DPU_WDMA_SIZE_0, DPU_WDMA_SIZE_0_TP_PRECISION, 0, "transposed output" },
};

/* OUTPUT_MODE 2: to memory, not to the PPU. */
#define OUTPUT_TO_MEMORY (2u << 1)

/* Outputs of NPU reference 3.3 that silicon has shown. */
static bool output_exists(const struct npu_type *type, uint32_t output)
{
	static const uint8_t outputs[8] = {
		[NPU_INT8] = 1 << NPU_INT8 | 1 << NPU_INT16 | 1 << NPU_INT32 | 1 << NPU_FP32,
		[NPU_INT16] = 1 << NPU_INT32,
		[NPU_FP16] = 1 << NPU_FP32 | 1 << NPU_FP16,
		[NPU_BF16] = 1 << NPU_FP32 | 1 << NPU_BF16,
		[NPU_INT4] = 1 << NPU_INT16,
		[NPU_TF32] = 1 << NPU_FP32,
	};

	return outputs[type->input] >> output & 1;
}

static bool check_mode(struct npu_core *core, const struct npu_view *view, uint32_t expected)
{
	uint32_t mode = npu_get(view, DPU_FEATURE_MODE_CFG), rest = mode & ~(uint32_t)DPU_FEATURE_MODE_CFG_BURST_LEN;

	if (rest != expected)
		return npu_core_hang(core, "not modelled: DPU feature mode (register 0x400c is 0x%08x)",
				     (unsigned int)mode);
	return npu_rules_hold(core, view, dpu_rules, sizeof(dpu_rules) / sizeof(dpu_rules[0]));
}

static bool plan_cube(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t channel = npu_get(view, DPU_DATA_CUBE_CHANNEL);

	dpu->width = npu_field(npu_get(view, DPU_DATA_CUBE_WIDTH), DPU_DATA_CUBE_WIDTH_WIDTH) + 1;
	dpu->height = npu_field(npu_get(view, DPU_DATA_CUBE_HEIGHT), DPU_DATA_CUBE_HEIGHT_HEIGHT) + 1;
	dpu->channels = npu_field(channel, DPU_DATA_CUBE_CHANNEL_CHANNEL) + 1;
	if (npu_field(channel, DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL) + 1 > dpu->channels)
		return npu_core_hang(core, "not modelled: ORIG_CHANNEL larger than CHANNEL");
	return true;
}

static bool check_writer_size(struct npu_core *core, const struct npu_view *view, const struct npu_dpu *dpu)
{
	uint32_t size0 = npu_get(view, DPU_WDMA_SIZE_0), size1 = npu_get(view, DPU_WDMA_SIZE_1);

	if (size0 & DPU_WDMA_SIZE_0_SIZE_C_WDMA)
		return npu_core_hang(core, "SIZE_C_WDMA is not 0 and wedges the output writer");
	if (npu_field(size0, DPU_WDMA_SIZE_0_CHANNEL_WDMA) + 1 != dpu->channels ||
	    npu_field(size1, DPU_WDMA_SIZE_1_WIDTH_WDMA) + 1 != dpu->width ||
	    npu_field(size1, DPU_WDMA_SIZE_1_HEIGHT_WDMA) + 1 != dpu->height)
		return npu_core_hang(core, "not modelled: WDMA_SIZE differs from DATA_CUBE");
	return true;
}

static bool check_cube(struct npu_core *core, const struct npu_conv *conv, const struct npu_dpu *dpu)
{
	if (dpu->width * dpu->height != npu_conv_out_pixels(conv))
		return npu_core_hang(core, "DPU waits for %u pixels, CORE makes %u",
				     (unsigned int)(dpu->width * dpu->height),
				     (unsigned int)npu_conv_out_pixels(conv));
	if (dpu->channels != conv->kernels)
		return npu_core_hang(core, "not modelled: DPU has %u channels, CORE %u", (unsigned int)dpu->channels,
				     (unsigned int)conv->kernels);
	return true;
}

static bool plan_size_e(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t ow = npu_get(view, DPU_BS_OW_CFG);
	uint32_t size_e = npu_field(ow, DPU_BS_OW_CFG_SIZE_E_0);

	if (npu_field(ow, DPU_BS_OW_CFG_SIZE_E_1) != size_e || npu_field(ow, DPU_BS_OW_CFG_SIZE_E_2) != size_e)
		return npu_core_hang(core, "not modelled: different size_e for first, middle and last line");
	dpu->group_surfaces = size_e + 1;
	return true;
}

/* NPU reference 3.7 */
static bool check_size_e(struct npu_core *core, struct npu_dpu *dpu)
{
	uint32_t yields = dpu->group * npu_dpu_output_bytes(dpu) / NPU_ATOM;

	if (dpu->group_surfaces > yields)
		return npu_core_hang(core, "writer waits for %u surfaces of a kernel group that yields %u",
				     (unsigned int)dpu->group_surfaces, (unsigned int)yields);
	if (dpu->output == NPU_INT8 && dpu->channels % dpu->group != 0)
		return npu_core_hang(core, "writer waits for the end of a kernel group of int8 output");
	if (dpu->group_surfaces < yields)
		npu_core_warn(core, "corrupt: size_e leaves %u of %u surfaces of each kernel group unwritten",
			      (unsigned int)(yields - dpu->group_surfaces), (unsigned int)yields);
	return true;
}

static void plan_address(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t notch = npu_get(view, DPU_DATA_CUBE_NOTCH_ADDR);

	dpu->address = npu_get(view, DPU_DST_BASE_ADDR);
	dpu->surface = npu_field(npu_get(view, DPU_DST_SURF_STRIDE), DPU_DST_SURF_STRIDE_DST_SURF_STRIDE);
	dpu->next_group = npu_field(npu_get(view, DPU_SURFACE_ADD), DPU_SURFACE_ADD_SURF_ADD);
	dpu->notch[0] = npu_field(notch, DPU_DATA_CUBE_NOTCH_ADDR_0);
	dpu->notch[1] = npu_field(notch, DPU_DATA_CUBE_NOTCH_ADDR_1);
	if (dpu->notch[0] != dpu->notch[1])
		npu_core_warn(core, "corrupt: the halves of NOTCH_ADDR differ (0x%08x)", (unsigned int)notch);
	if (dpu->next_group != dpu->surface * dpu->group_surfaces)
		npu_core_warn(core, "corrupt: SURFACE_ADD is not DST_SURF_STRIDE * (size_e + 1)");
}

bool npu_plan_output(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv,
		     struct npu_dpu *dpu)
{
	uint32_t output = npu_field(npu_get(view, DPU_DATA_FORMAT), DPU_DATA_FORMAT_OUT_PRECISION);

	if (!check_mode(core, view, OUTPUT_TO_MEMORY | (conv->depthwise ? DPU_FEATURE_MODE_CFG_CONV_MODE : 0)))
		return false;
	if (!output_exists(conv->type, output))
		return npu_core_hang(core, "not modelled: precisions %u to %u", (unsigned int)conv->type->input,
				     (unsigned int)output);
	dpu->real = conv->type->real;
	dpu->output = (enum npu_precision)output;
	dpu->group = conv->group;
	if (!plan_cube(core, view, dpu) || !check_cube(core, conv, dpu) ||
	    !check_writer_size(core, view, dpu) || !plan_size_e(core, view, dpu) ||
	    !check_size_e(core, dpu))
		return false;
	plan_address(core, view, dpu);
	return npu_plan_stages(core, view, dpu) && npu_plan_rdma(core, view, dpu);
}

/* One precision for all of it, and the output may only be narrower. */
static bool plan_formats(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t format = npu_get(view, DPU_DATA_FORMAT), mode = npu_get(view, DPU_RDMA_FEATURE_MODE_CFG);
	uint32_t input = npu_field(mode, DPU_RDMA_FEATURE_MODE_CFG_IN_PRECISION);
	uint32_t output = npu_field(format, DPU_DATA_FORMAT_OUT_PRECISION);

	if (npu_precision_bytes(input) == 0 || output != input ||
	    npu_field(mode, DPU_RDMA_FEATURE_MODE_CFG_PROC_PRECISION) != input ||
	    npu_field(format, DPU_DATA_FORMAT_IN_PRECISION) != input ||
	    npu_field(format, DPU_DATA_FORMAT_PROC_PRECISION) != input)
		return npu_core_hang(core, "not modelled: precisions of DATA_FORMAT 0x%08x, RDMA_FEATURE_MODE 0x%08x",
				     (unsigned int)format, (unsigned int)mode);
	dpu->rdma.main = (enum npu_precision)input;
	dpu->output = (enum npu_precision)output;
	dpu->real = input == NPU_FP16 || input == NPU_BF16 || input == NPU_FP32;
	return true;
}

/* NPU reference 5.6: ORIG_CHANNEL must equal CHANNEL; 6.4.8: an operation in place spoils its operand. */
static bool check_eltwise(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	if (npu_field(npu_get(view, DPU_DATA_CUBE_CHANNEL), DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL) + 1 != dpu->channels)
		return npu_core_hang(core, "not modelled: ORIG_CHANNEL differs from CHANNEL");
	if (dpu->channels % (NPU_ATOM / npu_dpu_output_bytes(dpu)) != 0)
		return npu_core_hang(core, "not modelled: %u channels are no whole surfaces",
				     (unsigned int)dpu->channels);
	if (dpu->ow || (dpu->ew.on && !dpu->ew.memory))
		return npu_core_hang(core, "not modelled: OW, or EW with constants, without convolution");
	dpu->garbage = dpu->ew.on && (dpu->address == dpu->rdma.main_address || dpu->address == dpu->rdma.element_address);
	if (dpu->garbage)
		npu_core_warn(core, "corrupt: EW in place");
	return true;
}

bool npu_plan_eltwise(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	dpu->flying = true;
	if (!check_mode(core, view, OUTPUT_TO_MEMORY | DPU_FEATURE_MODE_CFG_FLYING_MODE) ||
	    !plan_formats(core, view, dpu) || !plan_cube(core, view, dpu) ||
	    !check_writer_size(core, view, dpu) || !plan_size_e(core, view, dpu))
		return false;
	dpu->group = dpu->group_surfaces * NPU_ATOM / npu_dpu_output_bytes(dpu);
	plan_address(core, view, dpu);
	return npu_plan_stages(core, view, dpu) && npu_plan_rdma(core, view, dpu) && check_eltwise(core, view, dpu);
}
