/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

#include <stdlib.h>
#include <string.h>

/*
 * Runs a planned convolution in NVDLA's order, which is believed to have survived (NPU reference
 * 3.6): for each kernel group its weights are loaded once and meet all pixels. Cubes of one pass are those whose features fit CBUF and
 * whose patches, the inputs of a sum side by side, fit some memory; others, rare or garbage anyway, take several.
 */

/* Sums are collected over so many bytes of kernel groups before they are written, so that output bursts get long. */
#define SUMS_BYTES (4u << 20)
/* Elements of the patches of a pass with a kernel of more than one pixel. */
#define PATCH_ELEMENTS (8u << 20)

struct workspace {
	const struct npu_conv *conv;
	const struct npu_dpu *dpu;
	struct npu_port *port;
	struct npu_cbuf *cbuf;
	uint32_t pass_pixels;
	uint32_t pass_groups;
	struct npu_mac *mac; /* NULL if depthwise */
	uint8_t *patches;
	uint8_t *raw_weights;
	uint8_t *weights;
	uint8_t *ones; /* depthwise kernel that sums inputs */
	struct npu_sums sums;
	struct npu_channel_operands operands;
	struct npu_burst reads;
	struct npu_burst elements;
	struct npu_burst writes;
};

static uint32_t at_least_one(uint64_t value)
{
	return value > 0 ? (uint32_t)value : 1;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void workspace_delete(struct workspace *work)
{
	if (!work)
		return;
	npu_mac_delete(work->mac);
	free(work->patches);
	free(work->raw_weights);
	free(work->weights);
	free(work->ones);
	free(work->sums.inputs);
	free(work->sums.elements);
	if (!work->dpu->plain)
		free(work->sums.output);
	free(work->sums.sum);
	npu_rdma_channels_delete(&work->operands);
	free(work);
}

/* All sizes are bounded: the length of sums by the weight banks, pixels by CBUF and the constants above. */
static void choose_pass(struct workspace *work)
{
	const struct npu_conv *conv = work->conv;
	uint32_t pixels = at_least_one(NPU_CBUF_BYTES / npu_conv_pixel_bytes(conv)), group_sums;

	if (npu_conv_positions(conv) > 1 && !conv->depthwise)
		pixels = at_least_one(PATCH_ELEMENTS / npu_conv_length(conv));
	work->pass_pixels = smaller(pixels, npu_conv_out_pixels(conv));
	group_sums = work->pass_pixels * conv->group;
	work->pass_groups = at_least_one(SUMS_BYTES / (group_sums * sizeof(int32_t)));
	work->pass_groups = smaller(work->pass_groups, npu_conv_groups(conv));
}

static bool allocate_sums(struct workspace *work)
{
	size_t count = (size_t)work->pass_groups * work->pass_pixels * work->conv->group;
	struct npu_sums *sums = &work->sums;

	sums->inputs_by_channel = work->conv->depthwise;
	sums->sum = calloc(count, sizeof(*sums->sum));
	sums->inputs = work->dpu->ow ? calloc(count, sizeof(*sums->inputs)) : NULL;
	sums->elements = work->dpu->rdma.elements ? calloc(count, sizeof(int32_t)) : NULL;
	sums->output = work->dpu->plain ? (uint8_t *)sums->sum : calloc(count, npu_dpu_output_bytes(work->dpu));
	return sums->sum && sums->output && (sums->inputs || !work->dpu->ow) &&
	       (sums->elements || !work->dpu->rdma.elements);
}

static bool allocate(struct workspace *work)
{
	const struct npu_conv *conv = work->conv;
	uint32_t length = npu_conv_length(conv);
	size_t group_bytes = npu_type_bytes(conv->type, (size_t)conv->group * length);

	work->raw_weights = malloc(group_bytes);
	work->weights = malloc(group_bytes);
	if (!work->raw_weights || !work->weights || !allocate_sums(work))
		return false;
	if (conv->depthwise) {
		work->ones = malloc(group_bytes);
		if (work->ones)
			memset(work->ones, 1, group_bytes);
		return work->ones;
	}
	work->patches = malloc(work->pass_pixels * npu_type_bytes(conv->type, length));
	work->mac = npu_mac_new(conv->type, work->pass_pixels, length);
	return work->patches && work->mac;
}

static struct workspace *workspace_new(const struct npu_conv *conv, const struct npu_dpu *dpu, struct npu_cbuf *cbuf,
				       struct npu_port *port)
{
	struct workspace *work = calloc(1, sizeof(*work));

	if (!work)
		return NULL;
	work->conv = conv;
	work->dpu = dpu;
	work->cbuf = cbuf;
	work->port = port;
	choose_pass(work);
	npu_burst_init(&work->reads, port, NPU_CLIENT_FEATURE, false);
	npu_burst_init(&work->elements, port, NPU_CLIENT_DPU, false);
	npu_burst_init(&work->writes, port, NPU_CLIENT_OUTPUT, true);
	if (allocate(work) && npu_rdma_channels(dpu, port, &work->operands))
		return work;
	workspace_delete(work);
	return NULL;
}

static void poison_sums(int32_t *sums, uint32_t pixels, uint32_t kernels)
{
	for (uint32_t i = 0; i < pixels * kernels; i++)
		sums[i] = (int32_t)(npu_poison(i, kernels) * 0x01010101u);
}

static void run_depthwise(struct workspace *work, uint32_t nth)
{
	const struct npu_conv *conv = work->conv;
	struct npu_sums *sums = &work->sums;
	size_t at = (size_t)nth * sums->pixels * conv->group;

	npu_depthwise_group(conv, work->cbuf, sums->first_group + nth, work->weights, sums->first_pixel, sums->pixels,
			    sums->sum + at);
	if (sums->inputs)
		npu_depthwise_group(conv, work->cbuf, sums->first_group + nth, work->ones, sums->first_pixel,
				    sums->pixels, sums->inputs + at);
}

static bool run_group(struct workspace *work, uint32_t nth)
{
	const struct npu_conv *conv = work->conv;
	struct npu_sums *sums = &work->sums;
	int32_t *sum = sums->sum + (size_t)nth * sums->pixels * conv->group;

	if (!npu_weight_load(conv, work->port, work->cbuf, sums->first_group + nth, work->raw_weights, work->weights))
		return false;
	if (conv->garbage || work->dpu->garbage)
		poison_sums(sum, sums->pixels, conv->group);
	else if (conv->depthwise)
		run_depthwise(work, nth);
	else
		npu_mac_group(work->mac, work->weights, conv->clip, sum);
	return true;
}

static bool run_groups(struct workspace *work)
{
	for (uint32_t nth = 0; nth < work->sums.groups; nth++)
		if (!run_group(work, nth))
			return false;
	if (!npu_rdma_elements(work->dpu, &work->elements, &work->sums))
		return false;
	npu_stages_run(work->dpu, &work->operands, &work->sums);
	return npu_output_write(work->dpu, &work->writes, &work->sums);
}

/* The sum of inputs of each pixel, for OW. */
static void sum_inputs(struct workspace *work)
{
	const struct npu_conv *conv = work->conv;
	uint32_t length = npu_conv_length(conv);

	for (uint32_t pixel = 0; work->sums.inputs && pixel < work->sums.pixels; pixel++) {
		const uint8_t *patch = work->patches + pixel * npu_type_bytes(conv->type, length);

		work->sums.inputs[pixel] = 0;
		for (uint32_t k = 0; k < length; k++)
			work->sums.inputs[pixel] += npu_integer_at(conv->type, patch, k);
	}
}

static bool run_pass(struct workspace *work)
{
	uint32_t groups = npu_conv_groups(work->conv);

	if (!work->conv->depthwise) {
		npu_patch_gather(work->conv, work->cbuf, work->sums.first_pixel, work->sums.pixels, work->patches);
		npu_mac_features(work->mac, work->patches, work->sums.pixels);
		sum_inputs(work);
	}
	for (uint32_t group = 0; group < groups; group += work->pass_groups) {
		work->sums.first_group = group;
		work->sums.groups = smaller(work->pass_groups, groups - group);
		if (!run_groups(work))
			return false;
	}
	return true;
}

bool npu_conv_run(const struct npu_conv *conv, const struct npu_dpu *dpu, struct npu_cbuf *cbuf, struct npu_port *port)
{
	struct workspace *work = workspace_new(conv, dpu, cbuf, port);
	uint32_t pixels = npu_conv_out_pixels(conv);

	if (!work)
		return false;
	if (npu_feature_load(conv, &work->reads, cbuf))
		for (uint32_t pixel = 0; pixel < pixels; pixel += work->pass_pixels) {
			work->sums.first_pixel = pixel;
			work->sums.pixels = smaller(work->pass_pixels, pixels - pixel);
			if (!run_pass(work))
				break;
		}
	workspace_delete(work);
	return true;
}
