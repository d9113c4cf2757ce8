// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Running parts
 *
 * A core runs one part, a chain of tasks, at a time. The scheduler hands it one part more, which
 * waits in core->armed. When the running part ends, the hard interrupt handler starts the next one
 * itself if it lives in the VM that is attached; otherwise a work item switches the VM first, when
 * the other cores behind the same IOMMU let it (ork_mmu.c). A watchdog ends a part that makes no
 * progress (ork_reset.c).
 *
 * When a part has ended: the interrupt can overtake the last results on their way to memory. If the
 * DMA engine is idle when the handler looks, they are there; if not, the handler's thread waits.
 * Only then is the next part started, since its traffic would hide the end of the first one's. The
 * handler itself signals the part's end when the next one runs, so that who waits for it is woken
 * at once; what takes longer, many cache lines to invalidate, it leaves to its thread.
 *
 * Registers are accessible while the core is resumed. Each part that the scheduler has handed over
 * holds a runtime PM reference, so whoever sees core->part under core->part_lock may read them. The
 * interrupt line is shared with the MMU: without a part the handler does not look at the hardware
 * at all, which also keeps it away from a suspended core. With one, an interrupt is its end only if
 * no task is left.
 *
 * Locks: core->lock (sleeps) before core->part_lock (interrupts off). The interrupt thread takes
 * only the second, so recovery may hold the first while it waits for the interrupt. All this is on
 * the way to a fence's signal: the driver allocates nothing here.
 */

#include <linux/bitfield.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>
#include <linux/pm_runtime.h>

#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_dump.h"
#include "ork_job.h"
#include "ork_mmu.h"
#include "ork_prog.h"
#include "ork_regs.h"
#include "ork_reset.h"
#include "ork_result.h"
#include "ork_run.h"
#include "ork_trace.h"

/* A part is one chain. */
static_assert(ORK_PART_MAX_TASKS <= ORK_TASK_CON_NUMBER);

/* Results of a finished chain drain within microseconds; a core that takes this long is stuck. */
#define ORK_IDLE_TIMEOUT_US 500000

/* The interrupt handler invalidates no more cache lines than this many bytes have. */
#define ORK_QUICK_CACHE_BYTES SZ_64K

/* The system does not wait longer for a part before it gives up going to sleep. */
#define ORK_FREEZE_TIMEOUT_MS 10000

/* The watchdog looks this often within a timeout. */
#define ORK_WATCHDOG_STEPS 4

void ork_run_mask_irq(struct ork_core *core)
{
	writel(0, core->pc + ORK_PC_INTERRUPT_MASK);
}

static u32 ork_run_tasks_done(struct ork_core *core)
{
	return FIELD_GET(ORK_TASK_STATUS_COUNT, readl(core->pc + ORK_PC_TASK_STATUS));
}

void ork_run_read_state(struct ork_core *core, struct ork_run_state *state)
{
	state->raw_status = readl(core->pc + ORK_PC_INTERRUPT_RAW_STATUS);
	state->task_status = readl(core->pc + ORK_PC_TASK_STATUS);
	state->dma_error = readl(core->ddma + ORK_DDMA_CFG_ID_ERROR);
}

/* The sequence is that of Documentation/hardware.rst, "Starting a core". */
static void ork_run_kick(struct ork_core *core, struct ork_part *part)
{
	u32 pointer = ORK_S_POINTER_POINTER_PP_EN | ORK_S_POINTER_EXECUTER_PP_EN |
		      ORK_S_POINTER_PP_MODE | FIELD_PREP(ORK_S_POINTER_CORE, core->index);
	u32 task_con = ORK_TASK_CON_RESERVED | ORK_TASK_CON_COUNT_CLEAR | ORK_TASK_CON_PP_EN |
		       FIELD_PREP(ORK_TASK_CON_NUMBER, part->task_count);

	writel(ORK_PC_SEL_SLAVE, core->pc + ORK_PC_BASE_ADDRESS);
	writel(pointer, core->cna + ORK_S_POINTER);
	writel(pointer, core->core + ORK_S_POINTER);
	writel(ork_part_task_va(part, 0), core->pc + ORK_PC_BASE_ADDRESS);
	writel(ork_part_task_amount(part, 0), core->pc + ORK_PC_REGISTER_AMOUNTS);
	writel(ORK_INT_ALL, core->pc + ORK_PC_INTERRUPT_CLEAR);
	writel(ORK_INT_DPU | ORK_INT_DMA_ERROR, core->pc + ORK_PC_INTERRUPT_MASK);
	writel(task_con, core->pc + ORK_PC_TASK_CON);
	writel(0, core->pc + ORK_PC_TASK_DMA_BASE_ADDR);
	trace_ork_kick(part);
	writel(ORK_PC_OP_EN, core->pc + ORK_PC_OPERATION_ENABLE);

	part->deadline = jiffies + part->timeout;
	core->progress = 0;
}

