// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Cores
 *
 * The only file that touches registers. A core runs one part (a chain of tasks) at a time. The
 * scheduler's thread starts it (ork_core_start), the interrupt ends it, and a watchdog ends it
 * when it makes no progress (ork_reset.c).
 *
 * Who may touch what: registers are accessible while the core is resumed. A part in flight
 * holds a runtime PM reference, so whoever sees core->part under core->part_lock may read
 * registers. The interrupt line is shared with the MMU: without a part in flight the handler
 * does not look at the hardware at all, which also keeps it away from a suspended core.
 *
 * Locks: core->lock (sleeps) before core->part_lock (interrupts off). The interrupt thread
 * takes only the second, so recovery may hold the first while it waits for the interrupt.
 * Starting, the interrupt thread and recovery are on the way to a fence's signal: the driver
 * allocates nothing there.
 *
 * Address space: a VM stays attached until another one is needed, the core is reset or it is
 * suspended.
 */

#include <linux/bitfield.h>
#include <linux/component.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_device.h>
#include <linux/pm_runtime.h>
#include <linux/regulator/consumer.h>

#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_job.h"
#include "ork_regs.h"
#include "ork_reset.h"
#include "ork_vm.h"

#define ORK_AUTOSUSPEND_MS 100

/* Results of a finished chain drain within microseconds; a core that takes this long is stuck. */
#define ORK_IDLE_TIMEOUT_US 500000

/* The watchdog looks this often within a timeout. */
#define ORK_WATCHDOG_STEPS 4

static const char * const ork_clk_names[ORK_NUM_CLKS] = { "aclk", "hclk", "npu", "pclk" };
static const char * const ork_reset_names[ORK_NUM_RESETS] = { "srst_a", "srst_h" };
static const char * const ork_supply_names[] = { "npu", "sram" };

static const struct ork_soc ork_soc_rk3588 = {
	.core_base = { 0xfdab0000, 0xfdac0000, 0xfdad0000 },
	.cbuf_banks = 12,
	.cbuf_bank_bytes = SZ_32K,
	.max_tasks = ORK_TASK_CON_NUMBER,
	.words_per_amount = 2,
};

int ork_core_attach(struct ork_core *core, struct ork_vm *vm)
{
	int ret;

	lockdep_assert_held(&core->lock);

	if (core->vm == vm)
		return 0;

	ork_core_detach(core);

	ret = iommu_attach_group(vm->domain, core->group);
	if (ret)
		return ret;

	ork_vm_get(vm);
	core->vm = vm;
	return 0;
}

void ork_core_detach(struct ork_core *core)
{
	struct ork_vm *vm = core->vm;

	if (!vm)
		return;

	iommu_detach_group(vm->domain, core->group);
	core->vm = NULL;
	ork_vm_put(vm);
}

void ork_core_mask_irq(struct ork_core *core)
{
	writel(0, core->pc + ORK_PC_INTERRUPT_MASK);
}

u32 ork_core_tasks_done(struct ork_core *core)
{
	return FIELD_GET(ORK_TASK_STATUS_COUNT, readl(core->pc + ORK_PC_TASK_STATUS));
}

void ork_core_read_state(struct ork_core *core, struct ork_core_state *state)
{
	state->raw_status = readl(core->pc + ORK_PC_INTERRUPT_RAW_STATUS);
	state->task_status = readl(core->pc + ORK_PC_TASK_STATUS);
	state->dma_error = readl(core->ddma + ORK_DDMA_CFG_ID_ERROR);
}

/* The sequence is that of Documentation/hardware.rst, "Starting a core". */
static void ork_core_kick(struct ork_core *core, const struct ork_part *part)
{
	u32 pointer = ORK_S_POINTER_POINTER_PP_EN | ORK_S_POINTER_EXECUTER_PP_EN |
		      ORK_S_POINTER_PP_MODE | FIELD_PREP(ORK_S_POINTER_CORE, core->index);
	u32 task_con = ORK_TASK_CON_RESERVED | ORK_TASK_CON_COUNT_CLEAR | ORK_TASK_CON_PP_EN |
		       FIELD_PREP(ORK_TASK_CON_NUMBER, part->task_count);

	writel(ORK_PC_SEL_SLAVE, core->pc + ORK_PC_BASE_ADDRESS);
	writel(pointer, core->cna + ORK_S_POINTER);
	writel(pointer, core->core + ORK_S_POINTER);
	writel(part->command_va, core->pc + ORK_PC_BASE_ADDRESS);
	writel(part->command_amount, core->pc + ORK_PC_REGISTER_AMOUNTS);
	writel(ORK_INT_ALL, core->pc + ORK_PC_INTERRUPT_CLEAR);
	writel(ORK_INT_DPU | ORK_INT_DMA_ERROR, core->pc + ORK_PC_INTERRUPT_MASK);
	writel(task_con, core->pc + ORK_PC_TASK_CON);
	writel(0, core->pc + ORK_PC_TASK_DMA_BASE_ADDR);
	writel(ORK_PC_OP_EN, core->pc + ORK_PC_OPERATION_ENABLE);
}

