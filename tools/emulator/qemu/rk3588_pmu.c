/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * The NPU's part of the RK3588's power management unit.
 *
 * Domains are switched at once: each status register follows its request.
 * Domain NPU feeds NPUTOP (core 0), which feeds NPU1 and NPU2. A core and its
 * MMU have power while the core's domain and all above it are on, with their
 * memories. Requests to idle a bus interface are acknowledged and have no
 * effect. After reset everything is on, as the boot firmware leaves it.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/module.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "rk3588_pmu.h"

#define PMU_BYTES 0x400

enum {
    REG_BUS_IDLE_REQUEST = 0x10c,
    REG_BUS_IDLE_ACK     = 0x118,
    REG_BUS_IDLE_STATUS  = 0x120,
    REG_POWER_OFF        = 0x14c,
    REG_POWER_STATUS     = 0x180, /* 1 = off */
    REG_MEMORY_OFF       = 0x1a0,
    REG_CHAIN_STATUS     = 0x1f0, /* 1 = memory supply chain is up */
    REG_MEMORY_STATUS    = 0x1f8, /* 1 = off */
    REG_REPAIR_STATUS    = 0x290, /* 1 = on and memory repaired */
};

/* The supply of domain NPU has neither memory nor a bus interface. */
#define NPU_POWER_BIT BIT(1)

/* Bits of the domains that hold the cores, by core. */
static const struct {
    uint32_t power;
    uint32_t memory;
    uint32_t repair;
} domain[RK3588_NPU_CORES] = {
    { BIT(3), BIT(11), BIT(2) }, /* NPUTOP */
    { BIT(4), BIT(12), BIT(3) }, /* NPU1 */
    { BIT(5), BIT(13), BIT(4) }, /* NPU2 */
};

static bool domain_is_on(const RK3588PmuState *s, unsigned int core)
{
    uint32_t chain = NPU_POWER_BIT | domain[0].power | domain[core].power;

    return !(s->power_off & chain);
}

static bool core_has_power(const RK3588PmuState *s, unsigned int core)
{
    return domain_is_on(s, core) && !(s->memory_off & domain[core].power);
}

static uint32_t chain_status(const RK3588PmuState *s)
{
    uint32_t status = 0;

    for (unsigned int i = 0; i < RK3588_NPU_CORES; i++) {
        status |= domain_is_on(s, i) ? domain[i].memory : 0;
    }
    return status;
}

/* The request register has the memories at the domains' power bits. */
static uint32_t memory_status(const RK3588PmuState *s)
{
    uint32_t status = 0;

    for (unsigned int i = 0; i < RK3588_NPU_CORES; i++) {
        status |= s->memory_off & domain[i].power ? domain[i].memory : 0;
    }
    return status;
}

static uint32_t repair_status(const RK3588PmuState *s)
{
    uint32_t status = 0;

    for (unsigned int i = 0; i < RK3588_NPU_CORES; i++) {
        status |= core_has_power(s, i) ? domain[i].repair : 0;
    }
    return status;
}

static void update_outputs(RK3588PmuState *s)
{
    for (unsigned int i = 0; i < RK3588_NPU_CORES; i++) {
        qemu_set_irq(s->out[i], core_has_power(s, i));
    }
}

static uint64_t pmu_mmio_read(void *opaque, hwaddr offset, unsigned int size)
{
    RK3588PmuState *s = opaque;

    switch (offset) {
    case REG_BUS_IDLE_REQUEST:
    case REG_BUS_IDLE_ACK:
    case REG_BUS_IDLE_STATUS:
        return s->idle_request;
    case REG_POWER_OFF:
        return s->power_off;
    case REG_POWER_STATUS:
        return s->power_off & NPU_POWER_BIT;
    case REG_MEMORY_OFF:
        return s->memory_off;
    case REG_CHAIN_STATUS:
        return chain_status(s);
    case REG_MEMORY_STATUS:
        return memory_status(s);
    case REG_REPAIR_STATUS:
        return repair_status(s);
    default:
        return 0;
    }
}

/* The upper half of a request says which bits of the lower half to take. */
static uint32_t masked_write(uint32_t old, uint32_t value)
{
    uint32_t mask = value >> 16;

    return (old & ~mask) | (value & mask);
}

static void pmu_mmio_write(void *opaque, hwaddr offset, uint64_t value,
                           unsigned int size)
{
    RK3588PmuState *s = opaque;

    switch (offset) {
    case REG_BUS_IDLE_REQUEST:
        s->idle_request = masked_write(s->idle_request, value);
        break;
    case REG_POWER_OFF:
        s->power_off = masked_write(s->power_off, value);
        break;
    case REG_MEMORY_OFF:
        s->memory_off = masked_write(s->memory_off, value);
        break;
    default:
        return;
    }
    update_outputs(s);
}

static const MemoryRegionOps pmu_mmio_ops = {
    .read = pmu_mmio_read,
    .write = pmu_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void pmu_reset(DeviceState *dev)
{
    RK3588PmuState *s = RK3588_PMU(dev);

    s->idle_request = 0;
    s->power_off = 0;
    s->memory_off = 0;
    update_outputs(s);
}

static void pmu_init(Object *obj)
{
    RK3588PmuState *s = RK3588_PMU(obj);

    memory_region_init_io(&s->mmio, obj, &pmu_mmio_ops, s, TYPE_RK3588_PMU,
                          PMU_BYTES);
    sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->mmio);
    qdev_init_gpio_out(DEVICE(s), s->out, RK3588_NPU_CORES);
}

static const VMStateDescription vmstate_pmu = {
    .name = TYPE_RK3588_PMU,
    .unmigratable = 1,
};

static void pmu_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->vmsd = &vmstate_pmu;
    dc->user_creatable = false;
    device_class_set_legacy_reset(dc, pmu_reset);
}

static const TypeInfo pmu_type = {
    .name = TYPE_RK3588_PMU,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(RK3588PmuState),
    .instance_init = pmu_init,
    .class_init = pmu_class_init,
};

static void pmu_register_types(void)
{
    type_register_static(&pmu_type);
}
type_init(pmu_register_types)
