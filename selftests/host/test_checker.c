/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

/*
 * The driver's program checker, compiled for the host. One good task (hardware reference 3.12, int8 4x64x64 cube) and what
 * happens when a single word of it is changed, left out or added.
 */

#include <string.h>

#include <drm/rknpu_ork.h>

#include "../../drivers/rknpu-ork/ork_regcmd.h"
#include "tap.h"

#define A_VA 0x10000u
#define B_VA 0x20000u
#define C_VA 0x30000u
#define PAGE 4096u

struct setting {
	uint16_t reg;
	uint32_t value;
};

static const struct setting good[] = {
	{ 0x4004, 0xe }, { 0x100c, 0 }, { 0x1010, 0x50 }, { 0x1014, 0x9 }, { 0x1020, 0x00010004 }, { 0x1024, 0x003f0040 },
	{ 0x1028, 1 }, { 0x102c, 4 }, { 0x1030, 0x1000 }, { 0x1034, 0x40 }, { 0x1038, 0x01010040 }, { 0x1040, 0xb1 },
	{ 0x1044, 1 }, { 0x104c, 0xb }, { 0x1050, 0x10000 }, { 0x1054, 0x10000 }, { 0x1058, 0x10000 }, { 0x105c, 0x10000 },
	{ 0x1070, A_VA }, { 0x1078, 0x000f000f }, { 0x107c, 4 }, { 0x1080, 0 }, { 0x1084, 0x00010004 }, { 0x1088, 0x40 },
	{ 0x1110, B_VA }, { 0x3010, 0 }, { 0x3014, 0x00030000 }, { 0x3018, 0x3f }, { 0x400c, 0x1e4 }, { 0x4010, 0x80000000 },
	{ 0x4020, C_VA }, { 0x4024, 0x40 }, { 0x4030, 0 }, { 0x4034, 3 }, { 0x4038, 0 }, { 0x403c, 0x003f003f },
	{ 0x4040, 0x53 }, { 0x4050, 0x7fe }, { 0x4058, 0x3f }, { 0x405c, 0x00030000 }, { 0x4060, 0x53 }, { 0x4070, 0x383 },
	{ 0x4078, 1 }, { 0x4080, 0 }, { 0x4084, 1 }, { 0x4088, 0 }, { 0x40c0, 0x200 },
};

#define GOOD_COUNT (sizeof(good) / sizeof(good[0]))

static const struct ork_regcmd_limits limits = { .cbuf_banks = 12, .cbuf_bank_bytes = 32768 };

/* Three mappings of one page each; B's is read-only. */
static bool one_page_each(void *opaque, const struct ork_regcmd_access *access)
{
	u32 page = access->start & ~(PAGE - 1);

	(void)opaque;
	return (page == A_VA || page == B_VA || page == C_VA) && access->size <= PAGE - access->start % PAGE &&
	       !(access->write && page == B_VA);
}

static int no_slot(void *opaque, u32 word)
{
	(void)opaque;
	(void)word;
	return -1;
}

static uint64_t word_of(struct setting s)
{
	uint64_t target = s.reg < 0x3000 ? ORK_TARGET_CNA : s.reg < 0x4000 ? ORK_TARGET_CORE : ORK_TARGET_DPU;

	return ORK_WORD(target, s.value, s.reg);
}

static uint32_t check_next(struct ork_regcmd_state *state, const uint64_t *words, uint32_t count, bool unchecked,
			   uint32_t *bad)
{
	u64 copy[GOOD_COUNT + 1];
	struct ork_regcmd_task task = {
		.words = copy, .count = count, .limits = &limits, .unchecked_limits = unchecked, .slot = no_slot,
		.allowed = one_page_each,
	};
	uint32_t i;

	for (i = 0; i < count; i++)
		copy[i] = words[i];
	return ork_regcmd_check(state, &task, bad);
}

static uint32_t check(const uint64_t *words, uint32_t count, bool unchecked, uint32_t *bad)
{
	struct ork_regcmd_state state;

	memset(&state, 0, sizeof(state));
	return check_next(&state, words, count, unchecked, bad);
}

static void good_words(uint64_t *words)
{
	size_t i;

	for (i = 0; i < GOOD_COUNT; i++)
		words[i] = word_of(good[i]);
}

struct change {
	const char *what;
	struct setting set[4];
	uint32_t reject;
};

