/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_NPU_CORE_H
#define HW_RK3588_NPU_CORE_H

#include "hw/sysbus.h"
#include "qemu/thread.h"
#include "qom/object.h"
#include "model/npu_model.h"
#include "rk3588_iommu.h"

#define TYPE_RK3588_NPU_CORE "rk3588-npu-core"
OBJECT_DECLARE_SIMPLE_TYPE(RK3588NpuCoreState, RK3588_NPU_CORE)

/* One NPU core: the model, its register window and its worker thread. */
struct RK3588NpuCoreState {
    SysBusDevice parent_obj;

    MemoryRegion mmio;
    qemu_irq irq;
    QEMUBH *irq_bh;
    uint32_t index;
    RK3588IommuState *iommu;
    bool powered; /* this and the next are written and read under the BQL */
    bool hclk;    /* the clock of the registers runs */

    QemuThread worker;
    uint64_t generation; /* of the task in flight; the worker's own */

    QemuMutex lock; /* protects everything below */
    QemuCond wake;  /* a register write or a reset may have made work */
    struct npu_core *core;
    bool in_reset;
    bool aclk; /* the clock of the memory port runs */
    bool clk;  /* the compute clock runs */
};

#endif
