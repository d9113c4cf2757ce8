// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: The compute clock
 *
 * One clock feeds all cores. Above its parked rate it comes from an oscillator inside the NPU's
 * power domain: firmware that is asked for such a rate while the domain is off hangs the machine.
 * So the rate is raised after the first core has been resumed, and parked before the last one is
 * suspended, not by each core for itself. A rate that somebody wants meanwhile is kept for later.
 *
 * Operating points come from the device tree. The order of voltage and rate is dev_pm_opp's:
 * voltage first on the way up. On the way down it would not notice a clock that stays as it is, so
 * the driver looks first. Without a table, or with one that is meant for certain chips only, the
 * driver has its own: rates that every chip runs at with the voltage that boot leaves, which stays.
 *
 * Locks: devfreq's before clk->lock, and nothing of ours inside.
 */

#include <linux/clk.h>
#include <linux/of.h>
#include <linux/pm_opp.h>
#include <linux/pm_runtime.h>

#include <drm/drm_managed.h>

#include "ork_clk.h"
#include "ork_cluster.h"
#include "ork_core.h"
#include "ork_devfreq.h"
#include "ork_drv.h"

#define ORK_SAFE_STEP_HZ 100000000

/* A rate is another one than was asked for if it is off by more than this part of it. */
#define ORK_CLK_TOLERANCE 16

/*
 * The clock framework does not pass on that the firmware has refused a rate. A clock that stays too
 * fast matters: it must not be when the power goes, or the voltage.
 */
static int ork_clk_check_rate(struct ork_clk *clk, unsigned long hz)
{
	unsigned long real_hz = clk_get_rate(clk->compute);

	if (real_hz <= hz + hz / ORK_CLK_TOLERANCE)
		return 0;

	dev_err_ratelimited(clk->dev, "the clock stays at %lu Hz instead of %lu\n", real_hz, hz);
	return -EIO;
}

static int ork_clk_lower(struct ork_clk *clk, unsigned long hz)
{
	int ret = clk_set_rate(clk->compute, hz);

	return ret ?: ork_clk_check_rate(clk, hz);
}

static int ork_clk_set_rate(struct ork_clk *clk, unsigned long hz)
{
	bool down = hz <= clk->rate_hz;
	int ret = 0;

	lockdep_assert_held(&clk->lock);

	/* dev_pm_opp does not look at the clock before it lowers the voltage. */
	if (down)
		ret = ork_clk_lower(clk, hz);
	if (ret)
		return ret;

	ret = dev_pm_opp_set_rate(clk->dev, hz);
	/* A voltage that stays too high does no harm, but Linux 6.1 puts the clock back then. */
	if (ret && down)
		ret = ork_clk_lower(clk, hz);
	if (!ret)
		clk->rate_hz = hz;

	return ret;
}

/**
 * ork_clk_set_target - choose the rate at which cores run
 * @clk: clock
 * @hz: rate of an operating point
 *
 * It is set at once if a core is awake, otherwise when one wakes up.
 *
 * Return: 0 or an error, which leaves the rate as it was.
 */
int ork_clk_set_target(struct ork_clk *clk, unsigned long hz)
{
	int ret = 0;

	mutex_lock(&clk->lock);
	if (clk->awake)
		ret = ork_clk_set_rate(clk, hz);
	if (!ret)
		clk->target_hz = hz;
	mutex_unlock(&clk->lock);

	return ret;
}

/**
 * ork_clk_rate - the rate that was set last
 * @clk: clock
 *
 * The firmware is not asked, because it must not be while the power is off.
 */
unsigned long ork_clk_rate(struct ork_clk *clk)
{
	unsigned long hz;

	mutex_lock(&clk->lock);
	hz = clk->rate_hz;
	mutex_unlock(&clk->lock);

	return hz;
}

/**
 * ork_clk_resume - a core has power and its clocks run
 * @core: core
 */
void ork_clk_resume(struct ork_core *core)
{
	struct ork_clk *clk = core->clk;

	if (!clk)
		return;

	mutex_lock(&clk->lock);
	/* An error was reported by dev_pm_opp; the parked rate works, too. */
	if (!clk->awake++)
		ork_clk_set_rate(clk, clk->target_hz);
	mutex_unlock(&clk->lock);
}

/**
 * ork_clk_suspend - a core is about to lose its power
 * @core: core
 *
 * Return: 0 or -EBUSY: the power must stay on.
 */
int ork_clk_suspend(struct ork_core *core)
{
	struct ork_clk *clk = core->clk;
	int ret = 0;

	if (!clk)
		return 0;

	mutex_lock(&clk->lock);
	if (clk->awake == 1 && ork_clk_set_rate(clk, clk->soc->parked_hz))
		ret = -EBUSY;
	else
		clk->awake--;
	mutex_unlock(&clk->lock);

	return ret;
}

static void ork_clk_remove_opps(struct ork_clk *clk)
{
	dev_pm_opp_remove_all_dynamic(clk->dev);
	dev_pm_opp_of_remove_table(clk->dev);
	dev_pm_opp_clear_config(clk->opp_config);
}

static int ork_clk_configure_opps(struct ork_clk *clk, bool supply)
{
	const char * const clks[] = { clk->layout->compute_clk, NULL };
	const char * const supplies[] = { clk->layout->supplies[0], NULL };
	struct dev_pm_opp_config config = {
		.clk_names = clks,
		.regulator_names = supply ? supplies : NULL,
	};

	clk->opp_config = dev_pm_opp_set_config(clk->dev, &config);
	return min(clk->opp_config, 0);
}

