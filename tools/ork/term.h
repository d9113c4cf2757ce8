/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TERM_H
#define ORK_TERM_H

#include <stdbool.h>

/* What is there for people only, on a terminal. */

enum term_style {
	TERM_PLAIN,  /* ends the others */
	TERM_BOLD,
	TERM_GOOD,
	TERM_BAD,
	TERM_WARN,
	TERM_HEADER,
};

/* What to print before text of that style: "" if stdout is no terminal or NO_COLOR is set (no-color.org). */
const char *term_style(enum term_style style);

/* Columns and lines of stdout's or else stderr's terminal; 80 and 24 if that is unknown. */
void term_size(unsigned int *columns, unsigned int *lines);

/* A line on stderr that shows how far long work is; nothing if stderr is no terminal. { 0 } is its start. */
struct progress {
	double drawn_ms; /* when it was last drawn; 0: it is not there */
};

/* share: 0 to 1. what: what is being worked on. */
void progress_show(struct progress *progress, double share, const char *what);

/* Removes the line. Has to be called before anything else is printed. */
void progress_end(struct progress *progress);

/* Milliseconds on the monotonic clock. */
double now_ms(void);

#endif
