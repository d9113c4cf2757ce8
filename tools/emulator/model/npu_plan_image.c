/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

/*
 * What the input of a convolution is: a feature cube that passes the input converter as it is, or a packed image of 1 to 4 channels
 * that the converter may change. The field meanings are those of the TRM; how scale, offset and shift go together follows from
 * NVDLA's formula and from Mesa's program for one channel, which subtracts 128 with the multiplication first.
 */

#define ARGB_ONE_CHANNEL   8
#define ARGB_FOUR_CHANNELS 11

static bool plan_features(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv)
{
	uint32_t cvt = npu_get(view, CNA_CVT_CON0);

	if (npu_get(view, CNA_CONV_CON1) & CNA_CONV_CON1_NONALIGN_DMA)
		return npu_core_hang(core, "not modelled: NONALIGN_DMA without ARGB_IN");
	if (!(cvt & CNA_CVT_CON0_CVT_BYPASS))
		return npu_core_hang(core, "not modelled: input conversion of features that are no packed image");
	/* Reals have their sign in themselves; published programs write either value. */
	if (!conv->type->real && !(cvt & CNA_CVT_CON0_DATA_SIGN))
		return npu_core_hang(core, "not modelled: unsigned input without conversion");
	if (npu_get(view, CNA_CVT_CON5) != 0)
		return npu_core_hang(core, "not modelled: per-channel conversion of features that are no packed image");
	return true;
}

static void plan_conversion(const struct npu_view *view, struct npu_image *image)
{
	static const uint32_t truncate[] = { CNA_CVT_CON0_CVT_TRUNCATE_0, CNA_CVT_CON0_CVT_TRUNCATE_1,
					     CNA_CVT_CON0_CVT_TRUNCATE_2, CNA_CVT_CON0_CVT_TRUNCATE_3 };
	uint32_t cvt = npu_get(view, CNA_CVT_CON0);

	image->convert = !(cvt & CNA_CVT_CON0_CVT_BYPASS);
	image->is_signed = cvt & CNA_CVT_CON0_DATA_SIGN;
	image->add_first = cvt & CNA_CVT_CON0_CVT_TYPE;
	image->rounding = cvt & CNA_CVT_CON0_ROUND_TYPE ? NPU_HALF_UP : NPU_HALF_TO_EVEN;
	for (uint32_t c = 0; c < NPU_IMAGE_CHANNELS; c++) {
		uint32_t operand = npu_get(view, CNA_CVT_CON1 + 4 * c);

		image->cvt[c].scale = (int16_t)npu_field(operand, CNA_CVT_CON1_CVT_SCALE);
		image->cvt[c].offset = (int16_t)npu_field(operand, CNA_CVT_CON1_CVT_OFFSET);
		image->cvt[c].shift = (uint8_t)npu_field(cvt, truncate[c]);
	}
}

static bool check_conversion(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv)
{
	uint32_t all = (1u << conv->image.channels) - 1;

	if (conv->image.convert && conv->type->input != NPU_INT8)
		return npu_core_hang(core, "not modelled: input conversion of precision %u",
				     (unsigned int)conv->type->input);
	if (conv->image.convert && (npu_get(view, CNA_CVT_CON5) & all) != all)
		return npu_core_hang(core, "not modelled: a packed image of which only some channels are converted");
	if (!conv->image.convert && conv->type->input == NPU_INT8 && !conv->image.is_signed)
		return npu_core_hang(core, "not modelled: unsigned input without conversion");
	return true;
}

/* The combinations that published programs have run: int8 and fp16, pixels of one atom. */
static bool check_image(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv)
{
	uint32_t con1 = npu_get(view, CNA_CONV_CON1), size = npu_get(view, CNA_DATA_SIZE1);
	uint32_t argb = npu_field(con1, CNA_CONV_CON1_ARGB_IN);
	uint32_t channels = npu_field(size, CNA_DATA_SIZE1_DATAIN_CHANNEL);
	uint32_t real = npu_field(size, CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL) + 1;

	if (argb < ARGB_ONE_CHANNEL || argb > ARGB_FOUR_CHANNELS)
		return npu_core_hang(core, "not modelled: ARGB_IN %u", (unsigned int)argb);
	if (!(con1 & CNA_CONV_CON1_NONALIGN_DMA) || !(con1 & CNA_CONV_CON1_GROUP_LINE_OFF))
		return npu_core_hang(core, "not modelled: ARGB_IN without NONALIGN_DMA and GROUP_LINE_OFF");
	if (conv->depthwise || (conv->type->input != NPU_INT8 && conv->type->input != NPU_FP16))
		return npu_core_hang(core, "not modelled: packed image, %s precision %u",
				     conv->depthwise ? "depthwise," : "of", (unsigned int)conv->type->input);
	if (npu_type_bytes(conv->type, channels) != NPU_ATOM || real != conv->image.channels)
		return npu_core_hang(core, "not modelled: packed image of %u channels with DATA_SIZE1 0x%08x",
				     (unsigned int)conv->image.channels, (unsigned int)size);
	return true;
}

/*
 * Programs for images of odd width or of less than 16 pixels make DATAIN_WIDTH larger than DMA_WIDTH. What the MAC array finds in
 * between is not known; no output pixel may depend on it.
 */
bool npu_plan_image_width(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	int64_t last = (int64_t)(conv->out_width - 1) * conv->stride[0] +
		       (int64_t)(conv->kernel_width - 1) * conv->step[0] - conv->pad[0];
	uint32_t width = npu_field(npu_get(view, CNA_FC_DATA_SIZE0), CNA_FC_DATA_SIZE0_DMA_WIDTH);

	conv->image.width = width;
	if (conv->image.channels == 0 || width == conv->width || (width < conv->width && last < width))
		return true;
	return npu_core_hang(core, "not modelled: packed image with lines of %u pixels, of which %u are read",
			     (unsigned int)conv->width, (unsigned int)width);
}

bool npu_plan_image(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t argb = npu_field(npu_get(view, CNA_CONV_CON1), CNA_CONV_CON1_ARGB_IN);

	if (argb == 0)
		return plan_features(core, view, conv);
	conv->image.channels = argb - ARGB_ONE_CHANNEL + 1;
	plan_conversion(view, &conv->image);
	return check_image(core, view, conv) && check_conversion(core, view, conv);
}
