/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_CLUSTER_H
#define ORK_CLUSTER_H

#include <linux/clk.h>
#include <linux/platform_device.h>
#include <linux/regulator/consumer.h>

#include "ork_core.h"
#include "ork_domains.h"
#include "ork_drv.h"
#include "ork_mmu.h"

#define ORK_MAX_CLKS 8
#define ORK_NUM_SUPPLIES 2

/**
 * struct ork_layout - how a kind of device tree describes cores
 */
struct ork_layout {
	/** @soc: facts of the SoC */
	const struct ork_soc *soc;

	/** @clks: names of the clocks; NULL behind the last one */
	const char *clks[ORK_MAX_CLKS];

	/** @compute_clk: which of them the cores compute with */
	const char *compute_clk;

	/** @supplies: names of the regulators; the first one feeds the cores */
	const char *supplies[ORK_NUM_SUPPLIES];

	/**
	 * @domains: names of the power domains that the IOMMU needs and does not have; NULL behind
	 * the last one
	 */
	const char *domains[ORK_MAX_DOMAINS];

	/** @resets: names of the reset lines, by position of the core's register window */
	const char *resets[ORK_MAX_CORES][ORK_NUM_RESETS];
};

/**
 * struct ork_cluster - the cores that one node of the device tree describes
 */
struct ork_cluster {
	/** @dev: platform device */
	struct device *dev;

	/** @layout: what the node looks like */
	const struct ork_layout *layout;

	/** @clks: on while resumed */
	struct clk_bulk_data clks[ORK_MAX_CLKS];

	/** @clk_count: number of clocks */
	unsigned int clk_count;

	/** @supplies: on while the driver is bound */
	struct regulator_bulk_data supplies[ORK_NUM_SUPPLIES];

	/** @mmu: IOMMU group */
	struct ork_mmu mmu;

	/** @core: in the order of the register windows, which is not the number of the core */
	struct ork_core *core[ORK_MAX_CORES];

	/** @core_count: number of cores */
	unsigned int core_count;
};

extern struct platform_driver ork_cluster_driver;

#endif
