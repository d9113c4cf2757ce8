// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Program checker
 *
 * A task is accepted if it says completely and consistently what it does, and if that is something
 * the hardware does without hanging and without leaving its buffers. ork_regcmd_regs.c knows the
 * registers; this file knows what they mean together: a convolution with a 1x1 kernel, which is a
 * matrix product. Section numbers are those of Documentation/hardware.rst.
 *
 * Plain C without kernel services: host tests and fuzzers compile this file as it is.
 */

#include "ork_regcmd.h"

#define ATOM_BYTES 16
#define CBUF_ENTRY_BYTES 64
#define MAX_K 10752
#define MAX_N 8192

/* Hardware reference 3.3: what goes in, what comes out, and how the registers say so. */
struct ork_type {
	/* Code of the input in CNA and CORE. */
	u32 precision;
	u32 data_format;
	/* OUT_CVT_SCALE, or 0 if the output converter is free. */
	u32 out_scale;
	u32 in_bits;
	u32 out_bytes;
	/* Kernels, and K, of a weight tile. */
	u32 kernel_group;
	u32 k_group;
};

static const struct ork_type ork_types[] = {
	/* int8 to int32, fp32, int8 */
	{ 0, 0x80000000, 1, 8, 4, 32, 32 },
	{ 0, 0xa0000000, 1, 8, 4, 32, 32 },
	{ 0, 0x00000000, 0, 8, 1, 32, 32 },
	/* int16 to int32 */
	{ 1, 0x84000001, 1, 16, 4, 16, 32 },
	/* fp16 to fp32, fp16 */
	{ 2, 0xa8000002, 1, 16, 4, 16, 32 },
	{ 2, 0x48000002, 0x10001, 16, 2, 16, 32 },
	/* bf16 to fp32 */
	{ 3, 0xac000003, 1, 16, 4, 16, 32 },
	/* int4 to int16 */
	{ 6, 0x38000006, 1, 4, 2, 64, 32 },
	/* tf32 to fp32 */
	{ 7, 0xb4000005, 1, 32, 4, 16, 16 },
};

/* A 1x1 convolution in the hardware's terms. */
struct ork_conv {
	const struct ork_type *type;
	u32 width, height, k, n;
	/* Bytes of one kernel, which are also those of one pixel. */
	u32 k_bytes;
};

struct ork_check {
	const struct ork_regcmd_task *task;
	struct ork_regcmd_state *state;
	const struct ork_regs *regs;
	struct ork_conv conv;
	/* Word that the last rule was about, plus 1. */
	u32 about;
};

static u32 ork_value(const struct ork_check *check, enum ork_reg reg)
{
	return check->regs->value[reg];
}

/* Remembers the register that a rule is about, for the report. */
static void ork_about(struct ork_check *check, enum ork_reg reg)
{
	check->about = check->regs->word[reg];
}

static bool ork_differs(struct ork_check *check, enum ork_reg reg, u32 wanted)
{
	ork_about(check, reg);
	return ork_value(check, reg) != wanted;
}

static u32 ork_check_type(struct ork_check *check)
{
	u32 con1 = ork_value(check, CONV_CON1) & CONV_CON1_PRECISION;
	u32 misc = ork_value(check, CORE_MISC_CFG);
	u32 i;

	ork_about(check, DATA_FORMAT);
	for (i = 0; i < ARRAY_SIZE(ork_types); i++) {
		const struct ork_type *type = &ork_types[i];
		u32 p = type->precision;

		if (con1 != (p << 7 | p << 4) || (misc & MISC_CFG_PRECISION) != p << 8 ||
		    ork_value(check, DATA_FORMAT) != type->data_format)
			continue;

		check->conv.type = type;
		if (!type->out_scale) {
			ork_about(check, CORE_MISC_CFG);
			return misc & QD_EN ? DRM_ORK_REJECT_NONE : DRM_ORK_REJECT_UNSUPPORTED;
		}
		if (ork_differs(check, OUT_CVT_OFFSET, 0) ||
		    ork_differs(check, OUT_CVT_SCALE, type->out_scale) ||
		    ork_differs(check, OUT_CVT_SHIFT, 0))
			return DRM_ORK_REJECT_UNSUPPORTED;
		return DRM_ORK_REJECT_NONE;
	}

	return DRM_ORK_REJECT_UNSUPPORTED;
}

