/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_CLK_H
#define ORK_CLK_H

#include <linux/mutex.h>

struct clk;
struct device;
struct ork_core;
struct ork_device;
struct ork_layout;
struct ork_soc;

/**
 * struct ork_clk - the compute clock, which all cores share
 */
struct ork_clk {
	/** @dev: the core's device that has the operating points */
	struct device *dev;

	/** @layout: what its clock and supply are called */
	const struct ork_layout *layout;

	/** @compute: the clock */
	struct clk *compute;

	/** @opp_config: token of the operating points' configuration */
	int opp_config;

	/** @soc: limits of the rate */
	const struct ork_soc *soc;

	/** @lock: protects the members below; held while the rate changes */
	struct mutex lock;

	/** @awake: cores that are resumed */
	unsigned int awake;

	/** @target_hz: rate while a core is awake */
	unsigned long target_hz;

	/** @rate_hz: rate that was set last */
	unsigned long rate_hz;
};

int ork_clk_init(struct ork_device *ork);
void ork_clk_fini(struct ork_device *ork);
void ork_clk_resume(struct ork_core *core);
int ork_clk_suspend(struct ork_core *core);
int ork_clk_set_target(struct ork_clk *clk, unsigned long hz);
unsigned long ork_clk_rate(struct ork_clk *clk);

#endif
