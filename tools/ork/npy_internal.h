/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_NPY_INTERNAL_H
#define ORK_NPY_INTERNAL_H

/* Writes the reason and returns -1. */
int npy_fail(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
