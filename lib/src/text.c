/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdarg.h>
#include <stdio.h>

#include "text.h"

void ork_text_add(struct ork_text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text->at, text->room, format, args);
	va_end(args);
	if (length < 0)
		return;
	text->length += length;
	if ((size_t)length >= text->room)
		length = text->room ? (int)text->room - 1 : 0;
	if (text->room) {
		text->at += length;
		text->room -= (size_t)length;
	}
}
