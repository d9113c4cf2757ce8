/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_DEBUGFS_H
#define ORK_DEBUGFS_H

struct drm_minor;

void ork_debugfs_init(struct drm_minor *minor);

#endif
