/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_regs.h"
#include "layer.h"
#include "suites.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

/* EW with operands from memory, alone (NPU reference 5.6) and after a convolution. */

static struct board board;

#define PIXELS   20u
#define CHANNELS 32u
#define SECOND   (A_AT + 0x10000)

/* Two operands of PIXELS x CHANNELS in surfaces of 16 bytes, and one operation. */
struct eltwise {
	uint32_t precision;
	uint32_t ew_cfg;
	uint32_t bytes;
	uint32_t rdma_mode;
	uint32_t second_at, out_at;
};

static const struct eltwise int32_add = { 4, 0x10c203c0, 4, 0x27881, SECOND, C_AT };

static void eltwise_program(const struct eltwise *e, struct program *p)
{
	uint32_t size = e->bytes == 4 ? 3 : e->bytes;

	p->count = 0;
	program_set(p, 0x4004, 0xe);
	program_set(p, 0x5004, 0xe);
	program_set(p, DPU_FEATURE_MODE_CFG, 0x1e5);
	program_set(p, DPU_DATA_FORMAT, e->precision << 29 | e->precision << 26 | e->precision);
	program_set(p, DPU_DST_BASE_ADDR, e->out_at);
	program_set(p, DPU_DST_SURF_STRIDE, PIXELS << 4);
	program_set(p, DPU_DATA_CUBE_WIDTH, PIXELS - 1);
	program_set(p, DPU_DATA_CUBE_CHANNEL, (CHANNELS - 1) << 16 | (CHANNELS - 1));
	program_set(p, DPU_BS_CFG, 0x53);
	program_set(p, DPU_BS_OW_CFG, 0x126);
	program_set(p, DPU_WDMA_SIZE_0, CHANNELS - 1);
	program_set(p, DPU_WDMA_SIZE_1, PIXELS - 1);
	program_set(p, DPU_BN_CFG, 0x53);
	program_set(p, DPU_EW_CFG, e->ew_cfg);
	program_set(p, DPU_EW_CVT_SCALE_VALUE, 1);
	program_set(p, DPU_OUT_CVT_SCALE, e->precision == 2 ? 0x10001 : 1);
	program_set(p, DPU_SURFACE_ADD, (2 * PIXELS) << 4);
	program_set(p, DPU_RDMA_DATA_CUBE_WIDTH, PIXELS - 1);
	program_set(p, DPU_RDMA_DATA_CUBE_CHANNEL, CHANNELS - 1);
	program_set(p, DPU_RDMA_SRC_BASE_ADDR, A_AT);
	program_set(p, DPU_RDMA_ERDMA_CFG, 0x40000000 | size << 2);
	program_set(p, DPU_RDMA_EW_BASE_ADDR, e->second_at);
	program_set(p, DPU_RDMA_EW_SURF_STRIDE, PIXELS << 4);
	program_set(p, DPU_RDMA_FEATURE_MODE_CFG, e->rdma_mode);
}

static void run_eltwise(const struct eltwise *e, uint32_t offset, uint32_t value)
{
	struct program program;

	board_init(&board, 0);
	for (uint32_t i = 0; i < PIXELS * CHANNELS * e->bytes; i++) {
		*(uint8_t *)board_memory(&board, A_AT + i) = (uint8_t)(i * 2654435761u >> 24);
		*(uint8_t *)board_memory(&board, SECOND + i) = (uint8_t)(i * 2246822519u >> 23);
	}
	eltwise_program(e, &program);
	if (offset)
		program_set(&program, offset, value);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x18, 0, 0), 1);
	board_work(&board);
}

static int64_t integer(uint32_t at, uint32_t bytes)
{
	int32_t word = 0;

	memcpy(&word, board_memory(&board, at), bytes);
	return bytes == 1 ? (int8_t)word : bytes == 2 ? (int16_t)word : word;
}

static int64_t clamp(int64_t value, uint32_t bytes)
{
	int64_t max = ((int64_t)1 << (8 * bytes - 1)) - 1;

	return value > max ? max : value < -max - 1 ? -max - 1 : value;
}

