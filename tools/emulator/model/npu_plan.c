/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

/*
 * Decodes a convolution from the registers of CNA and CORE and decides whether it hangs. Nothing is
 * assumed: what the model cannot compute exactly as silicon does, it refuses.
 */

/* NPU reference 6.1: K 10752 is fine, 10784 wedges. */
#define CHANNELS_MAX 10752

static const struct npu_type types[] = {
	{ .input = 0, .output = 4, .input_bytes = 1, .output_bytes = 4, .kernel_group = 32, .channel_group = 32 },
};

static const struct npu_rule cna_rules[] = {
	{ CNA_CONV_CON1, CNA_CONV_CON1_CONV_MODE, 0, "convolution mode" },
	{ CNA_CONV_CON1, CNA_CONV_CON1_ARGB_IN, 0, "ARGB input" },
	{ CNA_CONV_CON1, CNA_CONV_CON1_DECONV, 0, "deconvolution" },
	{ CNA_CONV_CON1, CNA_CONV_CON1_NONALIGN_DMA, 0, "NONALIGN_DMA" },
	{ CNA_CONV_CON2, CNA_CONV_CON2_CSC_DISABLE, 0, "CSC off" },
	{ CNA_CONV_CON2, CNA_CONV_CON2_KERNEL_GROUP, 0, "KERNEL_GROUP" },
	{ CNA_CONV_CON3, 0xffffffff, 0x9, "strides, dilation or NN_MODE" },
	{ CNA_DATA_SIZE3, CNA_DATA_SIZE3_SURF_MODE, 0, "SURF_MODE" },
	{ CNA_WEIGHT_SIZE2, CNA_WEIGHT_SIZE2_WEIGHT_WIDTH | CNA_WEIGHT_SIZE2_WEIGHT_HEIGHT, 0x01010000, "kernel size" },
	{ CNA_CBUF_CON0, CNA_CBUF_CON0_WEIGHT_REUSE, 0, "WEIGHT_REUSE" },
	{ CNA_CBUF_CON0, CNA_CBUF_CON0_DATA_REUSE, 0, "DATA_REUSE" },
	{ CNA_CVT_CON0, CNA_CVT_CON0_CVT_BYPASS, 1, "input conversion" },
	{ CNA_CVT_CON0, CNA_CVT_CON0_DATA_SIGN, CNA_CVT_CON0_DATA_SIGN, "unsigned input" },
	{ CNA_FC_CON0, CNA_FC_CON0_FC_SKIP_EN, 0, "zero skipping" },
	{ CNA_FC_CON1, 0xffffffff, 0, "FC data offset" },
	{ CNA_FC_CON2, 0xffffffff, 0, "FC weight offset" },
	{ CNA_PAD_CON0, 0xffffffff, 0, "padding" },
	{ CNA_FEATURE_DATA_ADDR, 0xf, 0, "unaligned feature address" },
	{ CNA_DCOMP_CTRL, 0xffffffff, 0, "weight decompression" },
	{ CNA_DCOMP_REGNUM, 0xffffffff, 0, "weight decompression" },
	{ CNA_CVT_CON5, 0xffffffff, 0, "per-channel conversion" },
	{ CORE_MISC_CFG, CORE_MISC_CFG_DW_EN, 0, "depthwise" },
	{ CORE_CLIP_TRUNCATE, CORE_CLIP_TRUNCATE_CLIP_TRUNCATE, 0, "accumulator shift" },
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
	uint32_t format = npu_get(view, DPU_DATA_FORMAT);
	uint32_t con1 = npu_get(view, CNA_CONV_CON1);
	uint32_t input = npu_field(con1, CNA_CONV_CON1_IN_PRECISION);
	uint32_t output = npu_field(format, DPU_DATA_FORMAT_OUT_PRECISION);
	bool uniform = npu_field(con1, CNA_CONV_CON1_PROC_PRECISION) == input &&
		       npu_field(npu_get(view, CORE_MISC_CFG), CORE_MISC_CFG_PROC_PRECISION) == input &&
		       npu_field(format, DPU_DATA_FORMAT_IN_PRECISION) == input &&
		       npu_field(format, DPU_DATA_FORMAT_PROC_PRECISION) == input;

	for (size_t i = 0; uniform && i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].input != input || types[i].output != output)
			continue;
		conv->type = &types[i];
		return true;
	}
	return npu_core_hang(core, "not modelled: precisions of CONV_CON1 0x%08x, MISC_CFG 0x%08x, DATA_FORMAT 0x%08x",
			     (unsigned int)con1, (unsigned int)npu_get(view, CORE_MISC_CFG), (unsigned int)format);
}

