// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Device tree nodes
 *
 * With the mainline device tree each core has a node of its own, with the vendor's all cores share
 * one. The cores of a node are a cluster: they share clocks, power and the IOMMU group. What each
 * core has for itself is in ork_core.c.
 *
 * Power: all cores of a cluster are powered while one of them has a part.
 */

#include <linux/component.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_device.h>
#include <linux/pm_runtime.h>

#include "ork_clk.h"
#include "ork_cluster.h"
#include "ork_compat.h"
#include "ork_regs.h"
#include "ork_run.h"
#include "ork_sysfs.h"

#define ORK_AUTOSUSPEND_MS 100

static const struct ork_soc ork_soc_rk3588 = {
	.core = {
		{ .base = 0xfdab0000, .mmu_bank = { 0x9000, 0xa000 } },
		{ .base = 0xfdac0000, .mmu_bank = { 0xa000 } },
		{ .base = 0xfdad0000, .mmu_bank = { 0xa000 } },
	},
	.cbuf_banks = 12,
	.cbuf_bank_bytes = SZ_32K,
	.words_per_amount = 2,
	.parked_hz = 200000000,
	.safe_hz = 600000000,
};

static const struct ork_layout ork_layout_mainline = {
	.soc = &ork_soc_rk3588,
	.clks = { "aclk", "hclk", "npu", "pclk" },
	.compute_clk = "npu",
	.supplies = { "npu", "sram" },
	.resets = { { "srst_a", "srst_h" } },
};

static const struct ork_layout ork_layout_vendor = {
	.soc = &ork_soc_rk3588,
	.clks = { "clk_npu", "aclk0", "aclk1", "aclk2", "hclk0", "hclk1", "hclk2", "pclk" },
	.compute_clk = "clk_npu",
	.supplies = { "rknpu", "mem" },
	.domains = { "npu0", "npu1", "npu2" },
	.resets = {
		{ "srst_a0", "srst_h0" },
		{ "srst_a1", "srst_h1" },
		{ "srst_a2", "srst_h2" },
	},
};

static int ork_cluster_runtime_resume(struct device *dev)
{
	struct ork_cluster *cluster = dev_get_drvdata(dev);
	unsigned int i;
	int ret;

	ret = clk_bulk_prepare_enable(cluster->clk_count, cluster->clks);
	if (ret)
		return ret;

	for (i = 0; i < cluster->core_count; i++)
		ork_clk_resume(cluster->core[i]);
	return 0;
}

static int ork_cluster_park_clk(struct ork_cluster *cluster)
{
	unsigned int i;
	int ret;

	for (i = 0; i < cluster->core_count; i++) {
		ret = ork_clk_suspend(cluster->core[i]);
		if (ret) {
			while (i--)
				ork_clk_resume(cluster->core[i]);
			return ret;
		}
	}

	return 0;
}

/* Nothing runs: a part with a core holds a reference, or the cores are frozen. */
static int ork_cluster_runtime_suspend(struct device *dev)
{
	struct ork_cluster *cluster = dev_get_drvdata(dev);
	unsigned int i;
	int ret;

	ret = ork_cluster_park_clk(cluster);
	if (ret)
		return ret;

	for (i = 0; i < cluster->core_count; i++)
		ork_core_quiesce(cluster->core[i]);
	ork_mmu_detach(&cluster->mmu);
	clk_bulk_disable_unprepare(cluster->clk_count, cluster->clks);
	return 0;
}

static void ork_cluster_thaw(struct ork_cluster *cluster, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		ork_run_thaw(cluster->core[i]);
}

/* What runs comes to its end before the sleep, what is queued starts after it. */
static int ork_cluster_suspend(struct device *dev)
{
	struct ork_cluster *cluster = dev_get_drvdata(dev);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < cluster->core_count; i++) {
		ret = ork_run_freeze(cluster->core[i]);
		if (ret)
			break;
	}

	if (!ret)
		ret = pm_runtime_force_suspend(dev);
	if (ret)
		ork_cluster_thaw(cluster, i);

	return ret;
}

static int ork_cluster_resume(struct device *dev)
{
	struct ork_cluster *cluster = dev_get_drvdata(dev);
	int ret = pm_runtime_force_resume(dev);

	ork_cluster_thaw(cluster, cluster->core_count);
	return ret;
}

static const struct dev_pm_ops ork_cluster_pm_ops = {
	RUNTIME_PM_OPS(ork_cluster_runtime_suspend, ork_cluster_runtime_resume, NULL)
	SYSTEM_SLEEP_PM_OPS(ork_cluster_suspend, ork_cluster_resume)
};

static void ork_cluster_unbind(struct device *dev, struct device *master, void *data)
{
	struct ork_cluster *cluster = dev_get_drvdata(dev);
	unsigned int i;

	/* A cluster that has not been suspended since its last job still has a VM. */
	if (!pm_runtime_resume_and_get(dev)) {
		ork_mmu_detach(&cluster->mmu);
		pm_runtime_put_autosuspend(dev);
	}

	for (i = 0; i < cluster->core_count; i++)
		if (cluster->core[i]->ork)
			ork_core_unbind(cluster->core[i]);
}

static int ork_cluster_bind(struct device *dev, struct device *master, void *data)
{
	struct ork_cluster *cluster = dev_get_drvdata(dev);
	struct ork_device *ork = data;
	unsigned int i;
	int ret;

	for (i = 0; i < cluster->core_count; i++) {
		ret = ork_core_bind(cluster->core[i], ork);
		if (ret) {
			ork_cluster_unbind(dev, master, data);
			return ret;
		}
	}

	ork->soc = cluster->layout->soc;
	return 0;
}

