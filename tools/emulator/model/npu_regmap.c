/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_internal.h"

/*
 * Which registers exist in the ping-pong blocks and which of their bits can be written. S_STATUS, S_POINTER and
 * OPERATION_ENABLE are the same in every block and live in npu_core.c. Sorted by offset.
 */
static const struct {
	uint16_t offset;
	uint32_t writable;
} registers[] = {
	{ CNA_CONV_CON1, 0x6001f3ff },
	{ CNA_CONV_CON2, 0x00ff3ff7 },
	{ CNA_CONV_CON3, 0x73ff3f3f },
	{ CNA_DATA_SIZE0, 0x07ff07ff },
	{ CNA_DATA_SIZE1, 0x3fffffff },
	{ CNA_DATA_SIZE2, 0x000007ff },
	{ CNA_DATA_SIZE3, 0x00ffffff },
	{ CNA_WEIGHT_SIZE0, 0xffffffff },
	{ CNA_WEIGHT_SIZE1, 0x0007ffff },
	{ CNA_WEIGHT_SIZE2, 0x1f1f3fff },
	{ CNA_CBUF_CON0, 0x000037ff },
	{ CNA_CBUF_CON1, 0x00003fff },
	{ CNA_CVT_CON0, 0x0fffffff },
	{ CNA_CVT_CON1, 0xffffffff },
	{ CNA_CVT_CON2, 0xffffffff },
	{ CNA_CVT_CON3, 0xffffffff },
	{ CNA_CVT_CON4, 0xffffffff },
	{ CNA_FC_CON0, 0xffff0001 },
	{ CNA_FC_CON1, 0x0001ffff },
	{ CNA_PAD_CON0, 0x000000ff },
	{ CNA_FEATURE_DATA_ADDR, 0xffffffff },
	{ CNA_FC_CON2, 0x0001ffff },
	{ CNA_DMA_CON0, 0x800f000f },
	{ CNA_DMA_CON1, 0x0fffffff },
	{ CNA_DMA_CON2, 0x0fffffff },
	{ CNA_FC_DATA_SIZE0, 0x3fff07ff },
	{ CNA_FC_DATA_SIZE1, 0x0000ffff },
	{ CNA_CLK_GATE, 0x00000017 },
	{ CNA_DCOMP_CTRL, 0x0000000f },
	{ CNA_DCOMP_REGNUM, 0xffffffff },
	{ CNA_DCOMP_ADDR0, 0xfffffff0 },
	{ CNA_DCOMP_AMOUNT0, 0xffffffff },
	{ CNA_DCOMP_AMOUNT1, 0xffffffff },
	{ CNA_DCOMP_AMOUNT2, 0xffffffff },
	{ CNA_DCOMP_AMOUNT3, 0xffffffff },
	{ CNA_DCOMP_AMOUNT4, 0xffffffff },
	{ CNA_DCOMP_AMOUNT5, 0xffffffff },
	{ CNA_DCOMP_AMOUNT6, 0xffffffff },
	{ CNA_DCOMP_AMOUNT7, 0xffffffff },
	{ CNA_DCOMP_AMOUNT8, 0xffffffff },
	{ CNA_DCOMP_AMOUNT9, 0xffffffff },
	{ CNA_DCOMP_AMOUNT10, 0xffffffff },
	{ CNA_DCOMP_AMOUNT11, 0xffffffff },
	{ CNA_DCOMP_AMOUNT12, 0xffffffff },
	{ CNA_DCOMP_AMOUNT13, 0xffffffff },
	{ CNA_DCOMP_AMOUNT14, 0xffffffff },
	{ CNA_DCOMP_AMOUNT15, 0xffffffff },
	{ CNA_CVT_CON5, 0xffffffff },
	{ CNA_PAD_CON1, 0xffffffff },
	{ CORE_MAC_GATING, 0x07ffffff },
	{ CORE_MISC_CFG, 0x000fc703 },
	{ CORE_DATAOUT_SIZE_0, 0xffffffff },
	{ CORE_DATAOUT_SIZE_1, 0x0000ffff },
	{ CORE_CLIP_TRUNCATE, 0x0000005f },
	{ CORE_UNDOCUMENTED_3030, 0xffffffff },
	{ DPU_FEATURE_MODE_CFG, 0xffffffff },
	{ DPU_DATA_FORMAT, 0xffffffff },
	{ DPU_OFFSET_PEND, 0x0000ffff },
	{ DPU_DST_BASE_ADDR, 0xfffffff0 },
	{ DPU_DST_SURF_STRIDE, 0xfffffff0 },
	{ DPU_DATA_CUBE_WIDTH, 0x00001fff },
	{ DPU_DATA_CUBE_HEIGHT, 0x01c01fff },
	{ DPU_DATA_CUBE_NOTCH_ADDR, 0x1fff1fff },
	{ DPU_DATA_CUBE_CHANNEL, 0x1fff1fff },
	{ DPU_BS_CFG, 0x000f01f3 },
	{ DPU_BS_ALU_CFG, 0xffffffff },
	{ DPU_BS_MUL_CFG, 0xffff3f03 },
	{ DPU_BS_RELUX_CMP_VALUE, 0xffffffff },
	{ DPU_BS_OW_CFG, 0xf80007ff },
	{ DPU_BS_OW_OP, 0x0000ffff },
	{ DPU_WDMA_SIZE_0, 0x0fff1fff },
	{ DPU_WDMA_SIZE_1, 0x1fff1fff },
	{ DPU_BN_CFG, 0x000f01f3 },
	{ DPU_BN_ALU_CFG, 0xffffffff },
	{ DPU_BN_MUL_CFG, 0xffff3f03 },
	{ DPU_BN_RELUX_CMP_VALUE, 0xffffffff },
	{ DPU_EW_CFG, 0xf0ff07e7 },
	{ DPU_EW_CVT_OFFSET_VALUE, 0xffffffff },
	{ DPU_EW_CVT_SCALE_VALUE, 0xffffffff },
	{ DPU_EW_RELUX_CMP_VALUE, 0xffffffff },
	{ DPU_OUT_CVT_OFFSET, 0xffffffff },
	{ DPU_OUT_CVT_SCALE, 0x0001ffff },
	{ DPU_OUT_CVT_SHIFT, 0xc00fffff },
	{ DPU_EW_OP_VALUE_0, 0xffffffff },
	{ DPU_EW_OP_VALUE_1, 0xffffffff },
	{ DPU_EW_OP_VALUE_2, 0xffffffff },
	{ DPU_EW_OP_VALUE_3, 0xffffffff },
	{ DPU_EW_OP_VALUE_4, 0xffffffff },
	{ DPU_EW_OP_VALUE_5, 0xffffffff },
	{ DPU_EW_OP_VALUE_6, 0xffffffff },
	{ DPU_EW_OP_VALUE_7, 0xffffffff },
	{ DPU_SURFACE_ADD, 0xfffffff0 },
	{ DPU_UNDOCUMENTED_40C4, 0xffffffff },
	{ DPU_LUT_ACCESS_CFG, 0x000303ff },
	{ DPU_LUT_ACCESS_DATA, 0x0000ffff },
	{ DPU_LUT_CFG, 0x000000ff },
	{ DPU_LUT_INFO, 0x00ffff00 },
	{ DPU_LUT_LE_START, 0xffffffff },
	{ DPU_LUT_LE_END, 0xffffffff },
	{ DPU_LUT_LO_START, 0xffffffff },
	{ DPU_LUT_LO_END, 0xffffffff },
	{ DPU_LUT_LE_SLOPE_SCALE, 0xffffffff },
	{ DPU_LUT_LE_SLOPE_SHIFT, 0x000003ff },
	{ DPU_LUT_LO_SLOPE_SCALE, 0xffffffff },
	{ DPU_LUT_LO_SLOPE_SHIFT, 0x000003ff },
	{ DPU_RDMA_DATA_CUBE_WIDTH, 0x00001fff },
	{ DPU_RDMA_DATA_CUBE_HEIGHT, 0x1fff1fff },
	{ DPU_RDMA_DATA_CUBE_CHANNEL, 0x00001fff },
	{ DPU_RDMA_SRC_BASE_ADDR, 0xffffffff },
	{ DPU_RDMA_BRDMA_CFG, 0x0000001e },
	{ DPU_RDMA_BS_BASE_ADDR, 0xffffffff },
	{ DPU_RDMA_NRDMA_CFG, 0x0000001e },
	{ DPU_RDMA_BN_BASE_ADDR, 0xffffffff },
	{ DPU_RDMA_ERDMA_CFG, 0xf000000f },
	{ DPU_RDMA_EW_BASE_ADDR, 0xffffffff },
	{ DPU_RDMA_EW_SURF_STRIDE, 0xfffffff0 },
	{ DPU_RDMA_FEATURE_MODE_CFG, 0x0003ffff },
	{ DPU_RDMA_SRC_DMA_CFG, 0xfff83fff },
	{ DPU_RDMA_SURF_NOTCH, 0xfffffff0 },
	{ DPU_RDMA_PAD_CFG, 0xffff0077 },
	{ DPU_RDMA_WEIGHT, 0xffffffff },
	{ DPU_RDMA_EW_SURF_NOTCH, 0xfffffff0 },
	{ PPU_DATA_CUBE_IN_WIDTH, 0x00001fff },
	{ PPU_DATA_CUBE_IN_HEIGHT, 0x00001fff },
	{ PPU_DATA_CUBE_IN_CHANNEL, 0x00001fff },
	{ PPU_DATA_CUBE_OUT_WIDTH, 0x00001fff },
	{ PPU_DATA_CUBE_OUT_HEIGHT, 0x00001fff },
	{ PPU_DATA_CUBE_OUT_CHANNEL, 0x00001fff },
	{ PPU_OPERATION_MODE_CFG, 0x5fff00f3 },
	{ PPU_POOLING_KERNEL_CFG, 0x00ff0f0f },
	{ PPU_RECIP_KERNEL_WIDTH, 0x0001ffff },
	{ PPU_RECIP_KERNEL_HEIGHT, 0x0001ffff },
	{ PPU_POOLING_PADDING_CFG, 0x00007777 },
	{ PPU_PADDING_VALUE_1_CFG, 0xffffffff },
	{ PPU_PADDING_VALUE_2_CFG, 0x00000007 },
	{ PPU_DST_BASE_ADDR, 0xfffffff0 },
	{ PPU_DST_SURF_STRIDE, 0xfffffff0 },
	{ PPU_DATA_FORMAT, 0xffffffff },
	{ PPU_MISC_CTRL, 0xffff018f },
	{ PPU_RDMA_CUBE_IN_WIDTH, 0x00001fff },
	{ PPU_RDMA_CUBE_IN_HEIGHT, 0x00001fff },
	{ PPU_RDMA_CUBE_IN_CHANNEL, 0x00001fff },
	{ PPU_RDMA_SRC_BASE_ADDR, 0xffffffff },
	{ PPU_RDMA_SRC_LINE_STRIDE, 0xfffffff0 },
	{ PPU_RDMA_SRC_SURF_STRIDE, 0xfffffff0 },
	{ PPU_RDMA_DATA_FORMAT, 0x00000003 },
};

bool npu_register_exists(uint32_t offset, uint32_t *writable)
{
	size_t low = 0, high = sizeof(registers) / sizeof(registers[0]);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (registers[middle].offset == offset) {
			*writable = registers[middle].writable;
			return true;
		}
		if (registers[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

void npu_registers_visit(void (*visit)(void *opaque, uint32_t offset), void *opaque)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		visit(opaque, registers[i].offset);
}
