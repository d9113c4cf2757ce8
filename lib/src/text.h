/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TEXT_H
#define ORK_TEXT_H

#include <stddef.h>

/* A text that grows; what does not fit is counted, not written. at may be NULL if there is no room. */
struct ork_text {
	char *at;
	size_t room;
	int length;
};

void ork_text_add(struct ork_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
