// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Which address space is attached
 *
 * Cores behind one IOMMU share its page table: a single core with the mainline device tree, all of
 * them with the vendor's. So a core that starts a part enters, with the part's VM, and leaves when
 * it has no more to run. While a core is inside, the VM stays. A core that needs another one waits
 * until all have left; the last to leave wakes the first that waits, and that one switches.
 *
 * Fairness: a core that waits is passed by nobody who needs another VM than it does. Those inside
 * end the part that they run and then wait behind it. So each core that waits is passed by at most
 * one part of each of the others.
 *
 * A VM stays attached until another one is needed, the only core inside is reset, or the cores are
 * suspended or unbound. To the IOMMU core the group always belongs to an empty domain of ours, the
 * anchor, so that a switch between VMs is one attach.
 *
 * A reset of a core leaves its banks of the IOMMU as they are, says the hardware reference; known
 * drivers set them up anew nevertheless. That is only possible for all banks of the group. When
 * other cores are inside it is put off until they have left, and the core goes on meanwhile: the
 * others do not stop for a core that was reset.
 *
 * A core that its reset does not bring back may still access memory. So it stays inside: the others
 * go on in its VM, and parts of other VMs end with an error until the power has been off.
 *
 * Locks: mmu->lock is taken under the cores' part_lock. Whoever finds nobody inside and enters to
 * replace the VM is alone until it has done so, as nobody else finds the VM that it needs.
 */

#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/workqueue.h>

#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_mmu.h"
#include "ork_trace.h"
#include "ork_vm.h"

static void ork_mmu_wake(struct ork_core *core)
{
	queue_work(core->ork->wq, &core->advance);
}

static void ork_mmu_wake_all(struct ork_mmu *mmu)
{
	struct ork_core *core;

	lockdep_assert_held(&mmu->lock);

	list_for_each_entry(core, &mmu->waiting, mmu_node)
		ork_mmu_wake(core);
}

static struct ork_core *ork_mmu_first_waiting(struct ork_mmu *mmu)
{
	return list_first_entry_or_null(&mmu->waiting, struct ork_core, mmu_node);
}

/* Tell whether the VM is attached and nobody who waits for another one is ahead of the core. */
static bool ork_mmu_fits(struct ork_mmu *mmu, struct ork_core *core, struct ork_vm *vm)
{
	struct ork_core *other;

	lockdep_assert_held(&mmu->lock);

	if (mmu->vm != vm)
		return false;

	list_for_each_entry(other, &mmu->waiting, mmu_node) {
		if (other == core)
			break;
		if (other->mmu_vm != vm)
			return false;
	}

	return true;
}

/* Begins to replace the VM; the caller is the only user. */
static struct ork_vm *ork_mmu_take_vm(struct ork_mmu *mmu)
{
	struct ork_vm *vm = mmu->vm;

	lockdep_assert_held(&mmu->lock);

	mmu->vm = NULL;
	mmu->stale = false;
	return vm;
}

/* Goes from one VM to another; NULL stands for the anchor. Drops the reference to the old one. */
static int ork_mmu_replace(struct ork_mmu *mmu, struct ork_vm *old, struct ork_vm *vm)
{
	struct iommu_domain *from = old ? old->domain : mmu->anchor;
	struct iommu_domain *to = vm ? vm->domain : mmu->anchor;
	int ret = 0;

	/* To attach what is attached would do nothing. */
	if (from == to) {
		ret = ork_iommu_switch(mmu->dev, from, mmu->anchor);
		from = mmu->anchor;
	}
	if (!ret)
		ret = ork_iommu_switch(mmu->dev, from, to);
	if (!ret && vm)
		ork_vm_get(vm);
	if (old)
		ork_vm_put(old);

	return ret;
}

static int ork_mmu_switch(struct ork_core *core, struct ork_vm *old, struct ork_vm *vm)
{
	struct ork_mmu *mmu = core->mmu;
	int ret;

	trace_ork_vm_switch(core, vm->id);
	ret = ork_mmu_replace(mmu, old, vm);

	spin_lock_irq(&mmu->lock);
	if (!ret)
		mmu->vm = vm;
	ork_mmu_wake_all(mmu);
	spin_unlock_irq(&mmu->lock);

	if (!ret)
		return 0;

	dev_err(core->dev, "core %u: the MMU takes no address space: %d\n", core->index, ret);
	ork_mmu_leave(core);
	return -ENODEV;
}

