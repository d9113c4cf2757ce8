/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_SCMI_H
#define HW_RK3588_SCMI_H

#include "hw/clock.h"
#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_RK3588_SCMI "rk3588-scmi"
OBJECT_DECLARE_SIMPLE_TYPE(RK3588ScmiState, RK3588_SCMI)

/* What the firmware can be made to refuse, see the input lines "refuse". */
enum {
    RK3588_SCMI_REFUSE_RATE, /* another rate */
    RK3588_SCMI_REFUSE_GATE, /* to turn the clock on */
    RK3588_SCMI_REFUSALS
};

struct RK3588ScmiState {
    SysBusDevice parent_obj;

    Clock *npu;      /* output: the compute clock's rate */
    qemu_irq gate;   /* high: the compute clock runs */
    bool enabled;
    bool powered;    /* domain NPUTOP is on */
    int vdd_uv;      /* of the NPU's supply */
    bool refuses[RK3588_SCMI_REFUSALS];
    uint64_t hz;
    uint64_t boot_hz;
};

/*
 * Handles the message in shared memory. False if the firmware never returns
 * from it.
 */
bool rk3588_scmi_call(RK3588ScmiState *s);

#endif