/* CNA and CORE describe the same cube several times; what happens if they disagree is not known. */
static bool check_cube(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv)
{
	uint32_t dma_size = npu_get(view, CNA_FC_DATA_SIZE0);
	uint32_t out_size = npu_get(view, CORE_DATAOUT_SIZE_0);
	uint32_t atomics = npu_field(npu_get(view, CNA_DATA_SIZE3), CNA_DATA_SIZE3_DATAOUT_ATOMICS);
	uint32_t real = npu_field(npu_get(view, CNA_DATA_SIZE1), CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL);

	if (npu_field(dma_size, CNA_FC_DATA_SIZE0_DMA_WIDTH) != conv->width ||
	    npu_field(dma_size, CNA_FC_DATA_SIZE0_DMA_HEIGHT) != conv->height ||
	    npu_field(npu_get(view, CNA_FC_DATA_SIZE1), CNA_FC_DATA_SIZE1_DMA_CHANNEL) != conv->channels)
		return npu_core_hang(core, "not modelled: FC_DATA_SIZE differs from DATA_SIZE");
	if (real + 1 != conv->channels)
		return npu_core_hang(core, "not modelled: %u real of %u channels", (unsigned int)real + 1,
				     (unsigned int)conv->channels);
	if (npu_field(npu_get(view, CNA_DATA_SIZE2), CNA_DATA_SIZE2_DATAOUT_WIDTH) != conv->width ||
	    atomics != npu_conv_pixels(conv))
		return npu_core_hang(core, "not modelled: DATA_SIZE2 or DATA_SIZE3 is not the cube of %u x %u pixels",
				     (unsigned int)conv->width, (unsigned int)conv->height);
	if (npu_field(out_size, CORE_DATAOUT_SIZE_0_DATAOUT_WIDTH) + 1 != conv->width ||
	    npu_field(out_size, CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT) + 1 != conv->height ||
	    npu_field(npu_get(view, CORE_DATAOUT_SIZE_1), CORE_DATAOUT_SIZE_1_DATAOUT_CHANNEL) + 1 != conv->kernels)
		return npu_core_hang(core, "not modelled: CORE's output cube differs from CNA's");
	return true;
}

