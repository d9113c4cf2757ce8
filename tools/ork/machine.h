/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MACHINE_H
#define ORK_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * What sysfs and procfs tell of this machine. Files are below a root, "" in the command, so that tests can have a
 * machine of their own.
 */

/*
 * Reads the first line of the file that the glob(7) pattern matches first, without its end. Returns 0, or -1 if there
 * is none that can be read.
 */
int machine_read(const char *root, const char *pattern, char *line, size_t size);

/* Reads a decimal number that is the start of such a line. Returns as machine_read(). */
int machine_number(const char *root, const char *pattern, unsigned long long *number);

/* The same file, whole. NULL if there is none that can be read. */
FILE *machine_open(const char *root, const char *pattern);

/* Name of what the symbolic link points to, without its folders. Returns as machine_read(); path includes the root. */
int machine_link(const char *path, char *name, size_t size);

/* Path of the driver's render node, NULL if there is none. The caller frees it. */
char *machine_render_node(const char *root);

/* The clock of the NPU, from devfreq, in Hz. */
struct machine_clock {
	unsigned long long hz, min_hz, max_hz;
	char governor[32];
};

/* Returns 0, or -1 if it is not to be seen. */
int machine_read_clock(const char *root, struct machine_clock *clock);

/* A core, from the driver's sysfs. */
struct machine_core {
	char state[16];             /* "ok" or "lost" */
	bool powered;
	unsigned long long busy_ns; /* since the driver was loaded */
	unsigned long long jobs, resets;
};

/* Returns as machine_read_clock(). */
int machine_read_core(const char *root, unsigned int index, struct machine_core *core);

/* What times measured on a backend (struct ork_info) are of: "model", "emulator" or "silicon". */
const char *machine_times(const char *root, const char *backend);

#endif
