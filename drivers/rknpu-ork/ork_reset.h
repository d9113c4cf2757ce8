/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_RESET_H
#define ORK_RESET_H

struct ork_core;

void ork_reset_core(struct ork_core *core);

#endif
