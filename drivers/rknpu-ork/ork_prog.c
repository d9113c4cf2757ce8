// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Programs
 *
 * User memory is never run as commands. The words are copied once, the copy is checked
 * (ork_regcmd.c) and written, with the trailers that link the tasks, into memory that the NPU
 * can read and user space can neither write nor name. The result never changes, so nothing is
 * checked or copied when it is submitted, and any range of its tasks can run: TASK_NUMBER ends
 * a chain, whatever link follows its last task.
 *
 * A program holds its command memory and every mapping that its addresses lie in. It goes when
 * its handle is closed and the last job is done.
 */

#include <linux/capability.h>
#include <linux/iosys-map.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "ork_array.h"
#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_gem.h"
#include "ork_prog.h"
#include "ork_regcmd.h"
#include "ork_vm.h"

/* Much more than 4095 tasks of some 110 words need. */
#define ORK_PROG_MAX_WORDS SZ_1M

/*
 * The fetch address has 16 byte granularity; whole cache lines keep one task's fetch out of the
 * next one's.
 */
#define ORK_TASK_ALIGN_WORDS 8

/* What PROG_CREATE copied from user memory. */
struct ork_prog_source {
	u64 *words;
	u32 word_count;
	struct drm_ork_task *tasks;
	u32 task_count;
};

