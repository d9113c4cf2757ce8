/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MODULE_FILE_H
#define ORK_MODULE_FILE_H

#include <stddef.h>

/* Where the module rknpu_ork is installed. root: see machine.h */

/* Path of the module among those that modprobe knows for a kernel. Returns 0 or -1. */
int module_find(const char *root, const char *release, char *path, size_t size);

/* The kernel that a module was built for, "" if it is compressed or does not tell. */
void module_vermagic(const char *root, const char *module, char *release, size_t size);

/* A kernel that the module is installed for. Returns 0 or -1. */
int module_other_kernel(const char *root, char *release, size_t size);

#endif
