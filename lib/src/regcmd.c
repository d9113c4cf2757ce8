/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>

#include "regcmd.h"

#define CBUF_ENTRY_BYTES 64

/* Fields that hold signed values modulo their width. */
#define SURF_STRIDE_MASK   0x0fffffffu
#define OUT_CVT_SCALE_MASK 0xffffu

/* F(NAME, v): v in the field NAME of regcmd.h, which expands to two arguments. */
#define F(field, value) ork_field(rc, field, value)

/* Target words of the blocks (NPU reference 2.1). */
static uint64_t target_of(enum ork_reg reg)
{
	switch (reg >> 12) {
	case 1:
		return 0x0201; /* CNA */
	case 3:
		return 0x0801; /* CORE */
	default:
		return 0x1001; /* DPU */
	}
}

uint32_t ork_field(struct ork_regcmd *rc, unsigned int high, unsigned int low, uint64_t value)
{
	const uint64_t max = (UINT64_C(2) << (high - low)) - 1;

	if (value > max) {
		if (!rc->error)
			rc->error = -ERANGE;
		return 0;
	}
	return (uint32_t)(value << low);
}

void ork_regcmd_write(struct ork_regcmd *rc, enum ork_reg reg, uint32_t value)
{
	if (rc->error)
		return;
	if (rc->count == rc->capacity) {
		rc->error = -ENOSPC;
		return;
	}
	rc->words[rc->count++] = target_of(reg) << 48 | (uint64_t)value << 16 | (uint64_t)reg;
}

static void write_zeros(struct ork_regcmd *rc, enum ork_reg first, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		ork_regcmd_write(rc, first + 4 * i, 0);
}

/* CNA: what is convolved. A row of A is a line of one pixel with k channels: W = 1, H = rows (NPU reference 3.1). */
static void write_cna_sizes(struct ork_regcmd *rc, const struct ork_task *task)
{
	const struct ork_operand *operand = task->result->operand;
	const uint32_t kernel_bytes = ork_operand_bytes(operand, task->k);

	ork_regcmd_write(rc, CNA_CONV_CON1,
			 F(CONV_CON1_GROUP_LINE_OFF, operand->form == ORK_FORM_ROWS) |
				 F(CONV_CON1_IN_PRECISION, operand->precision) |
				 F(CONV_CON1_PROC_PRECISION, operand->precision));
	ork_regcmd_write(rc, CNA_CONV_CON2, F(CONV_CON2_FEATURE_GRAINS, task->rows + 1));
	ork_regcmd_write(rc, CNA_CONV_CON3, F(CONV_CON3_Y_STRIDE, 1) | F(CONV_CON3_X_STRIDE, 1));
	ork_regcmd_write(rc, CNA_DATA_SIZE0, F(DATA_SIZE0_WIDTH, 1) | F(DATA_SIZE0_HEIGHT, task->rows));
	ork_regcmd_write(rc, CNA_DATA_SIZE1, F(DATA_SIZE1_CHANNEL_REAL, task->k - 1) | F(DATA_SIZE1_CHANNEL, task->k));
	ork_regcmd_write(rc, CNA_DATA_SIZE2, F(DATA_SIZE2_WIDTH, 1));
	ork_regcmd_write(rc, CNA_DATA_SIZE3, F(DATA_SIZE3_ATOMICS, task->rows));
	ork_regcmd_write(rc, CNA_WEIGHT_SIZE0, F(WHOLE_REGISTER, (uint64_t)kernel_bytes * task->cols));
	ork_regcmd_write(rc, CNA_WEIGHT_SIZE1, F(WEIGHT_SIZE1_BYTES_PER_KERNEL, kernel_bytes));
	ork_regcmd_write(rc, CNA_WEIGHT_SIZE2, F(WEIGHT_SIZE2_WIDTH, 1) | F(WEIGHT_SIZE2_HEIGHT, 1) |
					       F(WEIGHT_SIZE2_KERNELS, task->cols));
	ork_regcmd_write(rc, CNA_CBUF_CON0,
			 F(CBUF_CON0_WEIGHT_REUSE, task->weight_reuse) | F(CBUF_CON0_WEIGHT_BANK, task->weight_banks) |
				 F(CBUF_CON0_DATA_BANK, task->data_banks));
	ork_regcmd_write(rc, CNA_CBUF_CON1,
			 F(CBUF_CON1_DATA_ENTRIES, (kernel_bytes + CBUF_ENTRY_BYTES - 1) / CBUF_ENTRY_BYTES));
}

/*
 * Row-major A: lines are rows, and the planes of one line follow each other. Cube: lines of one atom in groups of four,
 * so that the stride from plane to plane is rows - 4, which may be negative (NPU reference 3.4, D1).
 */
