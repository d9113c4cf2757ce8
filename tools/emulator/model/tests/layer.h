/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef LAYER_H
#define LAYER_H

#include "program.h"

/*
 * Convolutions and multiplications of every type with their register programs, memory images and results, computed by plain
 * loops. Nothing here is shared with the model: layouts are those of NPU reference 4, numbers those of 5.
 */

enum layout {
	LAYOUT_PLANES,      /* planes of 16 bytes of channels, one after another: the cube form */
	LAYOUT_FAR_PLANES,  /* the same with a gap: a tile of a taller cube, GROUP_LINE_OFF */
	LAYOUT_LINES,       /* all channels of a line together, GROUP_LINE_OFF: row-major if the width is 1 */
};

struct layer {
	uint32_t input, output; /* precision codes */
	uint32_t w, h, c;       /* c: channels that exist in memory */
	uint32_t n;             /* kernels that have weights; depthwise: c */
	uint32_t kw, kh;
	uint32_t sx, sy, dx, dy; /* strides, dilations */
	uint32_t left, top, pad; /* padding and its value */
	uint32_t ow, oh;
	bool depthwise;
	enum layout layout;
	bool rows_out; /* C row-major */
	uint32_t data_banks; /* more than needed; 0: as many as needed */
	uint32_t reuse;      /* bits of CBUF_CON0 */
	uint32_t weights_of; /* address of weights that are there already; 0: own ones */
	uint32_t features_of;

	/* Output side */
	int32_t scale, offset; /* scale 0: 1 */
	uint32_t shift;
	bool half_away;
	bool bias; /* dense int32 for each channel */
	bool triple; /* A, B, C for each channel */
	uint32_t triple_shift[2];
	bool relu;
	int32_t ow_operand;
	bool ow_memory; /* B of the triple in place of ow_operand */
	uint32_t clip;

	uint32_t a_at, b_at, c_at, operand_at;
	uint32_t *a; /* [h][w][c] bit patterns */
	uint32_t *b; /* [n][ky][kx][c], or [ky][kx][c] */
	int32_t *operand; /* [n][3] */
};

/* Fills defaults: kernel 1 x 1, strides 1, output size. */
void layer_complete(struct layer *layer);
/* Output channels, whole kernel groups. */
uint32_t layer_channels(const struct layer *layer);
uint32_t layer_macs(const struct layer *layer);
uint32_t layer_pixels(const struct layer *layer); /* of the output */
uint32_t layer_pixel_atoms(const struct layer *layer);
uint32_t layer_plane(const struct layer *layer); /* distance of planes of features in atoms */
uint32_t layer_group(const struct layer *layer); /* output channels of a kernel group */

/* Random operands; reals stay in a range in which 128-bit integers hold sums of products. */
void layer_random(struct layer *layer, uint32_t seed);
void layer_fini(struct layer *layer);
void layer_store(const struct layer *layer, struct board *board);
void layer_program(const struct layer *layer, struct program *program);
/* 0x0d, or 0x1d with operands. */
uint32_t layer_map(const struct layer *layer);

/* The bit pattern that must be at an output, and where. */
uint32_t layer_element(const struct layer *layer, uint32_t pixel, uint32_t channel);
uint32_t layer_element_at(const struct layer *layer, uint32_t pixel, uint32_t channel);
uint32_t layer_read(const struct layer *layer, struct board *board, uint32_t pixel, uint32_t channel);
uint32_t layer_output_bytes(const struct layer *layer);
uint32_t layer_feature_bytes(const struct layer *layer);
uint32_t layer_weight_bytes(const struct layer *layer);
uint32_t layer_result_bytes(const struct layer *layer);
/* Elements that differ. */
uint32_t layer_wrong(const struct layer *layer, struct board *board);

/* As the only task of core 0. */
void layer_run(const struct layer *layer, struct board *board);

/* Writes the results into an image of memory from address from on. */
void layer_expect(const struct layer *layer, uint8_t *image, uint32_t from);

#endif
