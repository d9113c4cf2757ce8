// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Program checker
 *
 * A task is accepted if it says completely and consistently what it does, and if that is
 * something the hardware does without hanging and without leaving its buffers. Registers keep
 * their values from task to task and from client to client, so a task must write every register
 * that can have more than one value.
 *
 * The table below says for each register which bits exist and which of them are fixed. What
 * remains is a convolution with a
 * 1x1 kernel, int8 in and int32 out; the rules for its sizes and addresses follow the table.
 * Section numbers are those of Documentation/hardware.rst.
 *
 * Plain C without kernel services: host tests and fuzzers compile this file as it is.
 */

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/drm/rknpu_ork.h>
#else
#include <string.h>
#include <drm/rknpu_ork.h>
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) - 1) / (d) + 1)
#endif

#include "ork_regcmd.h"

#define ATOM_BYTES 16
#define CBUF_ENTRY_BYTES 64
#define KERNEL_GROUP 32
#define K_GROUP 32
#define MAX_K 10752
#define MAX_N 8192
#define OUT_BYTES 4
#define SIZE_E_INT32 7
#define GROUP_LINE_OFF 0x20000000u
#define WEIGHT_REUSE 0x2000u
#define DATA_REUSE 0x1000u

enum ork_reg {
	CONV_CON1, CONV_CON2, CONV_CON3, DATA_SIZE0, DATA_SIZE1, DATA_SIZE2, DATA_SIZE3,
	WEIGHT_SIZE0, WEIGHT_SIZE1, WEIGHT_SIZE2, CBUF_CON0, CBUF_CON1,
	CVT_CON0, CVT_CON1, CVT_CON2, CVT_CON3, CVT_CON4, FC_CON0, FC_CON1, PAD_CON0,
	FEATURE_DATA_ADDR, FC_CON2, DMA_CON0, DMA_CON1, DMA_CON2, FC_DATA_SIZE0, FC_DATA_SIZE1,
	DCOMP_CTRL, DCOMP_REGNUM, DCOMP_ADDR0,
	DCOMP_AMOUNT0, DCOMP_AMOUNT1, DCOMP_AMOUNT2, DCOMP_AMOUNT3,
	DCOMP_AMOUNT4, DCOMP_AMOUNT5, DCOMP_AMOUNT6, DCOMP_AMOUNT7,
	DCOMP_AMOUNT8, DCOMP_AMOUNT9, DCOMP_AMOUNT10, DCOMP_AMOUNT11,
	DCOMP_AMOUNT12, DCOMP_AMOUNT13, DCOMP_AMOUNT14, DCOMP_AMOUNT15,
	CVT_CON5, PAD_CON1,
	CORE_MISC_CFG, DATAOUT_SIZE_0, DATAOUT_SIZE_1, CLIP_TRUNCATE, CORE_3030,
	DPU_S_POINTER, FEATURE_MODE_CFG, DATA_FORMAT, OFFSET_PEND, DST_BASE_ADDR, DST_SURF_STRIDE,
	DATA_CUBE_WIDTH, DATA_CUBE_HEIGHT, DATA_CUBE_NOTCH_ADDR, DATA_CUBE_CHANNEL,
	BS_CFG, BS_ALU_CFG, BS_MUL_CFG, BS_RELUX_CMP_VALUE, BS_OW_CFG, BS_OW_OP,
	WDMA_SIZE_0, WDMA_SIZE_1, BN_CFG, BN_ALU_CFG, BN_MUL_CFG, BN_RELUX_CMP_VALUE,
	EW_CFG, EW_CVT_OFFSET_VALUE, EW_CVT_SCALE_VALUE, EW_RELUX_CMP_VALUE,
	OUT_CVT_OFFSET, OUT_CVT_SCALE, OUT_CVT_SHIFT,
	EW_OP_VALUE_0, EW_OP_VALUE_1, EW_OP_VALUE_2, EW_OP_VALUE_3,
	EW_OP_VALUE_4, EW_OP_VALUE_5, EW_OP_VALUE_6, EW_OP_VALUE_7,
	SURFACE_ADD, DPU_40C4,
	LUT_ACCESS_CFG, LUT_ACCESS_DATA, LUT_CFG, LUT_INFO, LUT_LE_START, LUT_LE_END,
	LUT_LO_START, LUT_LO_END, LUT_LE_SLOPE_SCALE, LUT_LE_SLOPE_SHIFT,
	LUT_LO_SLOPE_SCALE, LUT_LO_SLOPE_SHIFT,
	ORK_NUM_REGS
};

