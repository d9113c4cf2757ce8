/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SELFTEST_H
#define ORK_SELFTEST_H

#include <stddef.h>
#include <stdint.h>

#include <ork.h>

#include "product.h"

#define SELFTEST_DETAIL_CHARS 256

struct selftest_product {
	const struct product_type *type;
	size_t m, k, n;
	uint32_t core_mask; /* 0: as the library likes, else exactly these cores if the product is large enough */
};

/* Computes random matrices on the NPU and on the CPU. detail: what is wrong, or "". */
void selftest_run(struct ork_device *dev, const struct selftest_product *product, char detail[SELFTEST_DETAIL_CHARS]);

/* Products whose A is the C of the one before, in one job, in place. */
void selftest_chain(struct ork_device *dev, char detail[SELFTEST_DETAIL_CHARS]);

#endif
