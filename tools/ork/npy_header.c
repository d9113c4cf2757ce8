/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"
#include "npy_internal.h"

/*
 * The header is a Python dictionary such as
 *     {'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), }
 * with each of the three keys once, in any order, followed by spaces and a newline.
 */
struct parser {
	const char *at;
	const char *end;
	size_t max_dim;
	struct npy_matrix *matrix;
	bool have_descr, have_order, have_shape;
	char *reason;
};

int npy_fail(char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, NPY_REASON_CHARS, format, args);
	va_end(args);
	return -1;
}

static int malformed(struct parser *p)
{
	return npy_fail(p->reason, "its header is malformed");
}

static void skip_spaces(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t'))
		p->at++;
}

/* Takes the character if it comes next, after spaces. */
static bool accept(struct parser *p, char wanted)
{
	skip_spaces(p);
	if (p->at == p->end || *p->at != wanted)
		return false;
	p->at++;
	return true;
}

static bool accept_word(struct parser *p, const char *word)
{
	const size_t length = strlen(word);

	skip_spaces(p);
	if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
		return false;
	p->at += length;
	return true;
}

/* A quoted string without escapes, shorter than size. */
static bool parse_string(struct parser *p, char *text, size_t size)
{
	size_t length = 0;
	char quote;

	skip_spaces(p);
	if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
		return false;
	quote = *p->at++;
	while (p->at < p->end && *p->at != quote) {
		if (length + 1 >= size || *p->at == '\\' || !isprint((unsigned char)*p->at))
			return false;
		text[length++] = *p->at++;
	}
	text[length] = '\0';
	return accept(p, quote);
}

static bool parse_size(struct parser *p, size_t *value)
{
	size_t number = 0;

	skip_spaces(p);
	if (p->at == p->end || !isdigit((unsigned char)*p->at))
		return false;
	for (; p->at < p->end && isdigit((unsigned char)*p->at); p->at++) {
		/* Saturates: anything this large is refused by the caller anyway. */
		if (number > SIZE_MAX / 16)
			number = SIZE_MAX / 16;
		number = number * 10 + (size_t)(*p->at - '0');
	}
	*value = number;
	return true;
}

static const struct {
	size_t bytes;
	const char *descr;
} types[] = {
	[NPY_I1] = { 1, "|i1" },
	[NPY_I4] = { 4, "<i4" },
	[NPY_F2] = { 2, "<f2" },
	[NPY_F4] = { 4, "<f4" },
};

size_t npy_type_bytes(enum npy_type type)
{
	return types[type].bytes;
}

const char *npy_type_descr(enum npy_type type)
{
	return types[type].descr;
}

static int parse_descr(struct parser *p)
{
	char descr[32];
	size_t i;

	if (p->have_descr || !parse_string(p, descr, sizeof(descr)))
		return malformed(p);
	p->have_descr = true;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		/* The mark of an order may be that of this machine; one byte has no order, but any mark is legal. */
		if (strcmp(descr + (*descr != '\0'), types[i].descr + 1) != 0)
			continue;
		if (*descr == *types[i].descr || *descr == '=' || (types[i].bytes == 1 && *descr == '<')) {
			p->matrix->type = (enum npy_type)i;
			return 0;
		}
	}
	return npy_fail(p->reason, "its type is %s, not int8, int32, float16 or float32 (|i1, <i4, <f2, <f4)", descr);
}

static int parse_order(struct parser *p)
{
	if (p->have_order)
		return malformed(p);
	p->have_order = true;
	if (accept_word(p, "True"))
		return npy_fail(p->reason, "it is in Fortran order, not in C order");
	return accept_word(p, "False") ? 0 : malformed(p);
}

static int parse_shape(struct parser *p)
{
	size_t dims[2] = { 0 };
	size_t count = 0, value;

	if (p->have_shape || !accept(p, '('))
		return malformed(p);
	p->have_shape = true;
	while (!accept(p, ')')) {
		if (!parse_size(p, &value))
			return malformed(p);
		if (count < 2)
			dims[count] = value;
		count++;
		if (accept(p, ','))
			continue;
		/* Only a comma makes a tuple of one. */
		if (count < 2 || !accept(p, ')'))
			return malformed(p);
		break;
	}
	if (count != 2)
		return npy_fail(p->reason, "it has %zu dimension(s), not 2", count);
	if (!dims[0] || !dims[1])
		return npy_fail(p->reason, "it has no elements");
	if (dims[0] > p->max_dim || dims[1] > p->max_dim)
		return npy_fail(p->reason, "a dimension is above %zu", p->max_dim);
	p->matrix->rows = dims[0];
	p->matrix->cols = dims[1];
	return 0;
}

static int parse_entry(struct parser *p)
{
	char key[32];

	if (!parse_string(p, key, sizeof(key)) || !accept(p, ':'))
		return malformed(p);
	if (strcmp(key, "descr") == 0)
		return parse_descr(p);
	if (strcmp(key, "fortran_order") == 0)
		return parse_order(p);
	if (strcmp(key, "shape") == 0)
		return parse_shape(p);
	return npy_fail(p->reason, "its header has the unknown key '%s'", key);
}

int npy_parse_header(const char *text, size_t length, size_t max_dim, struct npy_matrix *matrix, char *reason)
{
	struct parser p = {
		.at = text, .end = text + length, .max_dim = max_dim, .matrix = matrix, .reason = reason
	};

	if (!accept(&p, '{'))
		return malformed(&p);
	while (!accept(&p, '}')) {
		if (parse_entry(&p))
			return -1;
		if (accept(&p, ','))
			continue;
		if (!accept(&p, '}'))
			return malformed(&p);
		break;
	}
	skip_spaces(&p);
	if (p.at != p.end || !p.have_descr || !p.have_order || !p.have_shape)
		return malformed(&p);
	return 0;
}
