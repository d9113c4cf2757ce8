// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Dumps of hangs
 *
 * When a core is reset for a part, what explains it is kept: who, why, the registers that tell what
 * the core was doing, and the commands of the task that it was at. The last such dump of the device
 * is shown in debugfs, and each one is offered as a device coredump, in the text format of
 * Documentation/observing.rst.
 *
 * A dump is taken on the way to a fence's signal, so its memory is allocated without waiting; when
 * there is none, there is no dump. It is published later, from a work item outside of the driver's
 * queue, because that allocates as it likes.
 */

#include <linux/devcoredump.h>
#include <linux/kref.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include <drm/drm_print.h>

#include "ork_core.h"
#include "ork_drv.h"
#include "ork_dump.h"
#include "ork_fdinfo.h"
#include "ork_job.h"
#include "ork_prog.h"
#include "ork_regs.h"
#include "ork_result.h"
#include "ork_vm.h"

/* Longer than any task that makes sense. */
#define ORK_DUMP_MAX_WORDS 512

/* Text of everything but the commands, which have a line each. */
#define ORK_DUMP_TEXT_MAX SZ_4K
#define ORK_DUMP_WORD_TEXT 17

/* Registers that can be read while a core hangs; none of them lies in the page at 0x2000. */
enum ork_dump_page {
	ORK_DUMP_PC,
	ORK_DUMP_CNA,
	ORK_DUMP_CORE,
	ORK_DUMP_DDMA,
};

static const struct {
	enum ork_dump_page page;
	u32 offset;
	const char *name;
} ork_dump_registers[] = {
	{ ORK_DUMP_PC, ORK_PC_OPERATION_ENABLE, "PC OPERATION_ENABLE" },
	{ ORK_DUMP_PC, ORK_PC_BASE_ADDRESS, "PC BASE_ADDRESS" },
	{ ORK_DUMP_PC, ORK_PC_REGISTER_AMOUNTS, "PC REGISTER_AMOUNTS" },
	{ ORK_DUMP_PC, ORK_PC_INTERRUPT_STATUS, "PC INTERRUPT_STATUS" },
	{ ORK_DUMP_PC, ORK_PC_INTERRUPT_RAW_STATUS, "PC INTERRUPT_RAW_STATUS" },
	{ ORK_DUMP_PC, ORK_PC_TASK_CON, "PC TASK_CON" },
	{ ORK_DUMP_PC, ORK_PC_TASK_STATUS, "PC TASK_STATUS" },
	{ ORK_DUMP_CNA, ORK_S_STATUS, "CNA S_STATUS" },
	{ ORK_DUMP_CNA, ORK_S_POINTER, "CNA S_POINTER" },
	{ ORK_DUMP_CORE, ORK_S_STATUS, "CORE S_STATUS" },
	{ ORK_DUMP_CORE, ORK_S_POINTER, "CORE S_POINTER" },
	{ ORK_DUMP_DDMA, ORK_DDMA_CFG_ID_ERROR, "DDMA CFG_ID_ERROR" },
	{ ORK_DUMP_DDMA, ORK_DDMA_CFG_STATUS, "DDMA CFG_STATUS" },
};

/**
 * struct ork_dump - what is known of a hang
 */
struct ork_dump {
	/** @ref: one while it is the device's last dump, one per reader */
	struct kref ref;

	/** @time: wall clock */
	time64_t time;

	/** @core: number of the core */
	u32 core;

	/** @comm: name of the process */
	char comm[TASK_COMM_LEN];

	/** @pid: its process id */
	pid_t pid;

	/** @client: number of the file */
	u32 client;

	/** @job: number of the job in the file */
	u64 job;

	/** @error: what the job ended with */
	int error;

	/** @fault_va: address that the MMU could not translate, if @error is -EFAULT */
	u32 fault_va;

	/** @first_task: first task of the part */
	u32 first_task;

	/** @task_count: number of tasks of the part */
	u32 task_count;

	/** @task: task of the program that the core was at */
	u32 task;

	/** @registers: in the order of ork_dump_registers */
	u32 registers[ARRAY_SIZE(ork_dump_registers)];

	/** @command_va: address of the task's commands */
	u32 command_va;

	/** @word_count: number of @words */
	u32 word_count;

	/** @words: the task's commands */
	u64 words[];
};

static void ork_dump_release(struct kref *ref)
{
	kfree(container_of(ref, struct ork_dump, ref));
}

static void ork_dump_put(struct ork_dump *dump)
{
	if (dump)
		kref_put(&dump->ref, ork_dump_release);
}

static void ork_dump_read_registers(struct ork_dump *dump, const struct ork_core *core)
{
	void __iomem * const pages[] = {
		[ORK_DUMP_PC] = core->pc,
		[ORK_DUMP_CNA] = core->cna,
		[ORK_DUMP_CORE] = core->core,
		[ORK_DUMP_DDMA] = core->ddma,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ork_dump_registers); i++)
		dump->registers[i] = readl(pages[ork_dump_registers[i].page] +
					   ork_dump_registers[i].offset);
}

