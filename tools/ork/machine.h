/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MACHINE_H
#define ORK_MACHINE_H

#include <stddef.h>

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

/* What times measured on a backend (struct ork_info) are of: "model", "emulator" or "silicon". */
const char *machine_times(const char *root, const char *backend);

#endif
