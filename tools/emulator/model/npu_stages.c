/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_dpu.h"

#include <string.h>

/* The stages of the DPU for one value after another, NPU reference 5.5 and 5.6. */

struct element {
	const struct npu_channel_operands *operands;
	uint32_t channel;
	int32_t inputs;          /* sum of inputs */
	const uint8_t *elements; /* operand of EW */
};

static int64_t limited(int64_t value, bool relu, bool relux, int32_t bound)
{
	if (relu && value < 0)
		value = 0;
	return relux && value > bound ? bound : value;
}

/* sat32(rne(((v + A) * C) >> s)); a product that is not shifted saturates. */
static int64_t multiplied(int64_t value, int64_t factor, uint8_t shift, uint8_t shift_negative)
{
	int64_t product = value * factor;

	return npu_saturate(npu_shift_right(product, product < 0 ? shift_negative : shift, NPU_HALF_TO_EVEN), 32);
}

static int64_t stage_integer(const struct npu_stage *stage, const struct element *element, int64_t value)
{
	int64_t addend = stage->alu_memory ? element->operands->a[element->channel] : stage->alu_operand;
	int64_t factor = stage->mul_memory ? element->operands->c[element->channel] : stage->mul_operand;

	if (stage->alu)
		value = stage->alu_minus ? value - addend : value + addend;
	if (stage->mul && !(stage->prelu && value >= 0))
		value = multiplied(value, factor, stage->shift, stage->shift_negative);
	return limited(npu_saturate(value, 32), stage->relu, stage->relux, stage->bound);
}

static int64_t ow_integer(const struct npu_dpu *dpu, const struct element *element, int64_t value)
{
	int64_t factor = dpu->ow_memory ? element->operands->b[element->channel] : dpu->ow_operand;

	return dpu->ow ? npu_saturate(value + factor * element->inputs, 32) : value;
}

static int32_t operand_raw(const struct npu_ew *ew, const struct element *element)
{
	int32_t word;
	int16_t half;

	if (!ew->memory)
		return ew->constant[element->channel % 8];
	switch (npu_precision_bytes(ew->operand)) {
	case 1: return (int8_t)*element->elements;
	case 2: memcpy(&half, element->elements, sizeof(half)); return half;
	}
	memcpy(&word, element->elements, sizeof(word));
	return word;
}

static int64_t operand_integer(const struct npu_ew *ew, const struct element *element)
{
	int64_t operand = operand_raw(ew, element);

	/* NPU reference 5.6: the multiplier has 16 bits. */
	if (ew->multiply)
		operand = (int16_t)(operand & 0xffff);
	if (!ew->convert)
		return operand;
	if (ew->offset_first)
		return npu_shift_right((operand + ew->offset) * ew->scale, ew->shift, ew->rounding);
	return npu_shift_right(operand * ew->scale, ew->shift, ew->rounding) + ew->offset;
}

static int64_t ew_integer(const struct npu_ew *ew, const struct element *element, int64_t value)
{
	int64_t operand = operand_integer(ew, element), result = value;

	if (ew->float_adder)
		return (int32_t)npu_fp32_add((uint32_t)value, (uint32_t)operand);
	if (ew->multiply) {
		result = multiplied(value, operand, ew->truncate, ew->truncate_negative);
	} else {
		switch (ew->algorithm) {
		case NPU_MAX: result = value > operand ? value : operand; break;
		case NPU_MIN: result = value < operand ? value : operand; break;
		case NPU_ADD: result = value + operand; break;
		case NPU_MINUS: result = value - operand; break;
		}
	}
	return limited(npu_saturate(result, 32), ew->relu, ew->relux, ew->bound);
}

static void put(uint8_t *to, const void *value, size_t bytes)
{
	memcpy(to, value, bytes);
}

/* sat(round((value * SCALE) >> SHIFT) + OFFSET) */
static void output_integer(const struct npu_dpu *dpu, int64_t value, uint8_t *to)
{
	uint32_t bytes = npu_dpu_output_bytes(dpu), bits;
	int32_t result;

	if (dpu->output == NPU_FP32) {
		bits = npu_fp32_from_integer(value);
		put(to, &bits, sizeof(bits));
		return;
	}
	result = npu_saturate(npu_shift_right(value * dpu->scale, dpu->shift, dpu->rounding) + dpu->offset, 8 * bytes);
	put(to, &result, bytes);
}

