/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_DEVFREQ_H
#define ORK_DEVFREQ_H

struct ork_device;

#ifdef CONFIG_PM_DEVFREQ
void ork_devfreq_init(struct ork_device *ork);
void ork_devfreq_fini(struct ork_device *ork);
#else
static inline void ork_devfreq_init(struct ork_device *ork) { }
static inline void ork_devfreq_fini(struct ork_device *ork) { }
#endif

#endif
