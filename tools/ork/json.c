/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "json.h"

/* Bytes of the well-formed UTF-8 character (RFC 3629) at text, or 0. */
static unsigned int character_bytes(const unsigned char *text)
{
	const unsigned int bytes = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 :
				   text[0] < 0xf5 ? 4 : 0;
	unsigned int i;

	for (i = 1; i < bytes; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if (text[0] == 0xe0 && text[1] < 0xa0) /* could be shorter */
		return 0;
	if (text[0] == 0xed && text[1] > 0x9f) /* surrogates */
		return 0;
	if (text[0] == 0xf0 && text[1] < 0x90)
		return 0;
	if (text[0] == 0xf4 && text[1] > 0x8f) /* above U+10FFFF */
		return 0;
	return bytes;
}

static void print_string(const char *string)
{
	const unsigned char *text = (const unsigned char *)string;

	putchar('"');
	while (*text) {
		unsigned int bytes = character_bytes(text);

		if (!bytes) {
			fputs("\\ufffd", stdout);
			text++;
		} else if (*text < 0x20) {
			printf("\\u%04x", *text++);
		} else {
			if (*text == '"' || *text == '\\')
				putchar('\\');
			while (bytes--)
				putchar(*text++);
		}
	}
	putchar('"');
}

static void next(struct json *json, const char *name)
{
	if (json->has_members)
		fputs(", ", stdout);
	json->has_members = true;
	if (!name)
		return;
	print_string(name);
	fputs(": ", stdout);
}

static void open_bracket(struct json *json, char opening, char closing)
{
	putchar(opening);
	json->closing[json->depth++] = closing;
	json->has_members = false;
}

void json_object(struct json *json, const char *name)
{
	next(json, name);
	open_bracket(json, '{', '}');
}

void json_array(struct json *json, const char *name)
{
	next(json, name);
	open_bracket(json, '[', ']');
}

void json_close(struct json *json)
{
	putchar(json->closing[--json->depth]);
	json->has_members = true;
}

void json_begin(struct json *json, const char *command)
{
	*json = (struct json){ .depth = 0 };
	open_bracket(json, '{', '}');
	json_number(json, "format", JSON_FORMAT);
	json_text(json, "command", command);
}

void json_end(struct json *json)
{
	json_close(json);
	putchar('\n');
}

void json_text(struct json *json, const char *name, const char *text)
{
	if (!text) {
		json_null(json, name);
		return;
	}
	next(json, name);
	print_string(text);
}

void json_number(struct json *json, const char *name, unsigned long long number)
{
	next(json, name);
	printf("%llu", number);
}

void json_bool(struct json *json, const char *name, bool value)
{
	next(json, name);
	fputs(value ? "true" : "false", stdout);
}

void json_real(struct json *json, const char *name, double number)
{
	if (!isfinite(number)) {
		json_null(json, name);
		return;
	}
	next(json, name);
	printf("%.6g", number);
}

void json_null(struct json *json, const char *name)
{
	next(json, name);
	fputs("null", stdout);
}
