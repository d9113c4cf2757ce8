// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Registers of a program
 *
 * The table says for each register which bits exist and which of them are fixed. Everything that is
 * not in it, S_POINTER of CNA and CORE, MAC_GATING, the PC and all other blocks among them, cannot
 * be written by a program.
 */

#include "ork_regcmd_regs.h"

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
	/* direct convolution; precisions and the addressing mode are free */
	[CONV_CON1] = MIX(0x100c, 0x6001f3ff, ~(GROUP_LINE_OFF | CONV_CON1_PRECISION), 0),
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
	[FEATURE_DATA_ADDR] = ANY(0x1070, 0xfffffff0),
	[FC_CON2] = ONE(0x1074, 0),
	[DMA_CON0] = ONE(0x1078, 0x000f000f),
	[DMA_CON1] = ANY(0x107c, 0x0fffffff),
	[DMA_CON2] = ANY(0x1080, 0x0fffffff),
	[FC_DATA_SIZE0] = ANY(0x1084, 0x3fff07ff),
	[FC_DATA_SIZE1] = ANY(0x1088, 0x0000ffff),
	[DCOMP_CTRL] = ONE(0x1100, 0),
	[DCOMP_REGNUM] = ONE(0x1104, 0),
	[DCOMP_ADDR0] = ANY(0x1110, 0xfffffff0),
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

	[CORE_MISC_CFG] = MIX(0x3010, 0x000fc703, ~(MISC_CFG_PRECISION | QD_EN), 0),
	[DATAOUT_SIZE_0] = ANY(0x3014, 0xffffffff),
	[DATAOUT_SIZE_1] = ANY(0x3018, 0x0000ffff),
	[CLIP_TRUNCATE] = ONE(0x301c, 0),
	[CORE_3030] = ONE(0x3030, 0),

	[DPU_S_POINTER] = ONE(0x4004, 0xe),
	[FEATURE_MODE_CFG] = ONE(0x400c, 0x1e4),
	/* no shifts for negative values, one surface */
	[DATA_FORMAT] = MIX(0x4010, 0xffffffff, 0x03fffff8, 0),
	[OFFSET_PEND] = ONE(0x4014, 0),
	[DST_BASE_ADDR] = ANY(0x4020, 0xfffffff0),
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
	[OUT_CVT_OFFSET] = ANY(0x4080, 0xffffffff),
	[OUT_CVT_SCALE] = ANY(0x4084, 0x0001ffff),
	/* a shift of up to 63 and the rounding mode */
	[OUT_CVT_SHIFT] = MIX(0x4088, 0xc00fffff, 0x800fffc0, 0),
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

/* Return: enum ork_reg, or -1 if a program must not write the register. */
int ork_regs_find(u16 target, u16 reg)
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

/**
 * ork_regs_is_address - tell whether a register holds an address
 * @reg: enum ork_reg, or -1
 */
bool ork_regs_is_address(int reg)
{
	return reg == FEATURE_DATA_ADDR || reg == DCOMP_ADDR0 || reg == DST_BASE_ADDR;
}

/**
 * ork_regs_write - apply one command word
 * @regs: registers of the task
 * @word: command word
 * @index: its index
 *
 * Return: DRM_ORK_REJECT_NONE or the reason why the word is refused.
 */
u32 ork_regs_write(struct ork_regs *regs, u64 word, u32 index)
{
	u16 target = word >> 48;
	u32 value = word >> 16;
	const struct ork_reg_rule *rule;
	int i;

	if (!ork_known_target(target))
		return DRM_ORK_REJECT_TARGET;

	/* Most programs write registers in ascending order. */
	i = regs->next;
	if (i == ORK_NUM_REGS || ork_reg_rules[i].reg != (u16)word ||
	    ork_reg_target(word) != target)
		i = ork_regs_find(target, word);
	if (i < 0)
		return DRM_ORK_REJECT_REGISTER;
	regs->next = i + 1;

	rule = &ork_reg_rules[i];
	if (value & ~rule->fields)
		return ork_regs_is_address(i) ? DRM_ORK_REJECT_ADDRESS : DRM_ORK_REJECT_FIELD;
	if ((value ^ rule->value) & rule->fixed)
		return DRM_ORK_REJECT_UNSUPPORTED;

	regs->value[i] = value;
	regs->word[i] = index + 1;
	regs->slot[i] = 0;
	return DRM_ORK_REJECT_NONE;
}

/* A register that only takes its reset value never has another one. */
static bool ork_may_be_missing(const struct ork_reg_rule *rule)
{
	return rule->fixed == 0xffffffff && !rule->value;
}

/**
 * ork_regs_complete - tell whether a task depends on nothing that it does not say
 * @regs: registers of the task
 *
 * Registers keep their values from task to task and from client to client.
 *
 * Return: DRM_ORK_REJECT_NONE or DRM_ORK_REJECT_MISSING.
 */
u32 ork_regs_complete(const struct ork_regs *regs)
{
	u32 i;

	for (i = 0; i < ORK_NUM_REGS; i++)
		if (!regs->word[i] && !ork_may_be_missing(&ork_reg_rules[i]))
			return DRM_ORK_REJECT_MISSING;

	return DRM_ORK_REJECT_NONE;
}
