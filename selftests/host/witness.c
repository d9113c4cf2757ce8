/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */

#include "witness.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/emulator/model/npu_model.h"
#include "task_maker.h"

#define COMMANDS_AT 0x1000u
#define COMMAND_WORDS (WITNESS_TASKS * (WITNESS_WORDS + 1 + ORK_TRAILER_WORDS + 7))

/* Registers of the PC, hardware reference 1.2. */
#define PC_OPERATION_ENABLE 0x08
#define PC_BASE_ADDRESS 0x10
#define PC_REGISTER_AMOUNTS 0x14
#define PC_INTERRUPT_MASK 0x20
#define PC_INTERRUPT_CLEAR 0x24
#define PC_TASK_CON 0x30
#define PC_TASK_STATUS 0x3c
#define CNA_S_POINTER 0x1004
#define CORE_S_POINTER 0x3004
#define REUSE_BITS 0x3000u

static const struct ork_regcmd_limits limits = { .cbuf_banks = 12, .cbuf_bank_bytes = 32768 };

__attribute__((format(printf, 2, 3))) static void finding(struct witness *w, const char *format, ...)
{
	va_list args;

	/* The first one says most. */
	if (w->finding[0])
		return;
	va_start(args, format);
	vsnprintf(w->finding, sizeof(w->finding), format, args);
	va_end(args);
}

struct checking {
	struct witness *w;
	struct witness_task *task;
};

static int word_slot(void *opaque, u32 word)
{
	struct checking *checking = opaque;

	return (int)checking->task->slot[word] - 1;
}

/* The driver's rule: all bytes in one mapping; for slots, what a job can fulfil. */
static bool allowed(void *opaque, const struct ork_regcmd_access *access)
{
	struct checking *checking = opaque;
	struct witness *w = checking->w;
	struct witness_task *task = checking->task;
	bool inside = false;
	uint32_t i;

	if (access->slot >= 0) {
		uint64_t end = access->start + access->size;

		inside = end <= 1ull << 32;
		if (end > w->slot_end[access->slot])
			w->slot_end[access->slot] = end;
	}
	for (i = 0; i < WITNESS_MAPPINGS && access->slot < 0 && !inside; i++)
		inside = access->start >= w->mappings[i].start && access->start < w->mappings[i].end &&
			 access->size <= w->mappings[i].end - access->start &&
			 w->mappings[i].writable >= access->write;
	if (!inside)
		return false;
	if (task->range_count == WITNESS_RANGES) {
		finding(w, "the checker asked about more than %d ranges", WITNESS_RANGES);
		return false;
	}
	task->ranges[task->range_count++] = *access;
	return true;
}

/* The last write counts. */
static bool has_reuse_bits(const struct witness_task *task)
{
	uint32_t i, value = 0;

	for (i = 0; i < task->count; i++)
		if ((uint16_t)task->words[i] == 0x1040)
			value = (uint32_t)(task->words[i] >> 16);
	return value & REUSE_BITS;
}

static void check_reuse(struct witness *w, uint32_t i)
{
	const struct witness_task *task = &w->tasks[i];

	if (has_reuse_bits(task) != task->reuses)
		finding(w, "the checker says reuse %d of task %u, its bits say %d", task->reuses, i, has_reuse_bits(task));
	if (!i && task->reuses)
		finding(w, "the first task may reuse what another client left");
}

uint32_t witness_check(struct witness *w, bool unchecked_limits)
{
	struct ork_regcmd_state state;
	struct checking checking = { .w = w };
	struct ork_regcmd_task check = {
		.limits = &limits, .unchecked_limits = unchecked_limits, .slot = word_slot, .allowed = allowed,
		.opaque = &checking,
	};
	uint32_t i, reject, bad = UINT32_MAX;

	memset(&state, 0, sizeof(state));
	memset(w->slot_end, 0, sizeof(w->slot_end));
	w->finding[0] = '\0';
	for (i = 0; i < w->task_count; i++) {
		struct witness_task *task = &w->tasks[i];

		checking.task = task;
		check.words = task->words;
		check.count = task->count;
		task->range_count = 0;
		reject = ork_regcmd_check(&state, &check, &bad);
		if (bad >= task->count && (bad || task->count))
			finding(w, "the checker names word %u of %u", bad, task->count);
		if (reject)
			return reject;
		task->reuses = state.reuses;
		check_reuse(w, i);
	}
	return DRM_ORK_REJECT_NONE;
}