/* Hardware reference 3.1: the same sizes stand in several places. */
static u32 ork_check_shape(struct ork_check *check)
{
	struct ork_conv *conv = &check->conv;
	u32 w = ork_field(ork_value(check, DATA_SIZE0), 26, 16);
	u32 h = ork_field(ork_value(check, DATA_SIZE0), 10, 0);
	u32 k = ork_field(ork_value(check, DATA_SIZE1), 15, 0);
	u32 n = ork_field(ork_value(check, WEIGHT_SIZE2), 13, 0);

	ork_about(check, DATA_SIZE0);
	if (!w || !h)
		return DRM_ORK_REJECT_SHAPE;

	/* With limits off K still has to fit its field of 14 bits. */
	ork_about(check, DATA_SIZE1);
	if (!k || k % conv->type->k_group || k > 1 << 14 ||
	    (k > MAX_K && !check->task->unchecked_limits))
		return DRM_ORK_REJECT_SHAPE;

	ork_about(check, WEIGHT_SIZE2);
	if (!n || n > MAX_N || n % conv->type->kernel_group)
		return DRM_ORK_REJECT_SHAPE;

	conv->width = w;
	conv->height = h;
	conv->k = k;
	conv->n = n;
	conv->k_bytes = k * conv->type->in_bits / 8;
	check->state->bytes = ((u64)w * h + n) * conv->k_bytes +
			      (u64)w * h * n * conv->type->out_bytes;

	if (ork_differs(check, DATA_SIZE1, (k - 1) << 16 | k) ||
	    ork_differs(check, DATA_SIZE2, w) ||
	    ork_differs(check, DATA_SIZE3, w * h) ||
	    ork_differs(check, WEIGHT_SIZE0, conv->k_bytes * n) ||
	    ork_differs(check, WEIGHT_SIZE1, conv->k_bytes) ||
	    ork_differs(check, FC_DATA_SIZE0, w << 16 | h) ||
	    ork_differs(check, FC_DATA_SIZE1, k) ||
	    ork_differs(check, DATAOUT_SIZE_0, (h - 1) << 16 | (w - 1)) ||
	    ork_differs(check, DATAOUT_SIZE_1, n - 1))
		return DRM_ORK_REJECT_SHAPE;

	return DRM_ORK_REJECT_NONE;
}

/*
 * Hardware reference 3.5: a row of features takes whole entries; programs that are known to work
 * round up the row (3.5.1) or each of its pixels (3.10). Any other number corrupts.
 */
static bool ork_entries_fit(const struct ork_conv *conv, u32 entries)
{
	return entries == DIV_ROUND_UP(conv->width * conv->k_bytes, CBUF_ENTRY_BYTES) ||
	       entries == conv->width * DIV_ROUND_UP(conv->k_bytes, CBUF_ENTRY_BYTES);
}

/* Hardware reference 3.5: features from the bottom, one kernel group at a time from the top. */
static u32 ork_check_banks(struct ork_check *check)
{
	const struct ork_regcmd_limits *limits = check->task->limits;
	const struct ork_conv *conv = &check->conv;
	u32 con0 = ork_value(check, CBUF_CON0);
	u32 data_banks = ork_field(con0, 3, 0);
	u32 weight_banks = ork_field(con0, 7, 4);
	u32 weight_room = weight_banks * limits->cbuf_bank_bytes;
	u32 group_bytes = conv->type->kernel_group * conv->k_bytes;
	u32 entries = ork_field(ork_value(check, CBUF_CON1), 13, 0);

	if (check->task->unchecked_limits)
		return DRM_ORK_REJECT_NONE;

	/* A kernel group that fills a single bank to the last byte hangs for some shapes. */
	ork_about(check, CBUF_CON0);
	if (!data_banks || !weight_banks || data_banks + weight_banks > limits->cbuf_banks ||
	    group_bytes > weight_room || (weight_banks == 1 && group_bytes == weight_room))
		return DRM_ORK_REJECT_BANKS;

	ork_about(check, CBUF_CON1);
	if (!ork_entries_fit(conv, entries) ||
	    (u64)entries * conv->height * CBUF_ENTRY_BYTES >
	    data_banks * limits->cbuf_bank_bytes)
		return DRM_ORK_REJECT_BANKS;

	return DRM_ORK_REJECT_NONE;
}

static bool ork_same(const struct ork_check *check, enum ork_reg reg)
{
	const struct ork_regs *previous = &check->state->previous;

	return check->regs->value[reg] == previous->value[reg] &&
	       check->regs->slot[reg] == previous->slot[reg];
}

static bool ork_same_banks(const struct ork_check *check)
{
	u32 changed = check->regs->value[CBUF_CON0] ^ check->state->previous.value[CBUF_CON0];

	return ork_same(check, CONV_CON1) && ork_same(check, DATA_SIZE1) && !(changed & CBUF_BANKS);
}

/*
 * Hardware reference 3.5: a task may use what the task before it, in the same chain, left in the
 * banks, if that is all of what it would have loaded. Who probes may find out what is left of more.
 */
