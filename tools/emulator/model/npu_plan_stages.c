/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

/* Decodes the DPU's stages (NPU reference 1.7, 5.5). */

/* Registers of BS or BN, and what differs between them. */
struct stage_registers {
	const char *name;
	uint16_t cfg, alu, mul, relux;
	uint32_t shift_negative; /* field of DATA_FORMAT */
	bool memory;             /* operands for each channel work */
};

static const struct stage_registers bs = {
	"BS", DPU_BS_CFG, DPU_BS_ALU_CFG, DPU_BS_MUL_CFG, DPU_BS_RELUX_CMP_VALUE,
	DPU_DATA_FORMAT_BS_MUL_SHIFT_VALUE_NEG, true,
};

static const struct stage_registers bn = {
	"BN", DPU_BN_CFG, DPU_BN_ALU_CFG, DPU_BN_MUL_CFG, DPU_BN_RELUX_CMP_VALUE,
	DPU_DATA_FORMAT_BN_MUL_SHIFT_VALUE_NEG, false,
};

static void decode_stage(const struct npu_view *view, const struct stage_registers *regs, struct npu_stage *stage)
{
	uint32_t cfg = npu_get(view, regs->cfg), mul = npu_get(view, regs->mul);
	uint32_t factor = npu_field(mul, DPU_STAGE_MUL_CFG_MUL_OPERAND);

	stage->alu = !(cfg & DPU_STAGE_CFG_ALU_BYPASS);
	stage->alu_minus = npu_field(cfg, DPU_STAGE_CFG_ALU_ALGO) == NPU_MINUS;
	stage->alu_memory = cfg & DPU_STAGE_CFG_ALU_SRC;
	stage->alu_operand = (int32_t)npu_get(view, regs->alu);
	stage->mul = !(cfg & DPU_STAGE_CFG_MUL_BYPASS);
	stage->mul_memory = mul & DPU_STAGE_MUL_CFG_MUL_SRC;
	stage->prelu = cfg & DPU_STAGE_CFG_MUL_PRELU;
	/* NPU reference 5.5: BN's multiplier reads as unsigned. */
	stage->mul_operand = regs->memory ? (int16_t)factor : (int32_t)factor;
	stage->shift = (uint8_t)npu_field(mul, DPU_STAGE_MUL_CFG_MUL_SHIFT_VALUE);
	stage->shift_negative = (uint8_t)npu_field(npu_get(view, DPU_DATA_FORMAT), regs->shift_negative);
	stage->relu = !(cfg & DPU_STAGE_CFG_RELU_BYPASS);
	stage->relux = cfg & DPU_STAGE_CFG_RELUX_EN;
	stage->bound = (int32_t)npu_get(view, regs->relux);
}

static bool plan_stage(struct npu_core *core, const struct npu_view *view, const struct npu_dpu *dpu,
		       const struct stage_registers *regs, struct npu_stage *stage)
{
	uint32_t cfg = npu_get(view, regs->cfg), algorithm = npu_field(cfg, DPU_STAGE_CFG_ALU_ALGO);

	if (cfg & DPU_STAGE_CFG_BYPASS)
		return true;
	decode_stage(view, regs, stage);
	if (dpu->real && (stage->alu || stage->mul))
		return npu_core_hang(core, "not modelled: %s stage with real operands", regs->name);
	if (stage->alu && algorithm != NPU_ADD && algorithm != NPU_MINUS)
		return npu_core_hang(core, "not modelled: %s stage with algorithm %u", regs->name,
				     (unsigned int)algorithm);
	if ((stage->mul && npu_get(view, regs->mul) & DPU_STAGE_MUL_CFG_TRUNCATE_SRC) ||
	    (!regs->memory && ((stage->alu && stage->alu_memory) || (stage->mul && stage->mul_memory))))
		return npu_core_hang(core, "not modelled: %s stage with operands from memory", regs->name);
	stage->alu_memory = stage->alu && stage->alu_memory;
	stage->mul_memory = stage->mul && stage->mul_memory;
	return true;
}

