/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_OPEN_ERROR_H
#define ORK_OPEN_ERROR_H

#include <stddef.h>

/*
 * Why the NPU could not be opened and what to do about it, in one line without its end. The command tells what is wrong
 * from sysfs and /lib/modules: permissions, another driver, no module or one of another kernel.
 *
 *   root:   see machine.h
 *   device: what ork_open() was told to open, NULL if it was to look for a device
 *   err:    what it returned
 */
void explain_open_error(const char *root, const char *device, int err, char *text, size_t size);

#endif
