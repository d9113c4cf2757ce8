/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "layer.h"
#include "suites.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Packed images, the input converter, and what kernels of more than one pixel look like in memory. */

static struct board board;

/* A layer whose features come as a packed image: its channels beyond the image's are 0. */
struct image {
	struct layer layer;
	uint32_t channels;
	uint32_t line;  /* pitch of lines in pixels; 0: the width */
	uint32_t read;  /* pixels of a line that are read; 0: the width */
	uint32_t flags; /* of CVT_CON0: bypass, type, rounding, sign */
	int32_t scale[4], offset[4];
	uint32_t shift[4];
};

#define BYPASS    1
#define ADD_FIRST 2
#define HALF_UP   4
#define SIGNED    8

/* The nearest integer; sums and products of 16 bits are exact in a double. */
static double rounded(const struct image *image, double value)
{
	double below = floor(value);

	if (value - below != 0.5)
		return floor(value + 0.5);
	return image->flags & HALF_UP || fmod(below, 2) != 0 ? below + 1 : below;
}

static int32_t converted(const struct image *image, uint32_t c, uint8_t raw)
{
	double unit = ldexp(1, (int)image->shift[c]), value = image->flags & SIGNED ? (int8_t)raw : raw;

	if (image->flags & BYPASS)
		return (int8_t)raw;
	if (image->flags & ADD_FIRST)
		value = rounded(image, (value + image->offset[c]) * image->scale[c] / unit);
	else
		value = rounded(image, value * image->scale[c] / unit) + image->offset[c];
	return value > 127 ? 127 : value < -128 ? -128 : (int32_t)value;
}

/* The image in memory; the layer gets the values that the MAC array must see. */
static void store_image(struct image *image)
{
	struct layer *l = &image->layer;
	uint32_t bytes = l->input == 2 ? 2 : 1, line = image->line ? image->line : l->w;
	uint8_t *memory = board_memory(&board, l->a_at);

	memset(memory, 0x5a, line * l->h * image->channels * bytes);
	for (uint32_t i = 0; i < l->w * l->h * l->c; i++) {
		uint32_t pixel = i / l->c, c = i % l->c, at = pixel / l->w * line + pixel % l->w;

		if (c >= image->channels) {
			l->a[i] = 0;
			continue;
		}
		memcpy(memory + (at * image->channels + c) * bytes, &l->a[i], bytes);
		if (l->input == 0)
			l->a[i] = (uint32_t)converted(image, c, (uint8_t)l->a[i]);
	}
}

static void image_program(const struct image *image, struct program *p)
{
	const struct layer *l = &image->layer;
	uint32_t line = image->line ? image->line : l->w, precision = l->input << 7 | l->input << 4;

	layer_program(l, p);
	program_set(p, CNA_CONV_CON1, 3u << 29 | (7 + image->channels) << 12 | precision);
	program_set(p, CNA_DATA_SIZE1, (image->channels - 1) << 16 | l->c);
	program_set(p, CNA_CBUF_CON0, 0xb1);
	program_set(p, CNA_CBUF_CON1, l->w * l->h);
	program_set(p, CNA_CVT_CON0, image->shift[3] << 22 | image->shift[2] << 16 | image->shift[1] << 10 |
				     image->shift[0] << 4 | image->flags);
	for (uint32_t c = 0; c < 4; c++)
		program_set(p, CNA_CVT_CON1 + 4 * c, (uint32_t)image->scale[c] << 16 | (image->offset[c] & 0xffff));
	program_set(p, CNA_CVT_CON5, 0xffff);
	program_set(p, CNA_FC_DATA_SIZE0, (image->read ? image->read : l->w) << 16 | l->h);
	program_set(p, CNA_DMA_CON1, line);
	program_set(p, CNA_DMA_CON2, line * (l->h - 1));
}

static void image_begin(struct image *image, struct program *program)
{
	board_init(&board, 0);
	layer_complete(&image->layer);
	layer_random(&image->layer, image->layer.w + image->channels);
	layer_store(&image->layer, &board);
	store_image(image);
	image_program(image, program);
}

static void image_kick(const struct image *image, struct program *program)
{
	uint32_t map = layer_map(&image->layer);

	board_kick(&board, 0, PROGRAM_AT, program_store(program, &board, PROGRAM_AT, map, 0, 0), 1);
	board_work(&board);
}

static bool computes(struct image image)
{
	struct program program;
	bool right;

	image_begin(&image, &program);
	image_kick(&image, &program);
	right = board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&image.layer, &board) == 0;
	if (!right)
		printf("# %u channels, flags %u: %u wrong, %s\n", image.channels, image.flags,
		       layer_wrong(&image.layer, &board), board.first_report);
	layer_fini(&image.layer);
	board_fini(&board);
	return right;
}

/* The program that Mesa writes for one channel (registers.md, CVT_CON0): unsigned pixels less 128. */
static const struct image grey = {
	.layer = { .input = 0, .output = 4, .w = 20, .h = 9, .c = 16, .n = 32, .kw = 3, .kh = 3, .left = 1, .top = 1,
		   .pad = 0xf0 },
	.channels = 1,
	.scale = { 16384, 16384, 16384, 16384 },
	.offset = { -128, -128, -128, -128 },
	.shift = { 14, 14, 14, 14 },
};

