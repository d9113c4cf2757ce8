/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "layer.h"

#include "../npu_regs.h"

/* The register program of a layer, from the formulas of NPU reference 3. */

static uint32_t round_up_div(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static void set_shape(struct program *p, const struct layer *l)
{
	uint32_t channels = layer_channels(l), kernels = l->depthwise ? 1 : l->n;

	program_set(p, CNA_CONV_CON3, l->dy << 21 | l->dx << 16 | l->sy << 3 | l->sx);
	program_set(p, CNA_DATA_SIZE0, l->w << 16 | l->h);
	program_set(p, CNA_DATA_SIZE1, (l->c - 1) << 16 | l->c);
	program_set(p, CNA_DATA_SIZE2, l->ow);
	program_set(p, CNA_DATA_SIZE3, layer_pixels(l));
	program_set(p, CNA_WEIGHT_SIZE0, layer_weight_bytes(l));
	program_set(p, CNA_WEIGHT_SIZE1, layer_weight_bytes(l) / kernels);
	program_set(p, CNA_WEIGHT_SIZE2, l->kw << 24 | l->kh << 16 | kernels);
	program_set(p, CNA_PAD_CON0, l->left << 4 | l->top);
	program_set(p, CNA_PAD_CON1, l->pad);
	program_set(p, CNA_FC_DATA_SIZE0, l->w << 16 | l->h);
	program_set(p, CNA_FC_DATA_SIZE1, l->c);
	program_set(p, CORE_DATAOUT_SIZE_0, (l->oh - 1) << 16 | (l->ow - 1));
	program_set(p, CORE_DATAOUT_SIZE_1, channels - 1);
	program_set(p, CORE_CLIP_TRUNCATE, l->clip);
}

static void set_cna(struct program *p, const struct layer *l)
{
	uint32_t entries = round_up_div(l->w * layer_pixel_atoms(l) * 16, 64), precision = l->input << 7 | l->input << 4;
	uint32_t banks = l->data_banks ? l->data_banks : round_up_div(l->h * entries * 64, 32768);
	uint32_t line = l->layout == LAYOUT_PLANES ? 4 * l->w : l->layout == LAYOUT_LINES ? l->w * layer_pixel_atoms(l) : l->w;
	uint32_t surf = layer_plane(l) - (l->layout == LAYOUT_PLANES ? 4 * l->w : l->w);

	if (l->layout == LAYOUT_LINES)
		surf = 0;
	program_set(p, CNA_CONV_CON1, precision | (l->layout == LAYOUT_PLANES ? 0 : 1 << 29) | (l->depthwise ? 3 : 0));
	program_set(p, CNA_CONV_CON2, (l->h + 1) << 4);
	program_set(p, CNA_CBUF_CON0, (12 - banks) << 4 | banks | l->reuse);
	program_set(p, CNA_CBUF_CON1, entries);
	program_set(p, CNA_CVT_CON0, 0xb);
	for (uint32_t offset = CNA_CVT_CON1; offset <= CNA_CVT_CON4; offset += 4)
		program_set(p, offset, 0x10000);
	program_set(p, CNA_FEATURE_DATA_ADDR, l->features_of ? l->features_of : l->a_at);
	program_set(p, CNA_DMA_CON0, 0x000f000f);
	program_set(p, CNA_DMA_CON1, line);
	program_set(p, CNA_DMA_CON2, surf & 0x0fffffff);
	program_set(p, CNA_DCOMP_ADDR0, l->weights_of ? l->weights_of : l->b_at);
	program_set(p, CORE_MISC_CFG, l->input << 8 | (l->depthwise ? 2 : 0) | 1);
	set_shape(p, l);
}

static void set_stages(struct program *p, const struct layer *l)
{
	uint32_t size_e = layer_group(l) * layer_output_bytes(l) / 16 - 1, bs = 0x53;

	if (l->bias || l->triple)
		bs = 0x20140 | (l->triple ? 0 : 0x10);
	if (l->relu)
		bs = (bs & ~0x41u);
	program_set(p, DPU_BS_CFG, bs);
	program_set(p, DPU_BS_MUL_CFG, l->triple_shift[0] << 8 | (l->triple ? 1 : 0));
	program_set(p, DPU_BS_OW_CFG, size_e << 8 | size_e << 5 | size_e << 2 | (l->ow_operand || l->ow_memory ? 0 : 2) |
				   (l->ow_memory ? 1 : 0));
	program_set(p, DPU_BS_OW_OP, (uint32_t)l->ow_operand & 0xffff);
	program_set(p, DPU_BN_CFG, 0x53);
	program_set(p, DPU_EW_CFG, 0x383);
	program_set(p, DPU_EW_CVT_SCALE_VALUE, 1);
	program_set(p, DPU_OUT_CVT_OFFSET, (uint32_t)l->offset);
	program_set(p, DPU_OUT_CVT_SCALE, ((uint32_t)l->scale & 0xffff) | (l->output == 2 ? 0x10000 : 0));
	program_set(p, DPU_OUT_CVT_SHIFT, l->shift | (l->half_away ? 1u << 30 : 0));
}

static void set_dpu(struct program *p, const struct layer *l)
{
	uint32_t dpu_input = l->input == 7 ? 5 : l->input, channels = layer_channels(l);
	uint32_t surfaces = layer_group(l) * layer_output_bytes(l) / 16, stride = l->rows_out ? 1 : layer_pixels(l);
	uint32_t notch = l->rows_out ? channels * layer_output_bytes(l) / 16 - 1 : 0;
	uint32_t w = l->rows_out ? 1 : l->ow, h = l->rows_out ? layer_pixels(l) : l->oh;

	program_set(p, DPU_FEATURE_MODE_CFG, l->depthwise ? 0x1fc : 0x1e4);
	program_set(p, DPU_DATA_FORMAT, l->output << 29 | dpu_input << 26 | l->triple_shift[1] << 4 | dpu_input);
	program_set(p, DPU_DST_BASE_ADDR, l->c_at);
	program_set(p, DPU_DST_SURF_STRIDE, stride << 4);
	program_set(p, DPU_DATA_CUBE_WIDTH, w - 1);
	program_set(p, DPU_DATA_CUBE_HEIGHT, h - 1);
	program_set(p, DPU_DATA_CUBE_NOTCH_ADDR, notch << 16 | notch);
	program_set(p, DPU_DATA_CUBE_CHANNEL, (channels - 1) << 16 | (channels - 1));
	program_set(p, DPU_WDMA_SIZE_0, channels - 1);
	program_set(p, DPU_WDMA_SIZE_1, (h - 1) << 16 | (w - 1));
	program_set(p, DPU_SURFACE_ADD, (stride * surfaces) << 4);
	set_stages(p, l);
}

static void set_rdma(struct program *p, const struct layer *l)
{
	if (!l->bias && !l->triple)
		return;
	program_set(p, 0x5004, 0xe);
	program_set(p, DPU_RDMA_DATA_CUBE_WIDTH, l->ow - 1);
	program_set(p, DPU_RDMA_DATA_CUBE_HEIGHT, l->oh - 1);
	program_set(p, DPU_RDMA_DATA_CUBE_CHANNEL, layer_channels(l) - 1);
	program_set(p, DPU_RDMA_BRDMA_CFG, l->triple ? 7 << 1 : 1 << 1);
	program_set(p, DPU_RDMA_BS_BASE_ADDR, l->operand_at);
	program_set(p, DPU_RDMA_ERDMA_CFG, 1);
	program_set(p, DPU_RDMA_FEATURE_MODE_CFG, l->depthwise ? 0x7816 : 0x7810);
	program_set(p, DPU_RDMA_WEIGHT, 0x01010101);
}

uint32_t layer_map(const struct layer *l)
{
	return l->bias || l->triple ? 0x1d : 0x0d;
}

void layer_program(const struct layer *l, struct program *p)
{
	p->count = 0;
	program_set(p, 0x4004, 0xe);
	set_cna(p, l);
	set_dpu(p, l);
	set_rdma(p, l);
}
