/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "layer.h"

#include "../npu_regs.h"

#include <stdlib.h>
#include <string.h>

struct shape {
	uint32_t bits, ng, kg, ngd; /* ngd: channels of a depthwise group */
};

static struct shape shape(uint32_t input)
{
	switch (input) {
	case 0: return (struct shape){ 8, 32, 32, 64 };
	case 6: return (struct shape){ 4, 64, 32, 0 };
	case 7: return (struct shape){ 32, 16, 16, 0 };
	}
	return (struct shape){ 16, 16, 32, 32 };
}

static uint32_t round_up_div(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static uint32_t group_of(const struct layer *l)
{
	return l->depthwise ? shape(l->input).ngd : shape(l->input).ng;
}

uint32_t layer_channels(const struct layer *l)
{
	return round_up_div(l->depthwise ? l->c : l->n, group_of(l)) * group_of(l);
}

uint32_t layer_output_bytes(const struct layer *l)
{
	return l->output == 0 ? 1 : l->output >= 4 ? 4 : 2;
}

static uint32_t pixels(const struct layer *l)
{
	return l->ow * l->oh;
}

uint32_t layer_macs(const struct layer *l)
{
	return pixels(l) * l->kw * l->kh * l->c * (l->depthwise ? 1 : l->n);
}

static uint32_t pixel_atoms(const struct layer *l)
{
	return l->c * shape(l->input).bits / 128;
}

/* Distance of planes in atoms. */
static uint32_t plane(const struct layer *l)
{
	return l->layout == LAYOUT_FAR_PLANES ? l->w * l->h + 3 * l->w + 5 : l->w * l->h;
}

uint32_t layer_feature_bytes(const struct layer *l)
{
	return pixel_atoms(l) * plane(l) * 16 + 16;
}

uint32_t layer_weight_bytes(const struct layer *l)
{
	return l->c * l->kw * l->kh * (l->depthwise ? 1 : l->n) * shape(l->input).bits / 8;
}

uint32_t layer_result_bytes(const struct layer *l)
{
	return pixels(l) * layer_channels(l) * layer_output_bytes(l);
}

void layer_complete(struct layer *l)
{
	uint32_t *ones[] = { &l->w, &l->h, &l->kw, &l->kh, &l->sx, &l->sy };

	for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++)
		if (*ones[i] == 0)
			*ones[i] = 1;
	if (l->ow == 0)
		l->ow = (l->w + 2 * l->left - (l->dx + 1) * (l->kw - 1) - 1) / l->sx + 1;
	if (l->oh == 0)
		l->oh = (l->h + 2 * l->top - (l->dy + 1) * (l->kh - 1) - 1) / l->sy + 1;
	if (l->scale == 0)
		l->scale = 1;
	if (l->a_at == 0)
		l->a_at = A_AT;
	if (l->b_at == 0)
		l->b_at = B_AT;
	if (l->c_at == 0)
		l->c_at = C_AT;
	if (l->operand_at == 0)
		l->operand_at = A_AT - 0x80000;
}

/* Registers. */