static void ork_run_watch(struct ork_core *core)
{
	unsigned long step = max(core->part->timeout / ORK_WATCHDOG_STEPS, 1UL);

	lockdep_assert_held(&core->part_lock);

	/* One that is on its way finds this part: most jobs are over long before that. */
	if (!delayed_work_pending(&core->watchdog) ||
	    time_before(jiffies + step, READ_ONCE(core->watchdog.timer.expires)))
		mod_delayed_work(core->ork->wq, &core->watchdog, step);
}

static struct ork_part *ork_run_next(struct ork_core *core)
{
	lockdep_assert_held(&core->part_lock);

	return list_first_entry_or_null(&core->armed, struct ork_part, node);
}

/* Starts a part on an idle core that is attached to its VM. */
static void ork_run_start(struct ork_core *core, struct ork_part *part)
{
	lockdep_assert_held(&core->part_lock);

	list_del_init(&part->node);
	core->part = part;
	core->fault = 0;
	ork_run_kick(core, part);
	part->start = ktime_get();
	ork_result_started(part->job->result, part->start);
	ork_run_watch(core);
}

/* The core has no part any more. */
static void ork_run_release(struct ork_core *core, ktime_t now)
{
	lockdep_assert_held(&core->part_lock);

	core->part->end = now;
	core->busy_ns += ktime_to_ns(ktime_sub(now, core->part->start));
	core->part = NULL;
	if (core->frozen)
		wake_up(&core->idle);
}

/* The part's results are in memory: makes way for the next one. */
static void ork_run_finish(struct ork_core *core, ktime_t now)
{
	struct ork_part *next;

	lockdep_assert_held(&core->part_lock);

	core->part->tasks_done = core->part->task_count;
	list_add_tail(&core->part->node, &core->ended);
	ork_run_release(core, now);

	next = ork_run_next(core);
	if (next && (core->frozen || ork_part_dropped(next)))
		next = NULL;
	if (ork_mmu_stay(core, next ? ork_part_vm(next) : NULL))
		ork_run_start(core, next);
}

/**
 * ork_run_busy_ns - time for which a core has had a part so far
 * @core: core
 */
u64 ork_run_busy_ns(struct ork_core *core)
{
	u64 busy_ns;

	spin_lock_irq(&core->part_lock);
	busy_ns = core->busy_ns;
	if (core->part)
		busy_ns += ktime_to_ns(ktime_sub(ktime_get(), core->part->start));
	spin_unlock_irq(&core->part_lock);

	return busy_ns;
}

/*
 * Takes a part with a fault away, unless it has come to its end after all. Whoever takes it must
 * end it.
 */
struct ork_part *ork_run_take_part(struct ork_core *core)
{
	struct ork_part *part;

	spin_lock_irq(&core->part_lock);
	part = core->fault ? core->part : NULL;
	if (part)
		ork_run_release(core, ktime_get());
	spin_unlock_irq(&core->part_lock);

	/* A wedged core may say anything. */
	if (part)
		part->tasks_done = min(ork_run_tasks_done(core), part->task_count);

	return part;
}

/* The part may be freed when this returns. */
void ork_run_end_part(struct ork_core *core, struct ork_part *part, int error)
{
	if (!error) {
		atomic64_inc(&core->jobs_done);
		ork_part_done(part);
	}

	pm_runtime_mark_last_busy(core->dev);
	pm_runtime_put_autosuspend(core->dev);
	trace_ork_done(part, error);
	ork_part_signal(part, error);
}

static void ork_run_end_armed(struct ork_core *core, int error)
{
	struct ork_part *part;

	for (;;) {
		spin_lock_irq(&core->part_lock);
		part = ork_run_next(core);
		if (part)
			list_del_init(&part->node);
		spin_unlock_irq(&core->part_lock);
		if (!part)
			return;

		ork_run_end_part(core, part, error);
	}
}

/**
 * ork_run_advance - start the next part if the core is idle and its VM can be attached
 * @core: core; its lock is held
 */
