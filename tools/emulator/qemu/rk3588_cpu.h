/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_CPU_H
#define HW_RK3588_CPU_H

#include "target/arm/cpu.h"
#include "qom/object.h"
#include "rk3588_scmi.h"

#define TYPE_RK3588_CPU ARM_CPU_TYPE_NAME("rk3588-cortex-a76")
OBJECT_DECLARE_SIMPLE_TYPE(RK3588CpuState, RK3588_CPU)

/* A Cortex-A76 with the SoC's firmware behind its SMC instruction. */
struct RK3588CpuState {
    ARMCPU parent_obj;

    RK3588ScmiState *scmi;
};

#endif
