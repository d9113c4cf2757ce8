/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Output lines that stand for what the RK3588's clock unit and a supply do, and
 * lines that break parts of the board while they are high.
 *
 * One register; bit n is the level of line n and reads back. This is the
 * register model of Linux's gpio-mmio with a "dat" register only. It has no
 * state besides, so nothing is lost or restored when the system sleeps.
 *
 * The data line of an I2C bus is an open drain: high means that it is let go, and
 * it reads low while somebody else pulls it down.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/module.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "rk3588_npu_lines.h"

#define REGISTER_BYTES 4

/* Firmware leaves the clocks on, the voltage up and the I2C bus idle. */
#define FIRMWARE_LEVELS 0xc0ff

static void set_levels(RK3588NpuLinesState *s, uint32_t levels)
{
    s->levels = levels;
    for (unsigned int i = 0; i < RK3588_NPU_LINES_COUNT; i++) {
        qemu_set_irq(s->out[i], extract32(levels, i, 1));
    }
}

static uint64_t lines_mmio_read(void *opaque, hwaddr offset, unsigned int size)
{
    RK3588NpuLinesState *s = opaque;

    return s->sda ? s->levels : s->levels & ~BIT(RK3588_NPU_LINES_SDA);
}

static void lines_mmio_write(void *opaque, hwaddr offset, uint64_t value,
                             unsigned int size)
{
    set_levels(opaque, extract32(value, 0, RK3588_NPU_LINES_COUNT));
}

static const MemoryRegionOps lines_mmio_ops = {
    .read = lines_mmio_read,
    .write = lines_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void lines_set_sda(void *opaque, int line, int level)
{
    RK3588NpuLinesState *s = opaque;

    s->sda = level;
}

static void lines_reset(DeviceState *dev)
{
    set_levels(RK3588_NPU_LINES(dev), FIRMWARE_LEVELS);
}

static void lines_init(Object *obj)
{
    RK3588NpuLinesState *s = RK3588_NPU_LINES(obj);

    memory_region_init_io(&s->mmio, obj, &lines_mmio_ops, s,
                          TYPE_RK3588_NPU_LINES, REGISTER_BYTES);
    sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->mmio);
    s->sda = true;
    qdev_init_gpio_out(DEVICE(s), s->out, RK3588_NPU_LINES_COUNT);
    qdev_init_gpio_in_named(DEVICE(s), lines_set_sda, "sda", 1);
}

static const VMStateDescription vmstate_lines = {
    .name = TYPE_RK3588_NPU_LINES,
    .unmigratable = 1,
};

static void lines_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->vmsd = &vmstate_lines;
    dc->user_creatable = false;
    device_class_set_legacy_reset(dc, lines_reset);
}

static const TypeInfo lines_type = {
    .name = TYPE_RK3588_NPU_LINES,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(RK3588NpuLinesState),
    .instance_init = lines_init,
    .class_init = lines_class_init,
};

static void lines_register_types(void)
{
    type_register_static(&lines_type);
}
type_init(lines_register_types)
