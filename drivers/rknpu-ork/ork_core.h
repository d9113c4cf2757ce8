/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_CORE_H
#define ORK_CORE_H

#include <linux/dma-fence.h>
#include <linux/reset.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "ork_drv.h"

struct device;
struct ork_clk;
struct ork_cluster;
struct ork_mmu;
struct ork_part;
struct ork_vm;

#define ORK_NUM_RESETS 2

/**
 * struct ork_core - one NPU core
 */
struct ork_core {
	/** @dev: platform device; more cores may belong to it */
	struct device *dev;

	/** @ork: DRM device, NULL while the core is not bound to one */
	struct ork_device *ork;

	/** @index: the number that the hardware gives the core, taken from its address */
	unsigned int index;

	/** @version: sum of VERSION and VERSION_NUM */
	u32 version;

	/** @irq: interrupt, shared with the core's MMU */
	int irq;

	/** @pc: program controller page */
	void __iomem *pc;

	/** @cna: CNA page, used for S_POINTER only */
	void __iomem *cna;

	/** @core: CORE page, used for S_POINTER only */
	void __iomem *core;

	/** @ddma: DMA engine page */
	void __iomem *ddma;

	/** @mmu_bank: banks of the core's MMU, NULL where there is none; only to find faults */
	void __iomem *mmu_bank[ORK_MAX_MMU_BANKS];

	/**
	 * @clk: counts the core while it is resumed; NULL if nobody controls the compute clock.
	 * Changes only while the core is held resumed
	 */
	struct ork_clk *clk;

	/** @resets: of the AXI and the AHB side */
	struct reset_control_bulk_data resets[ORK_NUM_RESETS];

	/** @mmu: IOMMU group, which decides about the address space */
	struct ork_mmu *mmu;

	/** @mmu_node: in &struct ork_mmu.waiting, while the core waits. Protected by its lock */
	struct list_head mmu_node;

	/** @mmu_vm: what the core waits for. Protected by the same lock */
	struct ork_vm *mmu_vm;

	/** @sched: queue of parts */
	struct drm_gpu_scheduler sched;

	/** @fence_context: context of the parts' hardware fences */
	u64 fence_context;

	/** @fence_seqno: last number given to a hardware fence; used by the scheduler only */
	u64 fence_seqno;

	/** @fence_lock: lock of the hardware fences */
	spinlock_t fence_lock;

	/**
	 * @lock: the core's state: start, recovery, power down. Taken before @part_lock. The
	 * interrupt does not take it, so a holder may wait for the interrupt.
	 */
	struct mutex lock;

	/** @lost: a reset did not bring the core back; it gets no more jobs. Written under @lock */
	bool lost;

	/** @part_lock: protects the members below against the interrupt */
	spinlock_t part_lock;

	/** @armed: parts that the scheduler has handed over, in the order in which they run */
	struct list_head armed;

	/** @ended: parts whose results are in memory, to be signalled in this order */
	struct list_head ended;

	/** @ending: the interrupt's thread signals one that it took from there */
	bool ending;

	/** @part: what runs now, or NULL. While it is set the core is powered */
	struct ork_part *part;

	/** @busy_ns: time that parts took which have ended */
	u64 busy_ns;

	/** @raw_status: interrupt bits that the handler left to its thread, or 0 */
	u32 raw_status;

	/** @fault: error that @part must end with, or 0 */
	int fault;

	/** @fault_va: address that the MMU could not translate */
	u32 fault_va;

	/** @progress: tasks done when the watchdog last looked */
	u32 progress;

	/** @advance: switches to the VM of the next part and starts it */
	struct work_struct advance;

	/** @watchdog: looks at the part's progress; recovers the core when there is none */
	struct delayed_work watchdog;

	/**
	 * @power_lock: keeps parts from getting power while the system goes to sleep. Taken
	 * before @lock
	 */
	struct mutex power_lock;

	/**
	 * @frozen: the system sleeps: no part starts. Written under @power_lock, @lock and
	 * @part_lock
	 */
	bool frozen;

	/** @publish: offers the dump of a hang to user space */
	struct work_struct publish;

	/**
	 * @queued: parts that are queued or running; read without lock to choose the least busy
	 * core
	 */
	atomic_t queued;

	/** @load: parts that are queued or running; those that have ended do not count */
	atomic_t load;

	/**
	 * @idle: woken when @queued or a lane's handed-on parts fall to 0, and when @part or
	 * @frozen change around sleep
	 */
	wait_queue_head_t idle;

	/** @jobs_done: parts that ended without error */
	atomic64_t jobs_done;

	/** @reset_count: resets after a hang or fault */
	atomic64_t reset_count;
};

struct ork_core *ork_core_create(struct ork_cluster *cluster, unsigned int nth);
int ork_core_start(struct ork_core *core);
void ork_core_quiesce(struct ork_core *core);
int ork_core_bind(struct ork_core *core, struct ork_device *ork);
void ork_core_unbind(struct ork_core *core);

#endif