static int64_t operate(uint32_t ew_cfg, int64_t a, int64_t b)
{
	if (ew_cfg & 4)
		return a * (int16_t)b;
	switch (ew_cfg >> 16 & 15) {
	case 0: return a > b ? a : b;
	case 1: return a < b ? a : b;
	case 2: return a + b;
	}
	return a - b;
}

static bool eltwise_is_exact(struct eltwise e)
{
	bool right;

	run_eltwise(&e, 0, 0);
	right = board_done(&board, 0x100) && board.reports == 0;
	if (!right)
		printf("# %s\n", board.first_report);
	for (uint32_t i = 0; i < PIXELS * CHANNELS; i++) {
		int64_t a = integer(A_AT + i * e.bytes, e.bytes), b = integer(SECOND + i * e.bytes, e.bytes);

		right &= integer(C_AT + i * e.bytes, e.bytes) == clamp(operate(e.ew_cfg, a, b), e.bytes);
	}
	board_fini(&board);
	return right;
}

static void int32_operations_are_exact_and_saturate(void)
{
	static const uint32_t cfgs[] = { 0x10c203c0, 0x10c403c0, 0x10c003c0, 0x10c103c0, 0x10c003c4 };

	for (int i = 0; i < 5; i++) {
		struct eltwise e = int32_add;

		e.ew_cfg = cfgs[i];
		CHECK(eltwise_is_exact(e));
	}
}

static void narrow_integer_operations_are_exact_and_saturate(void)
{
	for (uint32_t bytes = 1; bytes <= 2; bytes++)
		for (uint32_t algorithm = 0; algorithm <= 2; algorithm++) {
			struct eltwise e = { bytes - 1, 0x100003c0 | bytes << 22 | algorithm << 16, bytes,
					     0x7801 | (bytes - 1) << 15 | (bytes - 1) << 5, SECOND, C_AT };

			CHECK(eltwise_is_exact(e));
		}
}

/* Small integers are exact in fp16. */
static void fp16_addition_is_right(void)
{
	static const uint16_t digits[] = { 0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800 };
	struct eltwise e = { 2, 0x108203c0, 2, 0x7801 | 2 << 15 | 2 << 5, SECOND, C_AT };
	struct program program;

	board_init(&board, 0);
	for (uint32_t i = 0; i < PIXELS * CHANNELS; i++) {
		memcpy(board_memory(&board, A_AT + 2 * i), &digits[i % 5], 2);
		memcpy(board_memory(&board, SECOND + 2 * i), &digits[i / 5 % 5], 2);
	}
	eltwise_program(&e, &program);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x18, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x100) && board.reports == 0);
	for (uint32_t i = 0; i < PIXELS * CHANNELS; i++)
		CHECK(memcmp(board_memory(&board, C_AT + 2 * i), &digits[i % 5 + i / 5 % 5], 2) == 0);
	board_fini(&board);
}

static void eltwise_hangs(uint32_t offset, uint32_t value, const char *text)
{
	run_eltwise(&int32_add, offset, value);
	CHECK(board_hung(&board, text));
	board_fini(&board);
}

