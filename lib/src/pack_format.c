/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "layout.h"
#include "little.h"
#include "pack_format.h"

/* Not text, so that no tool takes the file for one, and damaged by what transfers as text do. */
static const uint8_t magic[8] = { 0x8f, 'O', 'R', 'K', 'P', 'K', '\r', '\n' };

#define VERSION 1

/* Most that a task takes (NPU reference 6.1, D10). */
#define MAX_K_SLICE 10240

#define MAX_MATRIX_BYTES ((UINT64_C(1) << 32) - 8192)

static const enum ork_dtype type_of_code[] = { ORK_DEFAULT, ORK_I8, ORK_I4, ORK_F16, ORK_BF16 };

#define TYPE_CODES (sizeof(type_of_code) / sizeof(type_of_code[0]))

int ork_pack_fail(char *reason, int err, const char *format, ...)
{
	va_list args;

	if (!reason)
		return err;
	va_start(args, format);
	vsnprintf(reason, ORK_PACK_REASON_BYTES, format, args);
	va_end(args);
	return err;
}

uint64_t ork_pack_data_bytes(const struct ork_pack_tensor *tensor)
{
	return tensor->matrix_bytes * tensor->batch * tensor->groups;
}

uint64_t ork_pack_scale_bytes(const struct ork_pack_tensor *tensor)
{
	return tensor->scaled ? (uint64_t)tensor->batch * tensor->groups * tensor->n * sizeof(float) : 0;
}

static bool in_dim(size_t value)
{
	return value >= 1 && value <= ORK_MAX_DIM;
}

/* All products below stay under 2^63: K slices and N are below 2^21, matrices below 2^32, and there are at most 2^20. */
int ork_pack_check_tensor(struct ork_pack_tensor *tensor, char *reason)
{
	const struct ork_operand *operand = ork_operand_find(tensor->type);
	uint64_t slices;

	if (!operand)
		return ork_pack_fail(reason, -EINVAL, "the type %s cannot be packed", ork_dtype_name(tensor->type));
	if (!in_dim(tensor->k) || !in_dim(tensor->n))
		return ork_pack_fail(reason, -EINVAL, "K = %zu or N = %zu is not 1 to %d", tensor->k, tensor->n,
				     ORK_MAX_DIM);
	if (!in_dim(tensor->batch) || !in_dim(tensor->groups) || !in_dim(tensor->batch * tensor->groups))
		return ork_pack_fail(reason, -EINVAL, "batch = %zu times groups = %zu is not 1 to %d", tensor->batch,
				     tensor->groups, ORK_MAX_DIM);
	if (!tensor->k_slice || tensor->k_slice % ORK_GROUP_K || tensor->k_slice > MAX_K_SLICE ||
	    tensor->k_slice > ork_round_up((uint32_t)tensor->k, ORK_GROUP_K))
		return ork_pack_fail(reason, -EINVAL, "a K slice of %zu does not fit K = %zu", tensor->k_slice, tensor->k);
	if (tensor->hadamard &&
	    (tensor->hadamard & (tensor->hadamard - 1) || (tensor->k * tensor->groups) % tensor->hadamard))
		return ork_pack_fail(reason, -EINVAL, "a Hadamard matrix of %zu does not fit K = %zu", tensor->hadamard,
				     tensor->k * tensor->groups);
	slices = (tensor->k + tensor->k_slice - 1) / tensor->k_slice;
	tensor->matrix_bytes = (uint64_t)ork_operand_bytes(operand, (uint32_t)tensor->k_slice) * slices *
			       ork_round_up((uint32_t)tensor->n, operand->group_n);
	if (tensor->matrix_bytes > MAX_MATRIX_BYTES)
		return ork_pack_fail(reason, -E2BIG, "a matrix of %llu bytes does not fit the NPU's 4 GiB of addresses",
				     (unsigned long long)tensor->matrix_bytes);
	return 0;
}

bool ork_pack_name_valid(const char *name, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return false;
	return bytes >= 1 && bytes <= ORK_PACK_MAX_NAME;
}

