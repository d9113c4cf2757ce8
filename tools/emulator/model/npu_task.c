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

void npu_task_describe(struct npu_task *task)
{
	const struct npu_conv *conv = &task->conv;
	struct npu_task_facts *facts = &task->facts;

	facts->input = conv->type->input;
	facts->output = conv->type->output;
	facts->width = conv->width;
	facts->height = conv->height;
	facts->channels = conv->channels;
	facts->out_width = conv->width;
	facts->out_height = conv->height;
	facts->kernels = conv->kernels;
	facts->kernel_width = 1;
	facts->kernel_height = 1;
	facts->feature_address = (uint32_t)conv->feature_address;
	facts->weight_address = (uint32_t)conv->weight_address;
	facts->output_address = (uint32_t)conv->output_address;
	facts->macs = (uint64_t)npu_conv_pixels(conv) * conv->channels * conv->kernels;
	facts->bytes_read = task->port.bytes_read;
	facts->bytes_written = task->port.bytes_written;
	facts->cycles = npu_task_cycles(task);
}
