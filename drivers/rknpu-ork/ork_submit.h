/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SUBMIT_H
#define ORK_SUBMIT_H

/* Jobs in one call. */
#define ORK_SUBMIT_MAX_JOBS 4096

struct drm_device;
struct drm_file;

int ork_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file);

#endif