/* NPU reference 6.3.7, 3.2, 5.6 */
static void impossible_operands_hang(void)
{
	eltwise_hangs(DPU_RDMA_FEATURE_MODE_CFG, 0x27881 | 1 << 8, "COMB_USE 1 in an operation on two buffers");
	eltwise_hangs(DPU_RDMA_FEATURE_MODE_CFG, 0x27881 | 5 << 8, "COMB_USE 5 in an operation on two buffers");
	eltwise_hangs(DPU_RDMA_FEATURE_MODE_CFG, 0x27891, "MRDMA is off and its data are waited for");
	eltwise_hangs(DPU_RDMA_FEATURE_MODE_CFG, 0x27890, "not modelled: DPU_RDMA feature mode");
	eltwise_hangs(DPU_RDMA_NRDMA_CFG, 7 << 1, "NRDMA with data use 7");
	eltwise_hangs(DPU_RDMA_NRDMA_CFG, 1 << 1, "not modelled: NRDMA");
	eltwise_hangs(DPU_RDMA_BRDMA_CFG, 2 << 1, "not modelled: BRDMA data use 2");
	eltwise_hangs(DPU_RDMA_ERDMA_CFG, 1, "EW waits for operands that ERDMA does not read");
	eltwise_hangs(DPU_EW_CFG, 0x383, "ERDMA reads an operand that EW does not take");
	eltwise_hangs(DPU_RDMA_ERDMA_CFG, 0x40000004, "not modelled: ERDMA and EW differ");
	eltwise_hangs(DPU_RDMA_DATA_CUBE_WIDTH, PIXELS, "not modelled: DPU_RDMA's cube");
	eltwise_hangs(DPU_DATA_CUBE_CHANNEL, 15 << 16 | (CHANNELS - 1), "not modelled: ORIG_CHANNEL differs");
	eltwise_hangs(DPU_DATA_FORMAT, 0x80000000, "not modelled: precisions of DATA_FORMAT");
	eltwise_hangs(DPU_RDMA_EW_BASE_ADDR, 0x40000000, "operand read at 0x40000000 never completes");
	eltwise_hangs(DPU_WDMA_SIZE_1, PIXELS, "not modelled: WDMA_SIZE differs");
	eltwise_hangs(DPU_RDMA_FEATURE_MODE_CFG, 0x27881 | 2 << 8, "not modelled: COMB_USE 2");
	eltwise_hangs(DPU_RDMA_FEATURE_MODE_CFG, 0x7801 | 6 << 15 | 6 << 5, "not modelled: precisions of DATA_FORMAT");
}

/* An int32 addition with some registers changed: its only report contains text, or there is none. */
static bool addition_reports(bool strict, const uint32_t changes[][2], uint32_t count, const char *text)
{
	struct program program;
	bool right;

	board_init(&board, 0);
	npu_core_set_strict(board.core, strict);
	eltwise_program(&int32_add, &program);
	for (uint32_t i = 0; i < count; i++)
		program_set(&program, changes[i][0], changes[i][1]);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x18, 0, 0), 1);
	board_work(&board);
	right = text ? board_reported(&board, text) : board.reports == 0;
	board_fini(&board);
	return right;
}

static void constants_without_a_convolution_are_refused(void)
{
	static const uint32_t ow[][2] = { { DPU_BS_OW_CFG, 0x124 }, { DPU_BS_OW_OP, 1 }, { CORE_MISC_CFG, 1 } };
	static const uint32_t ew[][2] = { { DPU_EW_CFG, 0x00c20380 }, { DPU_RDMA_ERDMA_CFG, 1 } };

	CHECK(addition_reports(false, ow, 3, "not modelled: OW, or EW with constants, without convolution"));
	CHECK(addition_reports(false, ew, 2, "not modelled: OW, or EW with constants, without convolution"));
}

static void strict_reports_operations_by_luck(void)
{
	static const uint32_t odd[][2] = { { DPU_RDMA_EW_BASE_ADDR, SECOND + 4 } };
	static const uint32_t wide[][2] = { { DPU_DATA_CUBE_WIDTH, 8190 }, { DPU_WDMA_SIZE_1, 8190 },
					    { DPU_RDMA_DATA_CUBE_WIDTH, 8190 } };

	CHECK(addition_reports(true, NULL, 0, NULL));
	CHECK(addition_reports(true, odd, 1, "strict: operand address that is not a multiple of 16"));
	CHECK(addition_reports(true, wide, 3, "strict: DPU cube of width 8191 without convolution"));
}

