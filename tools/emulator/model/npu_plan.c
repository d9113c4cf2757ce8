/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

#include <string.h>

/*
 * Decodes a convolution from the registers of CNA and CORE and decides whether it hangs. Nothing is
 * assumed: what the model cannot compute exactly as silicon does, it refuses.
 */

/* NPU reference 6.1: K 10752 is fine, 10784 wedges. */
#define CHANNELS_MAX 10752

#define CONV_MODE_DIRECT    0
#define CONV_MODE_DEPTHWISE 3

static const struct npu_rule cna_rules[] = {
	{ CNA_CONV_CON1, CNA_CONV_CON1_DECONV, 0, "deconvolution" },
	{ CNA_CONV_CON2, CNA_CONV_CON2_CSC_DISABLE, 0, "CSC off" },
	{ CNA_CONV_CON2, CNA_CONV_CON2_KERNEL_GROUP, 0, "KERNEL_GROUP" },
	{ CNA_CONV_CON3, CNA_CONV_CON3_NN_MODE | CNA_CONV_CON3_DECONV_STRIDES, 0, "NN_MODE or deconvolution strides" },
	{ CNA_DATA_SIZE3, CNA_DATA_SIZE3_SURF_MODE, 0, "SURF_MODE" },
	{ CNA_FC_CON0, CNA_FC_CON0_FC_SKIP_EN, 0, "zero skipping" },
	{ CNA_FC_CON1, 0xffffffff, 0, "FC data offset" },
	{ CNA_FC_CON2, 0xffffffff, 0, "FC weight offset" },
	{ CNA_FEATURE_DATA_ADDR, 0xf, 0, "unaligned feature address" },
	{ CNA_DCOMP_CTRL, 0xffffffff, 0, "weight decompression" },
	{ CNA_DCOMP_REGNUM, 0xffffffff, 0, "weight decompression" },
	{ CORE_MAC_GATING, CORE_MAC_GATING_LANES, CORE_MAC_GATING_LANES, "gated MAC lanes" },
};

bool npu_rules_hold(struct npu_core *core, const struct npu_view *view, const struct npu_rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t value = npu_get(view, rules[i].offset);

		if ((value & rules[i].mask) != rules[i].value)
			return npu_core_hang(core, "not modelled: %s (register 0x%04x is 0x%08x)", rules[i].what,
					     rules[i].offset, (unsigned int)value);
	}
	return true;
}

static bool plan_type(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t format = npu_get(view, DPU_DATA_FORMAT), con1 = npu_get(view, CNA_CONV_CON1);
	uint32_t input = npu_field(con1, CNA_CONV_CON1_IN_PRECISION);
	uint32_t processed = npu_field(con1, CNA_CONV_CON1_PROC_PRECISION);
	/* tf32 has no code in the DPU (NPU reference 3.1). */
	uint32_t dpu = input == NPU_TF32 ? NPU_FP32 : input;
	bool uniform = processed == input &&
		       npu_field(npu_get(view, CORE_MISC_CFG), CORE_MISC_CFG_PROC_PRECISION) == input &&
		       npu_field(format, DPU_DATA_FORMAT_IN_PRECISION) == dpu &&
		       npu_field(format, DPU_DATA_FORMAT_PROC_PRECISION) == dpu;

	if (input == NPU_INT8 && processed == NPU_INT4)
		return npu_core_hang(core, "int8 features with int4 weights");
	conv->type = npu_type(input);
	if (conv->type && uniform)
		return true;
	return npu_core_hang(core, "not modelled: precisions of CONV_CON1 0x%08x, MISC_CFG 0x%08x, DATA_FORMAT 0x%08x",
			     (unsigned int)con1, (unsigned int)npu_get(view, CORE_MISC_CFG), (unsigned int)format);
}

/* All three blocks have to agree on what kind of convolution it is. */
static bool plan_mode(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t mode = npu_field(npu_get(view, CNA_CONV_CON1), CNA_CONV_CON1_CONV_MODE);
	bool core_depthwise = npu_get(view, CORE_MISC_CFG) & CORE_MISC_CFG_DW_EN;
	uint32_t dpu_mode = npu_field(npu_get(view, DPU_FEATURE_MODE_CFG), DPU_FEATURE_MODE_CFG_CONV_MODE);

	conv->depthwise = mode == CONV_MODE_DEPTHWISE;
	conv->group = conv->depthwise ? conv->type->depthwise_group : conv->type->kernel_group;
	if ((mode != CONV_MODE_DIRECT && !conv->depthwise) || conv->group == 0)
		return npu_core_hang(core, "not modelled: convolution mode %u of precision %u", (unsigned int)mode,
				     (unsigned int)conv->type->input);
	if (core_depthwise != conv->depthwise || dpu_mode != mode)
		return npu_core_hang(core, "not modelled: CNA, CORE and DPU differ in convolution mode");
	return true;
}

