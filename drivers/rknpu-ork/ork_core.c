// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Cores
 *
 * A core as a device: resources, power, the address space it is attached to. What runs on it is in
 * ork_run.c; the two are the only files that touch registers.
 *
 * Address space: a VM stays attached until another one is needed, the core is reset, suspended or
 * unbound. To the IOMMU core the group always belongs to an empty domain of ours, the anchor, so
 * that a switch between VMs is one attach.
 */

#include <linux/arch_topology.h>
#include <linux/component.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_device.h>
#include <linux/pm_runtime.h>
#include <linux/regulator/consumer.h>

#include "ork_clk.h"
#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_job.h"
#include "ork_regs.h"
#include "ork_run.h"
#include "ork_sysfs.h"
#include "ork_trace.h"
#include "ork_vm.h"

#define ORK_AUTOSUSPEND_MS 100

/*
 * One part runs and one waits on the core, for the interrupt to start it. More would make other
 * clients wait longer and the core no busier.
 */
#define ORK_ARMED_PARTS 2

static const char * const ork_clk_names[ORK_NUM_CLKS] = { "aclk", "hclk", "npu", "pclk" };
static const char * const ork_reset_names[ORK_NUM_RESETS] = { "srst_a", "srst_h" };
static const char * const ork_supply_names[] = { "npu", "sram" };

static const struct ork_soc ork_soc_rk3588 = {
	.core_base = { 0xfdab0000, 0xfdac0000, 0xfdad0000 },
	.cbuf_banks = 12,
	.cbuf_bank_bytes = SZ_32K,
	.max_chain = ORK_TASK_CON_NUMBER,
	.words_per_amount = 2,
	.parked_hz = 200000000,
	.safe_hz = 600000000,
};

/* Takes a reference to the new VM, if any, and drops that to the old one. */
static int ork_core_switch(struct ork_core *core, struct ork_vm *vm)
{
	struct ork_vm *old = core->vm;
	int ret;

	trace_ork_vm_switch(core, vm ? vm->id : 0);
	ret = ork_iommu_switch(core->dev, old ? old->domain : core->anchor,
			       vm ? vm->domain : core->anchor);
	core->vm = NULL;
	if (!ret && vm) {
		ork_vm_get(vm);
		core->vm = vm;
	}
	if (old)
		ork_vm_put(old);

	return ret;
}

int ork_core_attach(struct ork_core *core, struct ork_vm *vm)
{
	lockdep_assert_held(&core->lock);

	return core->vm == vm ? 0 : ork_core_switch(core, vm);
}

void ork_core_detach(struct ork_core *core)
{
	if (core->vm)
		ork_core_switch(core, NULL);
}

bool ork_core_has_mmu(struct ork_core *core, struct device *mmu)
{
	return core->mmu == mmu->of_node;
}

static int ork_core_runtime_resume(struct device *dev)
{
	struct ork_core *core = dev_get_drvdata(dev);
	int ret;

	ret = clk_bulk_prepare_enable(ORK_NUM_CLKS, core->clks);
	if (!ret)
		ork_clk_resume(core);

	return ret;
}

/* Nothing runs: a part in flight holds a reference. So this is the only user of core->vm, too. */
static int ork_core_runtime_suspend(struct device *dev)
{
	struct ork_core *core = dev_get_drvdata(dev);
	int ret;

	ret = ork_clk_suspend(core);
	if (ret)
		return ret;

	ork_run_mask_irq(core);
	synchronize_irq(core->irq);
	ork_core_detach(core);
	clk_bulk_disable_unprepare(ORK_NUM_CLKS, core->clks);
	return 0;
}

/* What runs comes to its end before the sleep, what is queued starts after it. */
static int ork_core_suspend(struct device *dev)
{
	struct ork_core *core = dev_get_drvdata(dev);
	int ret;

	ret = ork_run_freeze(core);
	if (ret)
		return ret;

	ret = pm_runtime_force_suspend(dev);
	if (ret)
		ork_run_thaw(core);

	return ret;
}

static int ork_core_resume(struct device *dev)
{
	int ret = pm_runtime_force_resume(dev);

	ork_run_thaw(dev_get_drvdata(dev));
	return ret;
}

static const struct dev_pm_ops ork_core_pm_ops = {
	RUNTIME_PM_OPS(ork_core_runtime_suspend, ork_core_runtime_resume, NULL)
	SYSTEM_SLEEP_PM_OPS(ork_core_suspend, ork_core_resume)
};