/* Puts each slot somewhere that holds its bytes, aligned as the driver demands, and not always at the same place. */
static bool place_slots(struct witness *w)
{
	uint32_t i;

	for (i = 0; i < WITNESS_SLOTS; i++) {
		uint64_t base = 0x10000 + 0x12340ull * i;

		if (base + w->slot_end[i] > 1ull << 32)
			return false;
		w->slot_base[i] = (uint32_t)base;
	}
	return true;
}

static void resolve_ranges(struct witness *w)
{
	uint32_t i, j;

	for (i = 0; i < w->task_count; i++) {
		for (j = 0; j < w->tasks[i].range_count; j++) {
			struct ork_regcmd_access *range = &w->tasks[i].ranges[j];

			if (range->slot >= 0)
				range->start += w->slot_base[range->slot];
			w->tasks[i].low[j] = UINT64_MAX;
			w->tasks[i].high[j] = 0;
		}
	}
}

struct running {
	struct witness *w;
	u64 commands[COMMAND_WORDS];
	uint32_t command_bytes;
	/* Task that runs; -1 while commands are read. */
	int task;
	bool unmodelled;
};

/* As the driver lays programs out: whole fetches of two words, tasks on cache lines, its own trailers. */
static void lay_out(struct running *run)
{
	const struct witness *w = run->w;
	uint32_t first[WITNESS_TASKS + 1], words[WITNESS_TASKS], i, j;

	first[0] = 0;
	for (i = 0; i < w->task_count; i++) {
		words[i] = (w->tasks[i].count + 1) / 2 * 2 + ORK_TRAILER_WORDS;
		first[i + 1] = (first[i] + words[i] + 7) / 8 * 8;
	}
	for (i = 0; i < w->task_count; i++) {
		const struct witness_task *task = &w->tasks[i];
		bool last = i + 1 == w->task_count;
		u64 *to = run->commands + first[i];

		to[words[i] - ORK_TRAILER_WORDS - 1] = 0;
		for (j = 0; j < task->count; j++) {
			uint32_t base = task->slot[j] ? w->slot_base[task->slot[j] - 1] : 0;
			u64 word = task->words[j];

			to[j] = ORK_WORD(word >> 48, (uint32_t)(word >> 16) + base, word);
		}
		ork_regcmd_trailer(to + words[i] - ORK_TRAILER_WORDS, last ? 0 : COMMANDS_AT + first[i + 1] * 8,
				   last ? 0 : words[i + 1] / 2 - 1, DRM_ORK_ENABLE_CONV);
	}
	run->command_bytes = first[w->task_count] * 8;
}

static void touch(struct running *run, uint32_t iova, size_t bytes, bool write)
{
	struct witness_task *task = &run->w->tasks[run->task];
	uint64_t end = (uint64_t)iova + bytes;
	bool inside = false;
	uint32_t i;

	for (i = 0; i < task->range_count; i++) {
		const struct ork_regcmd_access *range = &task->ranges[i];

		if (range->write != write || iova < range->start || end > (uint64_t)range->start + range->size)
			continue;
		/* Ranges may overlap: what lies in two of them counts for both. */
		if (iova < task->low[i])
			task->low[i] = iova;
		if (end > task->high[i])
			task->high[i] = end;
		inside = true;
	}
	if (!inside)
		finding(run->w, "task %d %s 0x%x..0x%llx, which the checker did not ask about", run->task,
			write ? "writes" : "reads", iova, (unsigned long long)end);
}

static enum npu_dma read_memory(void *opaque, uint32_t iova, void *buf, size_t bytes)
{
	struct running *run = opaque;

	if (run->task < 0) {
		if (iova < COMMANDS_AT || iova - COMMANDS_AT + bytes > run->command_bytes) {
			finding(run->w, "commands are read from 0x%x", iova);
			return NPU_DMA_STALL;
		}
		memcpy(buf, (char *)run->commands + (iova - COMMANDS_AT), bytes);
		return NPU_DMA_OK;
	}
	touch(run, iova, bytes, false);
	memset(buf, (int)(iova >> 4 ^ iova >> 12), bytes);
	return NPU_DMA_OK;
}

static enum npu_dma write_memory(void *opaque, uint32_t iova, const void *buf, size_t bytes)
{
	struct running *run = opaque;

	(void)buf;
	if (run->task < 0)
		finding(run->w, "the fetch of commands writes to 0x%x", iova);
	else
		touch(run, iova, bytes, true);
	return NPU_DMA_OK;
}

