/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * One core of the RK3588's NPU: the portable model with QEMU around it.
 *
 * A worker thread per core fetches, computes and retires tasks, so that the
 * cores compute side by side and no vCPU waits for them.
 *
 * Under -icount there is no worker: a timer of virtual time moves the chain
 * on, and a task is computed at once, under the BQL, when it starts. Virtual
 * time stands still meanwhile, so a run depends on nothing of the host, and
 * the task ends when the timing model says so.
 *
 * The mode "chaos" does what hardware may do: interrupts come late, or from
 * nobody; tasks take longer; results land after the interrupt while the
 * memory port says that it is busy. It draws from a seed.
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
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "hw/qdev-clock.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/cpu-timers.h"
#include "system/qtest.h"
#include "system/runstate.h"
#include "rk3588_npu_core.h"
#include "rk3588_npu_log.h"
#include "rk3588_npu_reset.h"

/* How far chaos goes. Results land in a few rounds, the last one complete. */
#define IRQ_LATE_MAX_NS     50000
#define LANDING_MAX_NS      20000
#define LANDING_ROUNDS      4
#define LANDING_WRITES_MAX  8
#define SLOW_ONE_IN         8
#define SLOW_MAX_NS         1000000
#define PULSE_ONE_IN        4
#define PULSE_DELAY_MAX_NS  200000
#define PULSE_LENGTH_MAX_NS 100000

/* How often a chain that a stall or a gated clock holds looks again. */
#define HELD_POLL_NS 1000

/* A read of this page of the window hangs the bus, and with it the SoC. */
#define UNDECODED_PAGE 0x2000

#define PC_OPERATION_ENABLE 0x08

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

static void core_task_done(void *opaque, const struct npu_task_facts *facts)
{
    RK3588NpuCoreState *s = opaque;

    if (s->job_log_fd >= 0) {
        rk3588_npu_log_task(s->job_log_fd, facts, s->task_hz);
    }
}

static bool core_irq_level(RK3588NpuCoreState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return npu_core_irq(s->core);
}

static void core_raise_late_irq(void *opaque)
{
    RK3588NpuCoreState *s = opaque;

    qemu_set_irq(s->irq, core_irq_level(s));
}

/* A level that rises may take its time in chaos; one that falls does not. */
static void core_update_irq(RK3588NpuCoreState *s)
{
    int64_t late;

    if (!core_irq_level(s)) {
        timer_del(s->irq_timer);
        qemu_set_irq(s->irq, 0);
        return;
    }
    if (timer_pending(s->irq_timer)) {
        return;
    }
    late = rk3588_chaos_draw(&s->chaos, IRQ_LATE_MAX_NS);
    if (late) {
        timer_mod(s->irq_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + late);
    } else {
        qemu_set_irq(s->irq, 1);
    }
}

static void core_schedule_landing(RK3588NpuCoreState *s)
{
    timer_mod(s->landing_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + 1 +
              rk3588_chaos_draw(&s->chaos, LANDING_MAX_NS));
}

/*
 * Lands results that were held back. Called with the lock held; false if some
 * are left. A burst, since nobody may sleep in the port here.
 */
static bool core_land(RK3588NpuCoreState *s, uint32_t max_writes)
{
    if (!npu_core_has_pending(s->core)) {
        return true;
    }
    if (!rk3588_iommu_begin_burst(s->iommu, &s->generation)) {
        return false;
    }
    npu_core_drain(s->core, max_writes);
    rk3588_iommu_end_burst(s->iommu);
    return !npu_core_has_pending(s->core);
}

static void core_landing_step(void *opaque)
{
    RK3588NpuCoreState *s = opaque;
    uint32_t writes = UINT32_MAX;
    bool landed;

    if (++s->landings < LANDING_ROUNDS) {
        writes = 1 + rk3588_chaos_draw(&s->chaos, LANDING_WRITES_MAX - 1);
    }
    WITH_QEMU_LOCK_GUARD(&s->lock) {
        landed = core_land(s, writes);
    }
    if (!landed) {
        core_schedule_landing(s);
    }
}

/* The MMU is about to stall: what is under way arrives first. */
static void core_land_all(void *opaque)
{
    RK3588NpuCoreState *s = opaque;

    QEMU_LOCK_GUARD(&s->lock);
    core_land(s, UINT32_MAX);
}

/* The chain has moved on. */
static void core_settle(void *opaque)
{
    RK3588NpuCoreState *s = opaque;
    bool pending;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        pending = npu_core_has_pending(s->core);
    }
    if (pending && !timer_pending(s->landing_timer)) {
        s->landings = 0;
        core_schedule_landing(s);
    }
    core_update_irq(s);
}

/*
 * Time that the hardware takes for a task that has been computed. A change of
 * the clock's rate counts from the next task on.
 */