struct ork_reg_rule {
	u16 reg;
	/* Bits that belong to a field. */
	u32 fields;
	/* Bits that must have the value of `value`. */
	u32 fixed;
	u32 value;
};

#define ANY(r, f) { .reg = (r), .fields = (f) }
#define ONE(r, v) { .reg = (r), .fields = 0xffffffff, .fixed = 0xffffffff, .value = (v) }
#define MIX(r, f, m, v) { .reg = (r), .fields = (f), .fixed = (m), .value = (v) }

static const struct ork_reg_rule ork_reg_rules[ORK_NUM_REGS] = {
	/* int8, direct convolution; only the addressing mode is free */
	[CONV_CON1] = MIX(0x100c, 0x6001f3ff, ~GROUP_LINE_OFF, 0),
	[CONV_CON2] = MIX(0x1010, 0x00ff3ff7, ~0x3ff0u, 0),
	[CONV_CON3] = ONE(0x1014, 0x9),
	[DATA_SIZE0] = ANY(0x1020, 0x07ff07ff),
	[DATA_SIZE1] = ANY(0x1024, 0x3fffffff),
	[DATA_SIZE2] = ANY(0x1028, 0x000007ff),
	[DATA_SIZE3] = MIX(0x102c, 0x00ffffff, 0x00c00000, 0),
	[WEIGHT_SIZE0] = ANY(0x1030, 0xffffffff),
	[WEIGHT_SIZE1] = ANY(0x1034, 0x0007ffff),
	/* kernel of 1x1 */
	[WEIGHT_SIZE2] = MIX(0x1038, 0x1f1f3fff, 0x1f1f0000, 0x01010000),
	/* FC_DATA_BANK corrupts results; the reuse bits have a reason of their own */
	[CBUF_CON0] = MIX(0x1040, 0x000037ff, 0x00000700, 0),
	[CBUF_CON1] = ANY(0x1044, 0x00003fff),
	[CVT_CON0] = ONE(0x104c, 0xb),
	[CVT_CON1] = ONE(0x1050, 0x10000),
	[CVT_CON2] = ONE(0x1054, 0x10000),
	[CVT_CON3] = ONE(0x1058, 0x10000),
	[CVT_CON4] = ONE(0x105c, 0x10000),
	[FC_CON0] = ONE(0x1060, 0),
	[FC_CON1] = ONE(0x1064, 0),
	[PAD_CON0] = ONE(0x1068, 0),
	[FEATURE_DATA_ADDR] = ANY(0x1070, 0xffffffff),
	[FC_CON2] = ONE(0x1074, 0),
	[DMA_CON0] = ONE(0x1078, 0x000f000f),
	[DMA_CON1] = ANY(0x107c, 0x0fffffff),
	[DMA_CON2] = ANY(0x1080, 0x0fffffff),
	[FC_DATA_SIZE0] = ANY(0x1084, 0x3fff07ff),
	[FC_DATA_SIZE1] = ANY(0x1088, 0x0000ffff),
	[DCOMP_CTRL] = ONE(0x1100, 0),
	[DCOMP_REGNUM] = ONE(0x1104, 0),
	[DCOMP_ADDR0] = ANY(0x1110, 0xffffffff),
	[DCOMP_AMOUNT0] = ONE(0x1140, 0),
	[DCOMP_AMOUNT1] = ONE(0x1144, 0),
	[DCOMP_AMOUNT2] = ONE(0x1148, 0),
	[DCOMP_AMOUNT3] = ONE(0x114c, 0),
	[DCOMP_AMOUNT4] = ONE(0x1150, 0),
	[DCOMP_AMOUNT5] = ONE(0x1154, 0),
	[DCOMP_AMOUNT6] = ONE(0x1158, 0),
	[DCOMP_AMOUNT7] = ONE(0x115c, 0),
	[DCOMP_AMOUNT8] = ONE(0x1160, 0),
	[DCOMP_AMOUNT9] = ONE(0x1164, 0),
	[DCOMP_AMOUNT10] = ONE(0x1168, 0),
	[DCOMP_AMOUNT11] = ONE(0x116c, 0),
	[DCOMP_AMOUNT12] = ONE(0x1170, 0),
	[DCOMP_AMOUNT13] = ONE(0x1174, 0),
	[DCOMP_AMOUNT14] = ONE(0x1178, 0),
	[DCOMP_AMOUNT15] = ONE(0x117c, 0),
	[CVT_CON5] = ONE(0x1180, 0),
	[PAD_CON1] = ONE(0x1184, 0),

	/* QD_EN has no effect on int32 results */
	[CORE_MISC_CFG] = MIX(0x3010, 0x000fc703, ~0x1u, 0),
	[DATAOUT_SIZE_0] = ANY(0x3014, 0xffffffff),
	[DATAOUT_SIZE_1] = ANY(0x3018, 0x0000ffff),
	[CLIP_TRUNCATE] = ONE(0x301c, 0),
	[CORE_3030] = ONE(0x3030, 0),

	[DPU_S_POINTER] = ONE(0x4004, 0xe),
	[FEATURE_MODE_CFG] = ONE(0x400c, 0x1e4),
	[DATA_FORMAT] = ONE(0x4010, 0x80000000),
	[OFFSET_PEND] = ONE(0x4014, 0),
	[DST_BASE_ADDR] = ANY(0x4020, 0xffffffff),
	[DST_SURF_STRIDE] = ANY(0x4024, 0xfffffff0),
	[DATA_CUBE_WIDTH] = ANY(0x4030, 0x00001fff),
	[DATA_CUBE_HEIGHT] = MIX(0x4034, 0x01c01fff, 0x01c00000, 0),
	[DATA_CUBE_NOTCH_ADDR] = ANY(0x4038, 0x1fff1fff),
	[DATA_CUBE_CHANNEL] = ANY(0x403c, 0x1fff1fff),
	[BS_CFG] = ONE(0x4040, 0x53),
	[BS_ALU_CFG] = ONE(0x4044, 0),
	[BS_MUL_CFG] = ONE(0x4048, 0),
	[BS_RELUX_CMP_VALUE] = ONE(0x404c, 0),
	/* the output stage is neutral with and without OD_BYPASS, as its operand is 0 */
	[BS_OW_CFG] = MIX(0x4050, 0xf80007ff, 0xf8000001, 0),
	[BS_OW_OP] = ONE(0x4054, 0),
	/* SIZE_C_WDMA wedges the writer */
	[WDMA_SIZE_0] = MIX(0x4058, 0x0fff1fff, 0x0fff0000, 0),
	[WDMA_SIZE_1] = ANY(0x405c, 0x1fff1fff),
	[BN_CFG] = ONE(0x4060, 0x53),
	[BN_ALU_CFG] = ONE(0x4064, 0),
	[BN_MUL_CFG] = ONE(0x4068, 0),
	[BN_RELUX_CMP_VALUE] = ONE(0x406c, 0),
	[EW_CFG] = ONE(0x4070, 0x383),
	[EW_CVT_OFFSET_VALUE] = ONE(0x4074, 0),
	[EW_CVT_SCALE_VALUE] = ONE(0x4078, 1),
	[EW_RELUX_CMP_VALUE] = ONE(0x407c, 0),
	[OUT_CVT_OFFSET] = ONE(0x4080, 0),
	[OUT_CVT_SCALE] = ONE(0x4084, 1),
	[OUT_CVT_SHIFT] = ONE(0x4088, 0),
	[EW_OP_VALUE_0] = ONE(0x4090, 0),
	[EW_OP_VALUE_1] = ONE(0x4094, 0),
	[EW_OP_VALUE_2] = ONE(0x4098, 0),
	[EW_OP_VALUE_3] = ONE(0x409c, 0),
	[EW_OP_VALUE_4] = ONE(0x40a0, 0),
	[EW_OP_VALUE_5] = ONE(0x40a4, 0),
	[EW_OP_VALUE_6] = ONE(0x40a8, 0),
	[EW_OP_VALUE_7] = ONE(0x40ac, 0),
	[SURFACE_ADD] = ANY(0x40c0, 0xfffffff0),
	[DPU_40C4] = ONE(0x40c4, 0),
	[LUT_ACCESS_CFG] = ONE(0x4100, 0),
	[LUT_ACCESS_DATA] = ONE(0x4104, 0),
	[LUT_CFG] = ONE(0x4108, 0),
	[LUT_INFO] = ONE(0x410c, 0),
	[LUT_LE_START] = ONE(0x4110, 0),
	[LUT_LE_END] = ONE(0x4114, 0),
	[LUT_LO_START] = ONE(0x4118, 0),
	[LUT_LO_END] = ONE(0x411c, 0),
	[LUT_LE_SLOPE_SCALE] = ONE(0x4120, 0),
	[LUT_LE_SLOPE_SHIFT] = ONE(0x4124, 0),
	[LUT_LO_SLOPE_SCALE] = ONE(0x4128, 0),
	[LUT_LO_SLOPE_SHIFT] = ONE(0x412c, 0),
};

