/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ROCKET_PROGRAM_H
#define ROCKET_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Register commands of a 1x1 int8 convolution with int32 results. A matrix product M x K x N is one whose image is one pixel
 * wide and M high, with K channels and N kernels. Made from the hardware reference, without code of libork or of the model.
 */

struct conv {
	uint32_t width, height; /* of the image */
	uint32_t channels;      /* multiple of 32 */
	uint32_t kernels;       /* multiple of 32 */
	uint32_t input, weights, output; /* NPU addresses */
	bool reader; /* also enable the DPU's reader, which has nothing to do (as Mesa does) */
};

#define CONV_WORDS_MAX 160

/* Writes the program and returns its number of words. */
uint32_t conv_program(const struct conv *conv, uint64_t words[CONV_WORDS_MAX]);

/* Place of an element in bytes or, for the output, in int32. pixel counts along the lines. */
uint32_t conv_input_at(const struct conv *conv, uint32_t pixel, uint32_t channel);
uint32_t conv_weight_at(const struct conv *conv, uint32_t kernel, uint32_t channel);
uint32_t conv_output_at(const struct conv *conv, uint32_t pixel, uint32_t kernel);

#endif
