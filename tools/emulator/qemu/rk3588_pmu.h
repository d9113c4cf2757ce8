/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_PMU_H
#define HW_RK3588_PMU_H

#include "hw/sysbus.h"
#include "qom/object.h"
#include "rk3588_npu_reset.h"

#define TYPE_RK3588_PMU "rk3588-pmu"
OBJECT_DECLARE_SIMPLE_TYPE(RK3588PmuState, RK3588_PMU)

struct RK3588PmuState {
    SysBusDevice parent_obj;

    MemoryRegion mmio;
    qemu_irq out[RK3588_NPU_CORES]; /* high: the core has power */
    uint32_t idle_request;
    uint32_t power_off;
    uint32_t memory_off;
};

#endif
