/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * The register map of "ork regcmd" against the driver's table of registers: the same registers exist, with the same bits,
 * for all that a program may write.
 */

#include <string.h>

#include "../../drivers/rknpu-ork/ork_regcmd_regs.h"
#include "regmap.h"
#include "tap.h"

static const u16 targets[] = { ORK_TARGET_CNA, ORK_TARGET_CORE, ORK_TARGET_DPU };

/* Bits that the driver takes for bits of a field. Where it takes one value only, these are all. */
static u32 driver_bits(u16 target, u16 offset)
{
	u32 bits = 0;
	int i;

	for (i = 0; i < 32; i++) {
		struct ork_regs regs;
		u32 reject;

		memset(&regs, 0, sizeof(regs));
		reject = ork_regs_write(&regs, (u64)target << 48 | (u64)(1u << i) << 16 | offset, 0);
		if (reject != DRM_ORK_REJECT_FIELD && reject != DRM_ORK_REJECT_ADDRESS)
			bits |= 1u << i;
	}
	return bits;
}

static u32 map_bits(const struct regmap_register *reg)
{
	struct regmap_field fields[REGMAP_MAX_FIELDS];
	const unsigned int count = regmap_fields(reg, fields);
	unsigned int i, bit;
	u32 bits = 0;

	for (i = 0; i < count; i++)
		for (bit = fields[i].low; bit <= fields[i].high; bit++)
			bits |= 1u << bit;
	return bits;
}

/* Fields go from high to low, do not overlap, and have names. */
static bool fields_are_in_order(const struct regmap_register *reg)
{
	struct regmap_field fields[REGMAP_MAX_FIELDS];
	const unsigned int count = regmap_fields(reg, fields);
	unsigned int i, above = 32;

	for (i = 0; i < count; i++) {
		if (fields[i].high >= above || fields[i].low > fields[i].high || fields[i].name_length < 1)
			return false;
		above = fields[i].low;
	}
	return true;
}

static bool same_bits(u16 target, const struct regmap_register *reg)
{
	const u32 driver = driver_bits(target, reg->offset);
	const u32 map = map_bits(reg);

	if (driver == 0xffffffff)
		return true;
	/* The driver wants addresses aligned, whether or not the hardware has the bits. */
	if (ork_regs_is_address(ork_regs_find(target, reg->offset)))
		return driver == (map & ~15u);
	return driver == map;
}

int main(void)
{
	unsigned int t, offset, known = 0, missing = 0, different = 0, disorder = 0, elsewhere = 0;
	struct regmap_field fields[REGMAP_MAX_FIELDS];
	char text[16];

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		for (offset = 0; offset < 0x10000; offset += 4) {
			const struct regmap_register *reg = regmap_find(offset);

			if (ork_regs_find(targets[t], offset) < 0)
				continue;
			known++;
			missing += !reg;
			different += reg && !same_bits(targets[t], reg);
			elsewhere += regmap_target_block(targets[t]) != (int)(offset >> 12);
		}
	}
	for (offset = 0; offset < 0x10000; offset += 4) {
		const struct regmap_register *reg = regmap_find(offset);

		disorder += reg && !fields_are_in_order(reg);
	}
	ok(known == ORK_NUM_REGS, "the driver has %u registers", ORK_NUM_REGS);
	ok(missing == 0, "the map knows all of them (%u missing)", missing);
	ok(different == 0, "with the same bits (%u differ)", different);
	ok(elsewhere == 0, "in the same blocks (%u elsewhere)", elsewhere);
	ok(disorder == 0, "fields of the map go from high to low without overlap (%u registers wrong)", disorder);

	regmap_fields(regmap_find(0x1080), fields);
	ok(strcmp(regmap_text(fields, 0x0ffffffd, text), "-3") == 0, "a surface stride is signed");
	regmap_fields(regmap_find(0x6070), fields);
	ok(strcmp(regmap_text(fields, 0x12345670, text), "0x12345670") == 0, "an address is shown whole");
	ok(strcmp(regmap_target(0x2001), "DPU_RDMA") == 0 && !regmap_target(0x0081), "targets have names");
	return done();
}
