/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Reset lines of the NPU cores.
 *
 * One register; bit 2n is srst_a of core n, bit 2n+1 its srst_h, 1 asserts.
 * This is the register model of Linux's "snps,dw-high-reset", not that of the
 * RK3588's clock and reset unit. A core is in reset while both of its lines
 * are asserted. What silicon does when only one is pulsed is unknown; here
 * the core runs on and the mistake is reported.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "rk3588_npu_reset.h"

#define LINES_OF_CORE  2
#define BOTH_LINES     3u
#define REGISTER_BYTES 4

/* 32 cycles of hclk, the slower clock, at 198 MHz. */
#define HOLD_NS 162

/* Reports a pulse that ends without both lines having been asserted in it. */
static void check_pulse(RK3588NpuResetState *s, unsigned int core,
                        uint32_t lines)
{
    if (lines == BOTH_LINES) {
        s->complete[core] = true;
    }
    if (lines == 0) {
        if (!s->complete[core]) {
            qemu_log_mask(LOG_GUEST_ERROR,
                          "npu: core %u: only one of srst_a and srst_h was"
                          " asserted; no reset\n", core);
        }
        s->complete[core] = false;
    }
}

/* The manual asks for a minimum; what a shorter pulse does is unknown. */
static void check_length(RK3588NpuResetState *s, unsigned int core,
                         bool asserts)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (!asserts && s->strict && now - s->since_ns[core] < HOLD_NS) {
        qemu_log_mask(LOG_GUEST_ERROR, "npu: core %u: strict: reset was held"
                      " for %" PRId64 " ns, less than 32 cycles\n", core,
                      now - s->since_ns[core]);
    }
    s->since_ns[core] = now;
}

static void set_lines(RK3588NpuResetState *s, uint32_t value)
{
    uint32_t old = s->lines;

    s->lines = value;
    for (unsigned int i = 0; i < RK3588_NPU_CORES; i++) {
        uint32_t before = extract32(old, LINES_OF_CORE * i, LINES_OF_CORE);
        uint32_t now = extract32(value, LINES_OF_CORE * i, LINES_OF_CORE);

        if (before == now) {
            continue;
        }
        check_pulse(s, i, now);
        if (before == BOTH_LINES || now == BOTH_LINES) {
            check_length(s, i, now == BOTH_LINES);
        }
        if (!extract32(s->broken, i, 1)) {
            qemu_set_irq(s->out[i], now == BOTH_LINES);
        }
    }
}

static uint64_t reset_mmio_read(void *opaque, hwaddr offset, unsigned int size)
{
    RK3588NpuResetState *s = opaque;

    return s->lines;
}

static void reset_mmio_write(void *opaque, hwaddr offset, uint64_t value,
                             unsigned int size)
{
    set_lines(opaque, extract32(value, 0, LINES_OF_CORE * RK3588_NPU_CORES));
}

static const MemoryRegionOps reset_mmio_ops = {
    .read = reset_mmio_read,
    .write = reset_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void reset_reset(DeviceState *dev)
{
    RK3588NpuResetState *s = RK3588_NPU_RESET(dev);

    /* The end of a pulse that the system reset cuts short is no mistake. */
    memset(s->complete, true, sizeof(s->complete));
    memset(s->since_ns, 0, sizeof(s->since_ns));
    set_lines(s, 0);
    memset(s->complete, false, sizeof(s->complete));
}

static void reset_init(Object *obj)
{
    RK3588NpuResetState *s = RK3588_NPU_RESET(obj);

    memory_region_init_io(&s->mmio, obj, &reset_mmio_ops, s,
                          TYPE_RK3588_NPU_RESET, REGISTER_BYTES);
    sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->mmio);
    qdev_init_gpio_out(DEVICE(s), s->out, RK3588_NPU_CORES);
}

static const Property reset_properties[] = {
    DEFINE_PROP_BOOL("strict", RK3588NpuResetState, strict, false),
    DEFINE_PROP_UINT32("broken", RK3588NpuResetState, broken, 0),
};

static const VMStateDescription vmstate_reset = {
    .name = TYPE_RK3588_NPU_RESET,
    .unmigratable = 1,
};

static void reset_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->vmsd = &vmstate_reset;
    dc->user_creatable = false;
    device_class_set_legacy_reset(dc, reset_reset);
    device_class_set_props(dc, reset_properties);
}

static const TypeInfo reset_type = {
    .name = TYPE_RK3588_NPU_RESET,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(RK3588NpuResetState),
    .instance_init = reset_init,
    .class_init = reset_class_init,
};

static void reset_register_types(void)
{
    type_register_static(&reset_type);
}
type_init(reset_register_types)