/* The registers of one task, and where each was written last. */
struct ork_regs {
	u32 value[ORK_NUM_REGS];
	/* word index + 1; 0: not written */
	u32 word[ORK_NUM_REGS];
	const struct ork_regcmd_task *task;
};

/* Sizes of a 1x1 convolution in the hardware's terms. */
struct ork_conv {
	u32 width, height, k, n;
};

static u32 ork_field(u32 value, unsigned int high, unsigned int low)
{
	return value << (31 - high) >> (31 - high + low);
}

static u16 ork_reg_target(u16 reg)
{
	switch (reg >> 12) {
	case 1:
		return ORK_TARGET_CNA;
	case 3:
		return ORK_TARGET_CORE;
	default:
		return ORK_TARGET_DPU;
	}
}

static bool ork_known_target(u16 target)
{
	return target == ORK_TARGET_CNA || target == ORK_TARGET_CORE || target == ORK_TARGET_DPU;
}

/* The table is sorted by register. */
static int ork_find_reg(u16 target, u16 reg)
{
	unsigned int low = 0, high = ORK_NUM_REGS;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (ork_reg_rules[mid].reg < reg)
			low = mid + 1;
		else
			high = mid;
	}

	if (low == ORK_NUM_REGS || ork_reg_rules[low].reg != reg || ork_reg_target(reg) != target)
		return -1;

	return low;
}

