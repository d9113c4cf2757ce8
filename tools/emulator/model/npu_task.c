/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_internal.h"

/* What is known about a task once it has run, and the time that it takes. */

void npu_timing_default(struct npu_timing *timing)
{
	*timing = (struct npu_timing){
		/* TRM, NPU reference 3.6: int8, int16, fp16, bf16; int4, tf32. 4 and 5 are no input types. */
		.macs_per_cycle = { 1024, 512, 512, 512, 512, 512, 2048, 256 },
		/* NPU reference 7: 10 to 16. */
		.dma_bytes_per_cycle = 10,
		/* NPU reference 7: 5 to 10 us at 1 GHz. */
		.task_cycles = 7500,
		/* Measurements 3: the smallest task takes 20 to 23 us from submit to fence, a part of which is the CPU's. */
		.kick_cycles = 10000,
	};
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return b > 0 ? (a + b - 1) / b : 0;
}

uint64_t npu_task_cycles(const struct npu_task *task)
{
	const struct npu_timing *timing = &task->timing;
	uint64_t mac = divide_up(task->facts.macs, timing->macs_per_cycle[task->facts.input % 8]);
	uint64_t dma = divide_up(task->port.bytes_read + task->port.bytes_written, timing->dma_bytes_per_cycle);

	return (mac > dma ? mac : dma) + timing->task_cycles + (task->first ? timing->kick_cycles : 0);
}

static void describe_conv(const struct npu_conv *conv, struct npu_task_facts *facts)
{
	uint32_t channels = conv->depthwise ? 1 : conv->channels;

	facts->input = (uint8_t)conv->type->input;
	facts->width = conv->width;
	facts->height = conv->height;
	facts->channels = conv->channels;
	facts->kernel_width = conv->kernel_width;
	facts->kernel_height = conv->kernel_height;
	facts->feature_address = (uint32_t)conv->feature_address;
	facts->weight_address = (uint32_t)conv->weight_address;
	facts->macs = (uint64_t)npu_conv_out_pixels(conv) * channels * npu_conv_positions(conv) * conv->kernels;
}

void npu_task_describe(struct npu_task *task)
{
	struct npu_task_facts *facts = &task->facts;

	facts->out_width = task->dpu.width;
	facts->out_height = task->dpu.height;
	facts->kernels = task->dpu.channels;
	facts->output = (uint8_t)task->dpu.output;
	facts->output_address = (uint32_t)task->dpu.address;
	if (task->convolution)
		describe_conv(&task->conv, facts);
	else
		facts->input = (uint8_t)task->dpu.rdma.main;
	facts->bytes_read = task->port.bytes_read;
	facts->bytes_written = task->port.bytes_written;
	facts->cycles = npu_task_cycles(task);
}