static int ork_core_bind(struct device *dev, struct device *master, void *data)
{
	struct ork_core *core = dev_get_drvdata(dev);
	struct ork_device *ork = data;
	int ret;

	ret = ork_sched_init(&core->sched, &ork_sched_ops, ORK_ARMED_PARTS, dev_name(dev), dev);
	if (ret)
		return ret;

	core->ork = ork;
	ork->core[core->index] = core;
	ork->soc = of_device_get_match_data(dev);
	return 0;
}

static void ork_core_unbind(struct device *dev, struct device *master, void *data)
{
	struct ork_core *core = dev_get_drvdata(dev);
	struct ork_device *ork = data;

	/* A core that has not been suspended since its last job still has a VM. */
	if (!pm_runtime_resume_and_get(dev)) {
		mutex_lock(&core->lock);
		ork_core_detach(core);
		mutex_unlock(&core->lock);
		pm_runtime_put_autosuspend(dev);
	}

	drm_sched_fini(&core->sched);
	ork->core[core->index] = NULL;
	core->ork = NULL;
}

static const struct component_ops ork_core_component_ops = {
	.bind = ork_core_bind,
	.unbind = ork_core_unbind,
};

static int ork_core_find_index(struct ork_core *core, phys_addr_t base)
{
	const struct ork_soc *soc = of_device_get_match_data(core->dev);
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++) {
		if (soc->core_base[i] == base) {
			core->index = i;
			return 0;
		}
	}

	return dev_err_probe(core->dev, -EINVAL, "no core of this SoC is at %pa\n", &base);
}

static int ork_core_map(struct ork_core *core)
{
	struct platform_device *pdev = to_platform_device(core->dev);
	struct resource *res;

	res = platform_get_resource_byname(pdev, IORESOURCE_MEM, "pc");
	core->pc = devm_ioremap_resource(core->dev, res);
	if (IS_ERR(core->pc))
		return PTR_ERR(core->pc);

	core->cna = devm_platform_ioremap_resource_byname(pdev, "cna");
	if (IS_ERR(core->cna))
		return PTR_ERR(core->cna);

	core->core = devm_platform_ioremap_resource_byname(pdev, "core");
	if (IS_ERR(core->core))
		return PTR_ERR(core->core);

	core->ddma = devm_ioremap(core->dev, res->start + ORK_DDMA_PAGE_OFFSET,
				  ORK_DDMA_PAGE_SIZE);
	if (!core->ddma)
		return -ENOMEM;

	return ork_core_find_index(core, res->start);
}

static int ork_core_get_resources(struct ork_core *core)
{
	struct device *dev = core->dev;
	unsigned int i;
	int ret;

	for (i = 0; i < ORK_NUM_CLKS; i++)
		core->clks[i].id = ork_clk_names[i];
	ret = devm_clk_bulk_get(dev, ORK_NUM_CLKS, core->clks);
	if (ret)
		return dev_err_probe(dev, ret, "no clocks\n");

	for (i = 0; i < ORK_NUM_RESETS; i++)
		core->resets[i].id = ork_reset_names[i];
	ret = devm_reset_control_bulk_get_exclusive(dev, ORK_NUM_RESETS, core->resets);
	if (ret)
		return dev_err_probe(dev, ret, "no resets\n");

	ret = devm_regulator_bulk_get_enable(dev, ARRAY_SIZE(ork_supply_names), ork_supply_names);
	if (ret)
		return dev_err_probe(dev, ret, "no supplies\n");

	return 0;
}

static void ork_core_put_iommu(void *data)
{
	struct ork_core *core = data;

	of_node_put(core->mmu);
	iommu_group_put(core->group);
}

static void ork_core_free_anchor(void *data)
{
	struct ork_core *core = data;

	iommu_detach_group(core->anchor, core->group);
	iommu_domain_free(core->anchor);
}

static int ork_core_attach_anchor(struct ork_core *core)
{
	int ret;

	core->anchor = ork_iommu_paging_domain_alloc(core->dev);
	if (IS_ERR(core->anchor))
		return dev_err_probe(core->dev, PTR_ERR(core->anchor), "no IOMMU domain\n");

	ret = iommu_attach_group(core->anchor, core->group);
	if (ret) {
		iommu_domain_free(core->anchor);
		return dev_err_probe(core->dev, ret, "no use of the IOMMU\n");
	}

	return devm_add_action_or_reset(core->dev, ork_core_free_anchor, core);
}