/* CNA and CORE describe the same cubes several times; what happens if they disagree is not known. */
static bool check_cube(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv)
{
	uint32_t dma_size = npu_get(view, CNA_FC_DATA_SIZE0);
	uint32_t dma_width = npu_field(dma_size, CNA_FC_DATA_SIZE0_DMA_WIDTH);
	uint32_t atomics = npu_field(npu_get(view, CNA_DATA_SIZE3), CNA_DATA_SIZE3_DATAOUT_ATOMICS);
	uint32_t real = npu_field(npu_get(view, CNA_DATA_SIZE1), CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL);

	if ((conv->image.channels == 0 && dma_width != conv->width) ||
	    npu_field(dma_size, CNA_FC_DATA_SIZE0_DMA_HEIGHT) != conv->height ||
	    npu_field(npu_get(view, CNA_FC_DATA_SIZE1), CNA_FC_DATA_SIZE1_DMA_CHANNEL) != conv->channels)
		return npu_core_hang(core, "not modelled: FC_DATA_SIZE differs from DATA_SIZE");
	if (real + 1 > conv->channels)
		return npu_core_hang(core, "not modelled: %u real of %u channels", (unsigned int)real + 1,
				     (unsigned int)conv->channels);
	if (npu_field(npu_get(view, CNA_DATA_SIZE2), CNA_DATA_SIZE2_DATAOUT_WIDTH) != conv->out_width ||
	    atomics != npu_conv_out_pixels(conv))
		return npu_core_hang(core, "not modelled: DATA_SIZE2 or DATA_SIZE3 is not the cube of %u x %u pixels",
				     (unsigned int)conv->out_width, (unsigned int)conv->out_height);
	return true;
}

/* The first position of every output pixel's kernel must lie inside of the cube or before it. */
static bool reaches(uint32_t out, uint32_t stride, uint32_t pad, uint32_t size)
{
	return (out - 1) * stride < size + pad;
}

static bool plan_kernel(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t con3 = npu_get(view, CNA_CONV_CON3), size = npu_get(view, CNA_WEIGHT_SIZE2);
	uint32_t pad = npu_get(view, CNA_PAD_CON0), value = npu_get(view, CNA_PAD_CON1);

	conv->kernel_width = npu_field(size, CNA_WEIGHT_SIZE2_WEIGHT_WIDTH);
	conv->kernel_height = npu_field(size, CNA_WEIGHT_SIZE2_WEIGHT_HEIGHT);
	conv->stride[0] = npu_field(con3, CNA_CONV_CON3_CONV_X_STRIDE);
	conv->stride[1] = npu_field(con3, CNA_CONV_CON3_CONV_Y_STRIDE);
	conv->step[0] = npu_field(con3, CNA_CONV_CON3_ATROUS_X_DILATION) + 1;
	conv->step[1] = npu_field(con3, CNA_CONV_CON3_ATROUS_Y_DILATION) + 1;
	conv->pad[0] = npu_field(pad, CNA_PAD_CON0_PAD_LEFT);
	conv->pad[1] = npu_field(pad, CNA_PAD_CON0_PAD_TOP);
	memcpy(conv->pad_value, &value, sizeof(value));
	if (conv->type->bits == 4)
		conv->pad_value[0] = (uint8_t)((value & 0xf) * 0x11);
	if (npu_conv_positions(conv) == 0 || conv->stride[0] == 0 || conv->stride[1] == 0)
		return npu_core_hang(core, "not modelled: kernel of %u x %u pixels with strides %u, %u",
				     (unsigned int)conv->kernel_width, (unsigned int)conv->kernel_height,
				     (unsigned int)conv->stride[0], (unsigned int)conv->stride[1]);
	if (!reaches(conv->out_width, conv->stride[0], conv->pad[0], conv->width) ||
	    !reaches(conv->out_height, conv->stride[1], conv->pad[1], conv->height))
		return npu_core_hang(core, "not modelled: output of %u x %u pixels reaches beyond the feature cube",
				     (unsigned int)conv->out_width, (unsigned int)conv->out_height);
	return true;
}

/*
 * NPU reference 3.11 and 4.2: whole channel groups. Published convolutions of int8 and fp16 end with half a group, and fp16 images
 * have a single atom; a depthwise group may be the only one, and then be smaller.
 */
