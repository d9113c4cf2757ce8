/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_CONV_H
#define NPU_CONV_H

#include "npu_cbuf.h"
#include "npu_dpu.h"
#include "npu_mac.h"
#include "npu_port.h"
#include "npu_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPU_IMAGE_CHANNELS 4

/* What the input converter does to one channel: CVT_CON0 and one of CVT_CON1 to CVT_CON4. */
struct npu_input_cvt {
	int16_t scale;
	int16_t offset;
	uint8_t shift;
};

/* A packed image (ARGB_IN) in place of a feature cube. */
struct npu_image {
	uint32_t channels; /* of a pixel; 0: no image */
	uint32_t width;    /* pixels of a line that are read */
	bool convert;
	bool is_signed; /* what is converted */
	bool add_first; /* offset, then scale and shift; else scale, shift, offset */
	enum npu_rounding rounding;
	struct npu_input_cvt cvt[NPU_IMAGE_CHANNELS];
};

/*
 * A convolution as npu_plan.c decodes it from the registers of CNA and CORE. Pixels are counted in row-major order. Address
 * generators work in atoms of 16 bytes.
 */
struct npu_conv {
	const struct npu_type *type;
	bool depthwise;
	uint32_t width; /* of the feature cube, pixels */
	uint32_t height;
	uint32_t channels;
	uint32_t out_width; /* of the output cube */
	uint32_t out_height;
	uint32_t kernels;     /* channels of the output cube */
	uint32_t kernel_rows; /* kernels that weights exist for: the last group may lack some */
	uint32_t group;       /* kernels of a group: Ng, or the depthwise group */
	uint32_t kernel_width;
	uint32_t kernel_height;
	uint32_t stride[2]; /* x, y */
	uint32_t step[2];   /* distance of the kernel's positions: dilation + 1 */
	uint32_t pad[2];    /* left, top */
	uint8_t pad_value[4];
	struct npu_clip clip;
	struct npu_image image;

	int64_t feature_address;
	int64_t feature_line;    /* pitch of lines, atoms; pixels of a packed image */
	int64_t feature_surface; /* pitch of the planes that hold 16 bytes of channels of every pixel, atoms */
	bool line_major;         /* GROUP_LINE_OFF: all channels of a line lie close to each other */
	uint32_t line_bytes;     /* pitch of lines in CBUF: DATA_ENTRIES */
	uint32_t rows_held;      /* lines that fit the data banks; the MAC array reads garbage in place of the others */
	bool wrong_entries;      /* DATA_ENTRIES does not fit the cube: no line is found where it was stored */
	bool wrong_bank;         /* FC_DATA_BANK: three of four pixels come from the wrong place */
	bool data_reuse;         /* features are what CBUF holds */

	int64_t weight_address;
	uint32_t weight_bytes;    /* of all kernels */
	uint32_t weight_capacity; /* bytes of the weight banks */
	bool weight_reuse;
	bool garbage; /* a rule is broken that leaves no sum right */
};

static inline uint32_t npu_conv_out_pixels(const struct npu_conv *conv)
{
	return conv->out_width * conv->out_height;
}

/* Positions of the kernel. */
static inline uint32_t npu_conv_positions(const struct npu_conv *conv)
{
	return conv->kernel_width * conv->kernel_height;
}

/* Products of a sum. Channels are rounded up to whole tiles, which lack weights then. */
static inline uint32_t npu_conv_length(const struct npu_conv *conv)
{
	uint32_t group = conv->type->channel_group;

	if (conv->depthwise)
		return npu_conv_positions(conv);
	return (conv->channels + group - 1) / group * group * npu_conv_positions(conv);
}

/* Bytes of all channels of a pixel; they come in whole atoms. */
static inline uint32_t npu_conv_pixel_bytes(const struct npu_conv *conv)
{
	return ((uint32_t)npu_type_bytes(conv->type, conv->channels) + NPU_ATOM - 1) / NPU_ATOM * NPU_ATOM;
}

/* Bytes of the weights of a kernel, or of all channels if depthwise. */
static inline uint32_t npu_conv_kernel_bytes(const struct npu_conv *conv)
{
	return (uint32_t)npu_type_bytes(conv->type, conv->channels * npu_conv_positions(conv));
}

static inline uint32_t npu_conv_groups(const struct npu_conv *conv)
{
	return (conv->kernels + conv->group - 1) / conv->group;
}

/* Deterministic garbage. */
static inline uint8_t npu_poison(uint32_t a, uint32_t b)
{
	uint32_t mixed = (a + 1) * 0x9e3779b1u ^ (b + 1) * 0x85ebca77u;

	return (uint8_t)((mixed ^ mixed >> 15) >> 3 | 1);
}

/* Computes the convolution; stops early when the port fails. False if the host is out of memory. */
bool npu_conv_run(const struct npu_conv *conv, const struct npu_dpu *dpu, struct npu_cbuf *cbuf, struct npu_port *port);

/* npu_feature.c: loads the feature cube into the data banks. */
bool npu_feature_load(const struct npu_conv *conv, struct npu_burst *burst, struct npu_cbuf *cbuf);

/* npu_image.c: loads a packed image instead. */
bool npu_image_load(const struct npu_conv *conv, struct npu_port *port, struct npu_cbuf *cbuf);

/*
 * npu_patch.c: what the MAC array gets for output pixels [first, first + count): for each one the channels at all positions of the
 * kernel, in the order of the weights: [channel group][kernel y][kernel x][Kg] (NPU reference 4.2).
 */
void npu_patch_gather(const struct npu_conv *conv, const struct npu_cbuf *cbuf, uint32_t first, uint32_t count,
		      uint8_t *patches);

/* The channels of one input pixel as the MAC array finds them: in the data banks, padding, or garbage in scratch. */
const uint8_t *npu_patch_pixel(const struct npu_conv *conv, const struct npu_cbuf *cbuf, int64_t x, int64_t y,
			       const uint8_t *padding, uint8_t *scratch);
/* Fills the channels of a pixel of padding. */
void npu_patch_padding(const struct npu_conv *conv, uint8_t *padding);
/* Input pixel at one position of the kernel of an output pixel. */
void npu_patch_position(const struct npu_conv *conv, uint32_t pixel, uint32_t kernel_x, uint32_t kernel_y, int64_t *x,
			int64_t *y);

/*
 * npu_weight.c: loads kernel group number group, or finds it in the weight banks, as tiles of Ng kernels by Kg channels; kernels
 * and channels that do not exist are 0. raw has room for a group as it lies in memory.
 */
bool npu_weight_load(const struct npu_conv *conv, struct npu_port *port, struct npu_cbuf *cbuf, uint32_t group,
		     uint8_t *raw, uint8_t *tiles);

/* npu_depthwise.c: sums of a group of channels, [pixels][group]. weights as they lie in memory. */
void npu_depthwise_group(const struct npu_conv *conv, const struct npu_cbuf *cbuf, uint32_t group,
			 const uint8_t *weights, uint32_t first, uint32_t pixels, int32_t *sums);

#endif
