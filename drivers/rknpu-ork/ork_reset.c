// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Recovery
 *
 * A wedged core is brought back alone. Its scheduler hands over nothing more meanwhile, as the
 * wedged part's fence signals last; a part that waits on the core is started afterwards. The order
 * matters: the interrupt is quiet before anything else happens, and the MMU is touched only after
 * the core's reset has ended its DMA, because an MMU with an access in flight does not answer.
 */

#include <linux/delay.h>
#include <linux/interrupt.h>

#include "ork_core.h"
#include "ork_dump.h"
#include "ork_job.h"
#include "ork_mmu.h"
#include "ork_queue.h"
#include "ork_regs.h"
#include "ork_reset.h"
#include "ork_result.h"
#include "ork_run.h"
#include "ork_trace.h"

/* At least 32 cycles of the slower clock. */
#define ORK_RESET_HOLD_US 10

static int ork_reset_pulse(struct ork_core *core)
{
	int ret;

	ret = reset_control_bulk_assert(ORK_NUM_RESETS, core->resets);
	udelay(ORK_RESET_HOLD_US);

	return reset_control_bulk_deassert(ORK_NUM_RESETS, core->resets) ?: ret;
}

/* A core that has been reset has no unit at work and no access in flight. */
static bool ork_reset_worked(const struct ork_core *core)
{
	return !readl(core->cna + ORK_S_STATUS) && !readl(core->core + ORK_S_STATUS) &&
	       readl(core->ddma + ORK_DDMA_CFG_STATUS) & ORK_DDMA_STATUS_IDLE;
}

static void ork_reset_report(struct ork_core *core, struct ork_part *part, int error,
			     const struct ork_run_state *state)
{
	const struct ork_job *job = part->job;
	char cause[32] = "no progress";

	if (error == -EFAULT)
		snprintf(cause, sizeof(cause), "no page at 0x%08x", core->fault_va);
	else if (error == -EIO)
		snprintf(cause, sizeof(cause), "DMA error 0x%x", state->dma_error);

	dev_err(core->dev,
		"core %u: %s[%d]: %s in tasks %u to %u (status 0x%x, interrupts 0x%x), core reset\n",
		core->index, job->comm, job->pid, cause, part->first_task,
		part->first_task + part->task_count - 1, state->task_status, state->raw_status);
}

/**
 * ork_reset_core - end the part that wedged a core and make the core work again
 * @core: core; its lock is held, it is awake, and its interrupt is masked
 */
void ork_reset_core(struct ork_core *core)
{
	struct ork_run_state state;
	struct ork_part *part;
	int error;

	lockdep_assert_held(&core->lock);

	synchronize_irq(core->irq);

	part = ork_run_take_part(core);
	if (!part)
		return;

	error = core->fault;
	/* Before anything else ends the job's other parts. */
	ork_job_fail(part->job, error);
	ork_run_read_state(core, &state);
	if (error == -EFAULT)
		ork_result_fault(part->job->result, core->fault_va);
	if (error != -ENODEV) {
		ork_reset_report(core, part, error, &state);
		ork_dump_take(core, part, error);
		ork_queue_judge(part, error);
	}

	if (ork_reset_pulse(core) || !ork_reset_worked(core)) {
		dev_err(core->dev, "core %u: reset failed, out of service\n", core->index);
		core->lost = true;
	}
	trace_ork_reset(core, core->lost);
	if (core->lost)
		ork_mmu_lose(core);
	else
		ork_mmu_leave_reset(core);

	atomic64_inc(&core->reset_count);
	ork_run_end_part(core, part, error);

	/* Parts that waited behind it have done nothing wrong. */
	ork_run_advance(core);
}
