/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regmap.h"

static const struct regmap_register registers[] = {
#define R(offset, name, fields) { offset, #name, fields },
#include "regmap_table.h"
#undef R
};

/* NPU reference 2.1: a target is a bit for each block, and 1. */
static const struct block {
	const char *name;
	uint16_t target; /* 0: command words do not reach it */
} blocks[16] = {
	[0] = { "PC", 0x0101 },
	[1] = { "CNA", 0x0201 },
	[3] = { "CORE", 0x0801 },
	[4] = { "DPU", 0x1001 },
	[5] = { "DPU_RDMA", 0x2001 },
	[6] = { "PPU", 0x4001 },
	[7] = { "PPU_RDMA", 0x8001 },
	[8] = { "DDMA", 0 },
};

const struct regmap_register *regmap_find(uint16_t offset)
{
	size_t i;

	for (i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (registers[i].offset == offset)
			return &registers[i];
	return NULL;
}

const char *regmap_block(uint16_t offset)
{
	const char *name = blocks[offset >> 12].name;

	return name ? name : "?";
}

int regmap_target_block(uint16_t target)
{
	int i;

	for (i = 0; i < 16; i++)
		if (target && blocks[i].target == target)
			return i;
	return -1;
}

const char *regmap_target(uint16_t target)
{
	const int block = regmap_target_block(target);

	return block < 0 ? NULL : blocks[block].name;
}

unsigned int regmap_fields(const struct regmap_register *reg, struct regmap_field fields[REGMAP_MAX_FIELDS])
{
	const char *at = reg->fields;
	unsigned int count = 0;
	char *end;

	while (*at && count < REGMAP_MAX_FIELDS) {
		struct regmap_field *field = &fields[count++];

		field->name = at;
		field->name_length = (int)strcspn(at, "[");
		field->high = (unsigned int)strtoul(at + field->name_length + 1, &end, 10);
		field->low = *end == ':' ? (unsigned int)strtoul(end + 1, &end, 10) : field->high;
		at = end + 1;
		field->style = *at == 'x' || *at == 's' ? *at++ : 'u';
		at += *at == ' ';
	}
	return count;
}

uint32_t regmap_value(const struct regmap_field *field, uint32_t value)
{
	return value << (31 - field->high) >> (31 - field->high + field->low);
}

const char *regmap_text(const struct regmap_field *field, uint32_t value, char text[16])
{
	const uint32_t bits = regmap_value(field, value);
	const unsigned int spare = 31 - (field->high - field->low);

	if (field->style == 'x')
		/* An address keeps the bits below the field that are always 0. */
		snprintf(text, 16, "0x%08" PRIx32, bits << field->low);
	else if (field->style == 's')
		snprintf(text, 16, "%" PRId32, (int32_t)(bits << spare) >> spare);
	else
		snprintf(text, 16, "%" PRIu32, bits);
	return text;
}
