/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

/*
 * IOMMU of the RK3588's NPU cores (Rockchip's "v2" table format).
 *
 * A bank is a register block with its own IOTLB. The NPU's accesses go
 * through the first bank of the device; core 0 has a second bank, which a
 * driver has to set up alike.
 *
 * Two parties meet here: vCPUs program the banks under the BQL, and the
 * core's worker thread transfers data without it. s->lock is taken for each
 * page of a transfer, so that a register write takes effect between two
 * pages and a reset never finds a write half done. The worker does not take
 * the BQL: it reaches RAM only, and raises the interrupt through a bottom
 * half. See rk3588_npu_core.c for the order of all locks.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "rk3588_iommu.h"

/* Long enough for a CPU to see it. */
#define STRAY_NS 200000

enum {
    REG_DTE_ADDR     = 0x00,
    REG_STATUS       = 0x04,
    REG_COMMAND      = 0x08,
    REG_FAULT_ADDR   = 0x0c,
    REG_ZAP_ONE_LINE = 0x10,
    REG_INT_RAWSTAT  = 0x14,
    REG_INT_CLEAR    = 0x18,
    REG_INT_MASK     = 0x1c,
    REG_INT_STATUS   = 0x20,
    REG_AUTO_GATING  = 0x24,
};

enum {
    CMD_ENABLE_PAGING  = 0,
    CMD_DISABLE_PAGING = 1,
    CMD_ENABLE_STALL   = 2,
    CMD_DISABLE_STALL  = 3,
    CMD_ZAP_CACHE      = 4,
    CMD_FAULT_DONE     = 5,
    CMD_FORCE_RESET    = 6,
};

#define STATUS_PAGING           BIT(0)
#define STATUS_FAULT            BIT(1)
#define STATUS_STALL            BIT(2)
#define STATUS_IDLE             BIT(3)
#define STATUS_REPLAY_EMPTY     BIT(4)
#define STATUS_FAULT_IS_WRITE   BIT(5)
#define STATUS_STALL_NOT_ACTIVE BIT(31)

#define INT_PAGE_FAULT BIT(0)
#define INT_BUS_ERROR  BIT(1)
#define INT_ALL        (INT_PAGE_FAULT | INT_BUS_ERROR)

#define ENTRY_VALID    BIT(0)
#define PTE_READABLE   BIT(1)
#define PTE_WRITABLE   BIT(2)
/* Bit 0 is no part of the address, bits 3:1 are not stored. */
#define DTE_ADDR_MASK  0xfffffff0u

/* The walker's own clock is gated until a driver clears this. */
#define AUTO_GATING_RESET BIT(1)

#define PAGE_BITS  12
#define PAGE_BYTES (1u << PAGE_BITS)
#define NUM_PAGES  (1u << (32 - PAGE_BITS))

/* Entries and DTE_ADDR share one encoding: [31:12], then [35:32], [39:36]. */
static hwaddr entry_address(uint32_t entry)
{
    return (entry & 0xfffff000u) |
           (hwaddr)extract32(entry, 8, 4) << 32 |
           (hwaddr)extract32(entry, 4, 4) << 36;
}

static enum npu_dma ram_access(hwaddr addr, void *buf, hwaddr bytes,
                               bool is_write)
{
    const MemTxAttrs attrs = MEMTXATTRS_UNSPECIFIED;
    hwaddr offset, len = bytes;
    MemoryRegion *mr;

    RCU_READ_LOCK_GUARD();
    /* Anything but RAM would need the BQL, which the worker must not take. */
    mr = address_space_translate(&address_space_memory, addr, &offset, &len,
                                 is_write, attrs);
    if (len < bytes || !memory_access_is_direct(mr, is_write, attrs)) {
        return NPU_DMA_BUS_ERROR;
    }
    if (address_space_rw(&address_space_memory, addr, attrs, buf, bytes,
                         is_write) != MEMTX_OK) {
        return NPU_DMA_BUS_ERROR;
    }
    return NPU_DMA_OK;
}

static enum npu_dma raise_fault(RK3588IommuBank *bank, uint32_t iova,
                                bool is_write)
{
    RK3588IommuState *s = bank->iommu;

    bank->fault = true;
    bank->fault_is_write = is_write;
    bank->fault_addr = iova;
    bank->int_rawstat |= INT_PAGE_FAULT;
    s->blocked = true;
    qemu_bh_schedule(s->irq_bh);
    return NPU_DMA_STALL;
}