static u32 ork_check_word(struct ork_regs *regs, u32 index)
{
	u64 word = regs->task->words[index];
	u16 target = word >> 48;
	u32 value = word >> 16;
	const struct ork_reg_rule *rule;
	int i;

	if (!ork_known_target(target))
		return DRM_ORK_REJECT_TARGET;

	i = ork_find_reg(target, word);
	if (i < 0)
		return DRM_ORK_REJECT_REGISTER;

	rule = &ork_reg_rules[i];
	if (value & ~rule->fields)
		return DRM_ORK_REJECT_FIELD;
	if ((value ^ rule->value) & rule->fixed)
		return DRM_ORK_REJECT_UNSUPPORTED;

	regs->value[i] = value;
	regs->word[i] = index + 1;
	return DRM_ORK_REJECT_NONE;
}

/* A register that only takes its reset value never has another one. */
static bool ork_may_be_missing(const struct ork_reg_rule *rule)
{
	return rule->fixed == 0xffffffff && !rule->value;
}

static u32 ork_check_complete(const struct ork_regs *regs)
{
	u32 i;

	for (i = 0; i < ORK_NUM_REGS; i++)
		if (!regs->word[i] && !ork_may_be_missing(&ork_reg_rules[i]))
			return DRM_ORK_REJECT_MISSING;

	return DRM_ORK_REJECT_NONE;
}

/* Remembers the register that a rule is about, for the report. */
static bool ork_differs(const struct ork_regs *regs, enum ork_reg reg, u32 wanted, u32 *about)
{
	*about = regs->word[reg];
	return regs->value[reg] != wanted;
}