/**
 * ork_mmu_enter - have a VM attached to run a part in it
 * @core: core that runs nothing; its lock is held
 * @vm: VM; somebody else holds a reference
 *
 * Return: 0, -EAGAIN if the core has to wait, -ENODEV if another core was lost in another VM or the
 * IOMMU does not do it. A core that waits has its work item queued when it is time to ask again.
 */
int ork_mmu_enter(struct ork_core *core, struct ork_vm *vm)
{
	struct ork_mmu *mmu = core->mmu;
	struct ork_vm *old;

	lockdep_assert_held(&core->lock);

	spin_lock_irq(&mmu->lock);
	if (ork_mmu_fits(mmu, core, vm) && (mmu->users || !mmu->stale)) {
		list_del_init(&core->mmu_node);
		mmu->users++;
		spin_unlock_irq(&mmu->lock);
		return 0;
	}

	if (mmu->lost && mmu->vm != vm) {
		list_del_init(&core->mmu_node);
		ork_mmu_wake_all(mmu);
		spin_unlock_irq(&mmu->lock);
		return -ENODEV;
	}

	core->mmu_vm = vm;
	if (list_empty(&core->mmu_node))
		list_add_tail(&core->mmu_node, &mmu->waiting);
	if (mmu->users || ork_mmu_first_waiting(mmu) != core) {
		spin_unlock_irq(&mmu->lock);
		return -EAGAIN;
	}

	list_del_init(&core->mmu_node);
	mmu->users++;
	old = ork_mmu_take_vm(mmu);
	spin_unlock_irq(&mmu->lock);

	return ork_mmu_switch(core, old, vm);
}

/**
 * ork_mmu_stay - go on with another part, or leave
 * @core: core that is inside and has ended a part
 * @vm: VM of the next part, or NULL if there is none
 *
 * Return: whether the core may start the part; if not, it has left.
 */
bool ork_mmu_stay(struct ork_core *core, struct ork_vm *vm)
{
	struct ork_mmu *mmu = core->mmu;
	unsigned long flags;
	bool stay;

	spin_lock_irqsave(&mmu->lock, flags);
	stay = vm && ork_mmu_fits(mmu, core, vm);
	spin_unlock_irqrestore(&mmu->lock, flags);

	if (!stay)
		ork_mmu_leave(core);
	return stay;
}

/**
 * ork_mmu_leave - let others switch to another VM
 * @core: core that is inside
 */
void ork_mmu_leave(struct ork_core *core)
{
	struct ork_mmu *mmu = core->mmu;
	unsigned long flags;

	spin_lock_irqsave(&mmu->lock, flags);
	if (!--mmu->users && !list_empty(&mmu->waiting))
		ork_mmu_wake(ork_mmu_first_waiting(mmu));
	spin_unlock_irqrestore(&mmu->lock, flags);
}

/**
 * ork_mmu_leave_reset - leave after a reset
 * @core: core that is inside and was reset
 */
void ork_mmu_leave_reset(struct ork_core *core)
{
	struct ork_mmu *mmu = core->mmu;
	struct ork_vm *old = NULL;

	spin_lock_irq(&mmu->lock);
	if (mmu->users == 1)
		old = ork_mmu_take_vm(mmu);
	else
		mmu->stale = true;
	spin_unlock_irq(&mmu->lock);

	if (old) {
		trace_ork_vm_switch(core, 0);
		ork_mmu_replace(mmu, old, NULL);
	}
	ork_mmu_leave(core);
}

/**
 * ork_mmu_lose - stay inside after a reset that did not work
 * @core: core that is inside and never leaves
 *
 * What it still does to memory, it does to the VM whose part it had.
 */
void ork_mmu_lose(struct ork_core *core)
{
	struct ork_mmu *mmu = core->mmu;

	spin_lock_irq(&mmu->lock);
	mmu->lost = true;
	ork_mmu_wake_all(mmu);
	spin_unlock_irq(&mmu->lock);
}

