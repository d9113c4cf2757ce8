// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Programs
 *
 * User memory is never run as commands. The words are copied once and the copy is checked
 * (ork_regcmd.c). Then trailers are added that link the tasks, and the result never changes.
 *
 * Without address slots it is written once to command memory and runs there any number of times.
 * With slots it stays in the kernel; a part of a job copies the tasks that it runs to command
 * memory of its own and patches the addresses (ork_prog_instantiate). Either way any range of tasks
 * can run: TASK_NUMBER ends a chain, whatever link follows its last task.
 *
 * A program holds its VM and every mapping that its addresses lie in. It goes when its handle is
 * closed and the last job is done.
 */

#include <linux/capability.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "ork_array.h"
#include "ork_drv.h"
#include "ork_prog.h"
#include "ork_regcmd.h"
#include "ork_vm.h"

/* More than the largest number of tasks needs, at some 110 words each. */
#define ORK_PROG_MAX_WORDS SZ_2M

/* Handles are given out from the lowest free one on. */
#define ORK_MAX_PROGS 32768

/* The fetch address has 16 byte granularity; tasks begin on cache lines. */
#define ORK_TASK_ALIGN_WORDS 8

#define ORK_NO_SLOT 0xff

/**
 * struct ork_prog_source - what PROG_CREATE copied from user memory
 */
struct ork_prog_source {
	/** @words: command words */
	u64 *words;

	/** @word_count: number of words */
	u32 word_count;

	/** @tasks: task table */
	struct drm_ork_task *tasks;

	/** @task_count: number of tasks */
	u32 task_count;

	/** @slot_of_word: address slot of each word, ORK_NO_SLOT for most */
	u8 *slot_of_word;

	/** @slot_count: highest slot number plus 1; 0 if no word has one */
	u32 slot_count;
};

static void ork_prog_release(struct kref *ref)
{
	struct ork_prog *prog = container_of(ref, struct ork_prog, ref);
	struct ork_mapping *mapping;
	unsigned long page;

	xa_for_each(&prog->names, page, mapping)
		ork_mapping_put(mapping);
	xa_destroy(&prog->names);

	ork_cmd_free(&prog->command);
	kvfree(prog->image);
	kvfree(prog->patches);
	ork_vm_put(prog->vm);
	kvfree(prog);
}

void ork_prog_get(struct ork_prog *prog)
{
	kref_get(&prog->ref);
}

void ork_prog_put(struct ork_prog *prog)
{
	kref_put(&prog->ref, ork_prog_release);
}

/**
 * ork_prog_lookup - find a program by its handle
 * @priv: file
 * @handle: handle
 *
 * Return: the program with a reference for the caller, or NULL.
 */
struct ork_prog *ork_prog_lookup(struct ork_file *priv, u32 handle)
{
	struct ork_prog *prog;

	xa_lock(&priv->progs);
	prog = xa_load(&priv->progs, handle);
	if (prog)
		ork_prog_get(prog);
	xa_unlock(&priv->progs);

	return prog;
}

/* What the checker's callbacks need. */
struct ork_prog_checking {
	struct ork_prog *prog;
	const struct ork_prog_source *src;
	u32 first_word;
};

static int ork_prog_word_slot(void *opaque, u32 word)
{
	struct ork_prog_checking *checking = opaque;
	u8 slot = checking->src->slot_of_word[checking->first_word + word];

	return slot == ORK_NO_SLOT ? -1 : slot;
}

/* Each job checks its address against what is collected here. */
static bool ork_prog_use_slot(struct ork_prog *prog, const struct ork_regcmd_access *access)
{
	struct ork_prog_slot *slot = &prog->slots[access->slot];
	u64 start = access->start;

	if (!slot->end || start < slot->start)
		slot->start = start;
	slot->end = max(slot->end, start + access->size);
	slot->write |= access->write;
	return slot->end <= SZ_4G;
}

