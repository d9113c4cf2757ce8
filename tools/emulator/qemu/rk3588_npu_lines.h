/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_NPU_LINES_H
#define HW_RK3588_NPU_LINES_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_RK3588_NPU_LINES "rk3588-npu-lines"
OBJECT_DECLARE_SIMPLE_TYPE(RK3588NpuLinesState, RK3588_NPU_LINES)

#define RK3588_NPU_LINES_COUNT 17

/* The data line of an I2C bus: others pull it down, too, see the input. */
#define RK3588_NPU_LINES_SDA 15

struct RK3588NpuLinesState {
    SysBusDevice parent_obj;

    MemoryRegion mmio;
    qemu_irq out[RK3588_NPU_LINES_COUNT];
    uint32_t levels;
    bool sda; /* nobody else pulls the data line down */
};

#endif
