// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Usage of a file
 *
 * /proc/PID/fdinfo/FD in the kernel's common format for DRM (drm-usage-stats): the time that each
 * core has spent on the file's jobs, and the memory behind its handles. Written here in full,
 * because the helpers for it differ between the kernels that this driver supports.
 */

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_gem_shmem_helper.h>

#include "ork_drv.h"
#include "ork_fdinfo.h"

/* Bytes behind the handles of a file. */
struct ork_memory {
	u64 total;
	u64 resident;
	u64 shared;
};

struct ork_usage *ork_usage_create(u32 client)
{
	struct ork_usage *usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);

	if (!usage)
		return NULL;

	kref_init(&usage->ref);
	ork_ended_init(&usage->ended);
	usage->client = client;
	return usage;
}

struct ork_usage *ork_usage_get(struct ork_usage *usage)
{
	kref_get(&usage->ref);
	return usage;
}

static void ork_usage_release(struct kref *ref)
{
	struct ork_usage *usage = container_of(ref, struct ork_usage, ref);

	ork_ended_fini(&usage->ended);
	kfree(usage);
}

void ork_usage_put(struct ork_usage *usage)
{
	kref_put(&usage->ref, ork_usage_release);
}

static void ork_count_memory(struct drm_file *file, struct ork_memory *memory)
{
	struct drm_gem_object *obj;
	int id;

	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, obj, id) {
		memory->total += obj->size;
		if (to_drm_gem_shmem_obj(obj)->pages || to_drm_gem_shmem_obj(obj)->sgt)
			memory->resident += obj->size;
		if (obj->handle_count > 1 || obj->dma_buf)
			memory->shared += obj->size;
	}
	spin_unlock(&file->table_lock);
}

void ork_show_fdinfo(struct seq_file *m, struct file *filp)
{
	struct drm_file *file = filp->private_data;
	struct ork_file *priv = file->driver_priv;
	struct ork_memory memory = {};
	unsigned int i;

	ork_count_memory(file, &memory);

	seq_puts(m, "drm-driver:\trknpu-ork\n");
	seq_printf(m, "drm-client-id:\t%u\n", priv->usage->client);
	for (i = 0; i < ORK_MAX_CORES; i++)
		seq_printf(m, "drm-engine-npu%u:\t%lld ns\n", i,
			   atomic64_read(&priv->usage->busy_ns[i]));
	seq_printf(m, "drm-total-memory:\t%llu KiB\n", memory.total / SZ_1K);
	seq_printf(m, "drm-shared-memory:\t%llu KiB\n", memory.shared / SZ_1K);
	seq_printf(m, "drm-resident-memory:\t%llu KiB\n", memory.resident / SZ_1K);
}
