/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * One core of the RK3588's NPU: the portable model with QEMU around it.
 *
 * A worker thread per core fetches, computes and retires tasks, so that the
 * cores compute side by side and no vCPU waits for them.
 *
 * Locks, outermost first:
 *
 *   1. The BQL. Held by every MMIO handler, reset, and bottom half; the
 *      interrupt lines change under it only.
 *   2. RK3588NpuCoreState::lock. Held around every call that takes the
 *      struct npu_core.
 *   3. RK3588IommuState::lock. Held for each page of a transfer.
 *
 * The worker takes 2 and 3 but never 1, so handlers may wait for either
 * while they hold the BQL. What it has to tell the guest goes through a
 * bottom half, which computes the interrupt level anew: two updates that
 * race leave the line right, whatever their order.
 *
 * The worker holds 2 while it fetches, so it must not sleep in the memory
 * port at that time: the vCPU that would lift the stall could be waiting for
 * 2. Hence fetches are bursts: they start only when the MMU lets accesses
 * through, and a stall that is requested meanwhile waits for their end.
 * npu_task_run() runs without 2 and may sleep in the port.
 *
 * Reset takes 2, resets the model, and advances the port's generation under
 * 3. A task of an older generation gets NPU_DMA_STALL from then on, and since
 * 3 covers generation check and access, none of its writes lands later.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/rcu.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "rk3588_npu_core.h"

/* The bus hangs on reads of this page of the window. */
#define UNDECODED_PAGE 0x2000

static enum npu_dma core_dma_read(void *opaque, uint32_t iova, void *buf,
                                  size_t bytes)
{
    RK3588NpuCoreState *s = opaque;

    return rk3588_iommu_transfer(s->iommu, s->generation, iova, buf, bytes,
                                 false);
}

static enum npu_dma core_dma_write(void *opaque, uint32_t iova,
                                   const void *buf, size_t bytes)
{
    RK3588NpuCoreState *s = opaque;

    return rk3588_iommu_transfer(s->iommu, s->generation, iova, (void *)buf,
                                 bytes, true);
}

static void core_report(void *opaque, const char *message)
{
    /* The model names the core itself. */
    error_printf("npu: %s\n", message);
}

static void core_update_irq(void *opaque)
{
    RK3588NpuCoreState *s = opaque;
    bool level;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        level = npu_core_irq(s->core);
    }
    qemu_set_irq(s->irq, level);
}

/* Called and returns with the lock held; drops it to compute or to sleep. */
static void core_run_one_task(RK3588NpuCoreState *s)
{
    struct npu_task *task;

    if (!rk3588_iommu_begin_burst(s->iommu, &s->generation)) {
        qemu_mutex_unlock(&s->lock);
        rk3588_iommu_wait_released(s->iommu);
        qemu_mutex_lock(&s->lock);
        return;
    }
    task = npu_core_fetch(s->core);
    rk3588_iommu_end_burst(s->iommu);
    if (task) {
        qemu_mutex_unlock(&s->lock);
        npu_task_run(task);
        qemu_mutex_lock(&s->lock);
        npu_core_retire(s->core, task);
    }
    qemu_bh_schedule(s->irq_bh);
}

static void *core_worker(void *opaque)
{
    RK3588NpuCoreState *s = opaque;

    rcu_register_thread();
    qemu_mutex_lock(&s->lock);
    for (;;) {
        if (npu_core_busy(s->core) && s->aclk && s->clk) {
            core_run_one_task(s);
        } else {
            qemu_cond_wait(&s->wake, &s->lock);
        }
    }
}

static bool core_reachable(RK3588NpuCoreState *s, hwaddr offset, bool is_write)
{
    if (!s->powered || !s->hclk) {
        error_printf("npu: core %u: %s 0x%04x with %s\n", s->index,
                     is_write ? "write to" : "read of", (unsigned int)offset,
                     s->powered ? "hclk gated" : "the power domain off");
        return false;
    }
    if (!is_write && (offset & 0xf000) == UNDECODED_PAGE) {
        error_printf("npu: core %u: read of 0x%04x hangs the bus\n", s->index,
                     (unsigned int)offset);
        return false;
    }
    return true;
}

static MemTxResult core_mmio_read(void *opaque, hwaddr offset, uint64_t *value,
                                  unsigned int size, MemTxAttrs attrs)
{
    RK3588NpuCoreState *s = opaque;

    if (!core_reachable(s, offset, false)) {
        return MEMTX_ERROR;
    }
    WITH_QEMU_LOCK_GUARD(&s->lock) {
        *value = s->in_reset ? 0 : npu_core_read(s->core, offset);
    }
    return MEMTX_OK;
}

