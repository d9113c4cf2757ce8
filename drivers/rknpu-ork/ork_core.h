/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_CORE_H
#define ORK_CORE_H

#include <linux/clk.h>
#include <linux/dma-fence.h>
#include <linux/iommu.h>
#include <linux/platform_device.h>
#include <linux/reset.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

struct ork_clk;
struct ork_device;
struct ork_part;
struct ork_soc;
struct ork_vm;

#define ORK_NUM_CLKS 4
#define ORK_NUM_RESETS 2

/**
 * struct ork_core - one NPU core
 */
struct ork_core {
	/** @dev: platform device */
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

	/** @clks: aclk, hclk, npu, pclk; on while resumed */
	struct clk_bulk_data clks[ORK_NUM_CLKS];

	/**
	 * @clk: counts the core while it is resumed; NULL if nobody controls the compute clock.
	 * Changes only while the core is held resumed
	 */
	struct ork_clk *clk;

	/** @resets: srst_a, srst_h */
	struct reset_control_bulk_data resets[ORK_NUM_RESETS];

	/** @group: IOMMU group */
	struct iommu_group *group;

	/** @anchor: empty domain that the group belongs to, whatever VM the core is switched to */
	struct iommu_domain *anchor;

	/** @mmu: device node of the core's MMU */
	struct device_node *mmu;

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

	/** @vm: attached address space or NULL; holds a reference. Protected by @lock */
	struct ork_vm *vm;

	/** @lost: a reset did not bring the core back; it gets no more jobs. Written under @lock */
	bool lost;

	/** @part_lock: protects the members below against the interrupt */
	spinlock_t part_lock;

	/** @armed: parts that the scheduler has handed over, in the order in which they run */
	struct list_head armed;

	/** @ended: parts whose results are in memory, for the interrupt's thread to signal */
	struct list_head ended;

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

	/** @idle: woken when @queued falls to 0, and when @part or @frozen change around sleep */
	wait_queue_head_t idle;

	/** @jobs_done: parts that ended without error */
	atomic64_t jobs_done;

	/** @reset_count: resets after a hang or fault */
	atomic64_t reset_count;
};

extern struct platform_driver ork_core_driver;

bool ork_core_has_mmu(struct ork_core *core, struct device *mmu);
int ork_core_attach(struct ork_core *core, struct ork_vm *vm);
void ork_core_detach(struct ork_core *core);

#endif
