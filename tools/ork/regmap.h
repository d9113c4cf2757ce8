/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGMAP_H
#define ORK_REGMAP_H

#include <stdint.h>

/* Names of the registers of a core and of their fields, after the hardware reference. */

#define REGMAP_MAX_FIELDS 16

struct regmap_field {
	int name_length;
	const char *name;         /* not terminated */
	unsigned int high, low;   /* bits */
	char style;               /* 'x': hexadecimal, 's': signed, 'u' */
};

struct regmap_register {
	uint16_t offset;          /* in the core's window; bits 15:12 are the block */
	const char *name;
	const char *fields;       /* for regmap_fields() */
};

/* NULL: there is no such register. */
const struct regmap_register *regmap_find(uint16_t offset);

/* PC, CNA, ...; "?" for what is no block. */
const char *regmap_block(uint16_t offset);

/* The same by the target of a command word; NULL for other targets. */
const char *regmap_target(uint16_t target);

/* The block that a target's offsets must lie in: bits 15:12, or -1. */
int regmap_target_block(uint16_t target);

/* Fields from the highest to the lowest. Returns their number. */
unsigned int regmap_fields(const struct regmap_register *reg, struct regmap_field fields[REGMAP_MAX_FIELDS]);

/* Bits of the field in a register's value. */
uint32_t regmap_value(const struct regmap_field *field, uint32_t value);

/* The value as people read it. */
const char *regmap_text(const struct regmap_field *field, uint32_t value, char text[16]);

#endif
