/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SYSFS_H
#define ORK_SYSFS_H

struct ork_core;

int ork_sysfs_add_core(struct ork_core *core);

#endif