static void ork_core_watch(struct ork_core *core)
{
	unsigned long step = core->part->timeout / ORK_WATCHDOG_STEPS;

	mod_delayed_work(core->ork->wq, &core->watchdog, max(step, 1UL));
}

/**
 * ork_core_start - run a part
 * @core: core; nothing runs on it
 * @part: chain of tasks
 *
 * Called by the core's scheduler. The part's fence signals later, after success as well as
 * after a hang.
 *
 * Return: 0, -ENODEV if the core is out of service, or an error of power management or the
 * IOMMU driver.
 */
int ork_core_start(struct ork_core *core, struct ork_part *part)
{
	int ret;

	/*
	 * Before the lock: suspending waits for nobody, but resuming waits for a suspend in
	 * progress.
	 */
	ret = pm_runtime_resume_and_get(core->dev);
	if (ret)
		return ret;

	mutex_lock(&core->lock);

	ret = core->lost ? -ENODEV : ork_core_attach(core, ork_part_vm(part));
	if (ret)
		goto err_put;

	spin_lock_irq(&core->part_lock);
	core->part = part;
	core->fault = 0;
	core->progress = 0;
	part->deadline = jiffies + part->timeout;
	ork_core_kick(core, part);
	ork_core_watch(core);
	spin_unlock_irq(&core->part_lock);

	mutex_unlock(&core->lock);
	return 0;

err_put:
	mutex_unlock(&core->lock);
	pm_runtime_put_autosuspend(core->dev);
	return ret;
}

/* Whoever takes the part must end it. */
struct ork_part *ork_core_take_part(struct ork_core *core)
{
	struct ork_part *part;

	spin_lock_irq(&core->part_lock);
	part = core->part;
	core->part = NULL;
	spin_unlock_irq(&core->part_lock);

	return part;
}

void ork_core_end_part(struct ork_core *core, struct ork_part *part, int error)
{
	if (!error) {
		atomic64_inc(&core->jobs_done);
		ork_part_done(part);
	}

	pm_runtime_mark_last_busy(core->dev);
	pm_runtime_put_autosuspend(core->dev);

	/* The scheduler may start the next part and free this one from here on. */
	ork_part_signal(part, error);
}

/* Gives the running part to the watchdog; safe in hard interrupt context. */
static void ork_core_fail(struct ork_core *core, int error)
{
	unsigned long flags;

	spin_lock_irqsave(&core->part_lock, flags);
	if (core->part && !core->fault) {
		core->fault = error;
		mod_delayed_work(core->ork->wq, &core->watchdog, 0);
	}
	spin_unlock_irqrestore(&core->part_lock, flags);
}

/**
 * ork_core_fault - the MMU could not translate an address
 * @core: core whose MMU it was
 * @va: address
 */
void ork_core_fault(struct ork_core *core, u32 va)
{
	core->fault_va = va;
	ork_core_fail(core, -EFAULT);
}

bool ork_core_has_mmu(struct ork_core *core, struct device *mmu)
{
	return core->mmu == mmu->of_node;
}

static irqreturn_t ork_core_irq(int irq, void *data)
{
	struct ork_core *core = data;
	irqreturn_t ret = IRQ_NONE;

	spin_lock(&core->part_lock);
	if (core->part) {
		u32 status = readl(core->pc + ORK_PC_INTERRUPT_STATUS);

		if (status) {
			core->raw_status = status;
			ork_core_mask_irq(core);
			ret = IRQ_WAKE_THREAD;
		}
	}
	spin_unlock(&core->part_lock);

	return ret;
}