static enum npu_dma raise_bus_error(RK3588IommuBank *bank, uint32_t iova)
{
    bank->fault_addr = iova;
    bank->int_rawstat |= INT_BUS_ERROR;
    qemu_bh_schedule(bank->iommu->irq_bh);
    return NPU_DMA_BUS_ERROR;
}

static enum npu_dma read_entry(hwaddr table, uint32_t index, uint32_t *entry)
{
    uint8_t raw[4];
    enum npu_dma result = ram_access(table + 4 * index, raw, 4, false);

    *entry = ldl_le_p(raw);
    return result;
}

/* Finds the page's entry in the tables. An entry without ENTRY_VALID faults. */
static enum npu_dma walk(RK3588IommuBank *bank, uint32_t iova, uint32_t *pte)
{
    uint32_t dte;
    enum npu_dma result;

    result = read_entry(entry_address(bank->dte_addr), iova >> 22, &dte);
    if (result != NPU_DMA_OK || !(dte & ENTRY_VALID)) {
        *pte = 0;
        return result;
    }
    return read_entry(entry_address(dte), extract32(iova, 12, 10), pte);
}

static enum npu_dma translate(RK3588IommuBank *bank, uint32_t iova,
                              bool is_write, hwaddr *addr)
{
    RK3588IotlbEntry *entry = &bank->iotlb[iova >> PAGE_BITS];
    uint32_t pte;

    if (!bank->paging) {
        *addr = iova;
        return NPU_DMA_OK;
    }
    if (entry->epoch != bank->epoch) {
        if (walk(bank, iova, &pte) != NPU_DMA_OK) {
            return raise_bus_error(bank, iova);
        }
        if (!(pte & ENTRY_VALID)) {
            return raise_fault(bank, iova, is_write);
        }
        *entry = (RK3588IotlbEntry) { .epoch = bank->epoch, .pte = pte };
    }
    if (!(entry->pte & (is_write ? PTE_WRITABLE : PTE_READABLE))) {
        return raise_fault(bank, iova, is_write);
    }
    *addr = entry_address(entry->pte) | (iova & (PAGE_BYTES - 1));
    return NPU_DMA_OK;
}

/* New accesses wait until a stall is lifted or a fault acknowledged. */
static bool port_is_held(const RK3588IommuState *s)
{
    return s->bank[0].stalled || s->bank[0].fault;
}

static enum npu_dma transfer_in_page(RK3588IommuState *s, uint64_t generation,
                                     uint32_t iova, void *buf, size_t bytes,
                                     bool is_write)
{
    RK3588IommuBank *bank = &s->bank[0];
    enum npu_dma result;
    hwaddr addr;

    QEMU_LOCK_GUARD(&s->lock);
    while (port_is_held(s) && !s->blocked && s->generation == generation) {
        qemu_cond_wait(&s->changed, &s->lock);
    }
    if (s->generation != generation || s->blocked) {
        return NPU_DMA_STALL;
    }
    result = translate(bank, iova, is_write, &addr);
    if (result != NPU_DMA_OK) {
        return result;
    }
    if (s->failing_page && (iova & ~(PAGE_BYTES - 1)) == s->failing_page) {
        return NPU_DMA_BUS_ERROR;
    }
    return ram_access(addr, buf, bytes, is_write);
}

enum npu_dma rk3588_iommu_transfer(RK3588IommuState *s, uint64_t generation,
                                   uint32_t iova, void *buf, size_t bytes,
                                   bool is_write)
{
    uint8_t *data = buf;

    while (bytes) {
        size_t left_in_page = PAGE_BYTES - (iova & (PAGE_BYTES - 1));
        size_t chunk = MIN(bytes, left_in_page);
        enum npu_dma result = transfer_in_page(s, generation, iova, data,
                                               chunk, is_write);

        if (result != NPU_DMA_OK) {
            return result;
        }
        iova += chunk;
        data += chunk;
        bytes -= chunk;
    }
    return NPU_DMA_OK;
}

/*
 * Traffic that silicon sends through a second bank goes through the first one
 * here, so a bank that was forgotten can only be noticed by comparing.
 */
static void check_banks_alike(RK3588IommuState *s)
{
    const RK3588IommuBank *first = &s->bank[0];

    for (unsigned int i = 1; i < s->num_banks; i++) {
        const RK3588IommuBank *other = &s->bank[i];

        if (!first->paging && !other->paging) {
            continue;
        }
        if (first->paging == other->paging &&
            first->dte_addr == other->dte_addr) {
            continue;
        }
        if (!s->mismatch_reported) {
            qemu_log_mask(LOG_GUEST_ERROR,
                          "npu: core %u: MMU banks differ: bank 0 paging %d"
                          " DTE 0x%08x, bank %u paging %d DTE 0x%08x\n",
                          s->core, first->paging, first->dte_addr, i,
                          other->paging, other->dte_addr);
        }
        s->mismatch_reported = true;
    }
}

