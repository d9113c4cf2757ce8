/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_PLAN_H
#define NPU_PLAN_H

#include "npu_internal.h"

/* A field that must have one value because nothing else is modelled. */
struct npu_rule {
	uint16_t offset;
	uint32_t mask;
	uint32_t value;
	const char *what;
};

/* Hangs the core and names the first rule that is broken. */
bool npu_rules_hold(struct npu_core *core, const struct npu_view *view, const struct npu_rule *rules, size_t count);

#endif
