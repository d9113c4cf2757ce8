/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "layer.h"
#include "program.h"

#include <string.h>

/*
 * Fuzz target for libFuzzer: a good program with some registers, words and CPU accesses taken from the
 * input. Memory answers everywhere until a budget is used up, which bounds the time of a run.
 *
 *   clang -std=c11 -O2 -g -fsanitize=fuzzer,address,undefined *.c tests/fuzz_model.c tests/board.c tests/program.c tests/layer*.c
 */

#define BUDGET  (1u << 20)
#define FETCHES 8
#define HEADER  8 /* bytes that choose the program */

struct fuzz {
	struct program program;
	size_t budget;
};

/* Called by libFuzzer, which has no header for it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool spend(struct fuzz *fuzz, size_t bytes)
{
	if (bytes > fuzz->budget)
		return false;
	fuzz->budget -= bytes;
	return true;
}

static enum npu_dma fuzz_read(void *opaque, uint32_t iova, void *buf, size_t bytes)
{
	struct fuzz *fuzz = opaque;
	size_t program_bytes = fuzz->program.count * sizeof(fuzz->program.words[0]);

	if (!spend(fuzz, bytes + 64))
		return iova & 0x10 ? NPU_DMA_BUS_ERROR : NPU_DMA_STALL;
	memset(buf, (int)(iova >> 4), bytes);
	if (iova == PROGRAM_AT)
		memcpy(buf, fuzz->program.words, bytes < program_bytes ? bytes : program_bytes);
	return NPU_DMA_OK;
}

static enum npu_dma fuzz_write(void *opaque, uint32_t iova, const void *buf, size_t bytes)
{
	volatile uint8_t last = ((const uint8_t *)buf)[bytes - 1];

	(void)last;
	return spend(opaque, bytes + 64) ? NPU_DMA_OK : iova & 0x10 ? NPU_DMA_BUS_ERROR : NPU_DMA_STALL;
}

static void fuzz_report(void *opaque, const char *message)
{
	(void)opaque;
	(void)message;
}

static void trailer(struct program *program, uint32_t map)
{
	program->words[program->count++] = UINT64_C(0x0101) << 48 | (uint64_t)PROGRAM_AT << 16 | 0x10;
	program->words[program->count++] = UINT64_C(0x0101) << 48 | UINT64_C(60) << 16 | 0x14;
	program->words[program->count++] = UINT64_C(0x0041) << 48;
	program->words[program->count++] = UINT64_C(0x0081) << 48 | (uint64_t)map << 16 | 0x08;
}

/* Seven bytes: what to do, a position, a value. */
static void apply(struct fuzz *fuzz, struct npu_core *core, const uint8_t *step)
{
	uint32_t position = step[1] | (uint32_t)step[2] << 8, value;
	uint64_t *word = &fuzz->program.words[position % fuzz->program.count];

	memcpy(&value, step + 3, sizeof(value));
	switch (step[0] % 5) {
	case 0: *word = (*word & ~(UINT64_C(0xffffffff) << 16)) | (uint64_t)value << 16; break;
	case 1: *word ^= UINT64_C(1) << (16 + value % 32); break;
	case 2: *word = (uint64_t)value << 32 | position; break;
	case 3: npu_core_write(core, position, value); break;
	case 4: npu_core_read(core, position); break;
	}
}

/* A consistent program of any size, so that checks of one register against another do not end every run. */
static struct matmul shape(const uint8_t *data)
{
	return (struct matmul){
		.form = (enum form)(data[0] % 5),
		.m = (data[2] | (uint32_t)data[3] << 8) % 8192,
		.k = 32u * data[4] + 16u * (data[1] & 4),
		.n = (data[5] | (uint32_t)data[6] << 8) % 8208,
		.full_m = data[7],
	};
}

