/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "term.h"

#define BAR_CHARS   30
#define REDRAW_MS   100
#define BEFORE_TEXT (BAR_CHARS + 9) /* "[bar] 100 % " */

const char *term_style(enum term_style style)
{
	static const char *const escapes[] = {
		[TERM_PLAIN] = "\033[0m",
		[TERM_BOLD] = "\033[1m",
		[TERM_GOOD] = "\033[32m",
		[TERM_BAD] = "\033[1;31m",
		[TERM_WARN] = "\033[33m",
		[TERM_HEADER] = "\033[7m",
	};
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) ? escapes[style] : "";
}

void term_size(unsigned int *columns, unsigned int *lines)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
		size.ws_col = 0;
	*columns = size.ws_col ? size.ws_col : 80;
	*lines = size.ws_row ? size.ws_row : 24;
}

double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void progress_show(struct progress *progress, double share, const char *what)
{
	static const char bar[] = "##############################..............................";
	unsigned int columns, lines;
	const double now = now_ms();
	int filled;

	if (!isatty(STDERR_FILENO) || (progress->drawn_ms > 0 && now - progress->drawn_ms < REDRAW_MS))
		return;
	progress->drawn_ms = now;
	term_size(&columns, &lines);
	filled = share < 0 ? 0 : share > 1 ? BAR_CHARS : (int)(share * BAR_CHARS);
	fprintf(stderr, "\r\033[K[%.*s] %3.0f %% %.*s", BAR_CHARS, bar + BAR_CHARS - filled, 100 * share,
		columns > BEFORE_TEXT ? (int)(columns - BEFORE_TEXT - 1) : 0, what);
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->drawn_ms > 0)
		fputs("\r\033[K", stderr);
	progress->drawn_ms = 0;
}
