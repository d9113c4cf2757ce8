// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Frequency scaling
 *
 * One devfreq device for the compute clock. It has the name of the first core, fdab0000.npu, under
 * which tools look for it since the vendor's driver. Its load is that of the busiest core, because
 * a job on one core does not run faster for the others being idle.
 *
 * max_freq starts at the rate that needs no care for the voltage's margins; whoever knows his chip
 * raises it.
 *
 * Without a governor there is no device, and the clock runs at that rate while a core is awake.
 */

#include <linux/devfreq.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pm_opp.h>
#include <linux/units.h>

#include <drm/drm_managed.h>

#include "ork_clk.h"
#include "ork_cluster.h"
#include "ork_core.h"
#include "ork_devfreq.h"
#include "ork_drv.h"
#include "ork_run.h"

#define ORK_DEVFREQ_POLLING_MS 50

/*
 * Somebody waits for each job, so the rate must not fall until a core is busy nearly all of the
 * time. The values are those of the kernel's drivers for GPUs.
 */
#define ORK_DEVFREQ_UP_PERCENT 45
#define ORK_DEVFREQ_DOWN_PERCENT 5

/**
 * struct ork_devfreq - the devfreq device and what it needs to know the load
 */
struct ork_devfreq {
	/** @devfreq: the device */
	struct devfreq *devfreq;

	/** @profile: what it calls */
	struct devfreq_dev_profile profile;

	/** @ondemand: thresholds of the governor */
	struct devfreq_simple_ondemand_data ondemand;

	/** @looked_at: when the load was computed. Under devfreq's lock, as is the next */
	ktime_t looked_at;

	/** @busy_ns: busy time of each core until then */
	u64 busy_ns[ORK_MAX_CORES];
};

static struct ork_device *ork_devfreq_device(struct device *dev)
{
	struct ork_cluster *cluster = dev_get_drvdata(dev);

	return cluster->core[0]->ork;
}

static int ork_devfreq_target(struct device *dev, unsigned long *freq, u32 flags)
{
	struct dev_pm_opp *opp = devfreq_recommended_opp(dev, freq, flags);

	if (IS_ERR(opp))
		return PTR_ERR(opp);
	dev_pm_opp_put(opp);

	return ork_clk_set_target(ork_devfreq_device(dev)->clk, *freq);
}

static int ork_devfreq_cur_freq(struct device *dev, unsigned long *freq)
{
	*freq = ork_clk_rate(ork_devfreq_device(dev)->clk);
	return 0;
}

static int ork_devfreq_status(struct device *dev, struct devfreq_dev_status *status)
{
	struct ork_device *ork = ork_devfreq_device(dev);
	struct ork_devfreq *load = ork->devfreq;
	ktime_t now = ktime_get();
	unsigned int i;

	status->total_time = ktime_to_ns(ktime_sub(now, load->looked_at));
	status->busy_time = 0;
	status->current_frequency = ork->clk->target_hz;
	load->looked_at = now;

	for (i = 0; i < ORK_MAX_CORES; i++) {
		u64 busy_ns = ork->core[i] ? ork_run_busy_ns(ork->core[i]) : 0;

		status->busy_time = max_t(u64, status->busy_time, busy_ns - load->busy_ns[i]);
		load->busy_ns[i] = busy_ns;
	}

	return 0;
}

static const struct devfreq_dev_profile ork_devfreq_profile = {
	.polling_ms = ORK_DEVFREQ_POLLING_MS,
	.target = ork_devfreq_target,
	.get_cur_freq = ork_devfreq_cur_freq,
	.get_dev_status = ork_devfreq_status,
};

/**
 * ork_devfreq_init - let a governor choose the rate
 * @ork: device that has its compute clock
 *
 * That there is none is no error; devfreq has said so then.
 */
void ork_devfreq_init(struct ork_device *ork)
{
	struct ork_clk *clk = ork->clk;
	struct ork_devfreq *load;

	load = drmm_kzalloc(&ork->drm, sizeof(*load), GFP_KERNEL);
	if (!load)
		return;

	load->looked_at = ktime_get();
	load->ondemand.upthreshold = ORK_DEVFREQ_UP_PERCENT;
	load->ondemand.downdifferential = ORK_DEVFREQ_DOWN_PERCENT;
	load->profile = ork_devfreq_profile;
	load->profile.initial_freq = clk->target_hz;
	ork->devfreq = load;

	load->devfreq = devfreq_add_device(clk->dev, &load->profile, DEVFREQ_GOV_SIMPLE_ONDEMAND,
					   &load->ondemand);
	if (IS_ERR(load->devfreq)) {
		ork->devfreq = NULL;
		return;
	}

	dev_pm_qos_update_request(&load->devfreq->user_max_freq_req,
				  load->profile.initial_freq / HZ_PER_KHZ);
}

/**
 * ork_devfreq_fini - no governor any more
 * @ork: device
 */
void ork_devfreq_fini(struct ork_device *ork)
{
	if (ork->devfreq)
		devfreq_remove_device(ork->devfreq->devfreq);
	ork->devfreq = NULL;
}

MODULE_SOFTDEP("pre: governor_simpleondemand");
