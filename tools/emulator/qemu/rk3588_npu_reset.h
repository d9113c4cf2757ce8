/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_NPU_RESET_H
#define HW_RK3588_NPU_RESET_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_RK3588_NPU_RESET "rk3588-npu-reset"
OBJECT_DECLARE_SIMPLE_TYPE(RK3588NpuResetState, RK3588_NPU_RESET)

#define RK3588_NPU_CORES 3

struct RK3588NpuResetState {
    SysBusDevice parent_obj;

    MemoryRegion mmio;
    qemu_irq out[RK3588_NPU_CORES]; /* high: the core is in reset */
    bool strict;
    uint32_t broken; /* mask of cores that the lines do not reach */
    uint32_t lines;
    int64_t since_ns[RK3588_NPU_CORES]; /* when both lines were asserted */
    bool complete[RK3588_NPU_CORES]; /* this pulse had both lines asserted */
};

#endif
