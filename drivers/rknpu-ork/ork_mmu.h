/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MMU_H
#define ORK_MMU_H

#include <linux/iommu.h>
#include <linux/list.h>
#include <linux/spinlock.h>

struct device;
struct ork_core;
struct ork_vm;

/**
 * struct ork_mmu - an IOMMU group: the cores that are attached to one address space together
 */
struct ork_mmu {
	/** @dev: device behind the IOMMU */
	struct device *dev;

	/** @iommu: the IOMMU itself; holds a reference */
	struct device *iommu;

	/** @group: IOMMU group */
	struct iommu_group *group;

	/** @anchor: empty domain that the group belongs to, whatever VM is attached */
	struct iommu_domain *anchor;

	/** @lock: protects the members below; taken last, also by interrupts */
	spinlock_t lock;

	/**
	 * @vm: attached address space; holds a reference. NULL if the anchor is attached, and while
	 * it is replaced
	 */
	struct ork_vm *vm;

	/** @users: cores that run a part, or that replace @vm */
	unsigned int users;

	/** @waiting: cores that wait to run a part, in order */
	struct list_head waiting;

	/** @stale: a core was reset while others ran, and the IOMMU was not set up since */
	bool stale;

	/**
	 * @lost: a core may still access memory and cannot be reset; it stays inside, and @vm
	 * attached, until the power goes
	 */
	bool lost;
};

struct device *ork_mmu_of_device(struct device *dev);
int ork_mmu_init(struct ork_mmu *mmu, struct device *dev);
int ork_mmu_enter(struct ork_core *core, struct ork_vm *vm);
bool ork_mmu_stay(struct ork_core *core, struct ork_vm *vm);
void ork_mmu_leave(struct ork_core *core);
void ork_mmu_leave_reset(struct ork_core *core);
void ork_mmu_lose(struct ork_core *core);
void ork_mmu_stop_waiting(struct ork_core *core);
void ork_mmu_detach(struct ork_mmu *mmu);
u32 ork_mmu_vm_id(struct ork_mmu *mmu);

#endif