/* NPU reference 5.5: adds operand * sum of inputs. Operand 0 is neutral whether the stage is bypassed or not (0.4, D5). */
static bool plan_ow(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t cfg = npu_get(view, DPU_BS_OW_CFG);
	uint32_t misc = npu_get(view, CORE_MISC_CFG);
	bool counted = misc & CORE_MISC_CFG_QD_EN;

	dpu->ow_memory = cfg & DPU_BS_OW_CFG_OW_SRC;
	dpu->ow_operand = (int16_t)npu_field(npu_get(view, DPU_BS_OW_OP), DPU_BS_OW_OP_OW_OP);
	dpu->ow = !(cfg & DPU_BS_OW_CFG_OD_BYPASS) && (dpu->ow_memory || dpu->ow_operand != 0);
	if (dpu->ow && dpu->real && !(misc & CORE_MISC_CFG_DW_EN))
		return npu_core_hang(core, "not modelled: OW operand with real inputs");
	/* Published depthwise programs of fp16 have the operand 128, and their results are those without any. */
	dpu->ow = dpu->ow && !dpu->real;
	if ((dpu->ow || (dpu->output == NPU_INT8 && !dpu->flying)) && !counted) {
		dpu->garbage = true;
		npu_core_warn(core, "corrupt: QD_EN is 0 and the output is requantised");
	}
	return true;
}

static void decode_ew(const struct npu_view *view, struct npu_ew *ew)
{
	uint32_t cfg = npu_get(view, DPU_EW_CFG), scale = npu_get(view, DPU_EW_CVT_SCALE_VALUE);
	uint32_t format = npu_get(view, DPU_DATA_FORMAT);

	ew->multiply = cfg & DPU_EW_CFG_EW_OP_TYPE;
	ew->algorithm = (enum npu_algorithm)npu_field(cfg, DPU_EW_CFG_EW_ALU_ALGO);
	ew->memory = cfg & DPU_EW_CFG_EW_OP_SRC;
	ew->convert = !(cfg & DPU_EW_CFG_EW_OP_CVT_BYPASS);
	ew->offset_first = cfg & DPU_EW_CFG_EW_CVT_TYPE;
	ew->rounding = cfg & DPU_EW_CFG_EW_CVT_ROUND ? NPU_HALF_AWAY : NPU_HALF_TO_EVEN;
	ew->offset = (int32_t)npu_get(view, DPU_EW_CVT_OFFSET_VALUE);
	ew->scale = (int16_t)npu_field(scale, DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SCALE);
	ew->shift = (uint8_t)npu_field(scale, DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SHIFT);
	ew->truncate = (uint8_t)(npu_field(scale, DPU_EW_CVT_SCALE_VALUE_EW_TRUNCATE) & 0x3f);
	ew->truncate_negative = (uint8_t)(npu_field(format, DPU_DATA_FORMAT_EW_TRUNCATE_NEG) & 0x3f);
	ew->relu = !(cfg & DPU_EW_CFG_EW_RELU_BYPASS);
	ew->relux = cfg & DPU_EW_CFG_EW_RELUX_EN;
	ew->bound = (int32_t)npu_get(view, DPU_EW_RELUX_CMP_VALUE);
	for (int i = 0; i < 8; i++)
		ew->constant[i] = (int32_t)npu_get(view, (uint32_t)(DPU_EW_OP_VALUE_0 + 4 * i));
}

/* EDATA_SIZE says the width; the kind of number is the DPU's. */
static bool plan_operand(struct npu_core *core, const struct npu_view *view, const struct npu_dpu *dpu,
			 struct npu_ew *ew)
{
	uint32_t size = npu_field(npu_get(view, DPU_EW_CFG), DPU_EW_CFG_EDATA_SIZE);
	bool bf16 = npu_field(npu_get(view, DPU_DATA_FORMAT), DPU_DATA_FORMAT_PROC_PRECISION) == NPU_BF16;

	switch (size) {
	case 1: ew->operand = NPU_INT8; break;
	case 2: ew->operand = !dpu->real ? NPU_INT16 : bf16 ? NPU_BF16 : NPU_FP16; break;
	case 3: ew->operand = dpu->real ? NPU_FP32 : NPU_INT32; break;
	}
	if (size == 0 || (dpu->real && size == 1))
		return npu_core_hang(core, "not modelled: EW operand of size %u", (unsigned int)size);
	return true;
}

