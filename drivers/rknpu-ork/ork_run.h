/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_RUN_H
#define ORK_RUN_H

#include <linux/irqreturn.h>
#include <linux/types.h>

struct ork_core;
struct ork_part;

/**
 * struct ork_run_state - registers that tell what a core was doing
 */
struct ork_run_state {
	/** @raw_status: PC INTERRUPT_RAW_STATUS */
	u32 raw_status;

	/** @task_status: PC TASK_STATUS */
	u32 task_status;

	/** @dma_error: DDMA CFG_ID_ERROR */
	u32 dma_error;
};

void ork_run_init(struct ork_core *core);
int ork_run_part(struct ork_core *core, struct ork_part *part);
bool ork_run_get_active(struct ork_core *core);
void ork_run_accept(struct ork_core *core, struct ork_part *part);
void ork_run_fault(struct ork_core *core);
void ork_run_drain(struct ork_core *core);
int ork_run_freeze(struct ork_core *core);
void ork_run_thaw(struct ork_core *core);
u64 ork_run_busy_ns(struct ork_core *core);

irqreturn_t ork_run_irq(int irq, void *data);
irqreturn_t ork_run_irq_thread(int irq, void *data);

/* For ork_reset.c, called with core->lock held. */
void ork_run_mask_irq(struct ork_core *core);
struct ork_part *ork_run_take_part(struct ork_core *core);
void ork_run_end_part(struct ork_core *core, struct ork_part *part, int error);
void ork_run_advance(struct ork_core *core);
void ork_run_read_state(struct ork_core *core, struct ork_run_state *state);

#endif
