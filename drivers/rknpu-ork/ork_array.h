/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_ARRAY_H
#define ORK_ARRAY_H

#include <linux/types.h>

struct drm_ork_array;

void *ork_array_copy(const struct drm_ork_array *array, size_t size, u32 max_count);
void *ork_array_copy_few(const struct drm_ork_array *array, size_t size, u32 max_count, void *few,
			 u32 few_count);
void ork_array_free(void *copy, const void *few);

#endif