static MemTxResult core_mmio_write(void *opaque, hwaddr offset, uint64_t value,
                                   unsigned int size, MemTxAttrs attrs)
{
    RK3588NpuCoreState *s = opaque;

    if (!core_reachable(s, offset, true)) {
        return MEMTX_ERROR;
    }
    WITH_QEMU_LOCK_GUARD(&s->lock) {
        if (!s->in_reset) {
            npu_core_write(s->core, offset, value);
        }
        qemu_cond_signal(&s->wake);
    }
    core_update_irq(s);
    return MEMTX_OK;
}

static const MemoryRegionOps core_mmio_ops = {
    .read_with_attrs = core_mmio_read,
    .write_with_attrs = core_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void core_reset(DeviceState *dev)
{
    RK3588NpuCoreState *s = RK3588_NPU_CORE(dev);

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        npu_core_reset(s->core);
        rk3588_iommu_reset_master(s->iommu);
    }
    core_update_irq(s);
}

static void core_set_reset(void *opaque, int line, int level)
{
    RK3588NpuCoreState *s = opaque;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        s->in_reset = level;
    }
    if (level) {
        core_reset(DEVICE(s));
    }
}

static void core_set_power(void *opaque, int line, int level)
{
    RK3588NpuCoreState *s = opaque;

    s->powered = level;
    if (!level) {
        core_reset(DEVICE(s));
    }
}

static void core_set_hclk(void *opaque, int line, int level)
{
    RK3588NpuCoreState *s = opaque;

    s->hclk = level;
}

/* A chain whose clock stops goes on, after the task in flight, when it runs. */
static void core_set_aclk(void *opaque, int line, int level)
{
    RK3588NpuCoreState *s = opaque;

    QEMU_LOCK_GUARD(&s->lock);
    s->aclk = level;
    qemu_cond_signal(&s->wake);
}

static void core_set_clk(void *opaque, int line, int level)
{
    RK3588NpuCoreState *s = opaque;

    QEMU_LOCK_GUARD(&s->lock);
    s->clk = level;
    qemu_cond_signal(&s->wake);
}

static void core_realize(DeviceState *dev, Error **errp)
{
    RK3588NpuCoreState *s = RK3588_NPU_CORE(dev);
    const struct npu_host host = {
        .opaque = s,
        .read = core_dma_read,
        .write = core_dma_write,
        .report = core_report,
    };
    g_autofree char *name = g_strdup_printf("npu core %u", s->index);

    if (!s->iommu) {
        error_setg(errp, "iommu is not set");
        return;
    }
    s->core = npu_core_new(s->index, &host);
    if (!s->core) {
        error_setg(errp, "out of memory");
        return;
    }
    s->powered = true;
    s->hclk = true;
    s->aclk = true;
    s->clk = true;
    s->irq_bh = qemu_bh_new(core_update_irq, s);
    memory_region_init_io(&s->mmio, OBJECT(s), &core_mmio_ops, s,
                          TYPE_RK3588_NPU_CORE, NPU_WINDOW_BYTES);
    sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->mmio);
    qemu_thread_create(&s->worker, name, core_worker, s, QEMU_THREAD_DETACHED);
}

static void core_init(Object *obj)
{
    RK3588NpuCoreState *s = RK3588_NPU_CORE(obj);

    qemu_mutex_init(&s->lock);
    qemu_cond_init(&s->wake);
    sysbus_init_irq(SYS_BUS_DEVICE(s), &s->irq);
    qdev_init_gpio_in_named(DEVICE(s), core_set_reset, "reset", 1);
    qdev_init_gpio_in_named(DEVICE(s), core_set_power, "power", 1);
    qdev_init_gpio_in_named(DEVICE(s), core_set_hclk, "hclk", 1);
    qdev_init_gpio_in_named(DEVICE(s), core_set_aclk, "aclk", 1);
    qdev_init_gpio_in_named(DEVICE(s), core_set_clk, "clk", 1);
}

static const Property core_properties[] = {
    DEFINE_PROP_UINT32("index", RK3588NpuCoreState, index, 0),
    DEFINE_PROP_LINK("iommu", RK3588NpuCoreState, iommu, TYPE_RK3588_IOMMU,
                     RK3588IommuState *),
};

static const VMStateDescription vmstate_core = {
    .name = TYPE_RK3588_NPU_CORE,
    .unmigratable = 1,
};

static void core_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = core_realize;
    dc->vmsd = &vmstate_core;
    /* Needs the machine's wiring, and its thread lives until QEMU exits. */
    dc->user_creatable = false;
    device_class_set_legacy_reset(dc, core_reset);
    device_class_set_props(dc, core_properties);
}

static const TypeInfo core_type = {
    .name = TYPE_RK3588_NPU_CORE,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(RK3588NpuCoreState),
    .instance_init = core_init,
    .class_init = core_class_init,
};

static void core_register_types(void)
{
    type_register_static(&core_type);
}
type_init(core_register_types)
