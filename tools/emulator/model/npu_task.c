/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_internal.h"

#include <stdlib.h>

/* The life of a task: what it owns, what is known about it once it has run, and the time that it takes. */

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

static void describe(struct npu_task *task)
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

void npu_task_delete(struct npu_task *task)
{
	free(task->pending);
	free(task->cbuf);
	free(task);
}

/* The core's buffer, a new one after reset. */
static struct npu_cbuf *core_cbuf(struct npu_core *core)
{
	if (core->cbuf)
		return core->cbuf;
	core->cbuf = malloc(sizeof(*core->cbuf));
	if (core->cbuf)
		npu_cbuf_init(core->cbuf);
	return core->cbuf;
}

struct npu_task *npu_task_new(struct npu_core *core)
{
	struct npu_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	npu_port_init(&task->port, &core->host);
	task->generation = core->generation;
	task->timing = core->timing;
	task->first = core->counter == 0;
	task->last = core->counter + 1 == core->tasks;
	if (core->chaos)
		task->pending = malloc(sizeof(*task->pending));
	if (core_cbuf(core) && (task->pending || !core->chaos))
		return task;
	npu_task_delete(task);
	return NULL;
}

/* Hands the task what it owns while it runs. */
void npu_task_lend(struct npu_core *core, struct npu_task *task, uint32_t map)
{
	task->facts.core = core->index;
	task->facts.task = core->counter;
	task->facts.tasks = core->tasks;
	task->facts.enable_map = map;
	task->facts.cbuf_con0 = core->block[NPU_CNA].regs[core->block[NPU_CNA].executer][(CNA_CBUF_CON0 & 0xfff) / 4];
	task->cbuf = core->cbuf;
	core->cbuf = NULL;
	if (task->convolution)
		core->residents = (struct npu_residents){ (uint32_t)task->conv.weight_address, task->conv.weight_bytes,
							  (uint32_t)task->conv.feature_address };
	if (!task->pending)
		return;
	npu_pending_init(task->pending, npu_random(&core->chaos), npu_dpu_output_bytes(&task->dpu) == 2);
	task->port.pending = task->pending;
}

/* Takes it back. */
void npu_task_give_back(struct npu_core *core, struct npu_task *task)
{
	free(core->pending);
	core->pending = task->pending;
	task->pending = NULL;
	core->cbuf = task->cbuf;
	task->cbuf = NULL;
}

void npu_task_run(struct npu_task *task)
{
	if (task->convolution)
		task->out_of_memory = !npu_conv_run(&task->conv, &task->dpu, task->cbuf, &task->port);
	else
		task->out_of_memory = !npu_eltwise_run(&task->dpu, &task->port);
	/* A later task of the chain may read what this one wrote (NPU reference 2.5). */
	if (task->pending && !task->last)
		npu_port_drain(&task->port, task->pending, UINT32_MAX);
	describe(task);
}
