/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

#include "npu_mac.h"

#include <stdlib.h>

/*
 * Runs a planned convolution in NVDLA's order, which is believed to have survived (NPU reference
 * 3.6): for each kernel group its weights are loaded once and meet all pixels. A cube that respects
 * the CBUF budget fits one pass; a larger one, whose excess is garbage anyway, takes several.
 */

/* Sums are collected over so many bytes of kernel groups before they are written, so that output bursts get long. */
#define SUMS_BYTES (4u << 20)

struct workspace {
	uint32_t pass_pixels;
	uint32_t pass_groups;
	uint8_t *features;
	uint8_t *weights;
	struct npu_sums sums;
	struct npu_burst reads;
	struct npu_burst writes;
};

static uint32_t at_least_one(uint32_t value)
{
	return value > 0 ? value : 1;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t kernel_groups(const struct npu_conv *conv)
{
	return (conv->kernels + conv->type->kernel_group - 1) / conv->type->kernel_group;
}

static void workspace_delete(struct workspace *work)
{
	if (!work)
		return;
	free(work->features);
	free(work->weights);
	free(work->sums.sum);
	free(work);
}

/* All sizes are bounded: channels by 10752, pixels of a pass by CBUF, groups of a pass by SUMS_BYTES. */
static struct workspace *workspace_new(const struct npu_conv *conv, struct npu_port *port)
{
	struct workspace *work = calloc(1, sizeof(*work));
	uint32_t pixel_bytes = conv->channels * conv->type->input_bytes;
	uint32_t group_sums;

	if (!work)
		return NULL;
	work->pass_pixels = at_least_one(NPU_CBUF_BANKS * NPU_CBUF_BANK_BYTES / pixel_bytes);
	work->pass_pixels = smaller(work->pass_pixels, npu_conv_pixels(conv));
	group_sums = work->pass_pixels * conv->type->kernel_group;
	work->pass_groups = at_least_one(SUMS_BYTES / (group_sums * (uint32_t)sizeof(int32_t)));
	work->pass_groups = smaller(work->pass_groups, kernel_groups(conv));

	work->features = malloc((size_t)work->pass_pixels * pixel_bytes);
	work->weights = malloc((size_t)conv->type->kernel_group * pixel_bytes);
	work->sums.sum = malloc((size_t)work->pass_groups * group_sums * sizeof(int32_t));
	npu_burst_init(&work->reads, port, NPU_CLIENT_FEATURE, false);
	npu_burst_init(&work->writes, port, NPU_CLIENT_OUTPUT, true);
	if (work->features && work->weights && work->sums.sum)
		return work;
	workspace_delete(work);
	return NULL;
}

static void poison_sums(int32_t *sums, uint32_t pixels, uint32_t kernels)
{
	for (uint32_t i = 0; i < pixels * kernels; i++)
		sums[i] = (int32_t)(npu_poison(i, kernels) * 0x01010101u);
}

static bool run_group(const struct npu_conv *conv, struct npu_port *port, struct workspace *work, uint32_t nth)
{
	uint32_t pixels = work->sums.pixels;
	int32_t *sums = work->sums.sum + (size_t)nth * pixels * conv->type->kernel_group;

	if (!npu_weight_read(conv, port, work->sums.first_group + nth, work->weights))
		return false;
	if (conv->partial_group)
		poison_sums(sums, pixels, conv->type->kernel_group);
	else
		npu_mac_int8((const int8_t *)work->features, pixels, conv->channels,
			     (const int8_t *)work->weights, sums);
	return true;
}

static bool run_groups(const struct npu_conv *conv, struct npu_port *port, struct workspace *work)
{
	for (uint32_t nth = 0; nth < work->sums.groups; nth++)
		if (!run_group(conv, port, work, nth))
			return false;
	return npu_output_write(conv, &work->writes, &work->sums);
}

static bool run_pass(const struct npu_conv *conv, struct npu_port *port, struct workspace *work)
{
	uint32_t groups = kernel_groups(conv);

	if (!npu_feature_read(conv, &work->reads, work->sums.first_pixel, work->sums.pixels, work->features))
		return false;
	for (uint32_t group = 0; group < groups; group += work->pass_groups) {
		work->sums.first_group = group;
		work->sums.groups = smaller(work->pass_groups, groups - group);
		if (!run_groups(conv, port, work))
			return false;
	}
	return true;
}

bool npu_conv_run(const struct npu_conv *conv, struct npu_port *port)
{
	struct workspace *work = workspace_new(conv, port);
	uint32_t pixels = npu_conv_pixels(conv);

	if (!work)
		return false;
	for (uint32_t pixel = 0; pixel < pixels; pixel += work->pass_pixels) {
		work->sums.first_pixel = pixel;
		work->sums.pixels = smaller(work->pass_pixels, pixels - pixel);
		if (!run_pass(conv, port, work))
			break;
	}
	workspace_delete(work);
	return true;
}