static bool check_ew(struct npu_core *core, const struct npu_view *view, const struct npu_dpu *dpu)
{
	uint32_t cfg = npu_get(view, DPU_EW_CFG), algorithm = npu_field(cfg, DPU_EW_CFG_EW_ALU_ALGO);
	const struct npu_ew *ew = &dpu->ew;

	if (cfg & (DPU_EW_CFG_EW_OP_BYPASS | DPU_EW_CFG_EW_MUL_PRELU | DPU_EW_CFG_EW_BINARY_EN | DPU_EW_CFG_EW_EQUAL_EN) ||
	    !(cfg & DPU_EW_CFG_EW_LUT_BYPASS))
		return npu_core_hang(core, "not modelled: EW stage or LUT (register 0x4070 is 0x%08x)", (unsigned int)cfg);
	if (ew->memory && npu_field(cfg, DPU_EW_CFG_EW_DATA_MODE) != 1)
		return npu_core_hang(core, "not modelled: EW operand that is not one for each element");
	if (!ew->multiply && algorithm > NPU_ADD && algorithm != NPU_MINUS)
		return npu_core_hang(core, "not modelled: EW algorithm %u", (unsigned int)algorithm);
	if (ew->multiply && ew->convert)
		return npu_core_hang(core, "EW multiplies with its operand converter on");
	if (dpu->real && ew->convert && (ew->scale != 1 || ew->shift != 0 || ew->offset != 0))
		return npu_core_hang(core, "not modelled: conversion of a real EW operand");
	return true;
}

static bool plan_ew(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	struct npu_ew *ew = &dpu->ew;

	ew->on = !(npu_get(view, DPU_EW_CFG) & DPU_EW_CFG_EW_BYPASS);
	if (!ew->on)
		return true;
	decode_ew(view, ew);
	if (!check_ew(core, view, dpu) || !plan_operand(core, view, dpu, ew))
		return false;
	/* NPU reference 5.6 */
	ew->float_adder = !dpu->real && !dpu->flying && ew->operand == NPU_INT32 && !ew->multiply;
	if (ew->float_adder)
		npu_core_warn(core, "corrupt: EW takes int32 sums of a convolution for floats");
	return true;
}

static bool plan_converter(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	uint32_t scale = npu_get(view, DPU_OUT_CVT_SCALE), shift = npu_get(view, DPU_OUT_CVT_SHIFT);
	bool narrow = scale & DPU_OUT_CVT_SCALE_FP32TOFP16_EN, neutral;

	dpu->scale = (int16_t)npu_field(scale, DPU_OUT_CVT_SCALE_OUT_CVT_SCALE);
	dpu->shift = (uint8_t)npu_field(shift, DPU_OUT_CVT_SHIFT_OUT_CVT_SHIFT);
	dpu->rounding = shift & DPU_OUT_CVT_SHIFT_CVT_ROUND ? NPU_HALF_AWAY : NPU_HALF_TO_EVEN;
	dpu->offset = (int32_t)npu_get(view, DPU_OUT_CVT_OFFSET);
	neutral = dpu->scale == 1 && dpu->shift == 0 && dpu->offset == 0;
	if ((dpu->real || dpu->output == NPU_FP32) && !neutral)
		return npu_core_hang(core, "not modelled: output conversion of real values");
	/* For bf16 output sources do not say what the bit has to be. */
	if (dpu->output != NPU_BF16 && narrow != (dpu->output == NPU_FP16))
		return npu_core_hang(core, "not modelled: FP32TOFP16_EN for output precision %u",
				     (unsigned int)dpu->output);
	dpu->plain = neutral && !dpu->ow && !dpu->ew.on && !dpu->garbage && dpu->output == (dpu->real ? NPU_FP32 : NPU_INT32);
	return true;
}

static bool stage_idle(const struct npu_stage *stage)
{
	return !stage->alu && !stage->mul && !stage->relu && !stage->relux;
}

bool npu_plan_stages(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu)
{
	if (!plan_ow(core, view, dpu) || !plan_stage(core, view, dpu, &bs, &dpu->bs) ||
	    !plan_stage(core, view, dpu, &bn, &dpu->bn) || !plan_ew(core, view, dpu) ||
	    !plan_converter(core, view, dpu))
		return false;
	dpu->plain = dpu->plain && stage_idle(&dpu->bs) && stage_idle(&dpu->bn);
	return true;
}
