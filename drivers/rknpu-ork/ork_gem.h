/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_GEM_H
#define ORK_GEM_H

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_gem_object;

struct drm_gem_object *ork_gem_create(struct drm_device *drm, u64 size, bool wc);
struct drm_gem_object *ork_gem_create_object(struct drm_device *drm, size_t size);

int ork_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_bo_sync(struct drm_device *drm, void *data, struct drm_file *file);

#endif
