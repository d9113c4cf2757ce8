/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SUBMIT_H
#define ORK_SUBMIT_H

struct drm_device;
struct drm_file;

int ork_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file);

#endif