static void grey_image_as_mesa_programs_it_is_exact(void)
{
	struct image wide = grey;

	CHECK(computes(grey));
	wide.layer.sx = wide.layer.sy = 2;
	wide.layer.output = 0;
	wide.layer.shift = 7;
	CHECK(computes(wide));
}

static void colour_images_of_all_depths_are_exact(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++) {
		struct image image = grey;

		image.channels = channels;
		CHECK(computes(image));
		image.flags = BYPASS | SIGNED;
		CHECK(computes(image));
	}
}

static void lines_of_an_image_may_lie_apart(void)
{
	struct image image = grey;

	image.channels = 3;
	image.line = 37;
	CHECK(computes(image));
}

/* The TRM's two orders and two roundings; scales and offsets that differ, are negative, tie and saturate. */
static void converter_computes_as_its_registers_say(void)
{
	for (uint32_t flags = 0; flags < 16; flags += 2) {
		struct image image = grey;

		image.channels = 4;
		image.flags = flags;
		image.scale[0] = 3;
		image.shift[0] = 1;
		image.scale[1] = -3;
		image.shift[1] = 3;
		image.offset[1] = 77;
		image.scale[2] = 32767;
		image.shift[2] = 12;
		image.offset[2] = -32768;
		image.scale[3] = -32768;
		image.shift[3] = 63;
		image.offset[3] = 5;
		CHECK(computes(image));
	}
}

/* Three halfwords a pixel, as they run on silicon; the converter is off. */
static void fp16_colour_image_is_exact(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++)
		CHECK(computes((struct image){ .layer = { .input = 2, .output = 5, .w = 12, .h = 7, .c = 8, .n = 48,
							  .kw = 3, .kh = 2 },
					       .channels = channels, .flags = 0xb }));
}

/* NVDLA's rule, and what Mesa writes: PAD_VALUE is a converted value. */
static void padding_of_an_image_is_not_converted(void)
{
	struct image image = grey;

	image.layer.pad = 0;
	CHECK(computes(image));
	image.layer.pad = 0x7f;
	CHECK(computes(image));
}

/* Probed on silicon with one weight and nothing but padding under it: lanes of two bytes. */
static void padding_of_a_depthwise_convolution_has_two_bytes(void)
{
	struct layer layer = { .input = 0, .output = 0, .w = 6, .h = 5, .c = 128, .depthwise = true, .kw = 3, .kh = 3,
			       .left = 1, .top = 1, .pad = 0x77a6 };

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 2);
	for (uint32_t i = 0; i < layer.c * 9; i++)
		layer.b[i] = i < layer.c;
	layer_run(&layer, &board);
	CHECK(board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&layer, &board) == 0);
	for (uint32_t c = 0; c < 64; c++)
		CHECK(layer_read(&layer, &board, 0, c) == (c < 32 && c % 2 ? 0x77 : 0xa6));
	layer_fini(&layer);
	board_fini(&board);
}

/* Lines of 20 pixels that end after 17; the output needs no more of them. */
static void lines_may_have_pixels_that_are_not_read(void)
{
	struct image image = grey;

	image.read = 17;
	image.layer.ow = 16;
	CHECK(computes(image));
	image.layer.left = 0;
	image.layer.ow = 15;
	CHECK(computes(image));
}

/* Published fp16 programs count entries of lines that are rounded up to four pixels. */
static void both_counts_of_entries_are_right(void)
{
	for (uint32_t width = 6; width <= 7; width++) {
		struct image image = { .layer = { .input = 2, .output = 5, .w = width, .h = 5, .c = 8, .n = 16, .kw = 3 },
				       .channels = 3, .flags = 0xb };
		struct program program;

		for (uint32_t count = width; count <= 8; count += 8 - width) {
			image_begin(&image, &program);
			program_set(&program, CNA_CBUF_CON1, count * 5);
			image_kick(&image, &program);
			CHECK(board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&image.layer, &board) == 0);
			layer_fini(&image.layer);
			board_fini(&board);
		}
	}
}

static bool refused(struct image image, uint32_t offset, uint32_t value, const char *text)
{
	struct program program;
	bool right;

	image_begin(&image, &program);
	if (offset)
		program_set(&program, offset, value);
	image_kick(&image, &program);
	right = board_hung(&board, text);
	if (!right)
		printf("# register 0x%04x: %s\n", offset, board.first_report);
	layer_fini(&image.layer);
	board_fini(&board);
	return right;
}