bool rk3588_iommu_begin_burst(RK3588IommuState *s, uint64_t *generation)
{
    QEMU_LOCK_GUARD(&s->lock);
    if (port_is_held(s) || s->stall_waiting) {
        return false;
    }
    check_banks_alike(s);
    s->bursting = true;
    *generation = s->generation;
    return true;
}

void rk3588_iommu_end_burst(RK3588IommuState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->bursting = false;
    qemu_cond_broadcast(&s->changed);
}

bool rk3588_iommu_take_fresh(RK3588IommuState *s)
{
    bool fresh;

    QEMU_LOCK_GUARD(&s->lock);
    fresh = s->fresh;
    s->fresh = false;
    return fresh;
}

void rk3588_iommu_set_master(RK3588IommuState *s, void (*land)(void *master),
                             void *master)
{
    s->land = land;
    s->master = master;
}

void rk3588_iommu_wait_released(RK3588IommuState *s)
{
    uint64_t generation;

    QEMU_LOCK_GUARD(&s->lock);
    generation = s->generation;
    while ((port_is_held(s) || s->stall_waiting) &&
           s->generation == generation) {
        qemu_cond_wait(&s->changed, &s->lock);
    }
}

void rk3588_iommu_reset_master(RK3588IommuState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->generation++;
    s->blocked = false;
    qemu_cond_broadcast(&s->changed);
}

static void zap_all(RK3588IommuBank *bank)
{
    if (++bank->epoch == 0) {
        memset(bank->iotlb, 0, NUM_PAGES * sizeof(*bank->iotlb));
        bank->epoch = 1;
    }
}

static void bank_reset(RK3588IommuBank *bank)
{
    bank->dte_addr = 0;
    bank->fault_addr = 0;
    bank->int_rawstat = 0;
    bank->int_mask = 0;
    bank->auto_gating = AUTO_GATING_RESET;
    bank->paging = false;
    bank->stalled = false;
    bank->fault = false;
    bank->fault_is_write = false;
    bank->iommu->fresh = true;
    zap_all(bank);
}

/*
 * A bank acknowledges a stall when nothing is in flight. A burst ends soon
 * and without the BQL, so it is waited for; an access that is blocked by a
 * fault never ends, so the request is lost.
 */
static void request_stall(RK3588IommuBank *bank)
{
    RK3588IommuState *s = bank->iommu;

    if (!bank->paging) {
        return;
    }
    s->stall_waiting = true;
    while (s->bursting) {
        qemu_cond_wait(&s->changed, &s->lock);
    }
    s->stall_waiting = false;
    if (bank->fault || s->blocked) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "npu: core %u: MMU bank %u ignores a stall request while"
                      " an access is blocked by a fault\n",
                      s->core, bank->index);
        return;
    }
    bank->stalled = true;
}

static void bank_command(RK3588IommuBank *bank, uint32_t command)
{
    switch (command) {
    case CMD_ENABLE_PAGING:
        bank->paging = true;
        break;
    case CMD_DISABLE_PAGING:
        bank->paging = false;
        break;
    case CMD_ENABLE_STALL:
        request_stall(bank);
        break;
    case CMD_DISABLE_STALL:
        bank->stalled = false;
        break;
    case CMD_ZAP_CACHE:
        zap_all(bank);
        break;
    case CMD_FAULT_DONE:
        bank->fault = false;
        break;
    case CMD_FORCE_RESET:
        bank_reset(bank);
        break;
    default:
        qemu_log_mask(LOG_GUEST_ERROR,
                      "npu: core %u: MMU bank %u: unknown command %u\n",
                      bank->iommu->core, bank->index, command);
        return;
    }
    bank->iommu->mismatch_reported = false;
    qemu_cond_broadcast(&bank->iommu->changed);
}

static uint32_t bank_status(const RK3588IommuBank *bank)
{
    const RK3588IommuState *s = bank->iommu;
    uint32_t status = 0;

    status |= bank->paging ? STATUS_PAGING : 0;
    status |= bank->fault ? STATUS_FAULT : 0;
    status |= bank->fault_is_write ? STATUS_FAULT_IS_WRITE : 0;
    status |= bank->stalled ? STATUS_STALL : STATUS_STALL_NOT_ACTIVE;
    status |= s->blocked ? 0 : STATUS_IDLE | STATUS_REPLAY_EMPTY;
    return status;
}