static int ork_clk_add_opps_of_tree(struct ork_clk *clk)
{
	const struct device_node *node = clk->dev->of_node;
	char supply[32];
	int ret;

	if (!of_find_property(node, "operating-points-v2", NULL))
		return -ENODEV;

	snprintf(supply, sizeof(supply), "%s-supply", clk->layout->supplies[0]);
	ret = ork_clk_configure_opps(clk, of_find_property(node, supply, NULL));
	if (ret)
		return ret;

	ret = dev_pm_opp_of_add_table(clk->dev);
	if (ret)
		dev_pm_opp_clear_config(clk->opp_config);

	return ret;
}

static int ork_clk_add_safe_opps(struct ork_clk *clk)
{
	unsigned long hz;
	int ret;

	ret = ork_clk_configure_opps(clk, false);
	if (ret)
		return ret;

	for (hz = clk->soc->parked_hz; !ret && hz <= clk->soc->safe_hz; hz += ORK_SAFE_STEP_HZ)
		ret = dev_pm_opp_add(clk->dev, hz, 0);
	if (ret)
		ork_clk_remove_opps(clk);

	return ret;
}

/* Cores that are awake are counted from here on, and their power callbacks do the rest. */
static int ork_clk_attach_core(struct ork_clk *clk, struct ork_core *core)
{
	int ret = pm_runtime_resume_and_get(core->dev);

	if (ret)
		return ret;

	core->clk = clk;
	ork_clk_resume(core);
	pm_runtime_mark_last_busy(core->dev);
	pm_runtime_put_autosuspend(core->dev);
	return 0;
}

static void ork_clk_detach_core(struct ork_core *core)
{
	if (!core->clk)
		return;

	/* One that does not resume is not counted. The reference keeps its callbacks away. */
	if (pm_runtime_get_sync(core->dev) >= 0)
		ork_clk_suspend(core);
	core->clk = NULL;
	pm_runtime_mark_last_busy(core->dev);
	pm_runtime_put_autosuspend(core->dev);
}

static void ork_clk_detach_cores(struct ork_device *ork)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i])
			ork_clk_detach_core(ork->core[i]);
}

static int ork_clk_attach_cores(struct ork_device *ork, struct ork_clk *clk)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ORK_MAX_CORES; i++)
		if (ork->core[i])
			ret = ork_clk_attach_core(clk, ork->core[i]);
	if (ret)
		ork_clk_detach_cores(ork);

	return ret;
}

static struct ork_cluster *ork_clk_first_cluster(struct ork_device *ork)
{
	unsigned int i = 0;

	while (!ork->core[i])
		i++;

	return dev_get_drvdata(ork->core[i]->dev);
}

static struct clk *ork_clk_find(struct ork_cluster *cluster)
{
	unsigned int i = 0;

	while (strcmp(cluster->clks[i].id, cluster->layout->compute_clk))
		i++;

	return cluster->clks[i].clk;
}

static int ork_clk_start(struct ork_device *ork, struct ork_clk *clk)
{
	struct dev_pm_opp *opp;
	int ret;

	ret = ork_clk_add_opps_of_tree(clk);
	if (ret)
		ret = ork_clk_add_safe_opps(clk);
	if (ret)
		return ret;

	clk->target_hz = clk->soc->safe_hz;
	opp = dev_pm_opp_find_freq_floor(clk->dev, &clk->target_hz);
	ret = PTR_ERR_OR_ZERO(opp);
	if (!ret) {
		dev_pm_opp_put(opp);
		ret = ork_clk_attach_cores(ork, clk);
	}
	if (ret)
		ork_clk_remove_opps(clk);

	return ret;
}

/**
 * ork_clk_init - take over the compute clock
 * @ork: device whose cores are bound
 *
 * Without operating points the clock stays as boot has left it, and the NPU works all the same.
 *
 * Return: 0 or -ENOMEM.
 */
int ork_clk_init(struct ork_device *ork)
{
	struct ork_cluster *cluster = ork_clk_first_cluster(ork);
	struct ork_clk *clk;
	int ret;

	clk = drmm_kzalloc(&ork->drm, sizeof(*clk), GFP_KERNEL);
	if (!clk)
		return -ENOMEM;

	ret = drmm_mutex_init(&ork->drm, &clk->lock);
	if (ret)
		return ret;

	clk->soc = ork->soc;
	clk->dev = cluster->dev;
	clk->layout = cluster->layout;
	clk->compute = ork_clk_find(cluster);
	clk->rate_hz = clk->soc->parked_hz;

	ret = ork_clk_start(ork, clk);
	if (ret) {
		dev_warn(clk->dev, "no control of the compute clock: %d\n", ret);
		return 0;
	}

	ork->clk = clk;
	ork_devfreq_init(ork);
	return 0;
}

/**
 * ork_clk_fini - leave the compute clock parked
 * @ork: device; nothing runs on its cores any more
 */
void ork_clk_fini(struct ork_device *ork)
{
	if (!ork->clk)
		return;

	ork_devfreq_fini(ork);
	ork_clk_detach_cores(ork);
	ork_clk_remove_opps(ork->clk);
	ork->clk = NULL;
}