static void ork_prog_release(struct kref *ref)
{
	struct ork_prog *prog = container_of(ref, struct ork_prog, ref);
	struct ork_mapping *mapping;
	unsigned long page;

	xa_for_each(&prog->names, page, mapping)
		ork_mapping_put(mapping);
	xa_destroy(&prog->names);

	if (prog->command)
		ork_mapping_put(prog->command);
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

u32 ork_prog_task_va(const struct ork_prog *prog, u32 task)
{
	return prog->command->node.start + prog->tasks[task].first_word * sizeof(u64);
}

u32 ork_prog_task_amount(const struct ork_prog *prog, u32 task)
{
	return prog->tasks[task].amount;
}

static bool ork_prog_name(void *opaque, u32 va, u64 size)
{
	struct ork_prog *prog = opaque;
	struct ork_mapping *mapping = ork_mapping_find(prog->vm, va, size);

	if (!mapping)
		return false;

	/* Already held, or no memory to remember it. */
	if (xa_insert(&prog->names, mapping->node.start >> PAGE_SHIFT, mapping, GFP_KERNEL)) {
		bool held = xa_load(&prog->names, mapping->node.start >> PAGE_SHIFT) == mapping;

		ork_mapping_put(mapping);
		return held;
	}

	return true;
}

static int ork_prog_refuse(struct drm_ork_prog_create *args, u32 reason, u32 task, u32 word)
{
	args->reject = reason;
	args->reject_task = task;
	args->reject_word = word;
	return -EINVAL;
}

static int ork_prog_check(struct ork_device *ork, struct ork_prog *prog,
			  const struct ork_prog_source *src, struct drm_ork_prog_create *args)
{
	const struct ork_regcmd_limits limits = {
		.cbuf_banks = ork->soc->cbuf_banks,
		.cbuf_bank_bytes = ork->soc->cbuf_bank_bytes,
	};
	u32 i;

	for (i = 0; i < src->task_count; i++) {
		const struct drm_ork_task *task = &src->tasks[i];
		struct ork_regcmd_task check = {
			.count = task->word_count,
			.limits = &limits,
			.unchecked_limits = args->flags & DRM_ORK_PROG_UNCHECKED_LIMITS,
			.mapped = ork_prog_name,
			.opaque = prog,
		};
		u32 reject, word;

		if (task->pad || task->enable_map != DRM_ORK_ENABLE_CONV || !task->word_count ||
		    task->first_word >= src->word_count ||
		    task->word_count > src->word_count - task->first_word)
			return ork_prog_refuse(args, DRM_ORK_REJECT_TASK, i, task->first_word);

		check.words = src->words + task->first_word;
		reject = ork_regcmd_check(&check, &word);
		if (reject)
			return ork_prog_refuse(args, reject, i, task->first_word + word);
	}

	return 0;
}

/* Assigns each task its place. Return: number of words that the command memory needs. */
static u64 ork_prog_layout(struct ork_device *ork, struct ork_prog *prog,
			   const struct ork_prog_source *src)
{
	u32 per_amount = ork->soc->words_per_amount;
	u64 next = 0;
	u32 i;

	for (i = 0; i < src->task_count; i++) {
		u32 words = ALIGN(src->tasks[i].word_count, per_amount) + ORK_TRAILER_WORDS;

		prog->tasks[i].first_word = next;
		prog->tasks[i].amount = words / per_amount - 1;
		next = ALIGN(next + words, ORK_TASK_ALIGN_WORDS);
	}

	return next;
}

static void ork_prog_write(struct ork_prog *prog, const struct ork_prog_source *src, u64 *to)
{
	u32 i;

	for (i = 0; i < src->task_count; i++) {
		const struct drm_ork_task *task = &src->tasks[i];
		u64 *at = to + prog->tasks[i].first_word;
		u32 body = task->word_count;
		u32 next_va = 0, next_amount = 0;

		if (i + 1 < src->task_count) {
			next_va = ork_prog_task_va(prog, i + 1);
			next_amount = ork_prog_task_amount(prog, i + 1);
		}

		/* A filler word makes the body a whole number of fetches; new BOs are 0. */
		memcpy(at, src->words + task->first_word, body * sizeof(u64));
		body = ALIGN(body, 2);
		ork_regcmd_trailer(at + body, next_va, next_amount, task->enable_map);
	}
}

static int ork_prog_build(struct ork_device *ork, struct ork_prog *prog,
			  const struct ork_prog_source *src)
{
	u64 words = ork_prog_layout(ork, prog, src);
	struct ork_mapping *mapping;
	struct drm_gem_object *obj;
	struct iosys_map map;
	int ret;

	obj = ork_gem_create(&ork->drm, words * sizeof(u64), true);
	if (IS_ERR(obj))
		return PTR_ERR(obj);

	mapping = ork_mapping_create_command(prog->vm, obj);
	if (IS_ERR(mapping)) {
		ret = PTR_ERR(mapping);
		goto out_obj;
	}
	prog->command = mapping;

	ret = ork_gem_vmap(obj, &map);
	if (ret)
		goto out_obj;

	ork_prog_write(prog, src, map.vaddr);
	/* The words are in memory before a register write can start them. */
	wmb();
	ork_gem_vunmap(obj, &map);

out_obj:
	drm_gem_object_put(obj);
	return ret;
}

static struct ork_prog *ork_prog_create(struct ork_device *ork, struct ork_file *priv,
					const struct ork_prog_source *src,
					struct drm_ork_prog_create *args)
{
	struct ork_prog *prog;
	int ret;

	prog = kvzalloc(struct_size(prog, tasks, src->task_count), GFP_KERNEL);
	if (!prog)
		return ERR_PTR(-ENOMEM);

	kref_init(&prog->ref);
	xa_init(&prog->names);
	prog->vm = priv->vm;
	prog->task_count = src->task_count;

	ret = ork_prog_check(ork, prog, src, args);
	if (!ret)
		ret = ork_prog_build(ork, prog, src);
	if (ret) {
		ork_prog_put(prog);
		return ERR_PTR(ret);
	}

	return prog;
}

static int ork_prog_copy(struct ork_device *ork, const struct drm_ork_prog_create *args,
			 struct ork_prog_source *src)
{
	if (args->words.stride != sizeof(*src->words))
		return -EINVAL;

	src->words = ork_array_copy(&args->words, sizeof(*src->words), ORK_PROG_MAX_WORDS);
	if (IS_ERR(src->words))
		return PTR_ERR(src->words);

	src->tasks = ork_array_copy(&args->tasks, sizeof(*src->tasks), ork->soc->max_tasks);
	if (IS_ERR(src->tasks)) {
		kvfree(src->words);
		return PTR_ERR(src->tasks);
	}

	src->word_count = args->words.count;
	src->task_count = args->tasks.count;
	return 0;
}

int ork_ioctl_prog_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_device *ork = to_ork_device(drm);
	struct ork_file *priv = file->driver_priv;
	struct drm_ork_prog_create *args = data;
	struct ork_prog_source src;
	struct ork_prog *prog;
	int ret;

	args->handle = 0;
	args->reject = DRM_ORK_REJECT_NONE;
	args->reject_task = 0;
	args->reject_word = 0;
	if (args->flags & ~DRM_ORK_PROG_UNCHECKED_LIMITS || args->pad)
		return -EINVAL;
	if (args->flags & DRM_ORK_PROG_UNCHECKED_LIMITS && !capable(CAP_SYS_ADMIN))
		return -EPERM;

	ret = ork_prog_copy(ork, args, &src);
	if (ret)
		return ret;

	prog = ork_prog_create(ork, priv, &src, args);
	kvfree(src.tasks);
	kvfree(src.words);
	if (IS_ERR(prog))
		return PTR_ERR(prog);

	/* From here on another thread can destroy it. */
	ret = xa_alloc(&priv->progs, &args->handle, prog, xa_limit_32b, GFP_KERNEL);
	if (ret)
		ork_prog_put(prog);

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
