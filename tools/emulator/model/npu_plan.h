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

/* npu_plan_image.c: feature cube or packed image, and the input converter. */
bool npu_plan_image(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv);
bool npu_plan_image_width(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv);

/* npu_plan_cbuf.c: banks and weights. */
bool npu_plan_cbuf(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv);

/* npu_plan_dpu.c: the part of a convolution that is about output stages and writer. */
bool npu_plan_output(struct npu_core *core, const struct npu_view *view, const struct npu_conv *conv,
		     struct npu_dpu *dpu);

/* npu_plan_stages.c */
bool npu_plan_stages(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu);

/* npu_plan_rdma.c: operands of a convolution or of a task without one. */
bool npu_plan_rdma(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu);

#endif