/* The same for layers of any type, with kernels and output stages. */
static struct layer image(const uint8_t *data)
{
	static const uint8_t pairs[8][2] = { { 0, 4 }, { 0, 0 }, { 1, 4 }, { 2, 5 }, { 2, 2 }, { 3, 5 }, { 6, 1 }, { 7, 5 } };
	const uint8_t *pair = pairs[data[1] >> 5];
	struct layer layer = {
		.input = pair[0],
		.output = pair[1],
		.w = 1 + data[2] % 16,
		.h = 1 + data[3] % 16,
		.c = 32u + 32u * (data[4] % 8),
		.n = 64u * (1 + data[5] % 2),
		.kw = 1 + data[6] % 3,
		.kh = 1 + data[6] / 4 % 3,
		.sx = 1 + data[6] / 16 % 2,
		.left = data[6] / 32 % 3,
		.depthwise = pair[0] == 0 && data[6] / 128,
		.layout = (enum layout)(data[7] % 3),
		.bias = data[7] / 4 % 4 == 1,
		.triple = data[7] / 4 % 4 == 2,
		.ow_operand = data[7] / 16 % 2,
		.reuse = (data[7] / 32 % 4) << 12,
	};

	layer.ow = 1 + (layer.w - 1) / layer.sx;
	layer.oh = layer.h;
	layer_complete(&layer);
	return layer;
}

/* A packed image in place of the layer's features. */
static void pack(struct program *program, const struct layer *layer, const uint8_t *data)
{
	uint32_t channels = 1 + data[0] % 4, atom = layer->input == 2 ? 8 : 16, positions = layer->kw * layer->kh;
	uint32_t kernel_bytes = 16 * positions;

	program_set(program, CNA_CONV_CON1, 3u << 29 | (7 + channels) << 12 | layer->input << 7 | layer->input << 4);
	program_set(program, CNA_DATA_SIZE1, (channels - 1) << 16 | atom);
	program_set(program, CNA_FC_DATA_SIZE1, atom);
	program_set(program, CNA_WEIGHT_SIZE0, kernel_bytes * layer->n);
	program_set(program, CNA_WEIGHT_SIZE1, kernel_bytes);
	program_set(program, CNA_CBUF_CON1, layer->w * layer->h);
	program_set(program, CNA_CVT_CON0, (data[2] | (uint32_t)data[3] << 8) << 4 | (layer->input == 2 ? 1 : data[4] & 0xe));
	program_set(program, CNA_CVT_CON1, data[5] << 20 | data[6] << 4);
	program_set(program, CNA_CVT_CON5, 0xffff);
}

/* Enable map of the program. */
static uint32_t choose_program(struct program *program, const uint8_t *data)
{
	struct matmul mm = shape(data);
	struct layer layer = image(data);

	if (data[1] & 8) {
		layer_program(&layer, program);
		if (data[7] & 128 && !layer.depthwise)
			pack(program, &layer, data);
		return layer_map(&layer);
	}
	program_matmul(program, &mm);
	if (data[1] & 2)
		program_set(program, CNA_CBUF_CON0, 0xb1);
	return data[1] & 1 ? 0x0d : data[1];
}

static void work(struct npu_core *core)
{
	for (int i = 0; i < FETCHES && npu_core_busy(core); i++) {
		struct npu_task *task = npu_core_fetch(core);

		if (!task)
			continue;
		npu_task_run(task);
		npu_core_retire(core, task);
		npu_core_drain(core, 3);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz fuzz = { .budget = BUDGET };
	struct npu_host host = {
		.opaque = &fuzz,
		.read = fuzz_read,
		.write = fuzz_write,
		.report = fuzz_report,
	};
	struct npu_core *core = npu_core_new(0, &host);
	struct board kicked = { .core = core };

	if (!core || size < HEADER) {
		npu_core_delete(core);
		return 0;
	}
	npu_core_set_strict(core, data[1] & 4);
	npu_core_set_chaos(core, data[1] & 16 ? data[0] + 1u : 0);
	trailer(&fuzz.program, choose_program(&fuzz.program, data));
	for (size_t at = HEADER; at + 7 <= size; at += 7)
		apply(&fuzz, core, data + at);
	board_kick(&kicked, 0, PROGRAM_AT, program_amount(&fuzz.program), 3);
	work(core);
	npu_core_delete(core);
	return 0;
}