static uint32_t limited_real(uint32_t value, bool relu, bool relux, int32_t bound)
{
	if (relu && value >> 31)
		value = 0;
	return relux && npu_fp32_less((uint32_t)bound, value) ? (uint32_t)bound : value;
}

static uint32_t operand_real(const struct npu_ew *ew, const struct element *element)
{
	uint32_t raw = (uint32_t)operand_raw(ew, element);

	if (!ew->memory)
		return raw;
	switch (ew->operand) {
	case NPU_FP16: return npu_fp32_from_fp16((uint16_t)raw);
	case NPU_BF16: return npu_fp32_from_bf16((uint16_t)raw);
	default: return raw;
	}
}

static uint32_t ew_real(const struct npu_ew *ew, const struct element *element, uint32_t value)
{
	uint32_t operand = operand_real(ew, element), result = value;

	if (ew->multiply) {
		result = npu_fp32_multiply(value, operand);
	} else {
		switch (ew->algorithm) {
		case NPU_MAX: result = npu_fp32_less(value, operand) ? operand : value; break;
		case NPU_MIN: result = npu_fp32_less(operand, value) ? operand : value; break;
		case NPU_ADD: result = npu_fp32_add(value, operand); break;
		case NPU_MINUS: result = npu_fp32_add(value, operand ^ 0x80000000); break;
		}
	}
	return limited_real(result, ew->relu, ew->relux, ew->bound);
}

static void output_real(const struct npu_dpu *dpu, uint32_t value, uint8_t *to)
{
	uint16_t narrow;

	switch (dpu->output) {
	case NPU_FP16: narrow = npu_fp32_to_fp16(value); break;
	case NPU_BF16: narrow = npu_fp32_to_bf16(value); break;
	default: put(to, &value, sizeof(value)); return;
	}
	put(to, &narrow, sizeof(narrow));
}

static void run_real(const struct npu_dpu *dpu, const struct element *element, uint32_t value, uint8_t *to)
{
	value = limited_real(value, dpu->bs.relu, dpu->bs.relux, dpu->bs.bound);
	value = limited_real(value, dpu->bn.relu, dpu->bn.relux, dpu->bn.bound);
	if (dpu->ew.on)
		value = ew_real(&dpu->ew, element, value);
	output_real(dpu, value, to);
}

static void run_integer(const struct npu_dpu *dpu, const struct element *element, int64_t value, uint8_t *to)
{
	value = ow_integer(dpu, element, value);
	value = stage_integer(&dpu->bs, element, value);
	value = stage_integer(&dpu->bn, element, value);
	if (dpu->ew.on)
		value = ew_integer(&dpu->ew, element, value);
	output_integer(dpu, value, to);
}

/* Values of one pixel and one kernel group. */
static void run_pixel(const struct npu_dpu *dpu, struct npu_sums *sums, struct element *element, uint32_t group,
		      uint32_t pixel)
{
	uint32_t bytes = npu_dpu_output_bytes(dpu), operand_bytes = npu_precision_bytes(dpu->ew.operand);
	size_t first = ((size_t)group * sums->pixels + pixel) * dpu->group;

	for (uint32_t i = 0; i < dpu->group; i++) {
		uint8_t *to = sums->output + (first + i) * bytes;

		element->channel = (sums->first_group + group) * dpu->group + i;
		if (element->channel >= dpu->channels)
			return;
		if (sums->inputs)
			element->inputs = sums->inputs[sums->inputs_by_channel ? first + i : pixel];
		if (sums->elements)
			element->elements = sums->elements + (first + i) * operand_bytes;
		if (dpu->real)
			run_real(dpu, element, (uint32_t)sums->sum[first + i], to);
		else
			run_integer(dpu, element, sums->sum[first + i], to);
	}
}

void npu_stages_run(const struct npu_dpu *dpu, const struct npu_channel_operands *operands, struct npu_sums *sums)
{
	struct element element = { .operands = operands };

	if (dpu->plain)
		return;
	for (uint32_t group = 0; group < sums->groups; group++)
		for (uint32_t pixel = 0; pixel < sums->pixels; pixel++)
			run_pixel(dpu, sums, &element, group, pixel);
}
