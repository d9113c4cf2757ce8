/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Coverage-guided fuzzing of the orkpack reader. The input is a header and an index; what lies between them in a file is
 * not looked at when it is opened. Magic, version, lengths and checksums are put right, so that the fuzzer gets past them.
 *
 * Checked for every input: the parser survives (sanitizers), and all that it accepts lies inside the file, in order.
 */

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "little.h"
#include "pack_format.h"

/* Called by libFuzzer, which has no header for it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t start[] = { 0x8f, 'O', 'R', 'K', 'P', 'K', '\r', '\n', 1, 0, 0, 0 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_entry(const struct ork_pack_header *header, const struct ork_pack_entry *entry, const char *last)
{
	const struct ork_pack_tensor *tensor = &entry->tensor;
	const uint64_t bytes = ork_pack_data_bytes(tensor), scales = ork_pack_scale_bytes(tensor);

	require(tensor->offset_bytes >= ORK_PACK_HEADER_BYTES && tensor->offset_bytes % ORK_PACK_PAGE_BYTES == 0);
	require(bytes && bytes <= header->index_offset && tensor->offset_bytes <= header->index_offset - bytes);
	require(!scales || (entry->scale_offset >= ORK_PACK_HEADER_BYTES && scales <= header->index_offset &&
			    entry->scale_offset <= header->index_offset - scales));
	require(strlen(tensor->name) >= 1 && strlen(tensor->name) <= ORK_PACK_MAX_NAME);
	require(!last || strcmp(last, tensor->name) < 0);
	require(tensor->k && tensor->n && tensor->k_slice && tensor->matrix_bytes < UINT64_C(1) << 32);
}

static void parse(uint8_t *file, const uint8_t *index, size_t index_bytes, bool repair)
{
	const uint64_t file_bytes = get_le64(file + 24) + index_bytes;
	char reason[ORK_PACK_REASON_BYTES];
	struct ork_pack_header header;
	struct ork_pack_entry *entries;
	uint32_t i;

	if (repair) {
		memcpy(file, start, sizeof(start));
		put_le64(file + 16, file_bytes);
		put_le64(file + 32, index_bytes);
		put_le64(file + 40, ork_hash_of(index, index_bytes));
		put_le64(file + 48, 0);
		put_le64(file + 56, ork_hash_of(file, 56));
	}
	if (ork_pack_parse_header(file, file_bytes, &header, reason))
		return;
	entries = calloc(header.tensors + 1, sizeof(*entries));
	if (entries && !ork_pack_parse_index(index, &header, entries, reason))
		for (i = 0; i < header.tensors; i++)
			check_entry(&header, &entries[i], i ? entries[i - 1].tensor.name : NULL);
	free(entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy, *index;

	if (size < 1 + ORK_PACK_HEADER_BYTES)
		return 0;
	/* Of its own, so that the sanitizer sees its end. */
	copy = malloc(ORK_PACK_HEADER_BYTES);
	index = malloc(size - 1 - ORK_PACK_HEADER_BYTES);
	if (copy && index) {
		memcpy(copy, data + 1, ORK_PACK_HEADER_BYTES);
		memcpy(index, data + 1 + ORK_PACK_HEADER_BYTES, size - 1 - ORK_PACK_HEADER_BYTES);
		parse(copy, index, size - 1 - ORK_PACK_HEADER_BYTES, data[0] != 0);
	}
	free(copy);
	free(index);
	return 0;
}
