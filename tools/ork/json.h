/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_JSON_H
#define ORK_JSON_H

#include <stdbool.h>

/*
 * The result of a command as one JSON object on one line of stdout. Its first members are "format", a number that
 * changes when a reader of the old format would be misled, and "command". Members are only ever added.
 */

#define JSON_FORMAT    1
#define JSON_MAX_DEPTH 8

struct json {
	char closing[JSON_MAX_DEPTH]; /* brackets that are still to come */
	unsigned int depth;
	bool has_members;             /* the innermost one has */
};

void json_begin(struct json *json, const char *command);
void json_end(struct json *json);

/* Objects and arrays, up to the next json_close(). In an array, names are NULL, here and below. */
void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
void json_close(struct json *json);

/* text: any bytes, what is not UTF-8 becomes U+FFFD; NULL: null */
void json_text(struct json *json, const char *name, const char *text);
void json_number(struct json *json, const char *name, unsigned long long number);
void json_bool(struct json *json, const char *name, bool value);
/* With 6 digits. What is no number becomes null. */
void json_real(struct json *json, const char *name, double number);
void json_null(struct json *json, const char *name);

#endif
