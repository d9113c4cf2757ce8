/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PACK_FORMAT_H
#define ORK_PACK_FORMAT_H

#include <ork_pack.h>

#include "types.h"

/*
 * The bytes of an orkpack file, as Documentation/orkpack.rst specifies them, and the rules that they obey. No file is
 * touched here.
 */

#define ORK_PACK_HEADER_BYTES 64
#define ORK_PACK_ENTRY_BYTES  96
#define ORK_PACK_PAGE_BYTES   4096
#define ORK_PACK_SCALE_ALIGN  64

struct ork_pack_header {
	uint64_t file_bytes;
	uint64_t index_offset;
	uint64_t index_bytes;
	uint64_t index_hash;
	uint32_t tensors;
};

/* A tensor, and what the caller of the library does not see of it. */
struct ork_pack_entry {
	struct ork_pack_tensor tensor; /* scales is NULL */
	uint64_t data_hash;
	uint64_t scale_offset;
	uint64_t scale_hash;
};

/* Writes the reason, if there is a place for it, and returns err. */
int ork_pack_fail(char *reason, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Bytes of all matrices, and of the scales. The tensor obeys the rules. */
uint64_t ork_pack_data_bytes(const struct ork_pack_tensor *tensor);
uint64_t ork_pack_scale_bytes(const struct ork_pack_tensor *tensor);

/* Checks everything but the name and sets matrix_bytes. Returns 0, -EINVAL or -E2BIG. */
int ork_pack_check_tensor(struct ork_pack_tensor *tensor, char *reason);

/* Whether the name can be used. */
bool ork_pack_name_valid(const char *name, size_t bytes);

/* The first ORK_PACK_HEADER_BYTES bytes of a file of file_bytes. Returns 0, -EBADMSG or -ENOTSUP. */
int ork_pack_parse_header(const uint8_t *bytes, uint64_t file_bytes, struct ork_pack_header *header, char *reason);
void ork_pack_write_header(uint8_t *bytes, const struct ork_pack_header *header);

/*
 * The index: one entry for each of header->tensors. Names point into it. Returns 0 or -EBADMSG.
 */
int ork_pack_parse_index(const uint8_t *index, const struct ork_pack_header *header, struct ork_pack_entry *entries,
			 char *reason);
/* name_offset: of the name in the index. */
void ork_pack_write_entry(uint8_t *bytes, const struct ork_pack_entry *entry, uint32_t name_offset);

#endif