static uint32_t bank_read_register(RK3588IommuBank *bank, hwaddr offset)
{
    switch (offset) {
    case REG_DTE_ADDR:
        return bank->dte_addr;
    case REG_STATUS:
        return bank_status(bank);
    case REG_FAULT_ADDR:
        return bank->fault_addr;
    case REG_INT_RAWSTAT:
        return bank->int_rawstat;
    case REG_INT_MASK:
        return bank->int_mask;
    case REG_INT_STATUS:
        return bank->int_rawstat & bank->int_mask;
    case REG_AUTO_GATING:
        return bank->auto_gating;
    case REG_COMMAND:
    case REG_ZAP_ONE_LINE:
    case REG_INT_CLEAR:
        return 0;
    default:
        qemu_log_mask(LOG_GUEST_ERROR,
                      "npu: core %u: MMU bank %u: read of 0x%02x\n",
                      bank->iommu->core, bank->index, (unsigned int)offset);
        return 0;
    }
}

static void bank_write_register(RK3588IommuBank *bank, hwaddr offset,
                                uint32_t value)
{
    switch (offset) {
    case REG_DTE_ADDR:
        bank->dte_addr = value & DTE_ADDR_MASK;
        bank->iommu->mismatch_reported = false;
        break;
    case REG_COMMAND:
        bank_command(bank, value);
        break;
    case REG_ZAP_ONE_LINE:
        bank->iotlb[value >> PAGE_BITS].epoch = 0;
        break;
    case REG_INT_CLEAR:
        bank->int_rawstat &= ~value;
        break;
    case REG_INT_MASK:
        bank->int_mask = value & INT_ALL;
        break;
    case REG_AUTO_GATING:
        bank->auto_gating = value;
        break;
    default:
        qemu_log_mask(LOG_GUEST_ERROR,
                      "npu: core %u: MMU bank %u: write of 0x%08x to 0x%02x\n",
                      bank->iommu->core, bank->index, value,
                      (unsigned int)offset);
        break;
    }
}

static void iommu_update_irq(void *opaque)
{
    RK3588IommuState *s = opaque;
    uint32_t pending = 0;

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        for (unsigned int i = 0; i < s->num_banks; i++) {
            pending |= s->bank[i].int_rawstat & s->bank[i].int_mask;
        }
    }
    qemu_set_irq(s->irq, pending != 0 || s->pulse);
}

void rk3588_iommu_update_irq(RK3588IommuState *s)
{
    iommu_update_irq(s);
}

static void iommu_end_pulse(RK3588IommuState *s)
{
    timer_del(s->pulse_timer);
    s->pulse = false;
    iommu_update_irq(s);
}

static void iommu_pulse_step(void *opaque)
{
    RK3588IommuState *s = opaque;

    if (s->pulse) {
        iommu_end_pulse(s);
        return;
    }
    s->pulse = true;
    timer_mod(s->pulse_timer,
              qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + s->pulse_ns);
    iommu_update_irq(s);
}

void rk3588_iommu_pulse_irq(RK3588IommuState *s, int64_t delay_ns,
                            int64_t length_ns)
{
    if (s->pulse || timer_pending(s->pulse_timer)) {
        return;
    }
    s->pulse_ns = length_ns;
    timer_mod(s->pulse_timer,
              qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + delay_ns);
}

static bool bank_reachable(RK3588IommuBank *bank, hwaddr offset)
{
    const RK3588IommuState *s = bank->iommu;

    if (!s->powered || !s->hclk) {
        error_printf("npu: core %u: MMU bank %u: access to 0x%02x with %s\n",
                     s->core, bank->index, (unsigned int)offset,
                     s->powered ? "hclk gated" : "the power domain off");
        return false;
    }
    return true;
}

static MemTxResult bank_mmio_read(void *opaque, hwaddr offset, uint64_t *value,
                                  unsigned int size, MemTxAttrs attrs)
{
    RK3588IommuBank *bank = opaque;

    if (!bank_reachable(bank, offset)) {
        return MEMTX_ERROR;
    }
    WITH_QEMU_LOCK_GUARD(&bank->iommu->lock) {
        *value = bank_read_register(bank, offset);
    }
    return MEMTX_OK;
}

