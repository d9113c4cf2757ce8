/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

#include <stdlib.h>

/* A task without convolution: MRDMA's data go through the DPU (NPU reference 5.6). */

/* Pixels that are computed at a time. */
#define PASS_PIXELS 2048

struct workspace {
	struct npu_sums sums;
	struct npu_burst main;
	struct npu_burst elements;
	struct npu_burst writes;
	struct npu_channel_operands operands;
};

static void workspace_delete(struct workspace *work, bool plain)
{
	if (!work)
		return;
	free(work->sums.sum);
	free(work->sums.elements);
	if (!plain)
		free(work->sums.output);
	npu_rdma_channels_delete(&work->operands);
	free(work);
}

static struct workspace *workspace_new(const struct npu_dpu *dpu, struct npu_port *port, uint32_t pixels)
{
	struct workspace *work = calloc(1, sizeof(*work));
	size_t count = (size_t)pixels * dpu->group;

	if (!work)
		return NULL;
	npu_burst_init(&work->main, port, NPU_CLIENT_DPU, false);
	npu_burst_init(&work->elements, port, NPU_CLIENT_DPU, false);
	npu_burst_init(&work->writes, port, NPU_CLIENT_OUTPUT, true);
	work->sums.groups = 1;
	work->sums.sum = calloc(count, sizeof(int32_t));
	work->sums.elements = calloc(count, sizeof(int32_t));
	work->sums.output = dpu->plain ? (uint8_t *)work->sums.sum : calloc(count, npu_dpu_output_bytes(dpu));
	if (work->sums.sum && work->sums.elements && work->sums.output && npu_rdma_channels(dpu, port, &work->operands))
		return work;
	workspace_delete(work, dpu->plain);
	return NULL;
}

static void poison(const struct npu_dpu *dpu, struct npu_sums *sums)
{
	for (size_t i = 0; dpu->garbage && i < (size_t)sums->pixels * dpu->group; i++)
		sums->sum[i] = (int32_t)(npu_poison((uint32_t)i, sums->first_group) * 0x01010101u);
}

static bool run_pass(const struct npu_dpu *dpu, struct workspace *work)
{
	if (!npu_rdma_main(dpu, &work->main, &work->sums) || !npu_rdma_elements(dpu, &work->elements, &work->sums))
		return false;
	poison(dpu, &work->sums);
	npu_stages_run(dpu, &work->operands, &work->sums);
	return npu_output_write(dpu, &work->writes, &work->sums);
}

bool npu_eltwise_run(const struct npu_dpu *dpu, struct npu_port *port)
{
	uint32_t pixels = dpu->width * dpu->height, pass = pixels < PASS_PIXELS ? pixels : PASS_PIXELS;
	struct workspace *work = workspace_new(dpu, port, pass);
	struct npu_sums *sums;
	bool going = true;

	if (!work)
		return false;
	sums = &work->sums;
	for (uint32_t group = 0; going && group * dpu->group < dpu->channels; group++)
		for (uint32_t pixel = 0; going && pixel < pixels; pixel += pass) {
			sums->first_group = group;
			sums->first_pixel = pixel;
			sums->pixels = pixels - pixel < pass ? pixels - pixel : pass;
			going = run_pass(dpu, work);
		}
	workspace_delete(work, dpu->plain);
	return true;
}