static const struct change changes[] = {
	{ "precisions that differ", { { 0x100c, 0x10 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "depthwise mode", { { 0x100c, 0x3 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "a bit outside CONV_CON1's fields", { { 0x100c, 0x80000000 } }, DRM_ORK_REJECT_FIELD },
	{ "a stride of 2", { { 0x1014, 0x11 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "a kernel of 3x3", { { 0x1038, 0x03030040 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "FC_DATA_BANK", { { 0x1040, 0x1b1 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "WEIGHT_REUSE", { { 0x1040, 0x20b1 } }, DRM_ORK_REJECT_REUSE },
	{ "DATA_REUSE", { { 0x1040, 0x10b1 } }, DRM_ORK_REJECT_REUSE },
	{ "thirteen banks", { { 0x1040, 0xc1 } }, DRM_ORK_REJECT_BANKS },
	{ "no data bank", { { 0x1040, 0xc0 } }, DRM_ORK_REJECT_BANKS },
	{ "no weight bank", { { 0x1040, 0x0b } }, DRM_ORK_REJECT_BANKS },
	{ "DATA_ENTRIES too small", { { 0x1044, 0 } }, DRM_ORK_REJECT_BANKS },
	{ "DATA_ENTRIES too large", { { 0x1044, 2 } }, DRM_ORK_REJECT_BANKS },
	{ "DATA_ENTRIES beyond the data banks", { { 0x1044, 0x3fff } }, DRM_ORK_REJECT_BANKS },
	{ "width 0", { { 0x1020, 4 } }, DRM_ORK_REJECT_SHAPE },
	{ "height 0", { { 0x1020, 0x10000 } }, DRM_ORK_REJECT_SHAPE },
	{ "K of 0", { { 0x1024, 0 } }, DRM_ORK_REJECT_SHAPE },
	{ "K that is no multiple of 32", { { 0x1024, 0x002f0030 } }, DRM_ORK_REJECT_SHAPE },
	{ "K above 10752", { { 0x1024, 0x2a1f2a20 } }, DRM_ORK_REJECT_SHAPE },
	{ "N of 0", { { 0x1038, 0x01010000 } }, DRM_ORK_REJECT_SHAPE },
	{ "N that is no multiple of 32", { { 0x1038, 0x01010030 } }, DRM_ORK_REJECT_SHAPE },
	{ "N above 8192", { { 0x1038, 0x01012020 } }, DRM_ORK_REJECT_SHAPE },
	{ "more weight bytes than weights", { { 0x1030, 0x2000 } }, DRM_ORK_REJECT_SHAPE },
	{ "more bytes per kernel than K", { { 0x1034, 0x80 } }, DRM_ORK_REJECT_SHAPE },
	{ "a DMA height of its own", { { 0x1084, 0x00010005 } }, DRM_ORK_REJECT_SHAPE },
	{ "DMA channels of its own", { { 0x1088, 0x80 } }, DRM_ORK_REJECT_SHAPE },
	{ "CORE rows of its own", { { 0x3014, 0x00040000 } }, DRM_ORK_REJECT_SHAPE },
	{ "CORE channels of its own", { { 0x3018, 0x5f } }, DRM_ORK_REJECT_SHAPE },
	{ "features at address 0", { { 0x1070, 0 } }, DRM_ORK_REJECT_ADDRESS },
	{ "features at 8 bytes past an atom", { { 0x1070, A_VA + 8 } }, DRM_ORK_REJECT_ADDRESS },
	{ "weights at 4 bytes past an atom", { { 0x1110, B_VA + 4 } }, DRM_ORK_REJECT_ADDRESS },
	{ "output at 1 byte past an atom", { { 0x4020, C_VA + 1 } }, DRM_ORK_REJECT_ADDRESS },
	{ "features at the end of a page", { { 0x1070, A_VA + PAGE - 16 } }, DRM_ORK_REJECT_ADDRESS },
	{ "planes that lie backwards", { { 0x1080, 0x0fffff00 } }, DRM_ORK_REJECT_ADDRESS },
	{ "planes a gigabyte apart", { { 0x1080, 0x04000000 } }, DRM_ORK_REJECT_ADDRESS },
	{ "rows a gigabyte apart", { { 0x100c, 0x20000000 }, { 0x107c, 0x04000000 } }, DRM_ORK_REJECT_ADDRESS },
	{ "weights over the end of a page", { { 0x1110, B_VA + 16 } }, DRM_ORK_REJECT_ADDRESS },
	{ "output over the end of a page", { { 0x4020, C_VA + PAGE - 1008 } }, DRM_ORK_REJECT_ADDRESS },
	{ "output surfaces far apart", { { 0x4024, 0x10000000 }, { 0x40c0, 0x80000000 } }, DRM_ORK_REJECT_ADDRESS },
	{ "output rows far apart", { { 0x4038, 0x1fff1fff } }, DRM_ORK_REJECT_ADDRESS },
	{ "one NOTCH half", { { 0x4038, 0x00010000 } }, DRM_ORK_REJECT_OUTPUT },
	{ "SIZE_E of 3", { { 0x4050, 0x36e } }, DRM_ORK_REJECT_OUTPUT },
	{ "SURFACE_ADD of half a group", { { 0x40c0, 0x100 } }, DRM_ORK_REJECT_OUTPUT },
	{ "a DPU cube of more pixels", { { 0x4034, 4 } }, DRM_ORK_REJECT_OUTPUT },
	{ "DPU channels of its own", { { 0x403c, 0x005f005f } }, DRM_ORK_REJECT_OUTPUT },
	{ "WDMA rows of its own", { { 0x405c, 0x00040000 } }, DRM_ORK_REJECT_OUTPUT },
	{ "SIZE_C_WDMA", { { 0x4058, 0x0010003f } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "int8 output without QD_EN", { { 0x4010, 0 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "int8 output with int32's SIZE_E", { { 0x4010, 0 }, { 0x3010, 1 } }, DRM_ORK_REJECT_OUTPUT },
	{ "int8 output", { { 0x4010, 0 }, { 0x3010, 1 }, { 0x4050, 0x126 }, { 0x40c0, 0x80 } }, DRM_ORK_REJECT_NONE },
	{ "fp32 output", { { 0x4010, 0xa0000000 } }, DRM_ORK_REJECT_NONE },
	{ "output into read-only memory", { { 0x4020, B_VA } }, DRM_ORK_REJECT_ADDRESS },
	{ "a live BS stage", { { 0x4040, 0x20150 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "an output scale of 2", { { 0x4084, 2 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "another DPU group pointer", { { 0x4004, 0x30 } }, DRM_ORK_REJECT_UNSUPPORTED },
	{ "row-major features", { { 0x100c, 0x20000000 }, { 0x107c, 4 }, { 0x1080, 0 } }, DRM_ORK_REJECT_NONE },
	{ "row-major output", { { 0x4024, 0x10 }, { 0x4038, 0x000f000f }, { 0x40c0, 0x80 } }, DRM_ORK_REJECT_NONE },
	{ "QD_EN", { { 0x3010, 1 } }, DRM_ORK_REJECT_NONE },
	{ "an OW stage that is on but neutral", { { 0x4050, 0x7fc } }, DRM_ORK_REJECT_NONE },
};

static void single_changes(void)
{
	size_t i, j, k;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint64_t words[GOOD_COUNT];
		uint32_t bad = 0, reject;

		good_words(words);
		for (j = 0; j < 4 && changes[i].set[j].reg; j++)
			for (k = 0; k < GOOD_COUNT; k++)
				if (good[k].reg == changes[i].set[j].reg)
					words[k] = word_of(changes[i].set[j]);

		reject = check(words, GOOD_COUNT, false, &bad);
		ok(reject == changes[i].reject, "%s gives reason %u (%u at word %u)", changes[i].what, changes[i].reject,
		   reject, bad);
	}
}

static void every_word_is_needed(void)
{
	uint32_t missing = 0, bad;
	size_t i;

	for (i = 0; i < GOOD_COUNT; i++) {
		uint64_t words[GOOD_COUNT];

		good_words(words);
		memmove(words + i, words + i + 1, (GOOD_COUNT - i - 1) * sizeof(words[0]));
		missing += check(words, GOOD_COUNT - 1, false, &bad) == DRM_ORK_REJECT_MISSING;
	}
	ok(missing == GOOD_COUNT, "a task that lacks any of its %u words is refused (%u are)", (unsigned int)GOOD_COUNT, missing);
}

static uint32_t with_extra(uint64_t word, uint32_t *bad)
{
	uint64_t words[GOOD_COUNT + 1];

	good_words(words);
	words[GOOD_COUNT] = word;
	return check(words, GOOD_COUNT + 1, false, bad);
}

static void forbidden_words(void)
{
	static const struct {
		const char *what;
		uint64_t target;
		uint16_t reg;
		uint32_t reject;
	} words[] = {
		{ "PC BASE_ADDRESS", 0x0101, 0x10, DRM_ORK_REJECT_TARGET },
		{ "the enable word", 0x0081, 0x08, DRM_ORK_REJECT_TARGET },
		{ "the marker word", 0x0041, 0, DRM_ORK_REJECT_TARGET },
		{ "a filler word", 0, 0, DRM_ORK_REJECT_TARGET },
		{ "DPU_RDMA", 0x2001, 0x5044, DRM_ORK_REJECT_TARGET },
		{ "PPU", 0x4001, 0x6070, DRM_ORK_REJECT_TARGET },
		{ "two targets at once", 0x1201, 0x1014, DRM_ORK_REJECT_TARGET },
		{ "CNA S_POINTER", 0x0201, 0x1004, DRM_ORK_REJECT_REGISTER },
		{ "CORE S_POINTER", 0x0801, 0x3004, DRM_ORK_REJECT_REGISTER },
		{ "CNA OPERATION_ENABLE", 0x0201, 0x1008, DRM_ORK_REJECT_REGISTER },
		{ "CORE MAC_GATING", 0x0801, 0x300c, DRM_ORK_REJECT_REGISTER },
		{ "a CNA register through the DPU target", 0x1001, 0x1014, DRM_ORK_REJECT_REGISTER },
		{ "a register between registers", 0x0201, 0x1015, DRM_ORK_REJECT_REGISTER },
		{ "the last offset", 0x1001, 0xffff, DRM_ORK_REJECT_REGISTER },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		uint32_t bad = 0, reject = with_extra(ORK_WORD(words[i].target, 0, words[i].reg), &bad);

		ok(reject == words[i].reject && bad == GOOD_COUNT, "%s is refused (%u at word %u)", words[i].what, reject, bad);
	}
}

static void the_last_write_counts(void)
{
	uint32_t bad = 0;
	uint32_t reject = with_extra(word_of((struct setting){ 0x1070, 0 }), &bad);

	ok(reject == DRM_ORK_REJECT_ADDRESS && bad == GOOD_COUNT, "a register that is written twice has its later value");
}

/* The bits go past the register's field, whatever is written to it later. */
static void a_misaligned_address_is_refused_where_it_stands(void)
{
	uint64_t words[GOOD_COUNT + 1];
	uint32_t bad = 0, reject;

	good_words(words + 1);
	words[0] = word_of((struct setting){ 0x4020, C_VA + 8 });
	reject = check(words, GOOD_COUNT + 1, false, &bad);
	ok(reject == DRM_ORK_REJECT_ADDRESS && !bad, "a misaligned address is refused where it stands");
}

static void limits_can_be_skipped_but_not_the_whitelist(void)
{
	uint64_t words[GOOD_COUNT];
	uint32_t bad;

	good_words(words);
	words[11] = word_of((struct setting){ 0x1040, 0x0b });
	ok(check(words, GOOD_COUNT, true, &bad) == DRM_ORK_REJECT_NONE, "a bank split that hangs passes with limits off");
	words[11] = word_of((struct setting){ 0x1040, 0x20b1 });
	ok(check(words, GOOD_COUNT, true, &bad) == DRM_ORK_REJECT_REUSE, "reuse is refused with limits off");
	words[11] = ORK_WORD(0x0101, 0, 0x10);
	ok(check(words, GOOD_COUNT, true, &bad) == DRM_ORK_REJECT_TARGET, "the whitelist holds with limits off");
}

/* fp16, int4: the same 4x64x64 product in other types, hardware reference 3.3. */
static void other_types(void)
{
	static const struct {
		const char *what;
		struct setting set[12];
	} types[] = {
		{ "fp16 to fp32", { { 0x100c, 0x120 }, { 0x3010, 0x201 }, { 0x4010, 0xa8000002 }, { 0x4050, 0x36e },
				    { 0x40c0, 0x100 }, { 0x1030, 0x1000 }, { 0x1034, 0x80 }, { 0x1038, 0x01010020 },
				    { 0x3018, 0x1f }, { 0x403c, 0x001f001f }, { 0x4058, 0x1f }, { 0x1044, 2 } } },
		{ "int4 to int16", { { 0x100c, 0x360 }, { 0x3010, 0x600 }, { 0x4010, 0x38000006 }, { 0x1030, 0x800 },
				     { 0x1034, 0x20 } } },
	};
	size_t i, j, k;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		uint64_t words[GOOD_COUNT];
		uint32_t bad = 0, reject;

		good_words(words);
		for (j = 0; j < 12 && types[i].set[j].reg; j++)
			for (k = 0; k < GOOD_COUNT; k++)
				if (good[k].reg == types[i].set[j].reg)
					words[k] = word_of(types[i].set[j]);
		reject = check(words, GOOD_COUNT, false, &bad);
		ok(reject == DRM_ORK_REJECT_NONE, "%s passes (%u at word %u)", types[i].what, reject, bad);
	}
}

/* 1024 columns, whose weights take 64 KiB. */
static void widen(uint64_t *words)
{
	static const struct setting wide[] = {
		{ 0x1030, 0x10000 }, { 0x1038, 0x01010400 }, { 0x3018, 0x3ff }, { 0x403c, 0x03ff03ff }, { 0x4058, 0x3ff },
	};
	size_t i, j;

	for (i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		for (j = 0; j < GOOD_COUNT; j++)
			if (good[j].reg == wide[i].reg)
				words[j] = word_of(wide[i]);
}

static void reuse_inside_a_program(void)
{
	struct ork_regcmd_state state;
	uint64_t first[GOOD_COUNT], second[GOOD_COUNT];
	uint32_t bad;

	good_words(first);
	good_words(second);
	second[11] = word_of((struct setting){ 0x1040, 0x20b1 });
	second[24 + 6] = word_of((struct setting){ 0x4020, C_VA + 1024 });

	memset(&state, 0, sizeof(state));
	check_next(&state, first, GOOD_COUNT, false, &bad);
	ok(check_next(&state, second, GOOD_COUNT, false, &bad) == DRM_ORK_REJECT_NONE && state.reuses,
	   "a task may reuse the weights that the task before it has loaded");
	ok(state.bytes == 4 * 64 + 64 * 64 + 4 * 64 * sizeof(int32_t), "the checker tells what a task moves (%llu bytes)",
	   (unsigned long long)state.bytes);
	ork_regcmd_reload(&state, (u64 *)second);
	ok(second[11] == word_of((struct setting){ 0x1040, 0xb1 }) && !state.reuses, "and can make it load them again");

	/* 64 KiB in one bank of 32 KiB. */
	first[11] = word_of((struct setting){ 0x1040, 0x1b });
	second[11] = word_of((struct setting){ 0x1040, 0x201b });
	widen(first);
	widen(second);
	memset(&state, 0, sizeof(state));
	check_next(&state, first, GOOD_COUNT, true, &bad);
	ok(check_next(&state, second, GOOD_COUNT, true, &bad) == DRM_ORK_REJECT_NONE,
	   "with limits off it may try what is left of weights that are larger than their banks");
	memset(&state, 0, sizeof(state));
	check_next(&state, first, GOOD_COUNT, false, &bad);
	ok(check_next(&state, second, GOOD_COUNT, false, &bad) == DRM_ORK_REJECT_REUSE, "but not with limits");

	good_words(first);
	good_words(second);
	second[11] = word_of((struct setting){ 0x1040, 0x20b1 });
	second[24] = word_of((struct setting){ 0x1110, B_VA - PAGE });
	memset(&state, 0, sizeof(state));
	check_next(&state, first, GOOD_COUNT, false, &bad);
	ok(check_next(&state, second, GOOD_COUNT, false, &bad) == DRM_ORK_REJECT_REUSE,
	   "a task must not reuse other weights than its own");
}

static void trailer_links_tasks(void)
{
	u64 words[ORK_TRAILER_WORDS];

	ork_regcmd_trailer(words, 0xff451100, 0x37, 0xd);
	ok(words[0] == 0x0101ff4511000010 && words[1] == 0x0101000000370014 && words[2] == 0x0041000000000000 &&
	   words[3] == 0x00810000000d0008, "a trailer with a successor is as hardware reference 2.2 has it");
	ork_regcmd_trailer(words, 0, 0, 0xd);
	ok(words[0] == 0 && words[1] == 0x0101000000000014, "the last task's trailer has no link");
}

int main(void)
{
	uint64_t words[GOOD_COUNT];
	uint32_t bad;

	good_words(words);
	ok(check(words, GOOD_COUNT, false, &bad) == DRM_ORK_REJECT_NONE, "the good task passes");
	ok(check(words, 0, false, &bad) == DRM_ORK_REJECT_MISSING, "an empty task is refused");
	single_changes();
	every_word_is_needed();
	forbidden_words();
	the_last_write_counts();
	a_misaligned_address_is_refused_where_it_stands();
	limits_can_be_skipped_but_not_the_whitelist();
	other_types();
	reuse_inside_a_program();
	trailer_links_tasks();
	return done();
}