static u32 ork_check_reuse(struct ork_check *check)
{
	const struct ork_regcmd_limits *limits = check->task->limits;
	u32 con0 = ork_value(check, CBUF_CON0);
	u32 weight_room = ork_field(con0, 7, 4) * limits->cbuf_bank_bytes;

	check->state->reuses = con0 & (WEIGHT_REUSE | DATA_REUSE);
	if (!check->state->reuses)
		return DRM_ORK_REJECT_NONE;

	ork_about(check, CBUF_CON0);
	if (!check->state->tasks || !ork_same_banks(check))
		return DRM_ORK_REJECT_REUSE;

	if (con0 & WEIGHT_REUSE &&
	    (!ork_same(check, DCOMP_ADDR0) || !ork_same(check, WEIGHT_SIZE2) ||
	     (ork_value(check, WEIGHT_SIZE0) > weight_room && !check->task->unchecked_limits)))
		return DRM_ORK_REJECT_REUSE;

	if (con0 & DATA_REUSE &&
	    (!ork_same(check, FEATURE_DATA_ADDR) || !ork_same(check, DATA_SIZE0) ||
	     !ork_same(check, DMA_CON1) || !ork_same(check, DMA_CON2)))
		return DRM_ORK_REJECT_REUSE;

	return DRM_ORK_REJECT_NONE;
}

/* @bytes bytes from the address in @reg on, which is aligned. */
static u32 ork_check_range(struct ork_check *check, enum ork_reg reg, u64 bytes, bool write)
{
	struct ork_regcmd_access access = {
		.slot = (int)check->regs->slot[reg] - 1,
		.start = ork_value(check, reg),
		.size = check->task->unchecked_limits ? ATOM_BYTES : bytes,
		.write = write,
	};

	ork_about(check, reg);
	if (!check->task->allowed(check->task->opaque, &access))
		return DRM_ORK_REJECT_ADDRESS;

	return DRM_ORK_REJECT_NONE;
}

/* Hardware reference 3.4: planes of one atom per pixel, rows, pixels; strides in atoms. */
static u32 ork_check_features(struct ork_check *check)
{
	const struct ork_conv *conv = &check->conv;
	bool lines = ork_value(check, CONV_CON1) & GROUP_LINE_OFF;
	s64 line = lines ? ork_value(check, DMA_CON1) : conv->width;
	s64 surf = (s32)(ork_value(check, DMA_CON2) << 4) >> 4;
	s64 plane = surf + (lines ? 1 : 4) * (s64)conv->width;
	s64 planes = conv->k_bytes / ATOM_BYTES;
	s64 last = (conv->height - 1) * line + conv->width - 1 + (planes - 1) * plane;

	ork_about(check, DMA_CON2);
	if (plane < 0)
		return DRM_ORK_REJECT_ADDRESS;

	return ork_check_range(check, FEATURE_DATA_ADDR, (last + 1) * ATOM_BYTES, false);
}

static u32 ork_check_weights(struct ork_check *check)
{
	return ork_check_range(check, DCOMP_ADDR0, ork_value(check, WEIGHT_SIZE0), false);
}

static u32 ork_check_output_shape(struct ork_check *check)
{
	const struct ork_conv *conv = &check->conv;
	u32 w = ork_value(check, DATA_CUBE_WIDTH) + 1;
	u32 h = ork_value(check, DATA_CUBE_HEIGHT) + 1;
	u32 surfaces = conv->type->kernel_group * conv->type->out_bytes / ATOM_BYTES;
	u32 size_e = surfaces - 1;
	u32 notch = ork_field(ork_value(check, DATA_CUBE_NOTCH_ADDR), 12, 0);
	u32 ow_cfg = ork_value(check, BS_OW_CFG);

	/* The DPU may see the pixels as a cube of another shape. */
	ork_about(check, DATA_CUBE_WIDTH);
	if (w * h != conv->width * conv->height)
		return DRM_ORK_REJECT_OUTPUT;

	ork_about(check, BS_OW_CFG);
	if (ork_field(ow_cfg, 4, 2) != size_e || ork_field(ow_cfg, 7, 5) != size_e ||
	    ork_field(ow_cfg, 10, 8) != size_e)
		return DRM_ORK_REJECT_OUTPUT;

	ork_about(check, SURFACE_ADD);
	if (ork_value(check, SURFACE_ADD) >> 4 !=
	    (u64)(ork_value(check, DST_SURF_STRIDE) >> 4) * surfaces)
		return DRM_ORK_REJECT_OUTPUT;

	if (ork_differs(check, DATA_CUBE_NOTCH_ADDR, notch << 16 | notch) ||
	    ork_differs(check, DATA_CUBE_CHANNEL, (conv->n - 1) << 16 | (conv->n - 1)) ||
	    ork_differs(check, WDMA_SIZE_0, conv->n - 1) ||
	    ork_differs(check, WDMA_SIZE_1, (h - 1) << 16 | (w - 1)))
		return DRM_ORK_REJECT_OUTPUT;

	return DRM_ORK_REJECT_NONE;
}