static bool ork_prog_name(struct ork_prog *prog, const struct ork_regcmd_access *access)
{
	struct ork_mapping *mapping, *held;
	unsigned long page;

	mapping = ork_mapping_find(prog->vm, access->start, access->size, access->write);
	if (!mapping)
		return false;

	page = mapping->node.start >> PAGE_SHIFT;
	held = xa_load(&prog->names, page);
	if (held)
		ork_mapping_put(mapping);
	else if (xa_err(xa_store(&prog->names, page, mapping, GFP_KERNEL)))
		goto err_put;

	if (access->write)
		xa_set_mark(&prog->names, page, ORK_PROG_WRITES);

	/* What is held lives as long as the program, so its address cannot be reused meanwhile. */
	return !held || held == mapping;

err_put:
	ork_mapping_put(mapping);
	return false;
}

static bool ork_prog_allow(void *opaque, const struct ork_regcmd_access *access)
{
	struct ork_prog_checking *checking = opaque;

	if (access->slot >= 0)
		return ork_prog_use_slot(checking->prog, access);

	return ork_prog_name(checking->prog, access);
}

static int ork_prog_refuse(struct drm_ork_prog_create *args, u32 reason, u32 task, u32 word)
{
	args->reject = reason;
	args->reject_task = task;
	args->reject_word = word;
	return -EINVAL;
}

static bool ork_prog_task_valid(const struct ork_prog_source *src, const struct drm_ork_task *task)
{
	return !task->pad && task->enable_map == DRM_ORK_ENABLE_CONV && task->word_count &&
	       task->first_word < src->word_count &&
	       task->word_count <= src->word_count - task->first_word;
}

/* Tasks that lean on each other. */
struct ork_prog_run {
	u32 tasks;
	u64 bytes;
};

/*
 * A job cannot be cut before a task that uses what the one before it left on the chip. So one with
 * which a run of them would be too long for a part loads what it needs itself.
 */
static void ork_prog_limit_run(struct ork_prog_run *run, struct ork_regcmd_state *state,
			       u64 *words)
{
	run->tasks++;
	run->bytes += state->bytes;
	if (state->reuses &&
	    (run->tasks > ORK_PART_MAX_TASKS || run->bytes > ORK_PART_MAX_BYTES))
		ork_regcmd_reload(state, words);
	if (!state->reuses)
		*run = (struct ork_prog_run){ .tasks = 1, .bytes = state->bytes };
}

static int ork_prog_check_tasks(struct ork_device *ork, struct ork_prog *prog,
				const struct ork_prog_source *src,
				struct ork_regcmd_state *state, struct drm_ork_prog_create *args)
{
	const struct ork_regcmd_limits limits = {
		.cbuf_banks = ork->soc->cbuf_banks,
		.cbuf_bank_bytes = ork->soc->cbuf_bank_bytes,
	};
	struct ork_prog_checking checking = { .prog = prog, .src = src };
	struct ork_regcmd_task check = {
		.limits = &limits,
		.unchecked_limits = args->flags & DRM_ORK_PROG_UNCHECKED_LIMITS,
		.slot = ork_prog_word_slot,
		.allowed = ork_prog_allow,
		.opaque = &checking,
	};
	struct ork_prog_run run = {};
	u32 i, reject, word;
	u64 moved = 0;

	for (i = 0; i < src->task_count; i++) {
		const struct drm_ork_task *task = &src->tasks[i];

		if (!ork_prog_task_valid(src, task))
			return ork_prog_refuse(args, DRM_ORK_REJECT_TASK, i, task->first_word);

		checking.first_word = task->first_word;
		check.words = src->words + task->first_word;
		check.count = task->word_count;
		reject = ork_regcmd_check(state, &check, &word);
		if (reject)
			return ork_prog_refuse(args, reject, i, task->first_word + word);

		ork_prog_limit_run(&run, state, src->words + task->first_word);
		prog->tasks[i].reuses = state->reuses;
		moved += state->bytes;
		prog->tasks[i].moved = moved;
	}