static void images_that_nobody_has_run_are_refused(void)
{
	struct image image = grey;
	const uint32_t grey_con1 = 3u << 29 | 8 << 12;

	CHECK(refused(grey, CNA_CONV_CON1, 3u << 29 | 7 << 12, "not modelled: ARGB_IN 7"));
	CHECK(refused(grey, CNA_CONV_CON1, 3u << 29 | 12 << 12, "not modelled: ARGB_IN 12"));
	CHECK(refused(grey, CNA_CONV_CON1, 1u << 29 | 8 << 12, "not modelled: ARGB_IN without NONALIGN_DMA"));
	CHECK(refused(grey, CNA_CONV_CON1, 2u << 29 | 8 << 12, "not modelled: ARGB_IN without NONALIGN_DMA"));
	CHECK(refused(grey, CNA_CONV_CON1, grey_con1 | 1 << 12, "not modelled: packed image of 2 channels"));
	CHECK(refused(grey, CNA_CVT_CON0, BYPASS, "not modelled: unsigned input without conversion"));
	CHECK(refused(grey, CNA_CVT_CON5, 0xfffe, "not modelled: a packed image of which only some channels"));
	CHECK(refused(grey, CNA_CBUF_CON1, 5, "not modelled: 5 data entries for a packed image of 20 x 9 pixels"));
	CHECK(refused(grey, CNA_FC_DATA_SIZE0, 19 << 16 | 9, "not modelled: packed image with lines of 20 pixels, of which 19"));
	CHECK(refused(grey, CNA_FC_DATA_SIZE0, 21 << 16 | 9, "not modelled: packed image with lines of 20 pixels, of which 21"));
	CHECK(refused(grey, CNA_CBUF_CON0, 0xb0, "not modelled: packed image of 20 x 9 pixels in 0 data banks"));
	image.layer.input = 2;
	image.layer.output = 5;
	image.layer.c = 8;
	CHECK(refused(image, 0, 0, "not modelled: input conversion of precision 2"));
	image.layer.input = 3;
	CHECK(refused(image, 0, 0, "not modelled: packed image, of precision 3"));
}

static bool cube_refused(uint32_t offset, uint32_t value, const char *text)
{
	struct layer layer = { .input = 0, .output = 4, .h = 4, .c = 32, .n = 32 };
	struct program program;
	bool right;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_program(&layer, &program);
	program_set(&program, offset, value);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
	board_work(&board);
	right = board_hung(&board, text);
	board_fini(&board);
	return right;
}

static void conversion_of_a_feature_cube_is_refused(void)
{
	CHECK(cube_refused(CNA_CONV_CON1, 1u << 30, "not modelled: NONALIGN_DMA without ARGB_IN"));
	CHECK(cube_refused(CNA_CVT_CON0, 0xa, "not modelled: input conversion of features that are no packed image"));
	CHECK(cube_refused(CNA_CVT_CON0, 0x3, "not modelled: unsigned input without conversion"));
	CHECK(cube_refused(CNA_CVT_CON5, 1, "not modelled: per-channel conversion of features"));
}

/* A kernel 3 wide and 2 high whose only weight is the one at a given position of the memory image. */
static void kernel_lies_line_by_line_in_memory(void)
{
	for (uint32_t position = 0; position < 6; position++) {
		struct layer layer = { .input = 0, .output = 4, .w = 5, .h = 4, .c = 32, .n = 32, .kw = 3, .kh = 2 };
		struct program program;

		board_init(&board, 0);
		layer_complete(&layer);
		layer_random(&layer, position);
		memset(layer.b, 0, 32 * 32 * 6 * sizeof(*layer.b));
		layer_program(&layer, &program);
		layer_store(&layer, &board);
		((uint8_t *)board_memory(&board, layer.b_at))[position * 1024] = 1;
		board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x0d, 0, 0), 1);
		board_work(&board);
		CHECK(layer_read(&layer, &board, 0, 0) == (uint32_t)(int8_t)layer.a[(position / 3 * 5 + position % 3) * 32]);
		layer_fini(&layer);
		board_fini(&board);
	}
}

/* Mesa's int8 and published fp16 convolutions end with half a channel group. */
static void half_a_channel_group_is_exact(void)
{
	for (uint32_t input = 0; input <= 2; input += 2)
		for (uint32_t c = 16; c <= 80; c += 32) {
			struct layer layer = { .input = input, .output = input ? 5 : 4, .w = 6, .h = 5, .c = c, .n = 32,
					       .kw = 3, .kh = 2 };

			board_init(&board, 0);
			layer_complete(&layer);
			layer_random(&layer, c);
			layer_run(&layer, &board);
			CHECK(board_done(&board, 0x155) && board.reports == 0 && layer_wrong(&layer, &board) == 0);
			layer_fini(&layer);
			board_fini(&board);
		}
}

void suite_image(void)
{
	RUN(kernel_lies_line_by_line_in_memory);
	RUN(half_a_channel_group_is_exact);
	RUN(grey_image_as_mesa_programs_it_is_exact);
	RUN(colour_images_of_all_depths_are_exact);
	RUN(lines_of_an_image_may_lie_apart);
	RUN(converter_computes_as_its_registers_say);
	RUN(fp16_colour_image_is_exact);
	RUN(padding_of_an_image_is_not_converted);
	RUN(padding_of_a_depthwise_convolution_has_two_bytes);
	RUN(lines_may_have_pixels_that_are_not_read);
	RUN(both_counts_of_entries_are_right);
	RUN(images_that_nobody_has_run_are_refused);
	RUN(conversion_of_a_feature_cube_is_refused);
}
