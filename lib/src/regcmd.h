/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_LIB_REGCMD_H
#define ORK_LIB_REGCMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "types.h"

/*
 * Builder of register-command words (NPU reference 2.1): [63:48] target, [47:16] value, [15:0] register.
 *
 * Registers and fields carry the names of the register map. A task is always a complete program: registers keep their
 * values between jobs and processes, so one that is not written would decide by chance (NPU reference 1.4).
 */

/* Offsets in a core's register window. Bits 15:12 are the block, from which the target follows. */
enum ork_reg {
	CNA_CONV_CON1 = 0x100c,
	CNA_CONV_CON2 = 0x1010,
	CNA_CONV_CON3 = 0x1014,
	CNA_DATA_SIZE0 = 0x1020,
	CNA_DATA_SIZE1 = 0x1024,
	CNA_DATA_SIZE2 = 0x1028,
	CNA_DATA_SIZE3 = 0x102c,
	CNA_WEIGHT_SIZE0 = 0x1030,
	CNA_WEIGHT_SIZE1 = 0x1034,
	CNA_WEIGHT_SIZE2 = 0x1038,
	CNA_CBUF_CON0 = 0x1040,
	CNA_CBUF_CON1 = 0x1044,
	CNA_CVT_CON0 = 0x104c,
	CNA_CVT_CON1 = 0x1050,
	CNA_CVT_CON2 = 0x1054,
	CNA_CVT_CON3 = 0x1058,
	CNA_CVT_CON4 = 0x105c,
	CNA_FC_CON0 = 0x1060,
	CNA_FC_CON1 = 0x1064,
	CNA_PAD_CON0 = 0x1068,
	CNA_FEATURE_DATA_ADDR = 0x1070,
	CNA_FC_CON2 = 0x1074,
	CNA_DMA_CON0 = 0x1078,
	CNA_DMA_CON1 = 0x107c,
	CNA_DMA_CON2 = 0x1080,
	CNA_FC_DATA_SIZE0 = 0x1084,
	CNA_FC_DATA_SIZE1 = 0x1088,
	CNA_DCOMP_CTRL = 0x1100,
	CNA_DCOMP_REGNUM = 0x1104,
	CNA_DCOMP_ADDR0 = 0x1110,
	CNA_DCOMP_AMOUNT0 = 0x1140, /* to AMOUNT15, 4 bytes apart */
	CNA_CVT_CON5 = 0x1180,
	CNA_PAD_CON1 = 0x1184,
	CORE_MISC_CFG = 0x3010,
	CORE_DATAOUT_SIZE_0 = 0x3014,
	CORE_DATAOUT_SIZE_1 = 0x3018,
	CORE_CLIP_TRUNCATE = 0x301c,
	CORE_UNDOCUMENTED_3030 = 0x3030, /* every known program writes 0 */
	DPU_S_POINTER = 0x4004,
	DPU_FEATURE_MODE_CFG = 0x400c,
	DPU_DATA_FORMAT = 0x4010,
	DPU_OFFSET_PEND = 0x4014,
	DPU_DST_BASE_ADDR = 0x4020,
	DPU_DST_SURF_STRIDE = 0x4024,
	DPU_DATA_CUBE_WIDTH = 0x4030,
	DPU_DATA_CUBE_HEIGHT = 0x4034,
	DPU_DATA_CUBE_NOTCH_ADDR = 0x4038,
	DPU_DATA_CUBE_CHANNEL = 0x403c,
	DPU_BS_CFG = 0x4040,
	DPU_BS_ALU_CFG = 0x4044,
	DPU_BS_MUL_CFG = 0x4048,
	DPU_BS_RELUX_CMP_VALUE = 0x404c,
	DPU_BS_OW_CFG = 0x4050,
	DPU_BS_OW_OP = 0x4054,
	DPU_WDMA_SIZE_0 = 0x4058,
	DPU_WDMA_SIZE_1 = 0x405c,
	DPU_BN_CFG = 0x4060,
	DPU_BN_ALU_CFG = 0x4064,
	DPU_BN_MUL_CFG = 0x4068,
	DPU_BN_RELUX_CMP_VALUE = 0x406c,
	DPU_EW_CFG = 0x4070,
	DPU_EW_CVT_OFFSET_VALUE = 0x4074,
	DPU_EW_CVT_SCALE_VALUE = 0x4078,
	DPU_EW_RELUX_CMP_VALUE = 0x407c,
	DPU_OUT_CVT_OFFSET = 0x4080,
	DPU_OUT_CVT_SCALE = 0x4084,
	DPU_OUT_CVT_SHIFT = 0x4088,
	DPU_EW_OP_VALUE_0 = 0x4090, /* to VALUE_7, 4 bytes apart */
	DPU_SURFACE_ADD = 0x40c0,
	DPU_UNDOCUMENTED_40C4 = 0x40c4, /* every known program writes 0 */
	DPU_LUT_ACCESS_CFG = 0x4100, /* to LUT_LO_SLOPE_SHIFT 0x412c, 4 bytes apart */
};