/* NPU reference 2.5: each task of a chain has to write the pointers of DPU and DPU_RDMA. */
static void chained_operation_needs_its_pointers_written(void)
{
	for (int writes = 0; writes < 2; writes++) {
		struct program first, second;
		uint32_t amount;

		board_init(&board, 0);
		eltwise_program(&int32_add, &first);
		eltwise_program(&int32_add, &second);
		if (!writes) {
			second.words[0] = 0;
			second.words[1] = 0;
		}
		amount = program_store(&second, &board, PROGRAM_AT + 0x1000, 0x18, 0, 0);
		amount = program_store(&first, &board, PROGRAM_AT, 0x18, PROGRAM_AT + 0x1000, amount);
		board_kick(&board, 0, PROGRAM_AT, amount, 2);
		CHECK(board_work(&board) == (writes ? 2 : 1));
		CHECK(writes ? board_done(&board, 0x300) : board_hung(&board, "chained DPU task that does not write"));
		board_fini(&board);
	}
}

/* NPU reference 6.4.8 */
static void operation_in_place_is_garbage(void)
{
	struct eltwise e = int32_add;
	uint32_t wrong = 0;

	e.out_at = SECOND;
	run_eltwise(&e, 0, 0);
	CHECK(board_done(&board, 0x100) && board_reported(&board, "corrupt: EW in place"));
	for (uint32_t i = 0; i < PIXELS * CHANNELS; i++)
		wrong += integer(SECOND + 4 * i, 4) !=
			 clamp(integer(A_AT + 4 * i, 4) + (int8_t)(i * 4 * 2246822519u >> 23), 4);
	CHECK(wrong > PIXELS * CHANNELS / 2);
	board_fini(&board);
}

/* The set-up of NPU reference 5.6: a convolution adds a partial sum that both engines read. */
static void shared_operand(struct program *p, uint32_t pixels, uint32_t mode, uint32_t erdma, uint32_t ew)
{
	program_set(p, 0x5004, 0xe);
	program_set(p, DPU_EW_CFG, ew);
	program_set(p, DPU_RDMA_DATA_CUBE_HEIGHT, pixels - 1);
	program_set(p, DPU_RDMA_DATA_CUBE_CHANNEL, 63);
	program_set(p, DPU_RDMA_SRC_BASE_ADDR, SECOND);
	program_set(p, DPU_RDMA_EW_BASE_ADDR, SECOND + pixels * 16);
	program_set(p, DPU_RDMA_ERDMA_CFG, erdma);
	program_set(p, DPU_RDMA_EW_SURF_STRIDE, pixels << 4);
	program_set(p, DPU_RDMA_EW_SURF_NOTCH, pixels << 4);
	program_set(p, DPU_RDMA_SURF_NOTCH, pixels << 4);
	program_set(p, DPU_RDMA_FEATURE_MODE_CFG, mode);
}

/* fp16 with small integers: sums stay below 2048, so that every order of rounding gives the same. */
static void fp16_k_accumulation_adds_the_partial_sum(void)
{
	struct layer layer = { .input = 2, .output = 2, .h = 16, .c = 32, .n = 64 };
	uint16_t one = 0x3c00, got;
	struct program program;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 1);
	for (uint32_t i = 0; i < layer.h * layer.c; i++)
		layer.a[i] = 0x3c00;
	for (uint32_t i = 0; i < layer.n * layer.c; i++)
		layer.b[i] = i / layer.c % 2 ? 0x3c00 : 0x4000;
	layer_store(&layer, &board);
	for (uint32_t i = 0; i < layer.h * layer.n; i++)
		memcpy(board_memory(&board, SECOND + 2 * i), &one, 2);
	layer_program(&layer, &program);
	shared_operand(&program, layer.h, 0x17d40, 0x40000008, 0x108202c0);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x1d, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155) && board.reports == 0);
	for (uint32_t pixel = 0; pixel < layer.h; pixel++)
		for (uint32_t n = 0; n < layer.n; n++) {
			memcpy(&got, board_memory(&board, layer_element_at(&layer, pixel, n)), 2);
			CHECK(got == (n % 2 ? 0x5020 : 0x5410));
		}
	layer_fini(&layer);
	board_fini(&board);
}

