// SPDX-License-Identifier: MIT
/* Copyright 2026 The rknpu-ork authors */
#include "rocket_program.h"

#define PC	 0x0101
#define CNA	 0x0201
#define CORE	 0x0801
#define DPU	 0x1001
#define DPU_RDMA 0x2001
#define MARKER	 0x0041
#define ENABLE	 0x0081

#define ENABLE_CONV   0x0d /* CNA, CORE, DPU */
#define ENABLE_READER 0x10 /* DPU_RDMA */

#define ATOM_BYTES	  16
#define BANKS		  12
#define ENTRY_BYTES	  64
#define ENTRIES_PER_BANK  512
#define KERNEL_GROUP	  32
#define SURFACES_PER_GROUP 8 /* 16-byte surfaces that 32 kernels give as int32 */
#define STRIDE_MASK	  0x0fffffff

struct writer {
	uint64_t *words;
	uint32_t count;
};

static void put(struct writer *w, uint32_t target, uint32_t offset, uint32_t value)
{
	w->words[w->count++] = (uint64_t)target << 48 | (uint64_t)value << 16 | offset;
}

/* The same value to all registers from first to last. */
static void fill(struct writer *w, uint32_t target, uint32_t first, uint32_t last, uint32_t value)
{
	for (uint32_t offset = first; offset <= last; offset += 4)
		put(w, target, offset, value);
}

static uint32_t pixels(const struct conv *conv)
{
	return conv->width * conv->height;
}