	return 0;
}

static int ork_prog_check(struct ork_device *ork, struct ork_prog *prog,
			  const struct ork_prog_source *src, struct drm_ork_prog_create *args)
{
	struct ork_regcmd_state *state = kzalloc(sizeof(*state), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!state)
		return -ENOMEM;

	ret = ork_prog_check_tasks(ork, prog, src, state, args);
	kfree(state);
	return ret;
}

/* Assigns each task its place. Return: number of words that the program takes. */
static u64 ork_prog_layout(struct ork_device *ork, struct ork_prog *prog,
			   const struct ork_prog_source *src)
{
	u32 per_amount = ork->soc->words_per_amount;
	u64 next = 0;
	u32 i;

	for (i = 0; i < src->task_count; i++) {
		struct ork_prog_task *task = &prog->tasks[i];

		task->first_word = next;
		task->word_count = ALIGN(src->tasks[i].word_count, per_amount) + ORK_TRAILER_WORDS;
		task->amount = task->word_count / per_amount - 1;
		next = ALIGN(next + task->word_count, ORK_TASK_ALIGN_WORDS);
	}

	return next;
}

static void ork_prog_write_task(struct ork_prog *prog, const struct ork_prog_source *src, u32 i,
				u64 *to, u32 va)
{
	const struct drm_ork_task *from = &src->tasks[i];
	const struct ork_prog_task *task = &prog->tasks[i];
	u32 body = task->word_count - ORK_TRAILER_WORDS;
	u64 *at = to + task->first_word;
	u32 next_va = 0, next_amount = 0;

	if (i + 1 < prog->task_count) {
		next_va = va + prog->tasks[i + 1].first_word * sizeof(u64);
		next_amount = prog->tasks[i + 1].amount;
	}

	/* A filler word makes the body a whole number of fetches. */
	at[body - 1] = 0;
	memcpy(at, src->words + from->first_word, from->word_count * sizeof(u64));
	ork_regcmd_trailer(at + body, next_va, next_amount, from->enable_map);
}

static void ork_prog_write(struct ork_prog *prog, const struct ork_prog_source *src, u64 *to,
			   u32 va)
{
	u32 i;

	for (i = 0; i < src->task_count; i++)
		ork_prog_write_task(prog, src, i, to, va);
}

static void ork_prog_collect_patches(struct ork_prog *prog, const struct ork_prog_source *src,
				     bool count_only)
{
	u32 i, j, count = 0;

	for (i = 0; i < src->task_count; i++) {
		const struct drm_ork_task *task = &src->tasks[i];

		prog->tasks[i].first_patch = count;
		for (j = 0; j < task->word_count; j++) {
			u8 slot = src->slot_of_word[task->first_word + j];

			if (slot == ORK_NO_SLOT)
				continue;
			if (!count_only)
				prog->patches[count] = (struct ork_prog_patch){
					.word = prog->tasks[i].first_word + j,
					.slot = slot,
				};
			count++;
		}
	}

	prog->patch_count = count;
}

static int ork_prog_keep_image(struct ork_prog *prog, const struct ork_prog_source *src, u64 words)
{
	ork_prog_collect_patches(prog, src, true);
	prog->patches = kvmalloc_array(prog->patch_count, sizeof(*prog->patches),
				       GFP_KERNEL_ACCOUNT);
	prog->image = kvcalloc(words, sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!prog->patches || !prog->image)
		return -ENOMEM;

	ork_prog_collect_patches(prog, src, false);
	ork_prog_write(prog, src, prog->image, 0);
	return 0;
}