/* Whether [offset, offset + bytes) lies between the header and the index. */
static bool in_data(const struct ork_pack_header *header, uint64_t offset, uint64_t bytes)
{
	return offset >= ORK_PACK_HEADER_BYTES && offset <= header->index_offset &&
	       bytes <= header->index_offset - offset;
}

int ork_pack_parse_header(const uint8_t *bytes, uint64_t file_bytes, struct ork_pack_header *header, char *reason)
{
	const uint32_t version = get_le32(bytes + 8);

	if (memcmp(bytes, magic, sizeof(magic)) != 0)
		return ork_pack_fail(reason, -EBADMSG, "it is not an orkpack file");
	if (version != VERSION)
		return ork_pack_fail(reason, -ENOTSUP, "its version %u at byte 8 is not known, only %d is", version, VERSION);
	if (get_le64(bytes + 56) != ork_hash_of(bytes, 56))
		return ork_pack_fail(reason, -EBADMSG, "its header is damaged: the checksum at byte 56 differs");
	*header = (struct ork_pack_header){
		.tensors = get_le32(bytes + 12),
		.file_bytes = get_le64(bytes + 16),
		.index_offset = get_le64(bytes + 24),
		.index_bytes = get_le64(bytes + 32),
		.index_hash = get_le64(bytes + 40),
	};
	if (get_le64(bytes + 48))
		return ork_pack_fail(reason, -EBADMSG, "the reserved bytes at byte 48 are not 0");
	if (header->file_bytes != file_bytes)
		return ork_pack_fail(reason, -EBADMSG, "it is %s: it has %llu bytes, not %llu",
				     file_bytes < header->file_bytes ? "truncated" : "too long",
				     (unsigned long long)file_bytes, (unsigned long long)header->file_bytes);
	if (header->index_offset % ORK_PACK_PAGE_BYTES || header->index_offset < ORK_PACK_HEADER_BYTES ||
	    header->index_offset > file_bytes || header->index_bytes != file_bytes - header->index_offset ||
	    header->tensors > header->index_bytes / ORK_PACK_ENTRY_BYTES)
		return ork_pack_fail(reason, -EBADMSG, "the place of the index at byte 24 makes no sense");
	return 0;
}

void ork_pack_write_header(uint8_t *bytes, const struct ork_pack_header *header)
{
	memcpy(bytes, magic, sizeof(magic));
	put_le32(bytes + 8, VERSION);
	put_le32(bytes + 12, header->tensors);
	put_le64(bytes + 16, header->file_bytes);
	put_le64(bytes + 24, header->index_offset);
	put_le64(bytes + 32, header->index_bytes);
	put_le64(bytes + 40, header->index_hash);
	put_le64(bytes + 48, 0);
	put_le64(bytes + 56, ork_hash_of(bytes, 56));
}

static int check_places(const struct ork_pack_header *header, const struct ork_pack_entry *entry, char *reason)
{
	const struct ork_pack_tensor *tensor = &entry->tensor;

	if (tensor->offset_bytes % ORK_PACK_PAGE_BYTES ||
	    !in_data(header, tensor->offset_bytes, ork_pack_data_bytes(tensor)))
		return ork_pack_fail(reason, -EBADMSG, "its weights at byte %llu lie outside the file's data",
				     (unsigned long long)tensor->offset_bytes);
	if (!tensor->scaled && !entry->scale_offset && !entry->scale_hash)
		return 0;
	if (!tensor->scaled || entry->scale_offset % ORK_PACK_SCALE_ALIGN ||
	    !in_data(header, entry->scale_offset, ork_pack_scale_bytes(tensor)))
		return ork_pack_fail(reason, -EBADMSG, "its scales at byte %llu lie outside the file's data",
				     (unsigned long long)entry->scale_offset);
	return 0;
}

/* The name has to end inside the index and to be larger than the one before. */
static int parse_name(const uint8_t *index, uint64_t index_bytes, const uint8_t *bytes, const char *last,
		      const char **name, char *reason)
{
	const uint32_t offset = get_le32(bytes + 40), length = get_le32(bytes + 44);

	if (length > ORK_PACK_MAX_NAME || offset >= index_bytes || length >= index_bytes - offset ||
	    index[offset + length] || !ork_pack_name_valid((const char *)index + offset, length))
		return ork_pack_fail(reason, -EBADMSG, "its name is missing or has forbidden characters");
	*name = (const char *)index + offset;
	if (last && strcmp(last, *name) >= 0)
		return ork_pack_fail(reason, -EBADMSG, "its name \"%.64s\" does not follow the one before", *name);
	return 0;
}

