/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGCMD_REGS_H
#define ORK_REGCMD_REGS_H

/*
 * The registers that a program may write, by the names of the hardware reference. Internal to the
 * checker.
 */

#include "ork_regcmd_types.h"

#define GROUP_LINE_OFF 0x20000000u
#define CONV_CON1_PRECISION 0x3f0u
#define WEIGHT_REUSE 0x2000u
#define DATA_REUSE 0x1000u
#define CBUF_BANKS 0xffu
#define MISC_CFG_PRECISION 0x700u
#define QD_EN 0x1u

/* In the order of their offsets: the table is searched by bisection. */
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

/**
 * struct ork_regs - the registers that one task writes
 */
struct ork_regs {
	/** @value: last value written */
	u32 value[ORK_NUM_REGS];

	/** @word: index of the word that wrote it, plus 1; 0 if none did */
	u32 word[ORK_NUM_REGS];

	/** @slot: address slot that is added to the value, plus 1; 0 if none is */
	u32 slot[ORK_NUM_REGS];

	/** @next: register that the next word probably writes: the one after the last one's */
	int next;
};

u32 ork_regs_write(struct ork_regs *regs, u64 word, u32 index);
u32 ork_regs_complete(const struct ork_regs *regs);
int ork_regs_find(u16 target, u16 reg);
bool ork_regs_is_address(int reg);

static inline u32 ork_field(u32 value, unsigned int high, unsigned int low)
{
	return value << (31 - high) >> (31 - high + low);
}

#endif
