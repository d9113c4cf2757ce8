/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef STEPS_H
#define STEPS_H

/*
 * Sections in which the emulated board logs every instruction and register access (ork-board run --steps). On a board that
 * does not, both calls do nothing.
 */

/* Begins a section. The name is of [a-z0-9-]; a later section of the same name replaces the log. */
void steps_on(const char *name);
void steps_off(void);

#endif
