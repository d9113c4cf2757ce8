/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PROGRAM_MAKER_H
#define ORK_PROGRAM_MAKER_H

/* Random programs for the checker: valid ones in every type and form, and what becomes of them when something is changed. */

#include "witness.h"

/* Fills in mappings and tasks. Deterministic in *random. */
void program_make(struct witness *w, uint64_t *random);

/* Makes a few changes to words, their order, number and slots. */
void program_mutate(struct witness *w, uint64_t *random);

#endif
