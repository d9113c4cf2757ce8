/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

/* A test is a function that CHECKs; RUN prints one TAP line for it, named like the function. */
#define RUN(test)       tap_run(#test, test)
#define CHECK(condition) tap_check(condition, #condition, __FILE__, __LINE__)

void tap_run(const char *name, void (*test)(void));
bool tap_check(bool holds, const char *condition, const char *file, int line);

#endif
