/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_IOMMU_H
#define HW_RK3588_IOMMU_H

#include "hw/sysbus.h"
#include "qemu/timer.h"
#include "qemu/thread.h"
#include "qom/object.h"
#include "model/npu_model.h"

#define TYPE_RK3588_IOMMU "rk3588-iommu"
OBJECT_DECLARE_SIMPLE_TYPE(RK3588IommuState, RK3588_IOMMU)

#define RK3588_IOMMU_MAX_BANKS  2
#define RK3588_IOMMU_BANK_BYTES 0x100

/* One page-table entry as it was when an access last walked the tables. */
typedef struct RK3588IotlbEntry {
    uint32_t epoch; /* valid if equal to the bank's epoch */
    uint32_t pte;
} RK3588IotlbEntry;

typedef struct RK3588IommuBank {
    MemoryRegion mmio;
    RK3588IommuState *iommu;
    unsigned int index;

    uint32_t dte_addr;
    uint32_t fault_addr;
    uint32_t int_rawstat;
    uint32_t int_mask;
    uint32_t auto_gating;
    bool paging;
    bool stalled;
    bool fault;
    bool fault_is_write;

    /*
     * One slot per page of the 4 GiB aperture, so that nothing but a zap ever
     * drops an entry: a missing zap always shows. The memory is touched only
     * where the NPU goes.
     */
    RK3588IotlbEntry *iotlb;
    uint32_t epoch;
} RK3588IommuBank;

/* The MMU banks of one NPU core and the memory port behind them. */
struct RK3588IommuState {
    SysBusDevice parent_obj;

    uint32_t core; /* whose MMU this is, for messages */
    uint32_t num_banks;
    uint32_t failing_page; /* where accesses meet a bus error; 0: nowhere */
    RK3588IommuBank bank[RK3588_IOMMU_MAX_BANKS];
    qemu_irq irq;
    QEMUBH *irq_bh;
    bool powered; /* this and the next two are written and read under the BQL */
    bool hclk;    /* the clock of the registers runs */
    bool deaf;    /* commands have no effect */

    /* A pulse on the line that no status explains; all under the BQL. */
    QEMUTimer *pulse_timer;
    int64_t pulse_ns; /* its length */
    bool pulse;

    /* Lands what the master holds back; called under the BQL only. */
    void (*land)(void *master);
    void *master;

    /*
     * Protects everything below, the registers and IOTLBs of the banks, and
     * is held over each access of guest memory. Innermost lock.
     */
    QemuMutex lock;
    QemuCond changed;
    uint64_t generation; /* of the master; accesses of older ones are void */
    bool bursting;       /* a burst is under way; stall requests wait for it */
    bool stall_waiting;  /* such a request; no other burst goes before it */
    bool blocked;        /* the master waits for an answer that never comes */
    bool fresh;          /* reset, and not used since */
    bool mismatch_reported;
};

/*
 * The master's side. Generations separate the tasks before a reset of the
 * core from those after it. A burst is a group of accesses that a stall does
 * not interrupt; none begins, and false is returned, while the MMU holds
 * accesses back because of a stall or a fault.
 */
bool rk3588_iommu_begin_burst(RK3588IommuState *s, uint64_t *generation);
void rk3588_iommu_end_burst(RK3588IommuState *s);

/*
 * Who uses the port. LAND is called, under the BQL and no other lock, before a
 * stall is granted: it completes writes that the master has still under way.
 */
void rk3588_iommu_set_master(RK3588IommuState *s, void (*land)(void *master),
                             void *master);

/* True once after a driver has set the banks up anew. */
bool rk3588_iommu_take_fresh(RK3588IommuState *s);

/* Under the BQL: the interrupt line, at once instead of by a bottom half. */
void rk3588_iommu_update_irq(RK3588IommuState *s);

/* Under the BQL: an interrupt that nobody asked for, in a while. */
void rk3588_iommu_pulse_irq(RK3588IommuState *s, int64_t delay_ns,
                            int64_t length_ns);

/* Sleeps until accesses are let through or the core is reset. */
void rk3588_iommu_wait_released(RK3588IommuState *s);

/* One transfer; sleeps while accesses are held back. */
enum npu_dma rk3588_iommu_transfer(RK3588IommuState *s, uint64_t generation,
                                   uint32_t iova, void *buf, size_t bytes,
                                   bool is_write);

/*
 * The core is reset: when this returns, no access of an earlier generation
 * touches guest memory any more.
 */
void rk3588_iommu_reset_master(RK3588IommuState *s);

#endif
