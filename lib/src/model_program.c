/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "model_device.h"

#define PAGE_BYTES 4096
/* Streams start 16-byte aligned; each task gets a cache line of its own (NPU reference 2.4). */
#define STREAM_ALIGN_BYTES 64
#define TRAILER_WORDS 4

#define PC_OPERATION_ENABLE 0x08
#define PC_BASE_ADDRESS     0x10
#define PC_REGISTER_AMOUNTS 0x14

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
	err = model_memory_map(&model->vms[program->vm], program->memory, bytes, false, 0, &program->va);
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

/* Words of a program keep their order in memory, but tasks are moved apart. */
static int place_slots(struct model_program *program, const struct ork_commands *commands)
{
	uint8_t *stream = program->memory;
	uint32_t i, task = 0;

	program->slots = calloc(commands->slot_count + 1, sizeof(*program->slots));
	if (!program->slots)
		return -ENOMEM;
	for (i = 0; i < commands->slot_count; i++) {
		const uint32_t word = commands->slots[i].word;

		while (word >= commands->tasks[task].first_word + commands->tasks[task].word_count)
			stream += stream_bytes(commands->tasks[task++].word_count);
		program->slots[i] = (struct model_slot){
			.word = (uint64_t *)(void *)stream + word - commands->tasks[task].first_word,
			.offset = (uint32_t)(commands->words[word] >> 16),
			.slot = commands->slots[i].slot,
		};
	}
	program->slot_count = commands->slot_count;
	return 0;
}

static void program_free(struct model_program *program)
{
	free(program->memory);
	free(program->slots);
	free(program);
}

/* The model has no checker: what it is told, it does. */
int model_prog_create(struct ork_device *dev, const struct ork_commands *commands, uint32_t *handle,
		      struct ork_refusal *refusal)
{
	struct model_device *model = (struct model_device *)dev;
	struct model_program *program =
		calloc(1, sizeof(*program) + commands->task_count * sizeof(program->tasks[0]));
	int err;

	(void)refusal;
	if (!program)
		return -ENOMEM;
	program->count = commands->task_count;
	program->vm = commands->vm;
	err = place(model, program, commands->tasks);
	if (err) {
		program_free(program);
		return err;
	}
	write_streams(program, commands->words, commands->tasks);
	err = place_slots(program, commands);
	if (!err)
		err = model_handle_new(&model->programs, program, handle);
	if (err) {
		model_memory_unmap(&model->vms[program->vm], program->va);
		program_free(program);
	}
	return err;
}

void model_prog_destroy(struct ork_device *dev, uint32_t handle)
{
	struct model_device *model = (struct model_device *)dev;
	struct model_program *program = model_handle_get(&model->programs, handle);

	model_memory_unmap(&model->vms[program->vm], program->va);
	model_handle_free(&model->programs, handle);
	program_free(program);
}
