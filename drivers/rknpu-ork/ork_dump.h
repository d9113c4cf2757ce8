/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_DUMP_H
#define ORK_DUMP_H

struct drm_printer;
struct ork_core;
struct ork_device;
struct ork_part;

void ork_dump_take(struct ork_core *core, const struct ork_part *part, int error);
void ork_dump_publish(struct ork_core *core);
void ork_dump_print_last(struct ork_device *ork, struct drm_printer *p);
void ork_dump_free_last(struct ork_device *ork);

#endif