static int ork_prog_build(struct ork_device *ork, struct ork_prog *prog,
			  const struct ork_prog_source *src)
{
	u64 words = ork_prog_layout(ork, prog, src);
	int ret;

	if (src->slot_count)
		return ork_prog_keep_image(prog, src, words);

	ret = ork_cmd_alloc(ork, &prog->vm->cmd, words, &prog->command);
	if (!ret)
		ork_prog_write(prog, src, prog->command.words, prog->command.va);
	return ret;
}

static void ork_prog_patch(const struct ork_prog *prog, u32 first, u32 count,
			   const u64 *addresses, const struct ork_cmd *cmd)
{
	u32 base = prog->tasks[first].first_word;
	u32 end = first + count < prog->task_count ? prog->tasks[first + count].first_patch :
						     prog->patch_count;
	u32 i;

	for (i = prog->tasks[first].first_patch; i < end; i++) {
		const struct ork_prog_patch *patch = &prog->patches[i];
		u64 word = prog->image[patch->word];
		u32 value = (u32)(word >> 16) + (u32)addresses[patch->slot];

		cmd->words[patch->word - base] = ORK_WORD(word >> 48, value, word);
	}

	for (i = first; i + 1 < first + count; i++) {
		u32 link = prog->tasks[i].first_word + prog->tasks[i].word_count -
			   ORK_TRAILER_WORDS;
		u32 next = prog->tasks[i + 1].first_word - base;

		cmd->words[link - base] = ORK_WORD(ORK_TARGET_PC,
						   cmd->va + next * sizeof(u64), 0x10);
	}
}

/**
 * ork_prog_instantiate - make a copy of some tasks that has a job's addresses
 * @ork: device
 * @prog: program with address slots
 * @first: first task
 * @count: number of tasks
 * @addresses: one per slot, checked
 * @cmd: set to the copy; to be freed with ork_cmd_free()
 *
 * Return: 0, -ENOSPC, -ENOMEM.
 */
int ork_prog_instantiate(struct ork_device *ork, struct ork_prog *prog, u32 first, u32 count,
			 const u64 *addresses, struct ork_cmd *cmd)
{
	const struct ork_prog_task *last = &prog->tasks[first + count - 1];
	u32 base = prog->tasks[first].first_word;
	u32 words = last->first_word + last->word_count - base;
	int ret;

	ret = ork_cmd_alloc(ork, &prog->vm->cmd, words, cmd);
	if (ret)
		return ret;

	memcpy(cmd->words, prog->image + base, words * sizeof(u64));
	ork_prog_patch(prog, first, count, addresses, cmd);
	return 0;
}

static struct ork_prog *ork_prog_create(struct ork_device *ork, struct ork_vm *vm,
					const struct ork_prog_source *src,
					struct drm_ork_prog_create *args)
{
	struct ork_prog *prog;
	int ret;

	prog = kvzalloc(struct_size(prog, tasks, src->task_count), GFP_KERNEL_ACCOUNT);
	if (!prog)
		return ERR_PTR(-ENOMEM);

	kref_init(&prog->ref);
	xa_init_flags(&prog->names, XA_FLAGS_ACCOUNT);
	ork_vm_get(vm);
	prog->vm = vm;
	prog->task_count = src->task_count;
	prog->slot_count = src->slot_count;

	ret = ork_prog_check(ork, prog, src, args);
	if (!ret)
		ret = ork_prog_build(ork, prog, src);
	if (ret) {
		ork_prog_put(prog);
		return ERR_PTR(ret);
	}

	return prog;
}

static int ork_prog_copy_slots(struct drm_ork_prog_create *args, struct ork_prog_source *src)
{
	struct drm_ork_slot *slots;
	int ret = 0;
	u32 i;

	slots = ork_array_copy(&args->slots, sizeof(*slots), src->word_count);
	if (IS_ERR(slots))
		return PTR_ERR(slots);

	for (i = 0; i < args->slots.count; i++) {
		const struct drm_ork_slot *slot = &slots[i];

		if (slot->word >= src->word_count || slot->slot >= DRM_ORK_MAX_SLOTS ||
		    src->slot_of_word[slot->word] != ORK_NO_SLOT) {
			ret = ork_prog_refuse(args, DRM_ORK_REJECT_SLOT, 0, slot->word);
			break;
		}
		src->slot_of_word[slot->word] = slot->slot;
		src->slot_count = max(src->slot_count, slot->slot + 1);
	}

	kvfree(slots);
	return ret;
}