static void write_cna_strides(struct ork_regcmd *rc, const struct ork_task *task)
{
	const bool rows = task->result->operand->form == ORK_FORM_ROWS;

	ork_regcmd_write(rc, CNA_DMA_CON1, F(DMA_CON1_LINE_STRIDE, rows ? task->a_pitch_bytes / ORK_ATOM_BYTES : 4));
	ork_regcmd_write(rc, CNA_DMA_CON2, F(DMA_CON2_SURF_STRIDE, rows ? 0 : (task->rows - 4) & SURF_STRIDE_MASK));
}

/* CNA: no conversion of the input and no padding; where A and B lie. */
static void write_cna_data(struct ork_regcmd *rc, const struct ork_task *task)
{
	unsigned int i;

	ork_regcmd_write(rc, CNA_CVT_CON0, F(CVT_CON0_DATA_SIGN, 1) | F(CVT_CON0_CVT_TYPE, 1) | F(CVT_CON0_BYPASS, 1));
	for (i = 0; i < 4; i++)
		ork_regcmd_write(rc, CNA_CVT_CON1 + 4 * i, F(CVT_CON1_SCALE, 1));
	ork_regcmd_write(rc, CNA_FC_CON0, 0);
	ork_regcmd_write(rc, CNA_FC_CON1, 0);
	ork_regcmd_write(rc, CNA_PAD_CON0, 0);
	ork_regcmd_write(rc, CNA_FEATURE_DATA_ADDR, task->a_va);
	ork_regcmd_write(rc, CNA_FC_CON2, 0);
	ork_regcmd_write(rc, CNA_DMA_CON0, F(DMA_CON0_WEIGHT_BURST, 15) | F(DMA_CON0_DATA_BURST, 15));
	write_cna_strides(rc, task);
	ork_regcmd_write(rc, CNA_FC_DATA_SIZE0, F(FC_DATA_SIZE0_WIDTH, 1) | F(FC_DATA_SIZE0_HEIGHT, task->rows));
	ork_regcmd_write(rc, CNA_FC_DATA_SIZE1, F(FC_DATA_SIZE1_CHANNEL, task->k));
	ork_regcmd_write(rc, CNA_DCOMP_CTRL, 0);
	ork_regcmd_write(rc, CNA_DCOMP_REGNUM, 0);
	ork_regcmd_write(rc, CNA_DCOMP_ADDR0, task->b_va);
	write_zeros(rc, CNA_DCOMP_AMOUNT0, 16);
	ork_regcmd_write(rc, CNA_CVT_CON5, 0);
	ork_regcmd_write(rc, CNA_PAD_CON1, 0);
}

static void write_core(struct ork_regcmd *rc, const struct ork_task *task)
{
	ork_regcmd_write(rc, CORE_MISC_CFG, F(MISC_CFG_PROC_PRECISION, task->result->operand->precision) |
					    F(MISC_CFG_QD_EN, 1));
	ork_regcmd_write(rc, CORE_DATAOUT_SIZE_0,
			 F(DATAOUT_SIZE_0_HEIGHT, task->rows - 1) | F(DATAOUT_SIZE_0_WIDTH, 0));
	ork_regcmd_write(rc, CORE_DATAOUT_SIZE_1, F(DATAOUT_SIZE_1_CHANNEL, task->cols - 1));
	ork_regcmd_write(rc, CORE_CLIP_TRUNCATE, 0);
	ork_regcmd_write(rc, CORE_UNDOCUMENTED_3030, 0);
}

/* Atoms from one surface of C to the next. Row-major: the next atom of the row. */
static uint32_t surface_stride(const struct ork_task *task)
{
	return task->result->operand->form == ORK_FORM_ROWS ? 1 : task->rows;
}

/* DPU: where and how C is written. A row is one pitch further, in a cube one atom. */
static void write_dpu_output(struct ork_regcmd *rc, const struct ork_task *task)
{
	const struct ork_result *result = task->result;
	const uint32_t notch =
		result->operand->form == ORK_FORM_ROWS ? task->c_pitch_bytes / ORK_ATOM_BYTES - 1 : 0;

	ork_regcmd_write(rc, DPU_FEATURE_MODE_CFG, F(FEATURE_MODE_BURST, 15) | F(FEATURE_MODE_OUTPUT_MODE, 2));
	ork_regcmd_write(rc, DPU_DATA_FORMAT, F(DATA_FORMAT_OUT_PRECISION, result->precision) |
					      F(DATA_FORMAT_IN_PRECISION, result->operand->precision) |
					      F(DATA_FORMAT_PROC_PRECISION, result->operand->precision));
	ork_regcmd_write(rc, DPU_OFFSET_PEND, 0);
	ork_regcmd_write(rc, DPU_DST_BASE_ADDR, task->c_va);
	ork_regcmd_write(rc, DPU_DST_SURF_STRIDE, F(DST_SURF_STRIDE_ATOMS, surface_stride(task)));
	ork_regcmd_write(rc, DPU_DATA_CUBE_WIDTH, F(DATA_CUBE_WIDTH_WIDTH, 0));
	ork_regcmd_write(rc, DPU_DATA_CUBE_HEIGHT, F(DATA_CUBE_HEIGHT_HEIGHT, task->rows - 1));
	/* Both halves must carry the row step (NPU reference 3.7). */
	ork_regcmd_write(rc, DPU_DATA_CUBE_NOTCH_ADDR, F(NOTCH_ADDR_1, notch) | F(NOTCH_ADDR_0, notch));
	ork_regcmd_write(rc, DPU_DATA_CUBE_CHANNEL, F(DATA_CUBE_ORIG_CHANNEL, task->cols - 1) |
						    F(DATA_CUBE_CHANNEL, task->cols - 1));
}