static int ork_core_get_iommu(struct ork_core *core)
{
	int ret;

	core->group = iommu_group_get(core->dev);
	if (!core->group)
		return dev_err_probe(core->dev, -ENODEV, "not behind an IOMMU\n");

	core->mmu = of_parse_phandle(core->dev->of_node, "iommus", 0);
	ret = devm_add_action_or_reset(core->dev, ork_core_put_iommu, core);
	return ret ?: ork_core_attach_anchor(core);
}

static int ork_core_power_on(struct ork_core *core)
{
	struct device *dev = core->dev;
	int ret;

	pm_runtime_set_autosuspend_delay(dev, ORK_AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	ret = devm_pm_runtime_enable(dev);
	if (ret)
		return ret;

	ret = pm_runtime_resume_and_get(dev);
	if (ret)
		return dev_err_probe(dev, ret, "no power\n");

	core->version = readl(core->pc + ORK_PC_VERSION) +
			(readl(core->pc + ORK_PC_VERSION_NUM) & ORK_PC_VERSION_NUM_MASK);

	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
	return 0;
}

/*
 * The interrupt starts the next part, so it goes to one of the fastest CPUs; each core's to
 * another one.
 */
static const struct cpumask *ork_core_fast_cpu(struct ork_core *core)
{
	unsigned long fastest = 0;
	unsigned int cpu, nth, count = 0;

	for_each_online_cpu(cpu)
		fastest = max(fastest, topology_get_cpu_scale(cpu));
	for_each_online_cpu(cpu)
		count += topology_get_cpu_scale(cpu) == fastest;

	nth = core->index % count;
	for_each_online_cpu(cpu)
		if (topology_get_cpu_scale(cpu) == fastest && !nth--)
			break;

	return cpumask_of(cpu);
}

static int ork_core_request_irq(struct ork_core *core)
{
	int ret;

	ret = devm_request_threaded_irq(core->dev, core->irq, ork_run_irq, ork_run_irq_thread,
					IRQF_SHARED, dev_name(core->dev), core);
	if (ret)
		return dev_err_probe(core->dev, ret, "no interrupt\n");

	/* The hint must not stay: the MMU's driver may free its half of the line before us. */
	irq_set_affinity_and_hint(core->irq, ork_core_fast_cpu(core));
	irq_update_affinity_hint(core->irq, NULL);
	return 0;
}

static int ork_core_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct ork_core *core;
	int ret;

	core = devm_kzalloc(dev, sizeof(*core), GFP_KERNEL);
	if (!core)
		return -ENOMEM;

	core->dev = dev;
	core->fence_context = dma_fence_context_alloc(1);
	spin_lock_init(&core->fence_lock);
	mutex_init(&core->lock);
	mutex_init(&core->power_lock);
	init_waitqueue_head(&core->idle);
	ork_run_init(core);
	platform_set_drvdata(pdev, core);

	ret = ork_core_map(core);
	if (ret)
		return ret;

	ret = ork_core_get_resources(core);
	if (ret)
		return ret;

	ret = ork_core_get_iommu(core);
	if (ret)
		return ret;

	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(40));
	if (ret)
		return ret;

	core->irq = platform_get_irq(pdev, 0);
	if (core->irq < 0)
		return core->irq;

	ret = ork_core_power_on(core);
	if (ret)
		return ret;

	ret = ork_core_request_irq(core);
	if (ret)
		return ret;

	return component_add(dev, &ork_core_component_ops);
}

static ork_remove_t ork_core_remove(struct platform_device *pdev)
{
	component_del(&pdev->dev, &ork_core_component_ops);
	return ORK_REMOVED;
}

static const struct of_device_id ork_core_of_match[] = {
	{ .compatible = "rockchip,rk3588-rknn-core", .data = &ork_soc_rk3588 },
	{ }
};
MODULE_DEVICE_TABLE(of, ork_core_of_match);

struct platform_driver ork_core_driver = {
	.probe = ork_core_probe,
	.remove = ork_core_remove,
	.driver = {
		.name = "rknpu-ork-core",
		.of_match_table = ork_core_of_match,
		.pm = pm_ptr(&ork_core_pm_ops),
		.dev_groups = ork_core_groups,
	},
};