static void ork_prog_free_source(struct ork_prog_source *src)
{
	kvfree(src->slot_of_word);
	kvfree(src->tasks);
	kvfree(src->words);
}

static int ork_prog_copy(struct drm_ork_prog_create *args, struct ork_prog_source *src)
{
	void *copy;

	if (args->words.stride != sizeof(*src->words) || !args->words.count || !args->tasks.count)
		return -EINVAL;

	copy = ork_array_copy(&args->words, sizeof(*src->words), ORK_PROG_MAX_WORDS);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	src->words = copy;
	src->word_count = args->words.count;

	copy = ork_array_copy(&args->tasks, sizeof(*src->tasks), ORK_MAX_TASKS);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	src->tasks = copy;
	src->task_count = args->tasks.count;

	src->slot_of_word = kvmalloc(src->word_count, GFP_KERNEL_ACCOUNT);
	if (!src->slot_of_word)
		return -ENOMEM;
	memset(src->slot_of_word, ORK_NO_SLOT, src->word_count);

	return ork_prog_copy_slots(args, src);
}

static int ork_prog_open(struct ork_device *ork, struct ork_file *priv,
			 const struct ork_prog_source *src, struct drm_ork_prog_create *args)
{
	struct ork_vm *vm = ork_vm_lookup(priv, args->vm);
	struct ork_prog *prog;
	int ret;

	if (!vm)
		return -ENOENT;

	prog = ork_prog_create(ork, vm, src, args);
	ork_vm_put(vm);
	if (IS_ERR(prog))
		return PTR_ERR(prog);

	/* From here on another thread can destroy it. */
	ret = xa_alloc(&priv->progs, &args->handle, prog, XA_LIMIT(1, ORK_MAX_PROGS), GFP_KERNEL);
	if (ret)
		ork_prog_put(prog);

	return ret == -EBUSY ? -ENOSPC : ret;
}

int ork_ioctl_prog_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_device *ork = to_ork_device(drm);
	struct drm_ork_prog_create *args = data;
	struct ork_prog_source src = {};
	int ret, cookie;

	args->handle = 0;
	args->reject = DRM_ORK_REJECT_NONE;
	args->reject_task = 0;
	args->reject_word = 0;
	if (args->flags & ~DRM_ORK_PROG_UNCHECKED_LIMITS)
		return -EINVAL;
	if (args->flags & DRM_ORK_PROG_UNCHECKED_LIMITS && !capable(CAP_SYS_ADMIN))
		return -EPERM;

	if (!drm_dev_enter(drm, &cookie))
		return -ENODEV;

	ret = ork_prog_copy(args, &src);
	if (!ret)
		ret = ork_prog_open(ork, file->driver_priv, &src, args);

	ork_prog_free_source(&src);
	drm_dev_exit(cookie);
	return ret;
}

int ork_ioctl_prog_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_file *priv = file->driver_priv;
	struct drm_ork_prog_destroy *args = data;
	struct ork_prog *prog;

	if (args->pad)
		return -EINVAL;

	prog = xa_erase(&priv->progs, args->handle);
	if (!prog)
		return -ENOENT;

	ork_prog_put(prog);
	return 0;
}

/**
 * ork_prog_close_all - close every program handle of a file
 * @priv: file
 */
void ork_prog_close_all(struct ork_file *priv)
{
	struct ork_prog *prog;
	unsigned long handle;

	xa_for_each(&priv->progs, handle, prog)
		ork_prog_put(prog);
	xa_destroy(&priv->progs);
}