/* Hardware reference 3.1: the same sizes stand in several places. */
static u32 ork_check_shape(const struct ork_regs *regs, struct ork_conv *conv, u32 *about)
{
	u32 w = ork_field(regs->value[DATA_SIZE0], 26, 16);
	u32 h = ork_field(regs->value[DATA_SIZE0], 10, 0);
	u32 k = ork_field(regs->value[DATA_SIZE1], 15, 0);
	u32 n = ork_field(regs->value[WEIGHT_SIZE2], 13, 0);

	*conv = (struct ork_conv){ .width = w, .height = h, .k = k, .n = n };

	*about = regs->word[DATA_SIZE0];
	if (!w || !h)
		return DRM_ORK_REJECT_SHAPE;

	*about = regs->word[DATA_SIZE1];
	if (!k || k % K_GROUP || (k > MAX_K && !regs->task->unchecked_limits))
		return DRM_ORK_REJECT_SHAPE;

	*about = regs->word[WEIGHT_SIZE2];
	if (!n || n > MAX_N || n % KERNEL_GROUP)
		return DRM_ORK_REJECT_SHAPE;

	if (ork_differs(regs, DATA_SIZE1, (k - 1) << 16 | k, about) ||
	    ork_differs(regs, DATA_SIZE2, w, about) ||
	    ork_differs(regs, DATA_SIZE3, w * h, about) ||
	    ork_differs(regs, WEIGHT_SIZE0, k * n, about) ||
	    ork_differs(regs, WEIGHT_SIZE1, k, about) ||
	    ork_differs(regs, FC_DATA_SIZE0, w << 16 | h, about) ||
	    ork_differs(regs, FC_DATA_SIZE1, k, about) ||
	    ork_differs(regs, DATAOUT_SIZE_0, (h - 1) << 16 | (w - 1), about) ||
	    ork_differs(regs, DATAOUT_SIZE_1, n - 1, about))
		return DRM_ORK_REJECT_SHAPE;

	return DRM_ORK_REJECT_NONE;
}

/* Hardware reference 3.5: features from the bottom, one kernel group at a time from the top. */
static u32 ork_check_banks(const struct ork_regs *regs, const struct ork_conv *conv, u32 *about)
{
	const struct ork_regcmd_limits *limits = regs->task->limits;
	u32 con0 = regs->value[CBUF_CON0];
	u32 data_banks = ork_field(con0, 3, 0);
	u32 weight_banks = ork_field(con0, 7, 4);
	u32 entries = ork_field(regs->value[CBUF_CON1], 13, 0);

	*about = regs->word[CBUF_CON0];
	if (con0 & (WEIGHT_REUSE | DATA_REUSE))
		return DRM_ORK_REJECT_REUSE;
	if (regs->task->unchecked_limits)
		return DRM_ORK_REJECT_NONE;

	if (!data_banks || !weight_banks || data_banks + weight_banks > limits->cbuf_banks ||
	    KERNEL_GROUP * conv->k > weight_banks * limits->cbuf_bank_bytes)
		return DRM_ORK_REJECT_BANKS;

	*about = regs->word[CBUF_CON1];
	if (entries < DIV_ROUND_UP(conv->width * conv->k, CBUF_ENTRY_BYTES) ||
	    (u64)entries * conv->height * CBUF_ENTRY_BYTES >
	    data_banks * limits->cbuf_bank_bytes)
		return DRM_ORK_REJECT_BANKS;

	return DRM_ORK_REJECT_NONE;
}

/* The bytes from the address in @reg on must lie in one mapping. */
static u32 ork_check_range(const struct ork_regs *regs, enum ork_reg reg, u64 bytes)
{
	const struct ork_regcmd_task *task = regs->task;
	u32 va = regs->value[reg];

	if (task->unchecked_limits)
		bytes = ATOM_BYTES;

	if (va % ATOM_BYTES || !task->mapped(task->opaque, va, bytes))
		return DRM_ORK_REJECT_ADDRESS;

	return DRM_ORK_REJECT_NONE;
}

/* Hardware reference 3.4: planes of 16 channels, rows, pixels; strides in atoms. */
static u32 ork_check_features(const struct ork_regs *regs, const struct ork_conv *conv, u32 *about)
{
	bool lines = regs->value[CONV_CON1] & GROUP_LINE_OFF;
	s64 line = lines ? regs->value[DMA_CON1] : conv->width;
	s64 surf = (s32)(regs->value[DMA_CON2] << 4) >> 4;
	s64 plane = surf + (lines ? 1 : 4) * (s64)conv->width;
	s64 planes = conv->k / ATOM_BYTES;
	s64 last = (conv->height - 1) * line + conv->width - 1 + (planes - 1) * plane;

	*about = regs->word[DMA_CON2];
	if (plane < 0)
		return DRM_ORK_REJECT_ADDRESS;

	*about = regs->word[FEATURE_DATA_ADDR];
	return ork_check_range(regs, FEATURE_DATA_ADDR, (last + 1) * ATOM_BYTES);
}