/* DPU: conversion of sums to the output type (NPU reference 5.5). Neutral with scale 1, shift 0 and offset 0. */
static void write_dpu_out_cvt(struct ork_regcmd *rc, const struct ork_task *task)
{
	ork_regcmd_write(rc, DPU_OUT_CVT_OFFSET, (uint32_t)task->requant.offset);
	ork_regcmd_write(rc, DPU_OUT_CVT_SCALE,
			 F(OUT_CVT_SCALE_FP32TOFP16_EN, task->result->fp32_to_fp16) |
				 F(OUT_CVT_SCALE_SCALE, (uint32_t)task->requant.scale & OUT_CVT_SCALE_MASK));
	ork_regcmd_write(rc, DPU_OUT_CVT_SHIFT, F(OUT_CVT_SHIFT_SHIFT, task->requant.shift));
}

/* DPU: the stages between the accumulator and the output converter are bypassed. */
static void write_dpu_stages(struct ork_regcmd *rc, const struct ork_task *task)
{
	const uint32_t bypass = F(BS_BN_RELU_BYPASS, 1) | F(BS_BN_MUL_BYPASS, 1) | F(BS_BN_ALU_BYPASS, 1) |
				F(BS_BN_BYPASS, 1);
	const uint32_t surfaces = ork_result_surfaces(task->result);
	const uint32_t size_e = surfaces - 1;

	ork_regcmd_write(rc, DPU_BS_CFG, bypass);
	write_zeros(rc, DPU_BS_ALU_CFG, 3);
	ork_regcmd_write(rc, DPU_BS_OW_CFG, F(BS_OW_CFG_SIZE_E_2, size_e) | F(BS_OW_CFG_SIZE_E_1, size_e) |
					    F(BS_OW_CFG_SIZE_E_0, size_e) | F(BS_OW_CFG_OD_BYPASS, task->result->od_bypass));
	ork_regcmd_write(rc, DPU_BS_OW_OP, 0);
	ork_regcmd_write(rc, DPU_WDMA_SIZE_0, F(WDMA_SIZE_0_CHANNEL, task->cols - 1));
	ork_regcmd_write(rc, DPU_WDMA_SIZE_1, F(WDMA_SIZE_1_HEIGHT, task->rows - 1) | F(WDMA_SIZE_1_WIDTH, 0));
	ork_regcmd_write(rc, DPU_BN_CFG, bypass);
	write_zeros(rc, DPU_BN_ALU_CFG, 3);
	ork_regcmd_write(rc, DPU_EW_CFG,
			 F(EW_CFG_RELU_BYPASS, 1) | F(EW_CFG_OP_CVT_BYPASS, 1) | F(EW_CFG_LUT_BYPASS, 1) |
				 F(EW_CFG_OP_BYPASS, 1) | F(EW_CFG_BYPASS, 1));
	ork_regcmd_write(rc, DPU_EW_CVT_OFFSET_VALUE, 0);
	ork_regcmd_write(rc, DPU_EW_CVT_SCALE_VALUE, F(EW_CVT_SCALE_SCALE, 1));
	ork_regcmd_write(rc, DPU_EW_RELUX_CMP_VALUE, 0);
	write_dpu_out_cvt(rc, task);
	write_zeros(rc, DPU_EW_OP_VALUE_0, 8);
	/* From one kernel group to the next: its surfaces times the surface stride (NPU reference 3.7). */
	ork_regcmd_write(rc, DPU_SURFACE_ADD, F(SURFACE_ADD_ATOMS, surface_stride(task) * surfaces));
	ork_regcmd_write(rc, DPU_UNDOCUMENTED_40C4, 0);
	write_zeros(rc, DPU_LUT_ACCESS_CFG, 12);
}

int ork_regcmd_task(struct ork_regcmd *rc, const struct ork_task *task)
{
	/* Ping-pong as everybody runs it (NPU reference 1.4). The kernel sets the pointers of CNA and CORE itself. */
	ork_regcmd_write(rc, DPU_S_POINTER, F(S_POINTER_POINTER_PP_MODE, 1) | F(S_POINTER_EXECUTER_PP_EN, 1) |
					    F(S_POINTER_POINTER_PP_EN, 1));
	write_cna_sizes(rc, task);
	write_cna_data(rc, task);
	write_core(rc, task);
	write_dpu_output(rc, task);
	write_dpu_stages(rc, task);
	return rc->error;
}