/* Hardware reference 3.7 */
static u32 ork_check_output(struct ork_check *check)
{
	const struct ork_conv *conv = &check->conv;
	u64 w = ork_value(check, DATA_CUBE_WIDTH) + 1;
	u64 h = ork_value(check, DATA_CUBE_HEIGHT) + 1;
	u64 notch = ork_field(ork_value(check, DATA_CUBE_NOTCH_ADDR), 12, 0);
	u64 stride = ork_value(check, DST_SURF_STRIDE) >> 4;
	u64 surfaces = conv->n * conv->type->out_bytes / ATOM_BYTES;
	u64 last = (surfaces - 1) * stride + (h - 1) * (w + notch) + w - 1;
	u32 reject = ork_check_output_shape(check);

	return reject ?: ork_check_range(check, DST_BASE_ADDR, (last + 1) * ATOM_BYTES, true);
}

static u32 ork_check_conv(struct ork_check *check)
{
	u32 reject;

	reject = ork_check_type(check);
	if (!reject)
		reject = ork_check_shape(check);
	if (!reject)
		reject = ork_check_reuse(check);
	if (!reject)
		reject = ork_check_banks(check);
	if (!reject)
		reject = ork_check_features(check);
	if (!reject)
		reject = ork_check_weights(check);
	if (!reject)
		reject = ork_check_output(check);

	return reject;
}

/* Only words that hold an address can be slots. */
static u32 ork_check_slot(struct ork_regcmd_state *state, const struct ork_regcmd_task *task,
			  u32 index)
{
	int slot = task->slot(task->opaque, index);
	u64 word = task->words[index];
	int reg;

	if (slot < 0)
		return DRM_ORK_REJECT_NONE;

	reg = ork_regs_find(word >> 48, word);
	if (!ork_regs_is_address(reg))
		return DRM_ORK_REJECT_SLOT;

	state->regs.slot[reg] = slot + 1;
	return DRM_ORK_REJECT_NONE;
}

/**
 * ork_regcmd_check - check a program's next task
 * @state: what is known of the tasks before it
 * @task: words and context
 * @bad_word: set to the index in the task of the word that a refusal is about
 *
 * Return: DRM_ORK_REJECT_NONE or the reason of the refusal, enum drm_ork_reject.
 */
u32 ork_regcmd_check(struct ork_regcmd_state *state, const struct ork_regcmd_task *task,
		     u32 *bad_word)
{
	struct ork_check check = { .task = task, .state = state, .regs = &state->regs };
	u32 i, reject;

	state->previous = state->regs;
	memset(&state->regs, 0, sizeof(state->regs));

	for (i = 0; i < task->count; i++) {
		*bad_word = i;
		reject = ork_regs_write(&state->regs, task->words[i], i);
		if (!reject)
			reject = ork_check_slot(state, task, i);
		if (reject)
			return reject;
	}

	*bad_word = 0;
	reject = ork_regs_complete(&state->regs);
	if (reject)
		return reject;

	reject = ork_check_conv(&check);
	if (check.about)
		*bad_word = check.about - 1;
	state->tasks++;

	return reject;
}

/**
 * ork_regcmd_reload - make a task load itself what it would have reused
 * @state: after ork_regcmd_check() of the task
 * @words: its words
 */
void ork_regcmd_reload(struct ork_regcmd_state *state, u64 *words)
{
	words[state->regs.word[CBUF_CON0] - 1] &= ~((u64)(WEIGHT_REUSE | DATA_REUSE) << 16);
	state->reuses = false;
}

/**
 * ork_regcmd_trailer - write the words that end a task
 * @to: ORK_TRAILER_WORDS words
 * @next_va: address of the next task's words, or 0 for the last task
 * @next_amount: REGISTER_AMOUNTS of the next task, or 0
 * @enable_map: blocks that the task starts
 */
void ork_regcmd_trailer(u64 *to, u32 next_va, u32 next_amount, u32 enable_map)
{
	to[0] = next_va ? ORK_WORD(ORK_TARGET_PC, next_va, 0x10) : 0;
	to[1] = ORK_WORD(ORK_TARGET_PC, next_amount, 0x14);
	to[2] = ORK_WORD(ORK_TARGET_MARKER, 0, 0);
	to[3] = ORK_WORD(ORK_TARGET_ENABLE, enable_map, 0x08);
}