static void set_shape(struct program *p, const struct layer *l)
{
	uint32_t channels = layer_channels(l), kernels = l->depthwise ? 1 : l->n;

	program_set(p, CNA_CONV_CON3, l->dy << 21 | l->dx << 16 | l->sy << 3 | l->sx);
	program_set(p, CNA_DATA_SIZE0, l->w << 16 | l->h);
	program_set(p, CNA_DATA_SIZE1, (l->c - 1) << 16 | l->c);
	program_set(p, CNA_DATA_SIZE2, l->ow);
	program_set(p, CNA_DATA_SIZE3, pixels(l));
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
	uint32_t entries = round_up_div(l->w * pixel_atoms(l) * 16, 64), precision = l->input << 7 | l->input << 4;
	uint32_t banks = l->data_banks ? l->data_banks : round_up_div(l->h * entries * 64, 32768);
	uint32_t line = l->layout == LAYOUT_PLANES ? 4 * l->w : l->layout == LAYOUT_LINES ? l->w * pixel_atoms(l) : l->w;
	uint32_t surf = plane(l) - (l->layout == LAYOUT_PLANES ? 4 * l->w : l->w);

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
	uint32_t size_e = group_of(l) * layer_output_bytes(l) / 16 - 1, bs = 0x53;

	if (l->bias || l->triple)
		bs = 0x20140 | (l->triple ? 0 : 0x10);
	if (l->relu)
		bs = (bs & ~0x41u);
	program_set(p, DPU_BS_CFG, bs);
	program_set(p, DPU_BS_MUL_CFG, l->triple_shift[0] << 8 | (l->triple ? 1 : 0));
	program_set(p, DPU_BS_OW_CFG, size_e << 8 | size_e << 5 | size_e << 2 | (l->ow_operand ? 0 : 2));
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
	uint32_t surfaces = group_of(l) * layer_output_bytes(l) / 16, stride = l->rows_out ? 1 : pixels(l);
	uint32_t notch = l->rows_out ? channels * layer_output_bytes(l) / 16 - 1 : 0;
	uint32_t w = l->rows_out ? 1 : l->ow, h = l->rows_out ? pixels(l) : l->oh;

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

/* Memory. */

static uint64_t state;

static uint32_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 24);
}

/* Any integer; reals of 2^-10 to 2^4, and zeros. fp16 subnormals as well. */
static uint32_t random_value(uint32_t input)
{
	uint32_t r = next_random(), sign = r & 1, exponent = (r >> 1) % 14, fraction = next_random();

	if (input < 2 || input == 6)
		return r;
	if (r >> 8 & 1 && r >> 9 & 1 && r >> 10 & 1)
		return 0;
	switch (input) {
	case 2: return sign << 15 | (exponent + 5) % 15 << 10 | (fraction & 0x3ff);
	case 3: return sign << 15 | (exponent + 117) << 7 | (fraction & 0x7f);
	}
	/* Low bits that truncation has to drop. */
	return sign << 31 | (exponent + 117) << 23 | (fraction & 0x7fffff);
}

static uint32_t *random_values(const struct layer *l, uint32_t count)
{
	uint32_t *values = malloc(count * sizeof(*values));

	if (!values)
		abort();
	for (uint32_t i = 0; i < count; i++)
		values[i] = random_value(l->input);
	return values;
}

void layer_random(struct layer *l, uint32_t seed)
{
	uint32_t channels = layer_channels(l);

	state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	l->a = random_values(l, l->w * l->h * l->c);
	l->b = random_values(l, (l->depthwise ? 1 : l->n) * l->kw * l->kh * l->c);
	l->operand = malloc(channels * 3 * sizeof(*l->operand));
	if (!l->operand)
		abort();
	for (uint32_t i = 0; i < channels; i++) {
		l->operand[3 * i] = (int32_t)(next_random() << 4) >> 12;
		l->operand[3 * i + 1] = (int16_t)next_random();
		l->operand[3 * i + 2] = (int16_t)next_random();
	}
}

void layer_fini(struct layer *l)
{
	free(l->a);
	free(l->b);
	free(l->operand);
}

static void put_value(uint8_t *base, uint64_t element, uint32_t bits, uint32_t value)
{
	if (bits == 4)
		base[element / 2] = (uint8_t)((base[element / 2] & (element % 2 ? 0x0f : 0xf0)) |
					      (value & 15) << (element % 2 * 4));
	else
		memcpy(base + element * bits / 8, &value, bits / 8);
}