static bool check_channels(struct npu_core *core, const struct npu_conv *conv)
{
	uint32_t group = conv->depthwise ? conv->group : conv->type->channel_group;
	uint32_t rest = conv->channels % group;
	bool short_group = (conv->type->input == NPU_INT8 || conv->type->input == NPU_FP16) && rest == 16;

	if (conv->image.channels > 0)
		return true;
	if (conv->depthwise)
		short_group = conv->channels < group && rest * conv->type->bits % 128 == 0;
	if (conv->channels > CHANNELS_MAX)
		return npu_core_hang(core, "%u channels in one task, more than %u wedge the MAC array",
				     (unsigned int)conv->channels, CHANNELS_MAX);
	/* A program that ends inside of a later group of depthwise channels does not complete on silicon. */
	if (rest != 0 && conv->depthwise && conv->channels > group)
		return npu_core_hang(core, "%u depthwise channels end inside of a group of %u",
				     (unsigned int)conv->channels, (unsigned int)group);
	if (rest != 0 && !short_group)
		return npu_core_hang(core, "not modelled: %u channels are not a multiple of %u",
				     (unsigned int)conv->channels, (unsigned int)group);
	return true;
}

static bool plan_cube(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t size = npu_get(view, CNA_DATA_SIZE0), out = npu_get(view, CORE_DATAOUT_SIZE_0);

	conv->width = npu_field(size, CNA_DATA_SIZE0_DATAIN_WIDTH);
	conv->height = npu_field(size, CNA_DATA_SIZE0_DATAIN_HEIGHT);
	conv->channels = npu_field(npu_get(view, CNA_DATA_SIZE1), CNA_DATA_SIZE1_DATAIN_CHANNEL);
	conv->kernel_rows = npu_field(npu_get(view, CNA_WEIGHT_SIZE2), CNA_WEIGHT_SIZE2_WEIGHT_KERNELS);
	conv->out_width = npu_field(out, CORE_DATAOUT_SIZE_0_DATAOUT_WIDTH) + 1;
	conv->out_height = npu_field(out, CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT) + 1;
	conv->kernels = npu_field(npu_get(view, CORE_DATAOUT_SIZE_1), CORE_DATAOUT_SIZE_1_DATAOUT_CHANNEL) + 1;
	if (conv->width == 0 || conv->height == 0 || conv->channels == 0 || conv->kernel_rows == 0)
		return npu_core_hang(core, "empty cube of %u x %u pixels, %u channels, %u kernels",
				     (unsigned int)conv->width, (unsigned int)conv->height,
				     (unsigned int)conv->channels, (unsigned int)conv->kernel_rows);
	return check_channels(core, conv) && plan_kernel(core, view, conv) && check_cube(core, view, conv) &&
	       npu_plan_image_width(core, view, conv);
}

/* NPU reference 3.4 */
static void plan_feature_address(const struct npu_view *view, struct npu_conv *conv)
{
	int64_t stride = npu_field(npu_get(view, CNA_DMA_CON2), CNA_DMA_CON2_SURF_STRIDE);

	if (stride >= 1 << 27)
		stride -= 1 << 28;
	conv->feature_address = npu_get(view, CNA_FEATURE_DATA_ADDR);
	conv->line_major = npu_get(view, CNA_CONV_CON1) & CNA_CONV_CON1_GROUP_LINE_OFF;
	if (conv->line_major) {
		conv->feature_line = npu_field(npu_get(view, CNA_DMA_CON1), CNA_DMA_CON1_LINE_STRIDE);
		conv->feature_surface = conv->width + stride;
	} else {
		conv->feature_line = conv->width;
		conv->feature_surface = 4 * (int64_t)conv->width + stride;
	}
}

static void plan_clip(const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t clip = npu_get(view, CORE_CLIP_TRUNCATE);

	conv->clip.shift = (uint8_t)npu_field(clip, CORE_CLIP_TRUNCATE_CLIP_TRUNCATE);
	conv->clip.half_up = clip & CORE_CLIP_TRUNCATE_ROUND_TYPE;
}

static bool check_core(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv)
{
	uint32_t gating = npu_get(view, CORE_MAC_GATING);

	if (!(gating & CORE_MAC_GATING_COMPLETION))
		return npu_core_hang(core, "MAC_GATING 0x%08x stops the completion of the MAC array",
				     (unsigned int)gating);
	if (conv->type->real && conv->clip.shift > 0)
		return npu_core_hang(core, "not modelled: accumulator shift of real sums");
	return true;
}

bool npu_plan_conv(struct npu_core *core, const struct npu_view *view, struct npu_task *task)
{
	struct npu_conv *conv = &task->conv;

	plan_clip(view, conv);
	if (!plan_type(core, view, conv) || !check_core(core, view, conv) ||
	    !npu_rules_hold(core, view, cna_rules, sizeof(cna_rules) / sizeof(cna_rules[0])) ||
	    !plan_mode(core, view, conv) || !npu_plan_image(core, view, conv) || !plan_cube(core, view, conv))
		return false;
	plan_feature_address(view, conv);
	return npu_plan_cbuf(core, view, conv) && npu_plan_output(core, view, conv, &task->dpu);
}
