/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "model_device.h"

#define PAGE_BYTES 4096
/* Streams start 16-byte aligned; each task gets a cache line of its own (NPU reference 2.4). */
#define STREAM_ALIGN_BYTES 64
#define TRAILER_WORDS 4

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

/* Trailer words (NPU reference 2.2). */
#define TARGET_PC     UINT64_C(0x0101)
#define TARGET_MARKER UINT64_C(0x0041)
#define TARGET_ENABLE UINT64_C(0x0081)

int model_handle_new(struct model_handles *handles, void *object, uint32_t *handle)
{
	void **grown;
	uint32_t i;

	for (i = 0; i < handles->count && handles->objects[i]; i++)
		;
	if (i == handles->count) {
		grown = realloc(handles->objects, (handles->count + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		handles->objects = grown;
		handles->count++;
	}
	handles->objects[i] = object;
	*handle = i + 1;
	return 0;
}

void *model_handle_get(const struct model_handles *handles, uint32_t handle)
{
	return handle && handle <= handles->count ? handles->objects[handle - 1] : NULL;
}

void model_handle_free(struct model_handles *handles, uint32_t handle)
{
	handles->objects[handle - 1] = NULL;
}

static uint64_t word(uint64_t target, uint32_t value, uint32_t reg)
{
	return target << 48 | (uint64_t)value << 16 | reg;
}

/* Words of a task in memory: an even number with the trailer, because the PC reads 128 bits at a time. */
static uint32_t padded_words(uint32_t body)
{
	return (body + TRAILER_WORDS + 1) / 2 * 2;
}

static uint32_t stream_bytes(uint32_t body)
{
	const uint32_t bytes = padded_words(body) * (uint32_t)sizeof(uint64_t);

	return (bytes + STREAM_ALIGN_BYTES - 1) / STREAM_ALIGN_BYTES * STREAM_ALIGN_BYTES;
}

/* Copies each task's words and writes its trailer: the link to the next task, the marker and the enable word. */
static void write_streams(struct model_program *program, const uint64_t *words, const struct drm_ork_task *tasks)
{
	uint8_t *at = program->memory;
	uint32_t i;

	for (i = 0; i < program->count; i++) {
		const struct model_task *next = i + 1 < program->count ? &program->tasks[i + 1] : NULL;
		uint64_t *stream = (uint64_t *)(void *)at;
		uint64_t *trailer = stream + padded_words(tasks[i].word_count) - TRAILER_WORDS;

		memcpy(stream, words + tasks[i].first_word, tasks[i].word_count * sizeof(*words));
		trailer[0] = next ? word(TARGET_PC, next->va, PC_BASE_ADDRESS) : 0;
		trailer[1] = word(TARGET_PC, next ? next->amount : 0, PC_REGISTER_AMOUNTS);
		trailer[2] = word(TARGET_MARKER, 0, 0);
		trailer[3] = word(TARGET_ENABLE, tasks[i].enable_map, PC_OPERATION_ENABLE);
		at += stream_bytes(tasks[i].word_count);
	}
}

static int place(struct model_device *model, struct model_program *program, const struct drm_ork_task *tasks)
{
	uint64_t bytes = 0;
	uint32_t i;
	int err;

	for (i = 0; i < program->count; i++)
		bytes += stream_bytes(tasks[i].word_count);
	bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	program->memory = aligned_alloc(PAGE_BYTES, bytes);
	if (!program->memory)
		return -ENOMEM;
	memset(program->memory, 0, bytes);
	err = model_memory_map(&model->memory, program->memory, bytes, false, 0, &program->va);
	if (err)
		return err;
	bytes = program->va;
	for (i = 0; i < program->count; i++) {
		program->tasks[i].va = (uint32_t)bytes;
		/* Number of 128-bit beats minus one (NPU reference 2.3). */
		program->tasks[i].amount = padded_words(tasks[i].word_count) / 2 - 1;
		bytes += stream_bytes(tasks[i].word_count);
	}
	return 0;
}

static void program_free(struct model_program *program)
{
	free(program->memory);
	free(program);
}

int model_prog_create(struct ork_device *dev, struct drm_ork_prog_create *args)
{
	struct model_device *model = (struct model_device *)dev;
	const uint64_t *words = (const uint64_t *)(uintptr_t)args->words.ptr;
	const struct drm_ork_task *tasks = (const struct drm_ork_task *)(uintptr_t)args->tasks.ptr;
	struct model_program *program = calloc(1, sizeof(*program) + args->tasks.count * sizeof(program->tasks[0]));
	int err;

	if (!program)
		return -ENOMEM;
	program->count = args->tasks.count;
	err = place(model, program, tasks);
	if (err) {
		program_free(program);
		return err;
	}
	write_streams(program, words, tasks);
	err = model_handle_new(&model->programs, program, &args->handle);
	if (err) {
		model_memory_unmap(&model->memory, program->va);
		program_free(program);
	}
	return err;
}

void model_prog_destroy(struct ork_device *dev, uint32_t handle)
{
	struct model_device *model = (struct model_device *)dev;
	struct model_program *program = model_handle_get(&model->programs, handle);

	model_memory_unmap(&model->memory, program->va);
	model_handle_free(&model->programs, handle);
	program_free(program);
}

/* The start sequence of NPU reference 1.5 for tasks [first, first + count). */
static void start(struct model_core *core, uint32_t index, const struct model_task *first, uint32_t count)
{
	const uint32_t pointer = S_POINTER_PING_PONG | index << S_POINTER_CORE_SHIFT;

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
 * As DRM_ORK_PLACE_SPLIT and DRM_ORK_PLACE_AUTO are defined. In-process all cores are idle: auto takes the one that did
 * least.
 */
static uint32_t start_parts(struct model_device *model, const struct model_program *program,
			    const struct drm_ork_job *job)
{
	const uint32_t parts = (uint32_t)__builtin_popcount(job->core_mask);
	uint32_t started = 0, part = 0, i, best = DRM_ORK_MAX_CORES;

	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		if (!(job->core_mask & 1u << i))
			continue;
		if (best == DRM_ORK_MAX_CORES || model->cores[i].jobs_done < model->cores[best].jobs_done)
			best = i;
		if (job->placement == DRM_ORK_PLACE_SPLIT) {
			const uint32_t first = (uint32_t)((uint64_t)part * job->task_count / parts);
			const uint32_t end = (uint32_t)((uint64_t)(part + 1) * job->task_count / parts);

			part++;
			if (first == end)
				continue;
			start(&model->cores[i], i, &program->tasks[job->first_task + first], end - first);
			started |= 1u << i;
		}
	}
	if (job->placement == DRM_ORK_PLACE_AUTO) {
		start(&model->cores[best], best, &program->tasks[job->first_task], job->task_count);
		started = 1u << best;
	}
	return started;
}

int model_run(struct ork_device *dev, const struct drm_ork_job *job)
{
	struct model_device *model = (struct model_device *)dev;
	const struct model_program *program = model_handle_get(&model->programs, job->prog);
	const uint32_t started = start_parts(model, program, job);
	int err = 0;
	uint32_t i;

	while (step(model, started))
		;
	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		const int part_err = started & 1u << i ? finish(model, i) : 0;

		if (part_err)
			err = part_err;
	}
	return err;
}
