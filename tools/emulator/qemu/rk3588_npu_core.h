/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_NPU_CORE_H
#define HW_RK3588_NPU_CORE_H

#include "hw/clock.h"
#include "hw/sysbus.h"
#include "qemu/thread.h"
#include "qom/object.h"
#include "model/npu_model.h"
#include "rk3588_iommu.h"
#include "rk3588_npu_chaos.h"

#define TYPE_RK3588_NPU_CORE "rk3588-npu-core"
OBJECT_DECLARE_SIMPLE_TYPE(RK3588NpuCoreState, RK3588_NPU_CORE)

/* One NPU core: the model, its register window and its worker thread. */
struct RK3588NpuCoreState {
    SysBusDevice parent_obj;

    MemoryRegion mmio;
    qemu_irq irq;
    QEMUBH *settle_bh; /* of the worker: the chain has moved on */
    uint32_t index;
    RK3588IommuState *iommu;
    bool powered; /* this and the next are written and read under the BQL */
    bool hclk;    /* the clock of the registers runs */
    Clock *compute_clock; /* input "clk"; its rate is the timing model's */

    /* Modes and parameters; constant once the device is realized. */
    bool strict;
    bool timing;
    uint64_t chaos_seed;
    uint32_t attach_ns;
    struct npu_timing cycles; /* 0: the model's own figure */
    char *job_log;
    int job_log_fd;
    bool stepped; /* timers instead of the worker move the chain on */

    /* Under the BQL. */
    RK3588Chaos chaos; /* interrupts, landings */
    QEMUTimer *irq_timer;
    QEMUTimer *landing_timer;
    unsigned int landings; /* rounds so far for the chain that is done */
    QEMUTimer *step_timer;
    struct npu_task *stepped_task; /* computed, to be retired by the timer */

    QemuThread worker;
    uint64_t generation; /* of the task in flight; its owner's own */
    uint64_t task_hz;    /* rate at which that task started; the same */

    QemuMutex lock; /* protects everything below */
    QemuCond wake;  /* a register write or a reset may have made work */
    struct npu_core *core;
    bool in_reset;
    bool aclk; /* the clock of the memory port runs */
    bool clk;  /* the compute clock runs */
    uint64_t npu_hz; /* its rate; 0 stops it as well */
    RK3588Chaos slowness;
};

#endif