static void take_report(void *opaque, const char *message)
{
	struct running *run = opaque;

	if (strstr(message, ": not modelled: "))
		run->unmodelled = true;
	else if (!run->unmodelled)
		finding(run->w, "model: %s", message);
}

/* NPU reference 1.5. */
static void kick(struct npu_core *core, uint32_t amount, uint32_t tasks)
{
	npu_core_write(core, PC_BASE_ADDRESS, 1);
	npu_core_write(core, CNA_S_POINTER, 0xe);
	npu_core_write(core, CORE_S_POINTER, 0xe);
	npu_core_write(core, PC_BASE_ADDRESS, COMMANDS_AT);
	npu_core_write(core, PC_REGISTER_AMOUNTS, amount);
	npu_core_write(core, PC_INTERRUPT_MASK, 0x300);
	npu_core_write(core, PC_INTERRUPT_CLEAR, 0x1ffff);
	npu_core_write(core, PC_TASK_CON, 0x7000 | tasks);
	npu_core_write(core, PC_OPERATION_ENABLE, 1);
	npu_core_write(core, PC_OPERATION_ENABLE, 0);
}

static uint32_t work(struct running *run, struct npu_core *core)
{
	uint32_t done = 0;

	while (npu_core_busy(core) && done <= run->w->task_count) {
		struct npu_task *task;

		run->task = -1;
		task = npu_core_fetch(core);
		if (!task)
			continue;
		run->task = (int)done++;
		npu_task_run(task);
		npu_core_retire(core, task);
	}
	return done;
}

/* A checker that asks about more than what is touched refuses programs that are fine. */
static void check_tightness(struct witness *w, uint32_t tasks)
{
	uint32_t i, j;

	for (i = 0; i < tasks; i++) {
		const struct witness_task *task = &w->tasks[i];

		for (j = 0; j < task->range_count; j++)
			if (!task->reuses && (task->low[j] != task->ranges[j].start ||
					      task->high[j] != task->ranges[j].start + task->ranges[j].size))
				finding(w, "task %u: range %u is 0x%x + 0x%llx, touched is 0x%llx..0x%llx", i, j,
					task->ranges[j].start, (unsigned long long)task->ranges[j].size,
					(unsigned long long)task->low[j], (unsigned long long)task->high[j]);
	}
}

static enum witness_verdict run_model(struct witness *w)
{
	struct running run = { .w = w };
	struct npu_host host = {
		.opaque = &run, .read = read_memory, .write = write_memory, .report = take_report,
	};
	struct npu_core *core = npu_core_new(0, &host);
	uint32_t done;

	if (!core)
		return WITNESS_TOO_LARGE;
	lay_out(&run);
	kick(core, (w->tasks[0].count + 1) / 2 + ORK_TRAILER_WORDS / 2 - 1, w->task_count);
	done = work(&run, core);
	if (!run.unmodelled && (done != w->task_count || !npu_core_irq(core) ||
				(npu_core_read(core, PC_TASK_STATUS) & 0xfff)))
		finding(w, "the model ended with %u of %u tasks", done, w->task_count);
	npu_core_delete(core);
	check_tightness(w, run.unmodelled ? 0 : done);
	if (w->finding[0])
		return WITNESS_DISAGREES;
	return run.unmodelled ? WITNESS_UNMODELLED : WITNESS_AGREES;
}

static uint64_t last_value(const struct witness_task *task, uint16_t reg)
{
	uint32_t i, value = 0;

	for (i = 0; i < task->count; i++)
		if ((uint16_t)task->words[i] == reg)
			value = (uint32_t)(task->words[i] >> 16);
	return value;
}

uint64_t witness_work(const struct witness *w)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < w->task_count; i++) {
		uint64_t pixels = last_value(&w->tasks[i], 0x102c), k = last_value(&w->tasks[i], 0x1024) & 0xffff;
		uint64_t n = last_value(&w->tasks[i], 0x1038) & 0x3fff;

		sum += pixels * k * n + 16 * (pixels + k) * n;
	}
	return sum;
}

enum witness_verdict witness_run(struct witness *w, uint64_t max_work)
{
	uint32_t reject = witness_check(w, false);

	if (w->finding[0])
		return WITNESS_DISAGREES;
	if (reject)
		return WITNESS_REFUSED;
	if (!place_slots(w) || witness_work(w) > max_work)
		return WITNESS_TOO_LARGE;
	resolve_ranges(w);
	return run_model(w);
}