/* Fields, as "highest bit, lowest bit". */
#define CONV_CON1_GROUP_LINE_OFF       29, 29
#define CONV_CON1_PROC_PRECISION       9, 7
#define CONV_CON1_IN_PRECISION         6, 4
#define CONV_CON2_FEATURE_GRAINS       13, 4
#define CONV_CON3_Y_STRIDE             5, 3
#define CONV_CON3_X_STRIDE             2, 0
#define DATA_SIZE0_WIDTH               26, 16
#define DATA_SIZE0_HEIGHT              10, 0
#define DATA_SIZE1_CHANNEL_REAL        29, 16
#define DATA_SIZE1_CHANNEL             15, 0
#define DATA_SIZE2_WIDTH               10, 0
#define DATA_SIZE3_ATOMICS             21, 0
#define WEIGHT_SIZE1_BYTES_PER_KERNEL  18, 0
#define WEIGHT_SIZE2_WIDTH             28, 24
#define WEIGHT_SIZE2_HEIGHT            20, 16
#define WEIGHT_SIZE2_KERNELS           13, 0
#define CBUF_CON0_WEIGHT_REUSE         13, 13
#define CBUF_CON0_WEIGHT_BANK          7, 4
#define CBUF_CON0_DATA_BANK            3, 0
#define CBUF_CON1_DATA_ENTRIES         13, 0
#define CVT_CON0_DATA_SIGN             3, 3
#define CVT_CON0_CVT_TYPE              1, 1
#define CVT_CON0_BYPASS                0, 0
#define CVT_CON1_SCALE                 31, 16
#define DMA_CON0_WEIGHT_BURST          19, 16
#define DMA_CON0_DATA_BURST            3, 0
#define DMA_CON1_LINE_STRIDE           27, 0
#define DMA_CON2_SURF_STRIDE           27, 0
#define FC_DATA_SIZE0_WIDTH            29, 16
#define FC_DATA_SIZE0_HEIGHT           10, 0
#define FC_DATA_SIZE1_CHANNEL          15, 0
#define MISC_CFG_PROC_PRECISION        10, 8
#define MISC_CFG_QD_EN                 0, 0
#define DATAOUT_SIZE_0_HEIGHT          31, 16
#define DATAOUT_SIZE_0_WIDTH           15, 0
#define DATAOUT_SIZE_1_CHANNEL         15, 0
#define S_POINTER_POINTER_PP_MODE      3, 3
#define S_POINTER_EXECUTER_PP_EN       2, 2
#define S_POINTER_POINTER_PP_EN        1, 1
#define FEATURE_MODE_BURST             8, 5
#define FEATURE_MODE_OUTPUT_MODE       2, 1
#define DATA_FORMAT_OUT_PRECISION      31, 29
#define DATA_FORMAT_IN_PRECISION       28, 26
#define DATA_FORMAT_PROC_PRECISION     2, 0
#define DST_SURF_STRIDE_ATOMS          31, 4
#define DATA_CUBE_WIDTH_WIDTH          12, 0
#define DATA_CUBE_HEIGHT_HEIGHT        12, 0
#define NOTCH_ADDR_1                   28, 16
#define NOTCH_ADDR_0                   12, 0
#define DATA_CUBE_ORIG_CHANNEL         28, 16
#define DATA_CUBE_CHANNEL              12, 0
#define BS_BN_RELU_BYPASS              6, 6
#define BS_BN_MUL_BYPASS               4, 4
#define BS_BN_ALU_BYPASS               1, 1
#define BS_BN_BYPASS                   0, 0
#define BS_OW_CFG_SIZE_E_2             10, 8
#define BS_OW_CFG_SIZE_E_1             7, 5
#define BS_OW_CFG_SIZE_E_0             4, 2
#define BS_OW_CFG_OD_BYPASS            1, 1
#define WDMA_SIZE_0_CHANNEL            12, 0
#define WDMA_SIZE_1_HEIGHT             28, 16
#define WDMA_SIZE_1_WIDTH              12, 0
#define EW_CFG_RELU_BYPASS             9, 9
#define EW_CFG_OP_CVT_BYPASS           8, 8
#define EW_CFG_LUT_BYPASS              7, 7
#define EW_CFG_OP_BYPASS               1, 1
#define EW_CFG_BYPASS                  0, 0
#define EW_CVT_SCALE_SCALE             15, 0
#define OUT_CVT_SCALE_FP32TOFP16_EN    16, 16
#define OUT_CVT_SCALE_SCALE            15, 0
#define OUT_CVT_SHIFT_SHIFT            11, 0
#define SURFACE_ADD_ATOMS              31, 4
#define WHOLE_REGISTER                 31, 0

