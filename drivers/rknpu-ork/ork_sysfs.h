/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SYSFS_H
#define ORK_SYSFS_H

struct attribute_group;

extern const struct attribute_group *ork_core_groups[];

#endif
