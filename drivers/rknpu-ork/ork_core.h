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

	/** @resets: srst_a, srst_h */
	struct reset_control_bulk_data resets[ORK_NUM_RESETS];

	/** @group: IOMMU group */
	struct iommu_group *group;

	/** @mmu: device node of the core's MMU */
	struct device_node *mmu;

	/** @sched: queue of parts; runs one at a time */
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

	/** @part_lock: protects @part, @fault and @progress against the interrupt */
	spinlock_t part_lock;

	/** @part: what runs now, or NULL. While it is set the core is powered */
	struct ork_part *part;

	/** @raw_status: interrupt bits of @part, for its thread */
	u32 raw_status;

	/** @fault: error that @part must end with, or 0 */
	int fault;

	/** @fault_va: address that the MMU could not translate */
	u32 fault_va;

	/** @progress: tasks done when the watchdog last looked */
	u32 progress;

	/** @watchdog: looks at the part's progress; recovers the core when there is none */
	struct delayed_work watchdog;

	/**
	 * @queued: parts that are queued or running; read without lock to choose the least busy
	 * core
	 */
	atomic_t queued;

	/** @idle: woken when @queued falls to 0 */
	wait_queue_head_t idle;

	/** @jobs_done: parts that ended without error */
	atomic64_t jobs_done;

	/** @reset_count: resets after a hang or fault */
	atomic64_t reset_count;
};

extern struct platform_driver ork_core_driver;

int ork_core_start(struct ork_core *core, struct ork_part *part);
void ork_core_fault(struct ork_core *core, u32 va);
bool ork_core_has_mmu(struct ork_core *core, struct device *mmu);
void ork_core_watchdog(struct work_struct *work);
void ork_core_drain(struct ork_core *core);

/* For ork_reset.c, called with core->lock held. */
int ork_core_attach(struct ork_core *core, struct ork_vm *vm);
void ork_core_detach(struct ork_core *core);
void ork_core_mask_irq(struct ork_core *core);
struct ork_part *ork_core_take_part(struct ork_core *core);
void ork_core_end_part(struct ork_core *core, struct ork_part *part, int error);

struct ork_core_state {
	u32 raw_status;
	u32 task_status;
	u32 dma_error;
};

void ork_core_read_state(struct ork_core *core, struct ork_core_state *state);
u32 ork_core_tasks_done(struct ork_core *core);

#endif