/* Collects words. The first problem is kept in error, and later calls do nothing. */
struct ork_regcmd {
	uint64_t *words;
	size_t capacity;
	size_t count;
	int error; /* 0, -ERANGE: a value does not fit its field, -ENOSPC: no room for a word */
};

/* The value placed in bits high..low of a register. Use with the field names above. */
uint32_t ork_field(struct ork_regcmd *rc, unsigned int high, unsigned int low, uint64_t value);

void ork_regcmd_write(struct ork_regcmd *rc, enum ork_reg reg, uint32_t value);

/*
 * One task: rows x cols of C, in the form of its operands. Row-major (NPU reference 3.9): pitches lead from one row to
 * the next. Cube (3.1): pitches are not used, the planes of A and C are as high as the task.
 */
struct ork_task {
	const struct ork_result *result;
	uint32_t rows;          /* M of the task */
	uint32_t k;             /* multiple of 32 */
	uint32_t cols;          /* N of the task, multiple of the kernel group */
	uint32_t a_va;          /* 16-byte aligned, as all addresses and pitches */
	uint32_t a_pitch_bytes;
	uint32_t b_va;          /* packed weights of these columns */
	uint32_t c_va;
	uint32_t c_pitch_bytes;
	uint32_t data_banks;
	uint32_t weight_banks;
	bool weight_reuse;      /* the weights are on the chip already */
	struct ork_requant requant; /* scale 1 unless the result is int8 */
};

/* Words of one task, without the trailer, which the driver writes. */
#define ORK_TASK_WORDS ORK_WORDS_PER_TASK

/* Positions of the words that hold the addresses, counted from the task's first word. */
#define ORK_TASK_A_WORD 21
#define ORK_TASK_B_WORD 30
#define ORK_TASK_C_WORD 57

/* Appends the task's words. Returns rc->error. */
int ork_regcmd_task(struct ork_regcmd *rc, const struct ork_task *task);

#endif
