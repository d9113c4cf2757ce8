/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "layer.h"

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

uint32_t layer_group(const struct layer *l)
{
	return l->depthwise ? shape(l->input).ngd : shape(l->input).ng;
}

uint32_t layer_channels(const struct layer *l)
{
	return round_up_div(l->depthwise ? l->c : l->n, layer_group(l)) * layer_group(l);
}

uint32_t layer_output_bytes(const struct layer *l)
{
	return l->output == 0 ? 1 : l->output >= 4 ? 4 : 2;
}

uint32_t layer_pixels(const struct layer *l)
{
	return l->ow * l->oh;
}

uint32_t layer_macs(const struct layer *l)
{
	return layer_pixels(l) * l->kw * l->kh * l->c * (l->depthwise ? 1 : l->n);
}

uint32_t layer_pixel_atoms(const struct layer *l)
{
	return l->c * shape(l->input).bits / 128;
}

/* Distance of planes in atoms. */
uint32_t layer_plane(const struct layer *l)
{
	return l->layout == LAYOUT_FAR_PLANES ? l->w * l->h + 3 * l->w + 5 : l->w * l->h;
}

uint32_t layer_feature_bytes(const struct layer *l)
{
	return layer_pixel_atoms(l) * layer_plane(l) * 16 + 16;
}

uint32_t layer_weight_bytes(const struct layer *l)
{
	return l->c * l->kw * l->kh * (l->depthwise ? 1 : l->n) * shape(l->input).bits / 8;
}

uint32_t layer_result_bytes(const struct layer *l)
{
	return layer_pixels(l) * layer_channels(l) * layer_output_bytes(l);
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
				uint64_t atom = (uint64_t)c / c2 * layer_plane(l) + y * l->w + x;

				if (l->layout == LAYOUT_LINES)
					atom = (uint64_t)y * l->w * layer_pixel_atoms(l) + c / c2 * l->w + x;
				put_value(base, atom * c2 + c % c2, bits, l->a[(y * l->w + x) * l->c + c]);
			}
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* oc group, ic group, kernel y, kernel x, oc in group, ic in group; ends of groups tight. */
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
	return l->c_at + (channel / c2 * layer_pixels(l) + pixel) * 16 + channel % c2 * bytes;
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

	for (uint32_t pixel = 0; pixel < layer_pixels(l); pixel++)
		for (uint32_t n = 0; n < layer_channels(l); n++)
			wrong += layer_read(l, board, pixel, n) != layer_element(l, pixel, n);
	return wrong;
}

void layer_expect(const struct layer *l, uint8_t *image, uint32_t from)
{
	for (uint32_t pixel = 0; pixel < layer_pixels(l); pixel++)
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