static int64_t core_task_ns(RK3588NpuCoreState *s, const struct npu_task *task,
                            bool fresh_mmu)
{
    int64_t ns = 0;

    if (s->timing) {
        ns += muldiv64(npu_task_cycles(task), NANOSECONDS_PER_SECOND,
                       s->task_hz);
        ns += fresh_mmu ? s->attach_ns : 0;
    }
    if (rk3588_chaos_happens(&s->slowness, SLOW_ONE_IN)) {
        ns += rk3588_chaos_draw(&s->slowness, SLOW_MAX_NS);
    }
    return ns;
}

/* In the worker, without a lock. */
static void core_sleep_until(int64_t end_ns)
{
    int64_t left = end_ns - qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (left > 0) {
        g_usleep(DIV_ROUND_UP(left, SCALE_US));
    }
}

/* Called with the lock held. */
static bool core_clocked(const RK3588NpuCoreState *s)
{
    return s->aclk && s->clk && s->npu_hz;
}

/* Called and returns with the lock held; drops it to compute or to sleep. */
static void core_run_one_task(RK3588NpuCoreState *s)
{
    int64_t start = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    struct npu_task *task;
    bool fresh;

    if (!rk3588_iommu_begin_burst(s->iommu, &s->generation)) {
        qemu_mutex_unlock(&s->lock);
        rk3588_iommu_wait_released(s->iommu);
        qemu_mutex_lock(&s->lock);
        return;
    }
    task = npu_core_fetch(s->core);
    rk3588_iommu_end_burst(s->iommu);
    s->task_hz = s->npu_hz;
    if (task) {
        fresh = rk3588_iommu_take_fresh(s->iommu);
        qemu_mutex_unlock(&s->lock);
        npu_task_run(task);
        core_sleep_until(start + core_task_ns(s, task, fresh));
        qemu_mutex_lock(&s->lock);
        npu_core_retire(s->core, task);
    }
    qemu_bh_schedule(s->settle_bh);
}

static void *core_worker(void *opaque)
{
    RK3588NpuCoreState *s = opaque;

    rcu_register_thread();
    qemu_mutex_lock(&s->lock);
    for (;;) {
        if (npu_core_busy(s->core) && core_clocked(s)) {
            core_run_one_task(s);
        } else {
            qemu_cond_wait(&s->wake, &s->lock);
        }
    }
}

static void core_step_at(RK3588NpuCoreState *s, int64_t delay_ns)
{
    timer_mod(s->step_timer,
              qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + delay_ns);
}

/*
 * Starts and computes the next task of the chain, with the lock held. Returns
 * the time until it ends or, if nothing may start yet, until to look again.
 */
static int64_t core_step_start(RK3588NpuCoreState *s)
{
    if (!core_clocked(s) ||
        !rk3588_iommu_begin_burst(s->iommu, &s->generation)) {
        return HELD_POLL_NS;
    }
    s->stepped_task = npu_core_fetch(s->core);
    s->task_hz = s->npu_hz;
    if (s->stepped_task) {
        npu_task_run(s->stepped_task);
    }
    rk3588_iommu_end_burst(s->iommu);
    if (!s->stepped_task) {
        return 0;
    }
    return core_task_ns(s, s->stepped_task,
                        rk3588_iommu_take_fresh(s->iommu));
}

static void core_step(void *opaque)
{
    RK3588NpuCoreState *s = opaque;
    int64_t delay = 0;
    bool busy;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        if (s->stepped_task) {
            npu_core_retire(s->core, s->stepped_task);
            s->stepped_task = NULL;
        }
        if (npu_core_busy(s->core)) {
            delay = core_step_start(s);
        }
        busy = s->stepped_task || npu_core_busy(s->core);
    }
    if (busy) {
        core_step_at(s, delay);
    }
    rk3588_iommu_update_irq(s->iommu);
    core_settle(s);
}

/* After whatever may have given the core work. */
static void core_wake(RK3588NpuCoreState *s)
{
    bool busy;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        qemu_cond_signal(&s->wake);
        busy = npu_core_busy(s->core);
    }
    if (s->stepped && busy && !timer_pending(s->step_timer)) {
        core_step_at(s, 0);
    }
}

/* A job begins; its core's MMU may ask for an interrupt that it has not. */
static void core_maybe_pulse(RK3588NpuCoreState *s)
{
    if (rk3588_chaos_happens(&s->chaos, PULSE_ONE_IN)) {
        int64_t delay = rk3588_chaos_draw(&s->chaos, PULSE_DELAY_MAX_NS);
        int64_t length = rk3588_chaos_draw(&s->chaos, PULSE_LENGTH_MAX_NS);

        rk3588_iommu_pulse_irq(s->iommu, delay, 1 + length);
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
        error_printf("npu: core %u: read of 0x%04x hangs the bus: the SoC stops\n",
                     s->index, (unsigned int)offset);
        qemu_system_guest_panicked(NULL);
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
    }
    if (offset == PC_OPERATION_ENABLE && value) {
        core_maybe_pulse(s);
    }
    core_wake(s);
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
        if (s->stepped_task) {
            npu_core_retire(s->core, s->stepped_task);
            s->stepped_task = NULL;
        }
    }
    timer_del(s->step_timer);
    timer_del(s->landing_timer);
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

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        s->aclk = level;
    }
    core_wake(s);
}

