/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdio.h>
#include <string.h>

#include "source.h"

/*
 * GGUF, versions 2 and 3, little-endian: a header, keys with values of which only the alignment matters here,
 * descriptions of tensors, and their data from the next aligned byte on.
 */

#define MAX_NESTING 4
#define MAX_NAME    1023

struct cursor {
	const uint8_t *bytes;
	uint64_t size, at;
	char *reason;
};

static int truncated(const struct cursor *c)
{
	return source_fail(c->reason, "its header is truncated or damaged at byte %llu", (unsigned long long)c->at);
}

/* count bytes at the cursor, which moves on; NULL: there are not as many. */
static const uint8_t *take(struct cursor *c, uint64_t count)
{
	const uint8_t *found = c->bytes + c->at;

	if (count > c->size - c->at)
		return NULL;
	c->at += count;
	return found;
}

static int take_number(struct cursor *c, uint32_t bytes, uint64_t *value)
{
	const uint8_t *found = take(c, bytes);
	uint32_t i;

	*value = 0;
	if (!found)
		return truncated(c);
	for (i = 0; i < bytes; i++)
		*value |= (uint64_t)found[i] << 8 * i;
	return 0;
}

static int take_string(struct cursor *c, const char **text, uint64_t *length)
{
	if (take_number(c, 8, length))
		return -1;
	*text = (const char *)take(c, *length);
	return *text ? 0 : truncated(c);
}

enum { TYPE_U32 = 4, TYPE_STRING = 8, TYPE_ARRAY = 9, VALUE_TYPES = 13 };

/* Bytes of a value; 0: it is a string or an array. */
static const uint8_t value_bytes[VALUE_TYPES] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

static int skip_values(struct cursor *c, uint64_t type, uint64_t count, int nesting)
{
	uint64_t length, element, i;
	const char *text;

	if (type >= VALUE_TYPES || nesting > MAX_NESTING)
		return source_fail(c->reason, "the value at byte %llu has the unknown type %llu", (unsigned long long)c->at,
				   (unsigned long long)type);
	if (value_bytes[type])
		return count <= c->size / value_bytes[type] && take(c, count * value_bytes[type]) ? 0 : truncated(c);
	for (i = 0; i < count; i++) {
		if (type == TYPE_STRING) {
			if (take_string(c, &text, &length))
				return -1;
		} else if (take_number(c, 4, &element) || take_number(c, 8, &length) ||
			   skip_values(c, element, length, nesting + 1)) {
			return -1;
		}
	}
	return 0;
}

static int read_key(struct cursor *c, uint64_t *alignment)
{
	static const char wanted[] = "general.alignment";
	uint64_t length, type, value;
	const char *key;

	if (take_string(c, &key, &length) || take_number(c, 4, &type))
		return -1;
	if (length != sizeof(wanted) - 1 || memcmp(key, wanted, length) != 0)
		return skip_values(c, type, 1, 0);
	if (type != TYPE_U32 || take_number(c, 4, &value) || !value || value & (value - 1))
		return source_fail(c->reason, "the alignment before byte %llu is no power of two", (unsigned long long)c->at);
	*alignment = value;
	return 0;
}

static void set_type(struct source_tensor *tensor, uint64_t code)
{
	static const struct {
		uint8_t code;
		enum source_type type;
		const char *name;
	} types[] = {
		{ 0, SOURCE_F32, "F32" },    { 1, SOURCE_F16, "F16" },    { 2, SOURCE_Q4_0, "Q4_0" },
		{ 8, SOURCE_Q8_0, "Q8_0" },  { 12, SOURCE_Q4_K, "Q4_K" }, { 14, SOURCE_Q6_K, "Q6_K" },
		{ 24, SOURCE_I8, "I8" },     { 30, SOURCE_BF16, "BF16" },
	};
	size_t i;

	snprintf(tensor->type_name, sizeof(tensor->type_name), "%u", (unsigned int)(code & 0xffffffff));
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].code != code)
			continue;
		tensor->type = types[i].type;
		snprintf(tensor->type_name, sizeof(tensor->type_name), "%s", types[i].name);
	}
}

/* Offsets are from the start of the data, which is not known yet. */
static int read_tensor(struct cursor *c, struct source *source)
{
	const uint64_t start = c->at;
	struct source_tensor *tensor;
	uint64_t length, dims, type, i;
	const char *name;

	if (take_string(c, &name, &length) || take_number(c, 4, &dims))
		return -1;
	if (!length || length > MAX_NAME || memchr(name, 0, length))
		return source_fail(c->reason, "the tensor at byte %llu has no proper name", (unsigned long long)start);
	if (!dims || dims > SOURCE_MAX_DIMS)
		return source_fail(c->reason, "tensor \"%.*s\" at byte %llu has %llu dimensions", (int)(length > 64 ? 64 : length),
				   name, (unsigned long long)start, (unsigned long long)dims);
	tensor = source_add(source, name, length);
	if (!tensor)
		return source_fail(c->reason, "out of memory");
	tensor->header_at = start;
	tensor->dims = (uint32_t)dims;
	/* The first dimension runs fastest. */
	for (i = dims; i; i--)
		if (take_number(c, 8, &tensor->shape[i - 1]))
			return -1;
	if (take_number(c, 4, &type) || take_number(c, 8, &tensor->offset))
		return -1;
	set_type(tensor, type);
	return 0;
}

static int place_tensors(struct source *source, uint64_t data, uint64_t alignment, uint64_t size, char *reason)
{
	size_t i;

	for (i = 0; i < source->count; i++) {
		struct source_tensor *tensor = &source->tensors[i];

		if (tensor->offset % alignment || __builtin_add_overflow(tensor->offset, data, &tensor->offset))
			return source_fail(reason, "tensor \"%.64s\" at byte %llu has a misaligned offset", tensor->name,
					   (unsigned long long)tensor->header_at);
		if (source_check(tensor, size, reason))
			return -1;
	}
	return 0;
}

int gguf_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason)
{
	struct cursor c = { .bytes = bytes, .size = size, .at = 4, .reason = reason };
	uint64_t version, tensors, keys, alignment = 32, data, i;

	if (take_number(&c, 4, &version))
		return -1;
	if (version != 2 && version != 3)
		return source_fail(reason, "its GGUF version %llu at byte 4 is not 2 or 3", (unsigned long long)version);
	if (take_number(&c, 8, &tensors) || take_number(&c, 8, &keys))
		return -1;
	for (i = 0; i < keys; i++)
		if (read_key(&c, &alignment))
			return -1;
	for (i = 0; i < tensors; i++)
		if (read_tensor(&c, source))
			return -1;
	data = (c.at + alignment - 1) / alignment * alignment;
	return place_tensors(source, data, alignment, size, reason);
}
