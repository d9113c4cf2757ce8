// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Files for people who look for a fault
 *
 * cores, queues, vms and hang in the DRM device's folder in debugfs. Nothing here touches the
 * hardware, so reading never wakes a core. The format may change at any time.
 */

#include <linux/pm_runtime.h>
#include <linux/seq_file.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "ork_core.h"
#include "ork_debugfs.h"
#include "ork_drv.h"
#include "ork_dump.h"
#include "ork_fdinfo.h"
#include "ork_job.h"
#include "ork_mmu.h"
#include "ork_queue.h"
#include "ork_result.h"
#include "ork_vm.h"

static struct ork_device *ork_debugfs_device(struct seq_file *m)
{
	struct drm_info_node *node = m->private;

	return to_ork_device(node->minor->dev);
}

static void ork_show_part(struct seq_file *m, const char *what, const struct ork_part *part)
{
	seq_printf(m, "  %s: client %u job %llu tasks %u to %u\n", what,
		   part->job->usage->client, part->job->result->id, part->first_task,
		   part->first_task + part->task_count - 1);
}

static void ork_show_core(struct seq_file *m, struct ork_core *core)
{
	struct ork_part *part;

	mutex_lock(&core->lock);
	seq_printf(m, "core %u: %s, %s\n", core->index,
		   core->lost ? "out of service" : "in service",
		   pm_runtime_suspended(core->dev) ? "suspended" : "powered");
	seq_printf(m, "  vm: %u\n", ork_mmu_vm_id(core->mmu));
	seq_printf(m, "  parts queued: %d\n", atomic_read(&core->queued));
	seq_printf(m, "  parts done: %lld\n", atomic64_read(&core->jobs_done));
	seq_printf(m, "  resets: %lld\n", atomic64_read(&core->reset_count));

	spin_lock_irq(&core->part_lock);
	if (core->part)
		ork_show_part(m, "runs", core->part);
	list_for_each_entry(part, &core->armed, node)
		ork_show_part(m, "waits on the core", part);
	spin_unlock_irq(&core->part_lock);
	mutex_unlock(&core->lock);
}

static void ork_show_cores(struct seq_file *m, struct ork_device *ork)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i])
			ork_show_core(m, ork->core[i]);
}

static void ork_show_lane(struct seq_file *m, struct ork_lane *lane)
{
	struct list_head *node;
	unsigned int waiting = 0;

	mutex_lock(&lane->lock);
	list_for_each(node, &lane->waiting)
		waiting++;
	mutex_unlock(&lane->lock);

	seq_printf(m, "  core %u: %u waiting, %d handed on\n", lane->core->index, waiting,
		   atomic_read(&lane->handed_on));
}

static void ork_show_queue(struct seq_file *m, struct ork_file *priv, u32 id)
{
	static const char * const priorities[] = {
		[DRM_ORK_PRIORITY_NORMAL] = "normal",
		[DRM_ORK_PRIORITY_LOW] = "low",
		[DRM_ORK_PRIORITY_HIGH] = "high",
	};
	struct ork_queue *queue = ork_queue_lookup(priv, id);
	unsigned int i;

	if (!queue)
		return;

	seq_printf(m, "client %u queue %u: %s priority, %d wedges in a row%s\n",
		   priv->usage->client, id, priorities[queue->priority],
		   atomic_read(&queue->wedges), READ_ONCE(queue->lost) ? ", lost" : "");
	for (i = 0; i < ORK_MAX_CORES; i++)
		if (queue->lanes[i].core)
			ork_show_lane(m, &queue->lanes[i]);
	ork_queue_put(queue);
}

static void ork_show_queues(struct seq_file *m, struct ork_device *ork)
{
	struct ork_queue *queue;
	struct ork_file *priv;
	unsigned long id;

	mutex_lock(&ork->files_lock);
	list_for_each_entry(priv, &ork->files, node)
		xa_for_each(&priv->queues, id, queue)
			ork_show_queue(m, priv, id);
	mutex_unlock(&ork->files_lock);
}

static void ork_show_vm(struct seq_file *m, struct ork_file *priv, u32 number)
{
	struct ork_vm *vm = ork_vm_lookup(priv, number);
	struct drm_ork_vm_info info = {};

	if (!vm)
		return;

	ork_vm_info(vm, &info);
	seq_printf(m, "client %u vm %u: number %u, %llu KiB of %llu KiB used, largest hole %llu KiB\n",
		   priv->usage->client, number, vm->id, info.used_bytes / SZ_1K,
		   info.total_bytes / SZ_1K, info.largest_hole_bytes / SZ_1K);
	ork_vm_put(vm);
}

static void ork_show_vms(struct seq_file *m, struct ork_device *ork)
{
	struct ork_file *priv;
	unsigned long number;
	struct ork_vm *vm;

	mutex_lock(&ork->files_lock);
	list_for_each_entry(priv, &ork->files, node)
		xa_for_each(&priv->vms, number, vm)
			ork_show_vm(m, priv, number);
	mutex_unlock(&ork->files_lock);
}

static void ork_show_hang(struct seq_file *m, struct ork_device *ork)
{
	struct drm_printer p = drm_seq_file_printer(m);

	ork_dump_print_last(ork, &p);
}

static int ork_debugfs_show(struct seq_file *m, void *unused)
{
	void (*show)(struct seq_file *m, struct ork_device *ork);
	struct ork_device *ork = ork_debugfs_device(m);
	struct drm_info_node *node = m->private;
	int cookie;

	if (!drm_dev_enter(&ork->drm, &cookie))
		return -ENODEV;

	show = node->info_ent->data;
	show(m, ork);
	drm_dev_exit(cookie);
	return 0;
}

static const struct drm_info_list ork_debugfs_files[] = {
	{ "cores", ork_debugfs_show, 0, ork_show_cores },
	{ "queues", ork_debugfs_show, 0, ork_show_queues },
	{ "vms", ork_debugfs_show, 0, ork_show_vms },
	{ "hang", ork_debugfs_show, 0, ork_show_hang },
};

void ork_debugfs_init(struct drm_minor *minor)
{
	drm_debugfs_create_files(ork_debugfs_files, ARRAY_SIZE(ork_debugfs_files),
				 minor->debugfs_root, minor);
}