/* Mesa's int8 addition: the operand gets an offset and a scale first; EW_CVT_TYPE 0 is the other order. */
static void int8_operand_is_added(uint32_t ew_cfg, int64_t offset, int64_t added)
{
	struct layer layer = { .input = 0, .output = 0, .h = 16, .c = 32, .n = 64, .shift = 4 };
	struct program program;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 1);
	layer_store(&layer, &board);
	for (uint32_t i = 0; i < layer.h * layer.n; i++)
		*(int8_t *)board_memory(&board, SECOND + i) = (int8_t)(i * 37);
	layer_program(&layer, &program);
	shared_operand(&program, layer.h, 0x7d00, 0x40000004, ew_cfg);
	program_set(&program, DPU_EW_CVT_OFFSET_VALUE, (uint32_t)offset);
	program_set(&program, DPU_EW_CVT_SCALE_VALUE, 1 << 16 | 3000);
	program_set(&program, DPU_OUT_CVT_SHIFT, 16);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x1d, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155) && board.reports == 0);
	layer.output = 4;
	layer.shift = 0;
	for (uint32_t pixel = 0; pixel < layer.h; pixel++)
		for (uint32_t n = 0; n < layer.n; n++) {
			uint32_t at = n / 16 * layer.h * 16 + pixel * 16 + n % 16;
			int64_t operand = (int8_t)(at * 37) * 1500 + added;
			double exact = ((int32_t)layer_element(&layer, pixel, n) + (double)operand) / 65536;
			int8_t got = *(int8_t *)board_memory(&board, C_AT + at);

			CHECK(got >= exact - 0.5 && got <= exact + 0.5);
		}
	layer_fini(&layer);
	board_fini(&board);
}

static void int8_operand_is_converted_and_added(void)
{
	int8_operand_is_added(0x904202c0, 5, 5 * 1500);
	int8_operand_is_added(0x104202c0, -77777, -77777);
}

/* NPU reference 5.6: integers are not added inside of a convolution. */
static void int32_operand_of_a_convolution_is_taken_for_floats(void)
{
	struct layer layer = { .output = 4, .h = 16, .c = 32, .n = 64 };
	struct program program;
	int32_t five = 5;
	uint32_t right = 0;

	board_init(&board, 0);
	layer_complete(&layer);
	layer_random(&layer, 1);
	layer_store(&layer, &board);
	for (uint32_t i = 0; i < layer.h * layer.n; i++)
		memcpy(board_memory(&board, SECOND + 4 * i), &five, 4);
	layer_program(&layer, &program);
	shared_operand(&program, layer.h, 0x7d00, 0x4000000c, 0x10c203c4 & ~4u);
	board_kick(&board, 0, PROGRAM_AT, program_store(&program, &board, PROGRAM_AT, 0x1d, 0, 0), 1);
	board_work(&board);
	CHECK(board_done(&board, 0x155) && board_reported(&board, "corrupt: EW takes int32 sums"));
	for (uint32_t pixel = 0; pixel < layer.h; pixel++)
		for (uint32_t n = 0; n < layer.n; n++)
			right += layer_read(&layer, &board, pixel, n) == layer_element(&layer, pixel, n) + 5;
	CHECK(right < layer.h * layer.n * 3 / 4);
	layer_fini(&layer);
	board_fini(&board);
}

void suite_dpu(void)
{
	RUN(int32_operations_are_exact_and_saturate);
	RUN(narrow_integer_operations_are_exact_and_saturate);
	RUN(fp16_addition_is_right);
	RUN(impossible_operands_hang);
	RUN(constants_without_a_convolution_are_refused);
	RUN(strict_reports_operations_by_luck);
	RUN(chained_operation_needs_its_pointers_written);
	RUN(operation_in_place_is_garbage);
	RUN(fp16_k_accumulation_adds_the_partial_sum);
	RUN(int8_operand_is_converted_and_added);
	RUN(int32_operand_of_a_convolution_is_taken_for_floats);
}
