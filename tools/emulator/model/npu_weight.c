/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_conv.h"

#include <string.h>

/*
 * Weights are one contiguous stream without any stride (NPU reference 3.6, 4.2): kernel groups one
 * after another, each over all channels.
 */
bool npu_weight_read(const struct npu_conv *conv, struct npu_port *port, uint32_t group, uint8_t *weights)
{
	uint32_t kernels = conv->kernels - group * conv->type->kernel_group;
	size_t kernel_bytes = (size_t)conv->channels * conv->type->input_bytes;
	size_t group_bytes = kernel_bytes * conv->type->kernel_group;
	size_t present;

	if (kernels > conv->type->kernel_group)
		kernels = conv->type->kernel_group;
	present = kernels * kernel_bytes;
	memset(weights + present, 0, group_bytes - present);
	return npu_port_read(port, NPU_CLIENT_WEIGHT, conv->weight_address + (int64_t)(group * (uint64_t)group_bytes),
			     weights, present);
}