static const struct component_ops ork_cluster_component_ops = {
	.bind = ork_cluster_bind,
	.unbind = ork_cluster_unbind,
};

/*
 * A supply whose chip does not answer cannot be turned off. It is kept then, with the device that
 * it is for: the kernel warns about one that is given back while it is on.
 */
static void ork_cluster_put_supplies(void *data)
{
	struct ork_cluster *cluster = data;
	unsigned int i;

	for (i = 0; i < ORK_NUM_SUPPLIES; i++) {
		if (regulator_disable(cluster->supplies[i].consumer))
			get_device(cluster->dev);
		else
			regulator_put(cluster->supplies[i].consumer);
	}
}

static int ork_cluster_get_supplies(struct ork_cluster *cluster)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ORK_NUM_SUPPLIES; i++)
		cluster->supplies[i].supply = cluster->layout->supplies[i];
	ret = regulator_bulk_get(cluster->dev, ORK_NUM_SUPPLIES, cluster->supplies);
	if (ret)
		return ret;

	ret = regulator_bulk_enable(ORK_NUM_SUPPLIES, cluster->supplies);
	if (ret) {
		regulator_bulk_free(ORK_NUM_SUPPLIES, cluster->supplies);
		return ret;
	}

	return devm_add_action_or_reset(cluster->dev, ork_cluster_put_supplies, cluster);
}

static int ork_cluster_get_resources(struct ork_cluster *cluster)
{
	const struct ork_layout *layout = cluster->layout;
	struct device *dev = cluster->dev;
	unsigned int i;
	int ret;

	for (i = 0; i < ORK_MAX_CLKS && layout->clks[i]; i++)
		cluster->clks[i].id = layout->clks[i];
	cluster->clk_count = i;
	ret = devm_clk_bulk_get(dev, cluster->clk_count, cluster->clks);
	if (ret)
		return dev_err_probe(dev, ret, "no clocks\n");

	ret = ork_cluster_get_supplies(cluster);
	if (ret)
		return dev_err_probe(dev, ret, "no supplies\n");

	return 0;
}

static int ork_cluster_create_cores(struct ork_cluster *cluster)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES && cluster->layout->resets[i][0]; i++) {
		struct ork_core *core = ork_core_create(cluster, i);

		if (IS_ERR(core))
			return PTR_ERR(core);
		cluster->core[i] = core;
	}

	cluster->core_count = i;
	return 0;
}

static int ork_cluster_start_cores(struct ork_cluster *cluster)
{
	struct device *dev = cluster->dev;
	unsigned int i;
	int ret;

	ret = pm_runtime_resume_and_get(dev);
	if (ret)
		return dev_err_probe(dev, ret, "no power\n");

	for (i = 0; !ret && i < cluster->core_count; i++)
		ret = ork_core_start(cluster->core[i]) ?: ork_sysfs_add_core(cluster->core[i]);

	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
	return ret;
}

/*
 * Before the driver's probe or remove function returns: then older kernels take the power domain
 * from the device, and a suspend that is still to come (as with devm_pm_runtime_enable()) would
 * fall over that.
 */
static void ork_cluster_stop(struct ork_cluster *cluster)
{
	pm_runtime_dont_use_autosuspend(cluster->dev);
	/* Whatever was under way: what stays on now is never turned off. */
	pm_runtime_force_suspend(cluster->dev);
	/* It would follow from a work item, but its registers need the supply, which goes now. */
	if (cluster->mmu.iommu)
		pm_runtime_suspend(cluster->mmu.iommu);
}

static int ork_cluster_start(struct ork_cluster *cluster)
{
	struct device *dev = cluster->dev;
	int ret;

	pm_runtime_set_autosuspend_delay(dev, ORK_AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_enable(dev);

	ret = ork_cluster_start_cores(cluster);
	if (!ret)
		ret = component_add(dev, &ork_cluster_component_ops);
	if (ret)
		ork_cluster_stop(cluster);
	return ret;
}

static int ork_cluster_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct ork_cluster *cluster;
	int ret;

	cluster = devm_kzalloc(dev, sizeof(*cluster), GFP_KERNEL);
	if (!cluster)
		return -ENOMEM;

	cluster->dev = dev;
	cluster->layout = of_device_get_match_data(dev);
	platform_set_drvdata(pdev, cluster);

	ret = ork_cluster_get_resources(cluster);
	if (ret)
		return ret;

	ret = ork_mmu_init(&cluster->mmu, dev);
	if (ret)
		return ret;

	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(40));
	if (ret)
		return ret;

	ret = ork_cluster_create_cores(cluster);
	if (ret)
		return ret;

	return ork_cluster_start(cluster);
}

static ork_remove_t ork_cluster_remove(struct platform_device *pdev)
{
	component_del(&pdev->dev, &ork_cluster_component_ops);
	ork_cluster_stop(platform_get_drvdata(pdev));
	return ORK_REMOVED;
}

static const struct of_device_id ork_cluster_of_match[] = {
	{ .compatible = "rockchip,rk3588-rknn-core", .data = &ork_layout_mainline },
	{ .compatible = "rockchip,rk3588-rknpu", .data = &ork_layout_vendor },
	{ }
};
MODULE_DEVICE_TABLE(of, ork_cluster_of_match);

struct platform_driver ork_cluster_driver = {
	.probe = ork_cluster_probe,
	.remove = ork_cluster_remove,
	.driver = {
		.name = "rknpu-ork-core",
		.of_match_table = ork_cluster_of_match,
		.pm = pm_ptr(&ork_cluster_pm_ops),
	},
};
