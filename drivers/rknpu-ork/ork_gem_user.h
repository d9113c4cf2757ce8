/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_GEM_USER_H
#define ORK_GEM_USER_H

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_gem_object;

bool ork_gem_is_user(const struct drm_gem_object *obj);

int ork_ioctl_bo_user(struct drm_device *drm, void *data, struct drm_file *file);

#endif