static int parse_entry(const struct ork_pack_header *header, const uint8_t *bytes, struct ork_pack_entry *entry,
		       char *reason)
{
	const uint32_t type = get_le32(bytes + 48);

	if (!type || type >= TYPE_CODES)
		return ork_pack_fail(reason, -EBADMSG, "its type %u is not known", type);
	if (get_le32(bytes + 76) > 1 || get_le64(bytes + 80) || get_le64(bytes + 88))
		return ork_pack_fail(reason, -EBADMSG, "it has unknown flags");
	entry->tensor.offset_bytes = get_le64(bytes);
	entry->data_hash = get_le64(bytes + 8);
	entry->scale_offset = get_le64(bytes + 16);
	entry->scale_hash = get_le64(bytes + 24);
	entry->tensor.k = get_le32(bytes + 32);
	entry->tensor.n = get_le32(bytes + 36);
	entry->tensor.type = type_of_code[type];
	entry->tensor.batch = get_le32(bytes + 52);
	entry->tensor.groups = get_le32(bytes + 56);
	entry->tensor.k_slice = get_le32(bytes + 60);
	entry->tensor.hadamard = get_le32(bytes + 64);
	entry->tensor.scaled = get_le32(bytes + 76) & 1;
	if (get_le64(bytes + 68))
		return ork_pack_fail(reason, -EBADMSG, "its reserved bytes are not 0");
	if (ork_pack_check_tensor(&entry->tensor, reason))
		return -EBADMSG;
	return check_places(header, entry, reason);
}

int ork_pack_parse_index(const uint8_t *index, const struct ork_pack_header *header, struct ork_pack_entry *entries,
			 char *reason)
{
	const char *last = NULL;
	uint32_t i;

	if (ork_hash_of(index, header->index_bytes) != header->index_hash)
		return ork_pack_fail(reason, -EBADMSG, "its index at byte %llu is damaged: the checksum differs",
				     (unsigned long long)header->index_offset);
	for (i = 0; i < header->tensors; i++) {
		const uint64_t at = (uint64_t)i * ORK_PACK_ENTRY_BYTES;
		char why[ORK_PACK_REASON_BYTES] = "";

		entries[i] = (struct ork_pack_entry){ 0 };
		if (!parse_name(index, header->index_bytes, index + at, last, &entries[i].tensor.name, why) &&
		    !parse_entry(header, index + at, &entries[i], why)) {
			last = entries[i].tensor.name;
			continue;
		}
		return ork_pack_fail(reason, -EBADMSG, "entry %u at byte %llu: %.160s", i,
				     (unsigned long long)(header->index_offset + at), why);
	}
	return 0;
}

void ork_pack_write_entry(uint8_t *bytes, const struct ork_pack_entry *entry, uint32_t name_offset)
{
	const struct ork_pack_tensor *tensor = &entry->tensor;
	uint32_t type = 0;

	while (type_of_code[type] != tensor->type)
		type++;
	memset(bytes, 0, ORK_PACK_ENTRY_BYTES);
	put_le64(bytes, tensor->offset_bytes);
	put_le64(bytes + 8, entry->data_hash);
	put_le64(bytes + 16, entry->scale_offset);
	put_le64(bytes + 24, entry->scale_hash);
	put_le32(bytes + 32, (uint32_t)tensor->k);
	put_le32(bytes + 36, (uint32_t)tensor->n);
	put_le32(bytes + 40, name_offset);
	put_le32(bytes + 44, (uint32_t)strlen(tensor->name));
	put_le32(bytes + 48, type);
	put_le32(bytes + 52, (uint32_t)tensor->batch);
	put_le32(bytes + 56, (uint32_t)tensor->groups);
	put_le32(bytes + 60, (uint32_t)tensor->k_slice);
	put_le32(bytes + 64, (uint32_t)tensor->hadamard);
	put_le32(bytes + 76, tensor->scaled);
}