static void core_set_clk(void *opaque, int line, int level)
{
    RK3588NpuCoreState *s = opaque;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        s->clk = level;
    }
    core_wake(s);
}

/* The rate of the compute clock; tasks that start from now on run with it. */
static void core_update_rate(void *opaque, ClockEvent event)
{
    RK3588NpuCoreState *s = opaque;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        s->npu_hz = clock_get_hz(s->compute_clock);
    }
    core_wake(s);
}

static void replace_if_set(uint32_t *value, uint32_t property)
{
    *value = property ? property : *value;
}

static void core_set_cycles(RK3588NpuCoreState *s)
{
    struct npu_timing timing;

    npu_timing_default(&timing);
    replace_if_set(&timing.dma_bytes_per_cycle, s->cycles.dma_bytes_per_cycle);
    replace_if_set(&timing.task_cycles, s->cycles.task_cycles);
    replace_if_set(&timing.kick_cycles, s->cycles.kick_cycles);
    npu_core_set_timing(s->core, &timing);
}

/* The model's half of the modes. */
static void core_set_modes(RK3588NpuCoreState *s)
{
    core_set_cycles(s);
    npu_core_set_strict(s->core, s->strict);
    rk3588_chaos_init(&s->chaos, s->chaos_seed, s->index);
    rk3588_chaos_init(&s->slowness, s->chaos_seed,
                      s->index + RK3588_NPU_CORES);
    if (s->chaos_seed) {
        npu_core_set_chaos(s->core, s->chaos.state);
    }
}

static void core_start_engine(RK3588NpuCoreState *s)
{
    g_autofree char *name = g_strdup_printf("npu core %u", s->index);

    /* Tests that drive the clock themselves want the time to count, too. */
    s->stepped = icount_enabled() || (qtest_enabled() && s->timing);
    if (!s->stepped) {
        qemu_thread_create(&s->worker, name, core_worker, s,
                           QEMU_THREAD_DETACHED);
    }
}

static void core_realize(DeviceState *dev, Error **errp)
{
    RK3588NpuCoreState *s = RK3588_NPU_CORE(dev);
    const struct npu_host host = {
        .opaque = s,
        .read = core_dma_read,
        .write = core_dma_write,
        .report = core_report,
        .task_done = core_task_done,
    };

    if (!s->iommu) {
        error_setg(errp, "iommu is not set");
        return;
    }
    if (!clock_has_source(s->compute_clock)) {
        error_setg(errp, "clock clk is not connected");
        return;
    }
    s->npu_hz = clock_get_hz(s->compute_clock);
    s->job_log_fd = -1;
    if (s->job_log) {
        s->job_log_fd = rk3588_npu_log_open(s->job_log, errp);
        if (s->job_log_fd < 0) {
            return;
        }
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
    s->settle_bh = qemu_bh_new(core_settle, s);
    s->irq_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, core_raise_late_irq, s);
    s->landing_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, core_landing_step, s);
    s->step_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, core_step, s);
    core_set_modes(s);
    rk3588_iommu_set_master(s->iommu, core_land_all, s);
    memory_region_init_io(&s->mmio, OBJECT(s), &core_mmio_ops, s,
                          TYPE_RK3588_NPU_CORE, NPU_WINDOW_BYTES);
    sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->mmio);
    core_start_engine(s);
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
    s->compute_clock = qdev_init_clock_in(DEVICE(s), "clk", core_update_rate,
                                          s, ClockUpdate);
}

static const Property core_properties[] = {
    DEFINE_PROP_UINT32("index", RK3588NpuCoreState, index, 0),
    DEFINE_PROP_LINK("iommu", RK3588NpuCoreState, iommu, TYPE_RK3588_IOMMU,
                     RK3588IommuState *),
    DEFINE_PROP_BOOL("strict", RK3588NpuCoreState, strict, false),
    DEFINE_PROP_BOOL("timing", RK3588NpuCoreState, timing, false),
    DEFINE_PROP_UINT64("chaos", RK3588NpuCoreState, chaos_seed, 0),
    DEFINE_PROP_UINT32("attach-ns", RK3588NpuCoreState, attach_ns, 15000),
    DEFINE_PROP_UINT32("dma-bytes-per-cycle", RK3588NpuCoreState,
                       cycles.dma_bytes_per_cycle, 0),
    DEFINE_PROP_UINT32("task-cycles", RK3588NpuCoreState, cycles.task_cycles,
                       0),
    DEFINE_PROP_UINT32("kick-cycles", RK3588NpuCoreState, cycles.kick_cycles,
                       0),
    DEFINE_PROP_STRING("job-log", RK3588NpuCoreState, job_log),
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