static uint32_t round_up_div(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static void put_cna(struct writer *w, const struct conv *conv)
{
	uint32_t size = conv->width << 16 | conv->height;
	uint32_t entries = round_up_div(conv->width * conv->channels, ENTRY_BYTES);
	uint32_t data_banks = round_up_div(conv->height * entries, ENTRIES_PER_BANK);

	put(w, CNA, 0x100c, 0);
	put(w, CNA, 0x1010, (conv->height + 1) << 4);
	put(w, CNA, 0x1014, 1 << 3 | 1);
	put(w, CNA, 0x1020, size);
	put(w, CNA, 0x1024, (conv->channels - 1) << 16 | conv->channels);
	put(w, CNA, 0x1028, conv->width);
	put(w, CNA, 0x102c, pixels(conv));
	put(w, CNA, 0x1030, conv->channels * conv->kernels);
	put(w, CNA, 0x1034, conv->channels);
	put(w, CNA, 0x1038, 1 << 24 | 1 << 16 | conv->kernels);
	put(w, CNA, 0x1040, (BANKS - data_banks) << 4 | data_banks);
	put(w, CNA, 0x1044, entries);
	put(w, CNA, 0x104c, 0xb);
	fill(w, CNA, 0x1050, 0x105c, 1 << 16);
	fill(w, CNA, 0x1060, 0x1068, 0);
	put(w, CNA, 0x1070, conv->input);
	put(w, CNA, 0x1074, 0);
	put(w, CNA, 0x1078, 0xf000f);
	/* Lines are read in groups of four: strides are what is left to the next group and to the next surface. */
	put(w, CNA, 0x107c, 4 * conv->width);
	put(w, CNA, 0x1080, (pixels(conv) - 4 * conv->width) & STRIDE_MASK);
	put(w, CNA, 0x1084, size);
	put(w, CNA, 0x1088, conv->channels);
	fill(w, CNA, 0x1100, 0x1104, 0);
	put(w, CNA, 0x1110, conv->weights);
	fill(w, CNA, 0x1140, 0x1160, 0);
	fill(w, CNA, 0x116c, 0x1184, 0);
}

static void put_core(struct writer *w, const struct conv *conv)
{
	put(w, CORE, 0x3010, 0);
	put(w, CORE, 0x3014, (conv->height - 1) << 16 | (conv->width - 1));
	put(w, CORE, 0x3018, conv->kernels - 1);
	put(w, CORE, 0x301c, 0);
	put(w, CORE, 0x3030, 0);
}

static void put_dpu(struct writer *w, const struct conv *conv)
{
	uint32_t size_e = SURFACES_PER_GROUP - 1;

	put(w, DPU, 0x400c, 0x1e4);
	put(w, DPU, 0x4010, 4u << 29); /* int8 in, int32 out */
	put(w, DPU, 0x4014, 0);
	put(w, DPU, 0x4020, conv->output);
	put(w, DPU, 0x4024, pixels(conv) << 4);
	put(w, DPU, 0x4030, conv->width - 1);
	put(w, DPU, 0x4034, conv->height - 1);
	put(w, DPU, 0x4038, 0);
	put(w, DPU, 0x403c, (conv->kernels - 1) << 16 | (conv->kernels - 1));
	put(w, DPU, 0x4040, 0x53);
	fill(w, DPU, 0x4044, 0x404c, 0);
	put(w, DPU, 0x4050, size_e << 8 | size_e << 5 | size_e << 2 | 2);
	put(w, DPU, 0x4054, 0);
	put(w, DPU, 0x4058, conv->kernels - 1);
	put(w, DPU, 0x405c, (conv->height - 1) << 16 | (conv->width - 1));
	put(w, DPU, 0x4060, 0x53);
	fill(w, DPU, 0x4064, 0x406c, 0);
	put(w, DPU, 0x4070, 0x383);
	put(w, DPU, 0x4074, 0);
	put(w, DPU, 0x4078, 1);
	fill(w, DPU, 0x407c, 0x4080, 0);
	put(w, DPU, 0x4084, 1);
	put(w, DPU, 0x4088, 0);
	fill(w, DPU, 0x4090, 0x40ac, 0);
	put(w, DPU, 0x40c0, pixels(conv) * SURFACES_PER_GROUP << 4);
	put(w, DPU, 0x40c4, 0);
	fill(w, DPU, 0x4100, 0x412c, 0);
}

/* Enabled without a source: its main channel has to be off, or the task waits for ever. */
static void put_idle_reader(struct writer *w, const struct conv *conv)
{
	put(w, DPU_RDMA, 0x500c, conv->width - 1);
	put(w, DPU_RDMA, 0x5010, conv->height - 1);
	put(w, DPU_RDMA, 0x5014, conv->kernels - 1);
	fill(w, DPU_RDMA, 0x5018, 0x5020, 0);
	fill(w, DPU_RDMA, 0x5028, 0x502c, 0);
	put(w, DPU_RDMA, 0x5034, 1);
	put(w, DPU_RDMA, 0x5038, 0);
	put(w, DPU_RDMA, 0x5040, 0);
	put(w, DPU_RDMA, 0x5044, 0x7810);
	fill(w, DPU_RDMA, 0x5048, 0x504c, 0);
	put(w, DPU_RDMA, 0x5064, 0);
	put(w, DPU_RDMA, 0x5068, 0x01010101);
	put(w, DPU_RDMA, 0x506c, 0);
}

uint32_t conv_program(const struct conv *conv, uint64_t words[CONV_WORDS_MAX])
{
	struct writer w = { .words = words };

	put(&w, DPU, 0x4004, 0xe);
	if (conv->reader)
		put(&w, DPU_RDMA, 0x5004, 0xe);
	put_cna(&w, conv);
	put_core(&w, conv);
	put_dpu(&w, conv);
	if (conv->reader)
		put_idle_reader(&w, conv);
	if (w.count % 2)
		words[w.count++] = 0;
	words[w.count++] = 0; /* no successor */
	put(&w, PC, 0x0014, 0);
	put(&w, MARKER, 0, 0);
	put(&w, ENABLE, 0x0008, ENABLE_CONV | (conv->reader ? ENABLE_READER : 0));
	return w.count;
}

uint32_t conv_input_at(const struct conv *conv, uint32_t pixel, uint32_t channel)
{
	return (channel / ATOM_BYTES * pixels(conv) + pixel) * ATOM_BYTES + channel % ATOM_BYTES;
}

uint32_t conv_weight_at(const struct conv *conv, uint32_t kernel, uint32_t channel)
{
	uint32_t group = kernel / KERNEL_GROUP * conv->channels + channel / 32 * 32;

	return group * KERNEL_GROUP + kernel % KERNEL_GROUP * 32 + channel % 32;
}

uint32_t conv_output_at(const struct conv *conv, uint32_t pixel, uint32_t kernel)
{
	return (kernel / 4 * pixels(conv) + pixel) * 4 + kernel % 4;
}