/**
 * ork_mmu_stop_waiting - nothing is left that the core would wait for
 * @core: core; its lock is held
 */
void ork_mmu_stop_waiting(struct ork_core *core)
{
	struct ork_mmu *mmu = core->mmu;

	lockdep_assert_held(&core->lock);

	spin_lock_irq(&mmu->lock);
	if (!list_empty(&core->mmu_node)) {
		list_del_init(&core->mmu_node);
		ork_mmu_wake_all(mmu);
	}
	spin_unlock_irq(&mmu->lock);
}

/**
 * ork_mmu_detach - attach no VM
 * @mmu: IOMMU group that no core is inside of, unless it is lost
 *
 * To be followed by the loss of power, or by the end of all jobs.
 */
void ork_mmu_detach(struct ork_mmu *mmu)
{
	struct ork_vm *old;

	spin_lock_irq(&mmu->lock);
	old = ork_mmu_take_vm(mmu);
	mmu->users = 0;
	mmu->lost = false;
	spin_unlock_irq(&mmu->lock);

	if (old)
		ork_mmu_replace(mmu, old, NULL);
}

/**
 * ork_mmu_vm_id - tell which VM is attached
 * @mmu: IOMMU group
 *
 * Return: its number, or 0 if there is none.
 */
u32 ork_mmu_vm_id(struct ork_mmu *mmu)
{
	u32 id;

	spin_lock_irq(&mmu->lock);
	id = mmu->vm ? mmu->vm->id : 0;
	spin_unlock_irq(&mmu->lock);

	return id;
}

/**
 * ork_mmu_of_device - find the IOMMU of a device
 * @dev: device
 *
 * Return: the IOMMU with a reference, or NULL.
 */
struct device *ork_mmu_of_device(struct device *dev)
{
	struct device_node *node = of_parse_phandle(dev->of_node, "iommus", 0);
	/* Without a node, older kernels find a device that has none either. */
	struct platform_device *pdev = node ? of_find_device_by_node(node) : NULL;

	of_node_put(node);
	return pdev ? &pdev->dev : NULL;
}

static void ork_mmu_put_device(void *dev)
{
	put_device(dev);
}

static void ork_mmu_put_group(void *group)
{
	iommu_group_put(group);
}

static void ork_mmu_free_anchor(void *data)
{
	struct ork_mmu *mmu = data;

	iommu_detach_group(mmu->anchor, mmu->group);
	iommu_domain_free(mmu->anchor);
}

static int ork_mmu_attach_anchor(struct ork_mmu *mmu)
{
	int ret;

	mmu->anchor = ork_iommu_paging_domain_alloc(mmu->dev);
	if (IS_ERR(mmu->anchor))
		return dev_err_probe(mmu->dev, PTR_ERR(mmu->anchor), "no IOMMU domain\n");

	ret = iommu_attach_group(mmu->anchor, mmu->group);
	if (ret) {
		iommu_domain_free(mmu->anchor);
		return dev_err_probe(mmu->dev, ret, "no use of the IOMMU\n");
	}

	return devm_add_action_or_reset(mmu->dev, ork_mmu_free_anchor, mmu);
}

/**
 * ork_mmu_init - take over a device's IOMMU group
 * @mmu: filled in
 * @dev: device; the group is given back when it is unbound
 *
 * Return: 0, -ENODEV if the device is not behind an IOMMU, -ENOMEM or an error of the IOMMU.
 */
int ork_mmu_init(struct ork_mmu *mmu, struct device *dev)
{
	int ret;

	mmu->dev = dev;
	spin_lock_init(&mmu->lock);
	INIT_LIST_HEAD(&mmu->waiting);

	mmu->iommu = ork_mmu_of_device(dev);
	if (!mmu->iommu)
		return dev_err_probe(dev, -ENODEV, "no IOMMU\n");

	ret = devm_add_action_or_reset(dev, ork_mmu_put_device, mmu->iommu);
	if (ret)
		return ret;

	mmu->group = iommu_group_get(dev);
	if (!mmu->group)
		return dev_err_probe(dev, -ENODEV, "not behind an IOMMU\n");

	ret = devm_add_action_or_reset(dev, ork_mmu_put_group, mmu->group);
	return ret ?: ork_mmu_attach_anchor(mmu);
}
