/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGCMD_TYPES_H
#define ORK_REGCMD_TYPES_H

/* The checker is plain C: compiled into the module and into host tests and fuzzers. */
#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/drm/rknpu_ork.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>
#include <drm/rknpu_ork.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) - 1) / (d) + 1)
#endif

#define ORK_TARGET_PC		0x0101
#define ORK_TARGET_CNA		0x0201
#define ORK_TARGET_CORE		0x0801
#define ORK_TARGET_DPU		0x1001
#define ORK_TARGET_MARKER	0x0041
#define ORK_TARGET_ENABLE	0x0081

#endif