static bool plan_cube(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t size = npu_get(view, CNA_DATA_SIZE0);

	conv->width = npu_field(size, CNA_DATA_SIZE0_DATAIN_WIDTH);
	conv->height = npu_field(size, CNA_DATA_SIZE0_DATAIN_HEIGHT);
	conv->channels = npu_field(npu_get(view, CNA_DATA_SIZE1), CNA_DATA_SIZE1_DATAIN_CHANNEL);
	conv->kernels = npu_field(npu_get(view, CNA_WEIGHT_SIZE2), CNA_WEIGHT_SIZE2_WEIGHT_KERNELS);
	if (conv->width == 0 || conv->height == 0 || conv->channels == 0 || conv->kernels == 0)
		return npu_core_hang(core, "empty cube of %u x %u pixels, %u channels, %u kernels",
				     (unsigned int)conv->width, (unsigned int)conv->height,
				     (unsigned int)conv->channels, (unsigned int)conv->kernels);
	if (conv->channels > CHANNELS_MAX)
		return npu_core_hang(core, "%u channels in one task, more than %u wedge the MAC array",
				     (unsigned int)conv->channels, CHANNELS_MAX);
	if (conv->channels % conv->type->channel_group != 0)
		return npu_core_hang(core, "not modelled: %u channels are not a multiple of %u",
				     (unsigned int)conv->channels, conv->type->channel_group);
	return check_cube(core, view, conv);
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

/* Lines are rounded up to entries; sources round either the whole line (3.5.1) or each of its pixels (3.10). */
static bool entries_fit(const struct npu_conv *conv, uint32_t entries)
{
	uint32_t pixel_bytes = conv->channels * conv->type->input_bytes;
	uint32_t by_line = (conv->width * pixel_bytes + NPU_CBUF_ENTRY - 1) / NPU_CBUF_ENTRY;
	uint32_t by_pixel = conv->width * ((pixel_bytes + NPU_CBUF_ENTRY - 1) / NPU_CBUF_ENTRY);

	return entries == by_line || entries == by_pixel;
}

/* NPU reference 3.5.1, 6.4: a wrong budget does not stop the task, it spoils what the MAC array reads. */
static void plan_cbuf_data(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv, uint32_t banks)
{
	uint32_t entries = npu_field(npu_get(view, CNA_CBUF_CON1), CNA_CBUF_CON1_DATA_ENTRIES);
	uint32_t bank = npu_field(npu_get(view, CNA_CBUF_CON0), CNA_CBUF_CON0_FC_DATA_BANK);

	conv->wrong_entries = !entries_fit(conv, entries);
	conv->wrong_bank = bank != 0;
	conv->rows_held = entries > 0 ? banks * (NPU_CBUF_BANK_BYTES / NPU_CBUF_ENTRY) / entries : 0;
	if (conv->wrong_entries)
		npu_core_warn(core, "corrupt: %u data entries do not fit lines of %u pixels and %u channels",
			      (unsigned int)entries, (unsigned int)conv->width, (unsigned int)conv->channels);
	else if (conv->rows_held < conv->height)
		npu_core_warn(core, "corrupt: %u data banks hold %u of %u lines", (unsigned int)banks,
			      (unsigned int)conv->rows_held, (unsigned int)conv->height);
	if (conv->wrong_bank)
		npu_core_warn(core, "corrupt: FC_DATA_BANK is %u", (unsigned int)bank);
}

static bool plan_cbuf(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t con0 = npu_get(view, CNA_CBUF_CON0);
	uint32_t data_banks = npu_field(con0, CNA_CBUF_CON0_DATA_BANK);
	uint32_t weight_banks = npu_field(con0, CNA_CBUF_CON0_WEIGHT_BANK);
	uint32_t group_bytes = conv->type->kernel_group * conv->channels * conv->type->input_bytes;

	if (data_banks + weight_banks > NPU_CBUF_BANKS)
		return npu_core_hang(core, "%u data and %u weight banks, there are %u", (unsigned int)data_banks,
				     (unsigned int)weight_banks, NPU_CBUF_BANKS);
	if (group_bytes > weight_banks * NPU_CBUF_BANK_BYTES)
		return npu_core_hang(core, "kernel group of %u bytes exceeds %u weight banks",
				     (unsigned int)group_bytes, (unsigned int)weight_banks);
	plan_cbuf_data(core, view, conv, data_banks);
	return true;
}

/* NPU reference 6.3.11: the loader keeps reading until it has what the sizes promise. */
static bool plan_weights(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t kernel_bytes = conv->channels * conv->type->input_bytes;
	uint32_t per_kernel = npu_field(npu_get(view, CNA_WEIGHT_SIZE1), CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL);
	uint32_t total = npu_get(view, CNA_WEIGHT_SIZE0);

	conv->weight_address = npu_get(view, CNA_DCOMP_ADDR0);
	conv->partial_group = conv->kernels % conv->type->kernel_group != 0;
	if (per_kernel > kernel_bytes)
		return npu_core_hang(core, "WEIGHT_BYTES_PER_KERNEL is %u, a kernel has %u", (unsigned int)per_kernel,
				     (unsigned int)kernel_bytes);
	if (total > kernel_bytes * conv->kernels)
		return npu_core_hang(core, "WEIGHT_BYTES is %u, %u kernels of %u bytes follow", (unsigned int)total,
				     (unsigned int)conv->kernels, (unsigned int)kernel_bytes);
	if (per_kernel < kernel_bytes || total < kernel_bytes * conv->kernels)
		return npu_core_hang(core, "not modelled: weight sizes smaller than the kernels");
	if (conv->partial_group)
		npu_core_warn(core, "corrupt: %u kernels are not a multiple of %u", (unsigned int)conv->kernels,
			      conv->type->kernel_group);
	return true;
}

static bool check_gating(struct npu_core *core, const struct npu_view *view)
{
	uint32_t gating = npu_get(view, CORE_MAC_GATING);

	if (!(gating & CORE_MAC_GATING_COMPLETION))
		return npu_core_hang(core, "MAC_GATING 0x%08x stops the completion of the MAC array",
				     (unsigned int)gating);
	return true;
}

bool npu_plan_conv(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	if (!check_gating(core, view) ||
	    !npu_rules_hold(core, view, cna_rules, sizeof(cna_rules) / sizeof(cna_rules[0])) ||
	    !plan_type(core, view, conv) || !plan_cube(core, view, conv))
		return false;
	plan_feature_address(view, conv);
	return plan_cbuf(core, view, conv) && plan_weights(core, view, conv) && npu_plan_output(core, view, conv);
}