static MemTxResult bank_mmio_write(void *opaque, hwaddr offset, uint64_t value,
                                   unsigned int size, MemTxAttrs attrs)
{
    RK3588IommuBank *bank = opaque;

    if (!bank_reachable(bank, offset)) {
        return MEMTX_ERROR;
    }
    if (offset == REG_COMMAND && bank->iommu->deaf) {
        return MEMTX_OK;
    }
    if (offset == REG_COMMAND && value == CMD_ENABLE_STALL &&
        bank->iommu->land) {
        bank->iommu->land(bank->iommu->master);
    }
    WITH_QEMU_LOCK_GUARD(&bank->iommu->lock) {
        bank_write_register(bank, offset, value);
    }
    iommu_update_irq(bank->iommu);
    return MEMTX_OK;
}

static const MemoryRegionOps bank_mmio_ops = {
    .read_with_attrs = bank_mmio_read,
    .write_with_attrs = bank_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void iommu_reset(DeviceState *dev)
{
    RK3588IommuState *s = RK3588_IOMMU(dev);

    WITH_QEMU_LOCK_GUARD(&s->lock) {
        for (unsigned int i = 0; i < s->num_banks; i++) {
            bank_reset(&s->bank[i]);
        }
        s->mismatch_reported = false;
        qemu_cond_broadcast(&s->changed);
    }
    iommu_end_pulse(s);
}

static void iommu_set_power(void *opaque, int line, int level)
{
    RK3588IommuState *s = opaque;

    s->powered = level;
    if (!level) {
        iommu_reset(DEVICE(s));
    }
}

static void iommu_set_hclk(void *opaque, int line, int level)
{
    RK3588IommuState *s = opaque;

    s->hclk = level;
}

static void iommu_set_deaf(void *opaque, int line, int level)
{
    RK3588IommuState *s = opaque;

    s->deaf = level;
}

static void iommu_set_stray(void *opaque, int line, int level)
{
    if (level) {
        rk3588_iommu_pulse_irq(opaque, 0, STRAY_NS);
    }
}

static void iommu_realize(DeviceState *dev, Error **errp)
{
    RK3588IommuState *s = RK3588_IOMMU(dev);

    if (s->num_banks < 1 || s->num_banks > RK3588_IOMMU_MAX_BANKS) {
        error_setg(errp, "num-banks must be 1 or 2");
        return;
    }
    s->powered = true;
    s->hclk = true;
    s->irq_bh = qemu_bh_new(iommu_update_irq, s);
    s->pulse_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, iommu_pulse_step, s);
    for (unsigned int i = 0; i < s->num_banks; i++) {
        RK3588IommuBank *bank = &s->bank[i];

        bank->iommu = s;
        bank->index = i;
        bank->epoch = 1;
        bank->iotlb = g_new0(RK3588IotlbEntry, NUM_PAGES);
        memory_region_init_io(&bank->mmio, OBJECT(s), &bank_mmio_ops, bank,
                              TYPE_RK3588_IOMMU, RK3588_IOMMU_BANK_BYTES);
        sysbus_init_mmio(SYS_BUS_DEVICE(s), &bank->mmio);
    }
}

static void iommu_init(Object *obj)
{
    RK3588IommuState *s = RK3588_IOMMU(obj);

    qemu_mutex_init(&s->lock);
    qemu_cond_init(&s->changed);
    sysbus_init_irq(SYS_BUS_DEVICE(s), &s->irq);
    qdev_init_gpio_in_named(DEVICE(s), iommu_set_power, "power", 1);
    qdev_init_gpio_in_named(DEVICE(s), iommu_set_hclk, "hclk", 1);
    qdev_init_gpio_in_named(DEVICE(s), iommu_set_deaf, "deaf", 1);
    qdev_init_gpio_in_named(DEVICE(s), iommu_set_stray, "stray", 1);
}

static const Property iommu_properties[] = {
    DEFINE_PROP_UINT32("core", RK3588IommuState, core, 0),
    DEFINE_PROP_UINT32("num-banks", RK3588IommuState, num_banks, 1),
    DEFINE_PROP_UINT32("failing-page", RK3588IommuState, failing_page, 0),
};

static const VMStateDescription vmstate_iommu = {
    .name = TYPE_RK3588_IOMMU,
    .unmigratable = 1,
};

static void iommu_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = iommu_realize;
    dc->vmsd = &vmstate_iommu;
    /* Needs the machine's wiring of banks and power. */
    dc->user_creatable = false;
    device_class_set_legacy_reset(dc, iommu_reset);
    device_class_set_props(dc, iommu_properties);
}

static const TypeInfo iommu_type = {
    .name = TYPE_RK3588_IOMMU,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(RK3588IommuState),
    .instance_init = iommu_init,
    .class_init = iommu_class_init,
};

static void iommu_register_types(void)
{
    type_register_static(&iommu_type);
}
type_init(iommu_register_types)
