/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/eventfd.h>

#include "model_device.h"

/* Start registers (NPU reference 1.2 and 1.5). */
#define PC_OPERATION_ENABLE     0x08
#define PC_BASE_ADDRESS         0x10
#define PC_REGISTER_AMOUNTS     0x14
#define PC_INTERRUPT_MASK       0x20
#define PC_INTERRUPT_CLEAR      0x24
#define PC_INTERRUPT_RAW_STATUS 0x2c
#define PC_TASK_CON             0x30
#define PC_TASK_DMA_BASE_ADDR   0x34
#define CNA_S_POINTER           0x1004
#define CORE_S_POINTER          0x3004

#define PC_SEL_SLAVE        1
#define TASK_CON_PP_COUNT   0x7000 /* TASK_PP_EN, TASK_COUNT_CLEAR and the bit that is always written */
#define S_POINTER_PING_PONG 0xe
#define S_POINTER_CORE_SHIFT 28
#define INTERRUPT_DPU       0x300
#define INTERRUPT_DMA_ERROR 0x3000
#define INTERRUPT_ALL       0x1ffff

/* The start sequence of NPU reference 1.5 for tasks [task, task + count). */
static void start(struct model_core *core, uint32_t index, const struct model_program *program, uint32_t task,
		  uint32_t count)
{
	const struct model_task *first = &program->tasks[task];
	const uint32_t pointer = S_POINTER_PING_PONG | index << S_POINTER_CORE_SHIFT;

	core->memory = &core->model->vms[program->vm];
	core->faulted = false;
	core->report[0] = '\0';
	npu_core_write(core->npu, PC_BASE_ADDRESS, PC_SEL_SLAVE);
	npu_core_write(core->npu, CNA_S_POINTER, pointer);
	npu_core_write(core->npu, CORE_S_POINTER, pointer);
	npu_core_write(core->npu, PC_BASE_ADDRESS, first->va);
	npu_core_write(core->npu, PC_REGISTER_AMOUNTS, first->amount);
	npu_core_write(core->npu, PC_INTERRUPT_MASK, INTERRUPT_DPU | INTERRUPT_DMA_ERROR);
	npu_core_write(core->npu, PC_INTERRUPT_CLEAR, INTERRUPT_ALL);
	npu_core_write(core->npu, PC_TASK_CON, TASK_CON_PP_COUNT | count);
	npu_core_write(core->npu, PC_TASK_DMA_BASE_ADDR, 0);
	npu_core_write(core->npu, PC_OPERATION_ENABLE, 1);
}

/* Ends the part that ran on the core: success if it raised the DPU's interrupt and nothing else went wrong. */
static int finish(struct model_device *model, uint32_t index)
{
	struct model_core *core = &model->cores[index];
	const uint32_t raw = npu_core_read(core->npu, PC_INTERRUPT_RAW_STATUS);
	const bool irq = npu_core_irq(core->npu);

	npu_core_write(core->npu, PC_INTERRUPT_MASK, 0);
	npu_core_write(core->npu, PC_INTERRUPT_CLEAR, INTERRUPT_ALL);
	if (irq && raw & INTERRUPT_DPU && !(raw & INTERRUPT_DMA_ERROR)) {
		core->jobs_done++;
		return 0;
	}
	npu_core_reset(core->npu);
	core->resets++;
	if (core->faulted)
		return ork_fail(&model->base, -EIO, "core %u was reset: address 0x%08x is not mapped", index,
				core->fault_va);
	if (raw & INTERRUPT_DMA_ERROR)
		return ork_fail(&model->base, -EIO, "core %u was reset: DMA error", index);
	return ork_fail(&model->base, -ETIMEDOUT, "core %u hung and was reset: %s", index,
			core->report[0] ? core->report : "the model gave no reason");
}

/* Takes one task from each busy core in turn, so that the cores advance together. Returns false when none is busy. */
static bool step(struct model_device *model, uint32_t mask)
{
	bool busy = false;
	uint32_t i;

	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		struct npu_core *npu = model->cores[i].npu;
		struct npu_task *task;

		if (!(mask & 1u << i) || !npu_core_busy(npu))
			continue;
		busy = true;
		task = npu_core_fetch(npu);
		if (!task)
			continue;
		npu_task_run(task);
		npu_core_retire(npu, task);
	}
	return busy;
}

/*
 * Split as DRM_ORK_PLACE_SPLIT is defined; else, as all cores are idle in-process, on the one that did least.
 */
static uint32_t start_parts(struct model_device *model, const struct model_program *program,
			    const struct ork_launch *launch)
{
	const uint32_t parts = (uint32_t)__builtin_popcount(launch->core_mask);
	uint32_t started = 0, part = 0, i, best = DRM_ORK_MAX_CORES;

	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		const uint32_t first = (uint32_t)((uint64_t)part * launch->task_count / parts);
		const uint32_t end = (uint32_t)((uint64_t)(part + 1) * launch->task_count / parts);

		if (!(launch->core_mask & 1u << i))
			continue;
		part++;
		if (best == DRM_ORK_MAX_CORES || model->cores[i].jobs_done < model->cores[best].jobs_done)
			best = i;
		if (!launch->split || first == end)
			continue;
		start(&model->cores[i], i, program, first, end - first);
		started |= 1u << i;
	}
	if (launch->split)
		return started;
	start(&model->cores[best], best, program, 0, launch->task_count);
	return 1u << best;
}

static void patch_addresses(const struct model_program *program, const uint64_t *addresses)
{
	uint32_t i;

	for (i = 0; i < program->slot_count; i++) {
		const struct model_slot *slot = &program->slots[i];
		const uint32_t va = (uint32_t)addresses[slot->slot] + slot->offset;

		*slot->word = (*slot->word & ~(UINT64_C(0xffffffff) << 16)) | (uint64_t)va << 16;
	}
}

static void run(struct model_device *model, const struct ork_launch *launch)
{
	const struct model_program *program = model_handle_get(&model->programs, launch->program);
	uint32_t started, i;
	int err;

	patch_addresses(program, launch->addresses);
	started = start_parts(model, program, launch);
	while (step(model, started))
		;
	launch->fence->status = 0;
	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		err = started & 1u << i ? finish(model, i) : 0;
		if (!err)
			continue;
		launch->fence->status = err;
		snprintf(launch->fence->reason, sizeof(launch->fence->reason), "%.*s", ORK_REASON_CHARS - 1,
			 model->base.error);
	}
}

/* Jobs have ended when the call returns: there is no thread that could run them later. */
int model_submit(struct ork_device *dev, const struct ork_launch *launches, uint32_t count, uint32_t *started)
{
	for (*started = 0; *started < count; ++*started)
		run((struct model_device *)dev, &launches[*started]);
	return 0;
}

int model_fence_init(struct ork_device *dev, struct ork_fence *fence)
{
	(void)dev;
	(void)fence;
	return 0;
}

void model_fence_exit(struct ork_device *dev, struct ork_fence *fence)
{
	(void)dev;
	(void)fence;
}

int model_fences_wait(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int64_t timeout_ms)
{
	uint32_t i;

	(void)timeout_ms;
	for (i = 0; i < count; i++)
		if (fences[i]->status)
			return ork_fail(dev, fences[i]->status, "%s", fences[i]->reason);
	return 0;
}

int model_fence_fd(struct ork_device *dev, struct ork_fence *const *fences, uint32_t count, int *fd)
{
	(void)dev;
	(void)fences;
	(void)count;
	*fd = eventfd(1, EFD_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}