static irqreturn_t ork_core_irq_thread(int irq, void *data)
{
	struct ork_core *core = data;
	struct ork_part *part;
	bool signalling;
	u32 status;

	signalling = dma_fence_begin_signalling();

	/* The interrupt can overtake the last results on their way to memory. */
	if (core->raw_status & ORK_INT_DMA_ERROR ||
	    readl_poll_timeout(core->ddma + ORK_DDMA_CFG_STATUS, status,
			       status & ORK_DDMA_STATUS_IDLE, 1, ORK_IDLE_TIMEOUT_US)) {
		ork_core_fail(core, -EIO);
	} else {
		part = ork_core_take_part(core);
		if (part)
			ork_core_end_part(core, part, 0);
	}

	dma_fence_end_signalling(signalling);
	return IRQ_HANDLED;
}

static bool ork_core_stuck(struct ork_core *core)
{
	struct ork_part *part;
	bool stuck = false;

	spin_lock_irq(&core->part_lock);
	part = core->part;
	if (part && core->fault) {
		stuck = true;
	} else if (part) {
		u32 done = ork_core_tasks_done(core);

		if (done != core->progress) {
			core->progress = done;
			part->deadline = jiffies + part->timeout;
		}
		stuck = time_after_eq(jiffies, part->deadline);
		if (!stuck)
			ork_core_watch(core);
	}
	spin_unlock_irq(&core->part_lock);

	return stuck;
}

void ork_core_watchdog(struct work_struct *work)
{
	struct ork_core *core = container_of(work, struct ork_core, watchdog.work);

	mutex_lock(&core->lock);
	if (ork_core_stuck(core))
		ork_reset_core(core);
	mutex_unlock(&core->lock);
}

/**
 * ork_core_drain - end what runs and wait until nothing is queued
 * @core: core whose queues take no more jobs
 */
void ork_core_drain(struct ork_core *core)
{
	ork_core_fail(core, -ENODEV);
	wait_event(core->idle, !atomic_read(&core->queued));
	cancel_delayed_work_sync(&core->watchdog);
	/* The last part's release has woken us but may not have returned. */
	flush_workqueue(core->ork->wq);
}

static int ork_core_runtime_resume(struct device *dev)
{
	struct ork_core *core = dev_get_drvdata(dev);

	return clk_bulk_prepare_enable(ORK_NUM_CLKS, core->clks);
}

/* Nothing runs: a part in flight holds a reference. So this is the only user of core->vm, too. */
static int ork_core_runtime_suspend(struct device *dev)
{
	struct ork_core *core = dev_get_drvdata(dev);

	ork_core_mask_irq(core);
	synchronize_irq(core->irq);
	ork_core_detach(core);
	clk_bulk_disable_unprepare(ORK_NUM_CLKS, core->clks);
	return 0;
}

static int ork_core_suspend(struct device *dev)
{
	struct ork_core *core = dev_get_drvdata(dev);

	if (atomic_read(&core->queued))
		return -EBUSY;

	return pm_runtime_force_suspend(dev);
}

static const struct dev_pm_ops ork_core_pm_ops = {
	RUNTIME_PM_OPS(ork_core_runtime_suspend, ork_core_runtime_resume, NULL)
	SYSTEM_SLEEP_PM_OPS(ork_core_suspend, pm_runtime_force_resume)
};

static int ork_core_bind(struct device *dev, struct device *master, void *data)
{
	struct ork_core *core = dev_get_drvdata(dev);
	struct ork_device *ork = data;
	int ret;

	ret = ork_sched_init(&core->sched, &ork_sched_ops, dev_name(dev), dev);
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

static int ork_core_get_iommu(struct ork_core *core)
{
	core->group = iommu_group_get(core->dev);
	if (!core->group)
		return dev_err_probe(core->dev, -ENODEV, "not behind an IOMMU\n");

	core->mmu = of_parse_phandle(core->dev->of_node, "iommus", 0);
	return devm_add_action_or_reset(core->dev, ork_core_put_iommu, core);
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
	spin_lock_init(&core->part_lock);
	mutex_init(&core->lock);
	init_waitqueue_head(&core->idle);
	INIT_DELAYED_WORK(&core->watchdog, ork_core_watchdog);
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

	ret = devm_request_threaded_irq(dev, core->irq, ork_core_irq, ork_core_irq_thread,
					IRQF_SHARED, dev_name(dev), core);
	if (ret)
		return dev_err_probe(dev, ret, "no interrupt\n");

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
	},
};