static u32 ork_check_weights(const struct ork_regs *regs, const struct ork_conv *conv, u32 *about)
{
	*about = regs->word[DCOMP_ADDR0];
	return ork_check_range(regs, DCOMP_ADDR0, (u64)conv->k * conv->n);
}

/* Hardware reference 3.7. The DPU may see the pixels as a cube of another shape. */
static u32 ork_check_output(const struct ork_regs *regs, const struct ork_conv *conv, u32 *about)
{
	u32 w = regs->value[DATA_CUBE_WIDTH] + 1, h = regs->value[DATA_CUBE_HEIGHT] + 1;
	u32 stride = regs->value[DST_SURF_STRIDE] >> 4;
	u32 notch = ork_field(regs->value[DATA_CUBE_NOTCH_ADDR], 12, 0);
	u32 surfaces = SIZE_E_INT32 + 1;
	u64 groups = conv->n / KERNEL_GROUP;
	u64 last;

	*about = regs->word[DATA_CUBE_WIDTH];
	if (w * h != conv->width * conv->height)
		return DRM_ORK_REJECT_OUTPUT;

	*about = regs->word[BS_OW_CFG];
	if (ork_field(regs->value[BS_OW_CFG], 4, 2) != SIZE_E_INT32 ||
	    ork_field(regs->value[BS_OW_CFG], 7, 5) != SIZE_E_INT32 ||
	    ork_field(regs->value[BS_OW_CFG], 10, 8) != SIZE_E_INT32)
		return DRM_ORK_REJECT_OUTPUT;

	*about = regs->word[SURFACE_ADD];
	if (regs->value[SURFACE_ADD] >> 4 != (u64)stride * surfaces)
		return DRM_ORK_REJECT_OUTPUT;

	if (ork_differs(regs, DATA_CUBE_NOTCH_ADDR, notch << 16 | notch, about) ||
	    ork_differs(regs, DATA_CUBE_CHANNEL, (conv->n - 1) << 16 | (conv->n - 1), about) ||
	    ork_differs(regs, WDMA_SIZE_0, conv->n - 1, about) ||
	    ork_differs(regs, WDMA_SIZE_1, (h - 1) << 16 | (w - 1), about))
		return DRM_ORK_REJECT_OUTPUT;

	last = (groups * surfaces - 1) * stride + (u64)(h - 1) * (w + notch) + w - 1;
	*about = regs->word[DST_BASE_ADDR];
	return ork_check_range(regs, DST_BASE_ADDR, (last + 1) * ATOM_BYTES);
}

static u32 ork_check_conv(const struct ork_regs *regs, u32 *about)
{
	struct ork_conv conv;
	u32 reject;

	reject = ork_check_shape(regs, &conv, about);
	if (!reject)
		reject = ork_check_banks(regs, &conv, about);
	if (!reject)
		reject = ork_check_features(regs, &conv, about);
	if (!reject)
		reject = ork_check_weights(regs, &conv, about);
	if (!reject)
		reject = ork_check_output(regs, &conv, about);

	return reject;
}

/**
 * ork_regcmd_check - check one task
 * @task: words and context
 * @bad_word: set to the index in the task of the word that a refusal is about
 *
 * Return: DRM_ORK_REJECT_NONE or the reason of the refusal, enum drm_ork_reject.
 */
u32 ork_regcmd_check(const struct ork_regcmd_task *task, u32 *bad_word)
{
	struct ork_regs regs;
	u32 i, reject, about = 0;

	memset(&regs, 0, sizeof(regs));
	regs.task = task;

	for (i = 0; i < task->count; i++) {
		*bad_word = i;
		reject = ork_check_word(&regs, i);
		if (reject)
			return reject;
	}

	*bad_word = 0;
	reject = ork_check_complete(&regs);
	if (reject)
		return reject;

	reject = ork_check_conv(&regs, &about);
	if (about)
		*bad_word = about - 1;

	return reject;
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
