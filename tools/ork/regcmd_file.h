/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGCMD_FILE_H
#define ORK_REGCMD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

/* Command words from a file: raw 64-bit little-endian ones, or a dump of a hang (Documentation/observing.rst). */

#define REGCMD_MAX_LINES  64
#define REGCMD_REASON_CHARS 128

/* A line "key: value" of a dump; of its registers the key is "BLOCK NAME". */
struct regcmd_line {
	const char *key, *value;
};

struct regcmd_file {
	bool dump;
	struct regcmd_line lines[REGCMD_MAX_LINES];
	unsigned int line_count;     /* without the registers */
	struct regcmd_line registers[REGCMD_MAX_LINES];
	unsigned int register_count;
	uint32_t address;            /* of the words for the NPU, in a dump */
	__u64 *words;                /* as the checker has them */
	size_t count;
	char *data;                  /* what the lines point into */
};

/* path: "-" is stdin. Returns 0, or -1 with the reason in words. */
int regcmd_read(const char *path, struct regcmd_file *file, char reason[REGCMD_REASON_CHARS]);
void regcmd_free(struct regcmd_file *file);

/* Writes raw words. Returns 0, or -1 with errno. */
int regcmd_write(const char *path, const uint64_t *words, size_t count);

#endif