/**
 * ork_dump_take - keep what explains a hang
 * @core: core, not reset yet; its lock is held
 * @part: part that it hangs in
 * @error: what the part will end with
 */
void ork_dump_take(struct ork_core *core, const struct ork_part *part, int error)
{
	u32 task = min(part->tasks_done, part->task_count - 1);
	u32 words = min_t(u32, ork_part_task_words(part, task), ORK_DUMP_MAX_WORDS);
	struct ork_device *ork = core->ork;
	struct ork_dump *dump, *old;

	dump = kzalloc(struct_size(dump, words, words), GFP_NOWAIT | __GFP_NOWARN);
	if (!dump)
		return;

	kref_init(&dump->ref);
	dump->time = ktime_get_real_seconds();
	dump->core = core->index;
	memcpy(dump->comm, part->job->comm, sizeof(dump->comm));
	dump->pid = part->job->pid;
	dump->client = part->job->usage->client;
	dump->job = part->job->result->id;
	dump->error = error;
	dump->fault_va = error == -EFAULT ? core->fault_va : 0;
	dump->first_task = part->first_task;
	dump->task_count = part->task_count;
	dump->task = part->first_task + task;
	ork_dump_read_registers(dump, core);
	dump->command_va = ork_part_task_va(part, task);
	dump->word_count = words;
	memcpy(dump->words, ork_part_task_image(part, task), words * sizeof(u64));

	spin_lock(&ork->dump_lock);
	old = ork->dump;
	ork->dump = dump;
	spin_unlock(&ork->dump_lock);
	ork_dump_put(old);

	schedule_work(&core->publish);
}

static const char *ork_dump_cause(int error)
{
	switch (error) {
	case -EFAULT:
		return "address not mapped";
	case -EIO:
		return "DMA error";
	default:
		return "no progress";
	}
}

static void ork_dump_print(const struct ork_dump *dump, struct drm_printer *p)
{
	unsigned int i;

	drm_puts(p, "rknpu-ork coredump 1\n");
	drm_printf(p, "kernel: %s\n", init_utsname()->release);
	drm_printf(p, "time: %lld\n", dump->time);
	drm_printf(p, "core: %u\n", dump->core);
	drm_printf(p, "process: %s\n", dump->comm);
	drm_printf(p, "pid: %d\n", dump->pid);
	drm_printf(p, "client: %u\n", dump->client);
	drm_printf(p, "job: %llu\n", dump->job);
	drm_printf(p, "cause: %s\n", ork_dump_cause(dump->error));
	if (dump->error == -EFAULT)
		drm_printf(p, "address: 0x%08x\n", dump->fault_va);
	drm_printf(p, "tasks: %u to %u\n", dump->first_task,
		   dump->first_task + dump->task_count - 1);
	drm_printf(p, "task: %u\n", dump->task);

	drm_puts(p, "registers:\n");
	for (i = 0; i < ARRAY_SIZE(ork_dump_registers); i++)
		drm_printf(p, "%s: 0x%08x\n", ork_dump_registers[i].name, dump->registers[i]);

	drm_printf(p, "commands: %u words at 0x%08x\n", dump->word_count, dump->command_va);
	for (i = 0; i < dump->word_count; i++)
		drm_printf(p, "%016llx\n", dump->words[i]);
}

static struct ork_dump *ork_dump_get_last(struct ork_device *ork)
{
	struct ork_dump *dump;

	spin_lock(&ork->dump_lock);
	dump = ork->dump;
	if (dump)
		kref_get(&dump->ref);
	spin_unlock(&ork->dump_lock);

	return dump;
}

/**
 * ork_dump_publish - offer the last dump as a device coredump of the core
 * @core: core that it is of
 *
 * As text in memory of its own, so that a coredump that nobody reads does not hold the module. The
 * kernel keeps one coredump of a device until it is read or five minutes are over, and drops
 * those that come meanwhile.
 */
void ork_dump_publish(struct ork_core *core)
{
	struct ork_dump *dump = ork_dump_get_last(core->ork);
	struct drm_print_iterator iter = {};
	struct drm_printer p = drm_coredump_printer(&iter);
	size_t size;

	/* Another core may have been reset meanwhile. */
	if (!dump || dump->core != core->index)
		goto out;

	size = ORK_DUMP_TEXT_MAX + dump->word_count * ORK_DUMP_WORD_TEXT;
	iter.data = vmalloc(size);
	if (!iter.data)
		goto out;

	iter.remain = size;
	ork_dump_print(dump, &p);
	dev_coredumpv(core->dev, iter.data, size - iter.remain, GFP_KERNEL);
out:
	ork_dump_put(dump);
}

void ork_dump_print_last(struct ork_device *ork, struct drm_printer *p)
{
	struct ork_dump *dump = ork_dump_get_last(ork);

	if (dump)
		ork_dump_print(dump, p);
	ork_dump_put(dump);
}

void ork_dump_free_last(struct ork_device *ork)
{
	ork_dump_put(ork->dump);
}