void ork_run_advance(struct ork_core *core)
{
	struct ork_part *next;
	int ret;

	lockdep_assert_held(&core->lock);

	for (;;) {
		spin_lock_irq(&core->part_lock);
		next = core->part || core->frozen ? NULL : ork_run_next(core);
		spin_unlock_irq(&core->part_lock);
		if (!next) {
			ork_mmu_stop_waiting(core);
			return;
		}

		/* An idle core has no interrupt, and we hold its lock: nobody else starts one. */
		if (core->lost)
			ret = -ENODEV;
		else if (ork_part_dropped(next))
			ret = -ECANCELED;
		else
			ret = ork_mmu_enter(core, ork_part_vm(next));
		if (ret == -EAGAIN)
			return;

		spin_lock_irq(&core->part_lock);
		if (ret)
			list_del_init(&next->node);
		else
			ork_run_start(core, next);
		spin_unlock_irq(&core->part_lock);

		if (!ret)
			return;
		ork_run_end_part(core, next, ret);
	}
}

static void ork_run_switch(struct work_struct *work)
{
	struct ork_core *core = container_of(work, struct ork_core, advance);

	mutex_lock(&core->lock);
	ork_run_advance(core);
	mutex_unlock(&core->lock);
}

/* Runtime PM does not try again to resume a device that has failed once, unless it is told to. */
static void ork_run_forget_error(struct device *dev)
{
	if (READ_ONCE(dev->power.runtime_error))
		pm_runtime_set_suspended(dev);
}

/*
 * The scheduler may have a part for us while the system goes to sleep or sleeps; then its thread
 * waits.
 */
static int ork_run_get_power(struct ork_core *core)
{
	int ret;

	for (;;) {
		wait_event_idle(core->idle, !READ_ONCE(core->frozen));
		mutex_lock(&core->power_lock);
		if (!core->frozen)
			break;
		mutex_unlock(&core->power_lock);
	}

	/* Without core->lock: resuming waits for a suspend in progress. */
	ret = pm_runtime_resume_and_get(core->dev);
	if (ret) {
		dev_err(core->dev, "core %u: no power: %d\n", core->index, ret);
		ork_run_forget_error(core->mmu->iommu);
		ork_run_forget_error(core->dev);
		ret = -ENODEV;
	}
	mutex_unlock(&core->power_lock);

	return ret;
}

/**
 * ork_run_get_active - get power for a part if the core has it anyway
 * @core: core
 *
 * Return: whether ork_run_accept() may follow.
 */
bool ork_run_get_active(struct ork_core *core)
{
	bool active;

	if (!mutex_trylock(&core->power_lock))
		return false;

	active = !core->frozen && ork_pm_get_if_active(core->dev) > 0;
	mutex_unlock(&core->power_lock);
	return active;
}

/**
 * ork_run_accept - take a part
 * @core: core that has power for it
 * @part: part; its fence signals when it has ended, with or without error
 */
void ork_run_accept(struct ork_core *core, struct ork_part *part)
{
	trace_ork_schedule(part);

	mutex_lock(&core->lock);
	spin_lock_irq(&core->part_lock);
	list_add_tail(&part->node, &core->armed);
	spin_unlock_irq(&core->part_lock);
	ork_run_advance(core);
	mutex_unlock(&core->lock);
}

/**
 * ork_run_part - take a part from the scheduler
 * @core: core
 * @part: part; its fence signals when it has ended, with or without error
 *
 * Return: 0, or -ENODEV if the core gets no power or clock; the next part tries again.
 */
int ork_run_part(struct ork_core *core, struct ork_part *part)
{
	int ret = ork_run_get_power(core);

	if (!ret)
		ork_run_accept(core, part);
	return ret;
}

/* Gives the running part to the watchdog. */
static void ork_run_fail_locked(struct ork_core *core, int error)
{
	lockdep_assert_held(&core->part_lock);

	if (core->part && !core->fault) {
		core->fault = error;
		mod_delayed_work(core->ork->wq, &core->watchdog, 0);
	}
}

static void ork_run_fail(struct ork_core *core, int error)
{
	spin_lock_irq(&core->part_lock);
	ork_run_fail_locked(core, error);
	spin_unlock_irq(&core->part_lock);
}

/* Tell whether an address could not be translated, and which. */
static bool ork_run_mmu_fault(struct ork_core *core, u32 *va)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_MMU_BANKS; i++) {
		void __iomem *bank = core->mmu_bank[i];

		if (bank && readl(bank + ORK_MMU_STATUS) & ORK_MMU_STATUS_FAULT) {
			*va = readl(bank + ORK_MMU_PAGE_FAULT_ADDR);
			return true;
		}
	}

	return false;
}

