/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/*
 * safetensors: the length of a JSON object in 8 bytes, the object, and the data. Each member of the object is a tensor,
 *     "name":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}
 * but for "__metadata__", whose members are strings.
 */

/* What the format's own reader takes. */
#define MAX_HEADER_BYTES 100000000
#define MAX_STRING_BYTES 1024

struct parser {
	const uint8_t *bytes;
	uint64_t at, end;
	char *reason;
};

static int malformed(const struct parser *p)
{
	return source_fail(p->reason, "its header is malformed at byte %llu", (unsigned long long)p->at);
}

/* The next byte that is no space; 0 at the end. */
static uint8_t peek(struct parser *p)
{
	while (p->at < p->end && strchr(" \t\r\n", p->bytes[p->at]) && p->bytes[p->at])
		p->at++;
	return p->at < p->end ? p->bytes[p->at] : 0;
}

static bool accept(struct parser *p, char wanted)
{
	if (peek(p) != (uint8_t)wanted)
		return false;
	p->at++;
	return true;
}

static size_t put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | code >> 12);
	to[1] = (char)(0x80 | (code >> 6 & 0x3f));
	to[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Behind the backslash. Surrogates are refused: no tensor has such a name. */
static int parse_escape(struct parser *p, char *to, size_t *length)
{
	static const char from[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;
	uint32_t code = 0;
	int i, digit;

	if (p->at == p->end || !p->bytes[p->at])
		return malformed(p);
	found = strchr(from, p->bytes[p->at++]);
	if (found) {
		to[(*length)++] = meant[found - from];
		return 0;
	}
	if (p->bytes[p->at - 1] != 'u' || p->end - p->at < 4)
		return malformed(p);
	for (i = 0; i < 4; i++) {
		digit = hex_digit(p->bytes[p->at++]);
		if (digit < 0)
			return malformed(p);
		code = code << 4 | (uint32_t)digit;
	}
	if (!code || (code >= 0xd800 && code < 0xe000))
		return malformed(p);
	*length += put_utf8(to + *length, code);
	return 0;
}

/* A string that fits `text`, which has MAX_STRING_BYTES; a longer one is only skipped if text is NULL. */
static int parse_string(struct parser *p, char *text)
{
	char scratch[8];
	size_t length = 0, ignored;

	if (!accept(p, '"'))
		return malformed(p);
	while (p->at < p->end && p->bytes[p->at] != '"') {
		const uint8_t c = p->bytes[p->at++];

		if (c < 0x20 || (text && length + 4 > MAX_STRING_BYTES))
			return malformed(p);
		ignored = 0;
		if (c == '\\') {
			if (parse_escape(p, text ? text : scratch, text ? &length : &ignored))
				return -1;
		} else if (text) {
			text[length++] = (char)c;
		}
	}
	if (p->at == p->end)
		return malformed(p);
	p->at++;
	if (text)
		text[length] = '\0';
	return 0;
}

static int parse_number(struct parser *p, uint64_t *value)
{
	uint8_t c = peek(p);

	if (c < '0' || c > '9')
		return malformed(p);
	*value = 0;
	for (; p->at < p->end && p->bytes[p->at] >= '0' && p->bytes[p->at] <= '9'; p->at++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(p->bytes[p->at] - '0'), value))
			return malformed(p);
	return 0;
}

/* Up to max numbers in brackets. */
static int parse_numbers(struct parser *p, uint64_t *numbers, uint32_t max, uint32_t *count)
{
	*count = 0;
	if (!accept(p, '['))
		return malformed(p);
	if (accept(p, ']'))
		return 0;
	do {
		if (*count == max)
			return source_fail(p->reason, "more than %u numbers at byte %llu", max, (unsigned long long)p->at);
		if (parse_number(p, &numbers[(*count)++]))
			return -1;
	} while (accept(p, ','));
	return accept(p, ']') ? 0 : malformed(p);
}

static void set_type(struct source_tensor *tensor, const char *name)
{
	static const struct {
		enum source_type type;
		const char *name;
	} types[] = {
		{ SOURCE_F32, "F32" }, { SOURCE_F16, "F16" }, { SOURCE_BF16, "BF16" }, { SOURCE_I8, "I8" },
	};
	size_t i;

	snprintf(tensor->type_name, sizeof(tensor->type_name), "%.15s", name);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			tensor->type = types[i].type;
}

/* What one tensor's object has to say, each once. */
struct description {
	bool type, shape, offsets;
	uint64_t range[2];
};

static int parse_member(struct parser *p, struct source_tensor *tensor, struct description *have)
{
	char key[MAX_STRING_BYTES], type[MAX_STRING_BYTES];
	uint32_t count;

	if (parse_string(p, key) || !accept(p, ':'))
		return malformed(p);
	if (strcmp(key, "dtype") == 0 && !have->type) {
		have->type = true;
		if (parse_string(p, type))
			return -1;
		set_type(tensor, type);
		return 0;
	}
	if (strcmp(key, "shape") == 0 && !have->shape) {
		have->shape = true;
		return parse_numbers(p, tensor->shape, SOURCE_MAX_DIMS, &tensor->dims);
	}
	if (strcmp(key, "data_offsets") == 0 && !have->offsets) {
		have->offsets = true;
		if (parse_numbers(p, have->range, 2, &count))
			return -1;
		return count == 2 && have->range[0] <= have->range[1] ? 0 : malformed(p);
	}
	return source_fail(p->reason, "unknown or repeated key \"%.32s\" before byte %llu", key,
			   (unsigned long long)p->at);
}

/* The range has to be as long as the shape says. */
static int check_range(const struct parser *p, const struct source_tensor *tensor, const struct description *have)
{
	uint64_t bytes = tensor->type == SOURCE_UNKNOWN ? 0 : source_block_bytes(tensor->type);
	uint32_t i;

	for (i = 0; i < tensor->dims; i++)
		if (__builtin_mul_overflow(bytes, tensor->shape[i], &bytes))
			return malformed(p);
	if (tensor->type != SOURCE_UNKNOWN && bytes != have->range[1] - have->range[0])
		return source_fail(p->reason, "tensor \"%.64s\" at byte %llu: its data is not as long as its shape says",
				   tensor->name, (unsigned long long)tensor->header_at);
	return 0;
}

static int parse_tensor(struct parser *p, struct source *source, const char *name, uint64_t size)
{
	struct source_tensor *tensor = source_add(source, name, strlen(name));
	struct description have = { 0 };

	if (!tensor)
		return source_fail(p->reason, "out of memory");
	tensor->header_at = p->at;
	if (!accept(p, '{'))
		return malformed(p);
	do {
		if (parse_member(p, tensor, &have))
			return -1;
	} while (accept(p, ','));
	if (!accept(p, '}') || !have.type || !have.shape || !have.offsets)
		return malformed(p);
	if (check_range(p, tensor, &have))
		return -1;
	if (__builtin_add_overflow(have.range[0], p->end, &tensor->offset))
		return malformed(p);
	return source_check(tensor, size, p->reason);
}

static int skip_metadata(struct parser *p)
{
	if (!accept(p, '{'))
		return malformed(p);
	if (accept(p, '}'))
		return 0;
	do {
		if (parse_string(p, NULL) || !accept(p, ':') || parse_string(p, NULL))
			return malformed(p);
	} while (accept(p, ','));
	return accept(p, '}') ? 0 : malformed(p);
}

int safetensors_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason)
{
	struct parser p = { .bytes = bytes, .at = 8, .reason = reason };
	char name[MAX_STRING_BYTES];
	uint64_t length = 0;
	int i;

	for (i = 0; i < 8; i++)
		length |= (uint64_t)bytes[i] << 8 * i;
	if (length > MAX_HEADER_BYTES || length > size - 8)
		return source_fail(reason, "its header of %llu bytes is longer than the file or than %d",
				   (unsigned long long)length, MAX_HEADER_BYTES);
	p.end = 8 + length;
	if (!accept(&p, '{'))
		return malformed(&p);
	if (!accept(&p, '}')) {
		do {
			if (parse_string(&p, name) || !accept(&p, ':'))
				return malformed(&p);
			if (strcmp(name, "__metadata__") == 0 ? skip_metadata(&p) : parse_tensor(&p, source, name, size))
				return -1;
		} while (accept(&p, ','));
		if (!accept(&p, '}'))
			return malformed(&p);
	}
	return peek(&p) || p.at != p.end ? malformed(&p) : 0;
}