static void store_features(const struct layer *l, struct board *board)
{
	uint32_t bits = shape(l->input).bits, c2 = 128 / bits;
	uint8_t *base = board_memory(board, l->a_at);

	for (uint32_t y = 0; y < l->h; y++)
		for (uint32_t x = 0; x < l->w; x++)
			for (uint32_t c = 0; c < l->c; c++) {
				uint64_t atom = (uint64_t)c / c2 * plane(l) + y * l->w + x;

				if (l->layout == LAYOUT_LINES)
					atom = (uint64_t)y * l->w * pixel_atoms(l) + c / c2 * l->w + x;
				put_value(base, atom * c2 + c % c2, bits, l->a[(y * l->w + x) * l->c + c]);
			}
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* oc group, ic group, kernel x, kernel y, oc in group, ic in group; ends of groups tight. */
static uint32_t weight_index(const struct layer *l, uint32_t n, uint32_t position, uint32_t c)
{
	struct shape s = shape(l->input);
	uint32_t taps = l->kw * l->kh, kg = l->depthwise ? s.ngd : s.kg, c0 = c / kg * kg, cg = smaller(kg, l->c - c0);
	uint32_t n0 = n / s.ng * s.ng, ng = smaller(s.ng, l->n - n0);

	if (l->depthwise)
		return c0 * taps + position * cg + c - c0;
	return n0 * l->c * taps + ng * (c0 * taps + position * cg) + (n - n0) * cg + c - c0;
}

static void store_weights(const struct layer *l, struct board *board)
{
	uint32_t taps = l->kw * l->kh, kernels = l->depthwise ? 1 : l->n, i = 0;
	uint8_t *base = board_memory(board, l->b_at);

	for (uint32_t n = 0; n < kernels; n++)
		for (uint32_t position = 0; position < taps; position++)
			for (uint32_t c = 0; c < l->c; c++)
				put_value(base, weight_index(l, n, position, c), shape(l->input).bits, l->b[i++]);
}

static void store_operands(const struct layer *l, struct board *board)
{
	uint8_t *base = board_memory(board, l->operand_at);

	for (uint32_t n = 0; n < layer_channels(l); n++) {
		uint8_t *group = base + n / 8 * 64;

		if (l->bias) {
			memcpy(base + 4 * n, &l->operand[3 * n], 4);
		} else if (l->triple) {
			memcpy(group + n % 8 * 4, &l->operand[3 * n], 4);
			memcpy(group + 32 + n % 8 * 2, &l->operand[3 * n + 1], 2);
			memcpy(group + 48 + n % 8 * 2, &l->operand[3 * n + 2], 2);
		}
	}
}

void layer_store(const struct layer *l, struct board *board)
{
	store_features(l, board);
	store_weights(l, board);
	store_operands(l, board);
}

uint32_t layer_element_at(const struct layer *l, uint32_t pixel, uint32_t channel)
{
	uint32_t bytes = layer_output_bytes(l), c2 = 16 / bytes;

	if (l->rows_out)
		return l->c_at + (pixel * layer_channels(l) + channel) * bytes;
	return l->c_at + (channel / c2 * pixels(l) + pixel) * 16 + channel % c2 * bytes;
}

uint32_t layer_read(const struct layer *l, struct board *board, uint32_t pixel, uint32_t channel)
{
	uint32_t value = 0;

	memcpy(&value, board_memory(board, layer_element_at(l, pixel, channel)), layer_output_bytes(l));
	return value;
}

uint32_t layer_wrong(const struct layer *l, struct board *board)
{
	uint32_t wrong = 0;

	for (uint32_t pixel = 0; pixel < pixels(l); pixel++)
		for (uint32_t n = 0; n < layer_channels(l); n++)
			wrong += layer_read(l, board, pixel, n) != layer_element(l, pixel, n);
	return wrong;
}

void layer_expect(const struct layer *l, uint8_t *image, uint32_t from)
{
	for (uint32_t pixel = 0; pixel < pixels(l); pixel++)
		for (uint32_t n = 0; n < layer_channels(l); n++) {
			uint32_t value = layer_element(l, pixel, n);

			memcpy(image + (layer_element_at(l, pixel, n) - from), &value, layer_output_bytes(l));
		}
}

void layer_run(const struct layer *l, struct board *board)
{
	struct program program;

	layer_store(l, board);
	memset(board_memory(board, C_AT - 4096), PATTERN, MEMORY_BASE + MEMORY_BYTES - C_AT + 4096);
	layer_program(l, &program);
	board_kick(board, 0, PROGRAM_AT, program_store(&program, board, PROGRAM_AT, layer_map(l), 0, 0), 1);
	board_work(board);
}