/**
 * ork_run_fault - an MMU has a fault, maybe this core's
 * @core: core
 *
 * The IOMMU driver clears the fault when it has told us. It does not say which bank has it. What a
 * core without a part has is not looked at: it may have no power.
 */
void ork_run_fault(struct ork_core *core)
{
	unsigned long flags;

	spin_lock_irqsave(&core->part_lock, flags);
	if (core->part && !core->fault && ork_run_mmu_fault(core, &core->fault_va)) {
		trace_ork_fault(core, core->fault_va);
		ork_run_fail_locked(core, -EFAULT);
	}
	spin_unlock_irqrestore(&core->part_lock, flags);
}

/* The part that is signalled next, or NULL; then a VM is switched if that is needed. */
static struct ork_part *ork_run_take_ended(struct ork_core *core)
{
	struct ork_part *part;

	lockdep_assert_held(&core->part_lock);

	part = list_first_entry_or_null(&core->ended, struct ork_part, node);
	if (part)
		list_del_init(&part->node);
	else if (!core->part && ork_run_next(core))
		/* It lives in another VM. */
		queue_work(core->ork->wq, &core->advance);

	return part;
}

/* What the handler need not leave to its thread. */
static bool ork_run_all_quick(struct ork_core *core)
{
	struct ork_part *part = list_first_entry_or_null(&core->ended, struct ork_part, node);

	return !core->raw_status && !core->ending &&
	       (!part || part->job->cache_bytes <= ORK_QUICK_CACHE_BYTES);
}

static irqreturn_t ork_run_end_quick(struct ork_core *core)
{
	struct ork_part *part;
	bool quick;

	do {
		spin_lock(&core->part_lock);
		quick = ork_run_all_quick(core);
		part = quick ? ork_run_take_ended(core) : NULL;
		spin_unlock(&core->part_lock);
		if (part)
			ork_run_end_part(core, part, 0);
	} while (part);

	return quick ? IRQ_HANDLED : IRQ_WAKE_THREAD;
}

/*
 * The interrupt status if it tells of the part's end, else 0. The events of a chain's earlier tasks
 * show as well while it goes on, or hangs; but the counter is 0 again only after the last one.
 */
static u32 ork_run_end_status(struct ork_core *core)
{
	u32 status, done;

	if (!core->part)
		return 0;

	status = readl(core->pc + ORK_PC_INTERRUPT_STATUS);
	if (!status || status & ORK_INT_DMA_ERROR || core->part->task_count == 1)
		return status;

	done = ork_run_tasks_done(core);
	return done && done < core->part->task_count ? 0 : status;
}

irqreturn_t ork_run_irq(int irq, void *data)
{
	struct ork_core *core = data;
	ktime_t now;
	u32 status;

	spin_lock(&core->part_lock);
	/* With the lock: not before the time when the part is said to have begun. */
	now = ktime_get();
	status = ork_run_end_status(core);
	if (status) {
		trace_ork_irq(core, status);
		ork_run_mask_irq(core);
		if (!(status & ORK_INT_DMA_ERROR) &&
		    readl(core->ddma + ORK_DDMA_CFG_STATUS) & ORK_DDMA_STATUS_IDLE)
			ork_run_finish(core, now);
		else
			core->raw_status = status;
	}
	spin_unlock(&core->part_lock);

	return status ? ork_run_end_quick(core) : IRQ_NONE;
}

/* What the handler could not do: an error, or results that are still on their way. */
static void ork_run_settle(struct ork_core *core)
{
	u32 status = core->raw_status;

	core->raw_status = 0;
	if (!status)
		return;

	if (status & ORK_INT_DMA_ERROR ||
	    readl_poll_timeout(core->ddma + ORK_DDMA_CFG_STATUS, status,
			       status & ORK_DDMA_STATUS_IDLE, 1, ORK_IDLE_TIMEOUT_US)) {
		ork_run_fail(core, -EIO);
		return;
	}

	spin_lock_irq(&core->part_lock);
	ork_run_finish(core, ktime_get());
	spin_unlock_irq(&core->part_lock);
}

/* Return: the next part for the thread to end, or NULL when all are. */
static struct ork_part *ork_run_next_ended(struct ork_core *core)
{
	struct ork_part *part;

	spin_lock_irq(&core->part_lock);
	part = ork_run_take_ended(core);
	core->ending = part;
	spin_unlock_irq(&core->part_lock);

	return part;
}

