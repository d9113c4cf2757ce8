/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_HOST_TAP_H
#define ORK_HOST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Smallest possible TAP producer: one ok() per behaviour, done() at the end of main().
 */

static int tap_count, tap_failed;

/* One test result, named after the behaviour. Returns condition. */
__attribute__((format(printf, 2, 3), unused)) static bool ok(bool condition, const char *name, ...)
{
	va_list args;

	printf("%s %d - ", condition ? "ok" : "not ok", ++tap_count);
	va_start(args, name);
	vprintf(name, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	if (!condition)
		tap_failed++;
	return condition;
}

/* A remark for whoever reads the log. */
__attribute__((format(printf, 1, 2), unused)) static void note(const char *text, ...)
{
	va_list args;

	printf("# ");
	va_start(args, text);
	vprintf(text, args);
	va_end(args);
	putchar('\n');
}

/* Plan line and exit status. */
__attribute__((unused)) static int done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

/* Reproducible bytes: splitmix64. */
__attribute__((unused)) static uint64_t random_u64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

__attribute__((unused)) static void random_fill(int8_t *data, size_t count, uint64_t *state)
{
	size_t i;

	for (i = 0; i < count; i++)
		data[i] = (int8_t)random_u64(state);
}

#endif
