// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Cores
 *
 * What a core has for itself: registers, resets, interrupt, scheduler. What it shares with the
 * other cores of its device tree node is in ork_cluster.c, what runs on it is in ork_run.c. The
 * latter and this file are the only ones that touch registers.
 */

#include <linux/arch_topology.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/platform_device.h>

#include "ork_cluster.h"
#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_job.h"
#include "ork_regs.h"
#include "ork_run.h"

/*
 * One part runs and one waits on the core, for the interrupt to start it. More would make other
 * clients wait longer and the core no busier.
 */
#define ORK_ARMED_PARTS 2

/* The pages of the window that are the core's. Between them lie others, which stop the SoC. */
static void __iomem *ork_core_map_page(struct ork_core *core, phys_addr_t base, u32 offset)
{
	const struct resource res = DEFINE_RES_MEM_NAMED(base + offset, SZ_4K, dev_name(core->dev));

	return devm_ioremap_resource(core->dev, &res);
}

static int ork_core_map_pages(struct ork_core *core, phys_addr_t base)
{
	core->pc = ork_core_map_page(core, base, ORK_PC_PAGE);
	if (IS_ERR(core->pc))
		return PTR_ERR(core->pc);

	core->cna = ork_core_map_page(core, base, ORK_CNA_PAGE);
	if (IS_ERR(core->cna))
		return PTR_ERR(core->cna);

	core->core = ork_core_map_page(core, base, ORK_CORE_PAGE);
	if (IS_ERR(core->core))
		return PTR_ERR(core->core);

	core->ddma = ork_core_map_page(core, base, ORK_DDMA_PAGE);
	return PTR_ERR_OR_ZERO(core->ddma);
}

/* The IOMMU driver owns these registers, so they are not claimed. */
static int ork_core_map_mmu(struct ork_core *core, const struct ork_soc_core *place)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_MMU_BANKS && place->mmu_bank[i]; i++) {
		core->mmu_bank[i] = devm_ioremap(core->dev, place->base + place->mmu_bank[i],
						 ORK_MMU_BANK_SIZE);
		if (!core->mmu_bank[i])
			return -ENOMEM;
	}

	return 0;
}

static int ork_core_map(struct ork_core *core, const struct ork_soc *soc, phys_addr_t base)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ORK_MAX_CORES; i++) {
		if (soc->core[i].base != base)
			continue;

		core->index = i;
		ret = ork_core_map_pages(core, base);
		return ret ?: ork_core_map_mmu(core, &soc->core[i]);
	}

	return dev_err_probe(core->dev, -EINVAL, "no core of this SoC is at %pa\n", &base);
}

static int ork_core_get_resets(struct ork_core *core, const char * const *names)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ORK_NUM_RESETS; i++)
		core->resets[i].id = names[i];
	ret = devm_reset_control_bulk_get_exclusive(core->dev, ORK_NUM_RESETS, core->resets);
	if (ret)
		return dev_err_probe(core->dev, ret, "no resets\n");

	return 0;
}

/**
 * ork_core_create - make a core of a device
 * @cluster: device
 * @nth: position of the core's register window, interrupt and resets
 *
 * Return: the core, which goes with the device's driver, or an error.
 */
struct ork_core *ork_core_create(struct ork_cluster *cluster, unsigned int nth)
{
	const struct ork_layout *layout = cluster->layout;
	struct platform_device *pdev = to_platform_device(cluster->dev);
	struct ork_core *core;
	struct resource *res;
	int ret;

	core = devm_kzalloc(cluster->dev, sizeof(*core), GFP_KERNEL);
	if (!core)
		return ERR_PTR(-ENOMEM);

	core->dev = cluster->dev;
	core->mmu = &cluster->mmu;
	core->fence_context = dma_fence_context_alloc(1);
	spin_lock_init(&core->fence_lock);
	mutex_init(&core->lock);
	mutex_init(&core->power_lock);
	INIT_LIST_HEAD(&core->mmu_node);
	init_waitqueue_head(&core->idle);
	ork_run_init(core);

	res = platform_get_resource(pdev, IORESOURCE_MEM, nth);
	if (!res)
		return ERR_PTR(dev_err_probe(core->dev, -EINVAL, "no registers\n"));

	ret = ork_core_map(core, layout->soc, res->start);
	if (ret)
		return ERR_PTR(ret);

	ret = ork_core_get_resets(core, layout->resets[nth]);
	if (ret)
		return ERR_PTR(ret);

	core->irq = platform_get_irq(pdev, nth);
	return core->irq < 0 ? ERR_PTR(core->irq) : core;
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

/**
 * ork_core_start - see that a core is there and listen to it
 * @core: core; its device is resumed
 *
 * Return: 0 or an error of the interrupt.
 */
int ork_core_start(struct ork_core *core)
{
	int ret;

	core->version = readl(core->pc + ORK_PC_VERSION) +
			(readl(core->pc + ORK_PC_VERSION_NUM) & ORK_PC_VERSION_NUM_MASK);

	ret = devm_request_threaded_irq(core->dev, core->irq, ork_run_irq, ork_run_irq_thread,
					IRQF_SHARED, dev_name(core->dev), core);
	if (ret)
		return dev_err_probe(core->dev, ret, "no interrupt\n");

	/* The hint must not stay: the MMU's driver may free its half of the line before us. */
	irq_set_affinity_and_hint(core->irq, ork_core_fast_cpu(core));
	irq_update_affinity_hint(core->irq, NULL);
	return 0;
}

/**
 * ork_core_quiesce - before the power goes
 * @core: core that has no part; its device is still resumed
 */
void ork_core_quiesce(struct ork_core *core)
{
	ork_run_mask_irq(core);
	synchronize_irq(core->irq);
}

/**
 * ork_core_bind - make a core part of the DRM device
 * @core: core
 * @ork: DRM device
 *
 * Return: 0 or an error of the scheduler.
 */
int ork_core_bind(struct ork_core *core, struct ork_device *ork)
{
	int ret;

	ret = ork_sched_init(&core->sched, &ork_sched_ops, ORK_ARMED_PARTS, dev_name(core->dev),
			     core->dev);
	if (ret)
		return ret;

	core->ork = ork;
	ork->core[core->index] = core;
	return 0;
}

/**
 * ork_core_unbind - undo ork_core_bind()
 * @core: core on which nothing is queued
 */
void ork_core_unbind(struct ork_core *core)
{
	drm_sched_fini(&core->sched);
	core->ork->core[core->index] = NULL;
	core->ork = NULL;
}
