/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_CONV_H
#define NPU_CONV_H

#include "npu_port.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A convolution with a 1x1 kernel as npu_plan.c decodes it from the registers. Pixels are counted in row-major order.
 * Address generators work in atoms of 16 bytes.
 */

/* A combination of input and output type and the shapes that come with it (NPU reference 3.3, 3.6, 4.2). */
struct npu_type {
	uint8_t input; /* precision codes */
	uint8_t output;
	uint8_t input_bytes;
	uint8_t output_bytes;
	uint8_t kernel_group;  /* Ng, kernels of a weight tile */
	uint8_t channel_group; /* Kg, channels of a weight tile */
};

/* NPU reference 3.5.1 */
#define NPU_CBUF_BANKS      12
#define NPU_CBUF_BANK_BYTES 32768
#define NPU_CBUF_ENTRY      64

struct npu_conv {
	const struct npu_type *type;
	uint32_t width;    /* of the feature cube, pixels */
	uint32_t height;
	uint32_t channels; /* K */
	uint32_t kernels;  /* N */

	int64_t feature_address;
	int64_t feature_line;    /* pitch of lines, atoms */
	int64_t feature_surface; /* pitch of the planes that hold 16 bytes of channels of every pixel, atoms */
	bool line_major;         /* GROUP_LINE_OFF: all channels of a line lie close to each other */
	uint32_t rows_held;      /* lines that fit the data banks; the MAC array reads garbage in place of the others */
	bool wrong_entries;      /* DATA_ENTRIES does not fit the cube: no line is found where it was stored */
	bool wrong_bank;         /* FC_DATA_BANK: three of four pixels come from the wrong place */

	int64_t weight_address;
	bool partial_group; /* N is not a multiple of Ng: the sums are garbage */

	bool rdma; /* DPU_RDMA is enabled */
	int64_t output_address;
	uint32_t output_width;
	uint32_t notch[2];       /* atoms from the end of a line to the next, of even and of odd surfaces */
	int64_t output_surface;  /* pitch of surfaces within a kernel group, atoms */
	int64_t output_group;    /* pitch of kernel groups, atoms */
	uint32_t group_surfaces; /* size_e + 1 */
};

static inline uint32_t npu_conv_pixels(const struct npu_conv *conv)
{
	return conv->width * conv->height;
}

/* Computes the convolution; stops early when the port fails. False if the host is out of memory. */
bool npu_conv_run(const struct npu_conv *conv, struct npu_port *port);

/* Deterministic garbage. */
static inline uint8_t npu_poison(uint32_t a, uint32_t b)
{
	uint32_t mixed = (a + 1) * 0x9e3779b1u ^ (b + 1) * 0x85ebca77u;

	return (uint8_t)((mixed ^ mixed >> 15) >> 3 | 1);
}

/*
 * npu_feature.c: reads count pixels from pixel first on as the MAC array gets them, all channels of a pixel one after
 * another.
 */
bool npu_feature_read(const struct npu_conv *conv, struct npu_burst *burst, uint32_t first, uint32_t count,
		      uint8_t *features);

/* npu_weight.c: reads kernel group number group as it lies in memory: tiles of Ng kernels by Kg channels. */
bool npu_weight_read(const struct npu_conv *conv, struct npu_port *port, uint32_t group, uint8_t *weights);

/* Sums of some pixels and some kernel groups, as the MAC array leaves them: [groups][pixels][Ng]. */
struct npu_sums {
	uint32_t first_pixel;
	uint32_t pixels;
	uint32_t first_group;
	uint32_t groups;
	int32_t *sum;
};

/* npu_output.c: writes them to memory. */
bool npu_output_write(const struct npu_conv *conv, struct npu_burst *burst, const struct npu_sums *sums);

#endif