irqreturn_t ork_run_irq_thread(int irq, void *data)
{
	struct ork_core *core = data;
	bool signalling = dma_fence_begin_signalling();
	struct ork_part *part;

	ork_run_settle(core);
	while ((part = ork_run_next_ended(core)))
		ork_run_end_part(core, part, 0);

	dma_fence_end_signalling(signalling);
	return IRQ_HANDLED;
}

/*
 * Whether the part has to be taken away. Its end may still come in between, and another one may
 * start; that one has no fault. The reference keeps the core awake until then.
 */
static bool ork_run_stuck(struct ork_core *core)
{
	struct ork_part *part;
	bool stuck = false;

	spin_lock_irq(&core->part_lock);
	part = core->part;
	if (part && !core->fault) {
		u32 done = ork_run_tasks_done(core);

		if (done != core->progress) {
			core->progress = done;
			part->deadline = jiffies + part->timeout;
		}
		if (time_after_eq(jiffies, part->deadline)) {
			trace_ork_timeout(part);
			core->fault = -ETIMEDOUT;
		} else {
			ork_run_watch(core);
		}
	}
	if (part && core->fault) {
		stuck = true;
		pm_runtime_get_noresume(core->dev);
		ork_run_mask_irq(core);
	}
	spin_unlock_irq(&core->part_lock);

	return stuck;
}

static void ork_run_watchdog(struct work_struct *work)
{
	struct ork_core *core = container_of(work, struct ork_core, watchdog.work);

	mutex_lock(&core->lock);
	if (ork_run_stuck(core)) {
		ork_reset_core(core);
		pm_runtime_mark_last_busy(core->dev);
		pm_runtime_put_autosuspend(core->dev);
	}
	mutex_unlock(&core->lock);
}

static void ork_run_publish(struct work_struct *work)
{
	ork_dump_publish(container_of(work, struct ork_core, publish));
}

/**
 * ork_run_drain - end what runs and wait until nothing is queued
 * @core: core whose queues take no more jobs
 */
void ork_run_drain(struct ork_core *core)
{
	/* Those that wait on the core first, else the end of what runs would start the next one. */
	mutex_lock(&core->lock);
	ork_run_end_armed(core, -ENODEV);
	ork_mmu_stop_waiting(core);
	ork_run_fail(core, -ENODEV);
	mutex_unlock(&core->lock);

	wait_event(core->idle, !atomic_read(&core->queued));
	cancel_delayed_work_sync(&core->watchdog);
	cancel_work_sync(&core->publish);
	/* Who released the last part has woken us but may not have returned. */
	flush_workqueue(core->ork->wq);
	synchronize_irq(core->irq);
}

static void ork_run_set_frozen(struct ork_core *core, bool frozen)
{
	mutex_lock(&core->power_lock);
	mutex_lock(&core->lock);
	spin_lock_irq(&core->part_lock);
	core->frozen = frozen;
	spin_unlock_irq(&core->part_lock);
	mutex_unlock(&core->lock);
	mutex_unlock(&core->power_lock);
}

/**
 * ork_run_freeze - start nothing any more, and wait for the end of what runs
 * @core: core
 *
 * Return: 0, or -EBUSY if it did not end in time; then the core is not frozen.
 */
int ork_run_freeze(struct ork_core *core)
{
	ork_run_set_frozen(core, true);
	if (wait_event_timeout(core->idle, !READ_ONCE(core->part),
			       msecs_to_jiffies(ORK_FREEZE_TIMEOUT_MS))) {
		/* A reset has taken the part away, but is not done with the core. */
		mutex_lock(&core->lock);
		mutex_unlock(&core->lock);
		return 0;
	}

	ork_run_thaw(core);
	return -EBUSY;
}

/**
 * ork_run_thaw - undo ork_run_freeze()
 * @core: core
 */
void ork_run_thaw(struct ork_core *core)
{
	ork_run_set_frozen(core, false);
	wake_up(&core->idle);

	/* What the core already had is started by nobody else. */
	mutex_lock(&core->lock);
	ork_run_advance(core);
	mutex_unlock(&core->lock);
}

void ork_run_init(struct ork_core *core)
{
	spin_lock_init(&core->part_lock);
	INIT_LIST_HEAD(&core->armed);
	INIT_LIST_HEAD(&core->ended);
	INIT_WORK(&core->advance, ork_run_switch);
	INIT_WORK(&core->publish, ork_run_publish);
	INIT_DELAYED_WORK(&core->watchdog, ork_run_watchdog);
}
