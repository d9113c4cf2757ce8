// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Completion without a system call
 *
 * A file has a page that its processes can map and read, a ring of the numbers of jobs that have
 * ended (&struct drm_ork_ended). An entry only grows: when jobs end in another order than they were
 * submitted in, one that is overtaken in its place by a later one is not shown, and has to be asked
 * for. An entry is written when the job's fence has signalled, so that whoever sees it finds the
 * results in memory and gets the same answer from DRM_IOCTL_ORK_JOB_WAIT.
 *
 * The page belongs to the file's usage record, which jobs and mappings hold: it stays readable when
 * the device or the file is gone.
 */

#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mm.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "ork_compat.h"
#include "ork_drv.h"
#include "ork_ended.h"
#include "ork_fdinfo.h"

static_assert(sizeof(struct drm_ork_ended) <= PAGE_SIZE);
static_assert(!(DRM_ORK_ENDED_OFFSET % PAGE_SIZE));

void ork_ended_init(struct ork_ended *ended)
{
	spin_lock_init(&ended->lock);
}

void ork_ended_fini(struct ork_ended *ended)
{
	if (ended->page)
		put_page(ended->page);
}

/**
 * ork_ended_show - show the end of a job
 * @ended: its file's page
 * @id: number of the job, whose fence has signalled
 * @error: the fence's error
 */
void ork_ended_show(struct ork_ended *ended, u64 id, int error)
{
	u64 value = id << DRM_ORK_ENDED_ID_SHIFT | (error ? DRM_ORK_ENDED_FAILED : 0);
	struct drm_ork_ended *shown;
	unsigned long flags;
	u64 *entry;

	if (!READ_ONCE(ended->page))
		return;

	shown = page_address(ended->page);
	entry = &shown->jobs[id % DRM_ORK_ENDED_JOBS];

	spin_lock_irqsave(&ended->lock, flags);
	if (value > *entry)
		/* After the results, and after the signal; user space reads with acquire. */
		smp_store_release(entry, value);
	spin_unlock_irqrestore(&ended->lock, flags);
}

/* Makes the page when it is mapped for the first time. */
static struct page *ork_ended_page(struct ork_ended *ended)
{
	struct page *page;

	if (READ_ONCE(ended->page))
		return ended->page;

	page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!page)
		return NULL;

	if (cmpxchg(&ended->page, NULL, page))
		put_page(page);
	return ended->page;
}

/* Also when the device is gone, which takes its pages out of all mappings. */
static vm_fault_t ork_ended_fault(struct vm_fault *vmf)
{
	struct ork_usage *usage = vmf->vma->vm_private_data;

	get_page(usage->ended.page);
	vmf->page = usage->ended.page;
	return 0;
}

static void ork_ended_vm_open(struct vm_area_struct *vma)
{
	ork_usage_get(vma->vm_private_data);
}

static void ork_ended_vm_close(struct vm_area_struct *vma)
{
	ork_usage_put(vma->vm_private_data);
}

static const struct vm_operations_struct ork_ended_vm_ops = {
	.fault = ork_ended_fault,
	.open = ork_ended_vm_open,
	.close = ork_ended_vm_close,
};

static int ork_ended_mmap(struct ork_usage *usage, struct vm_area_struct *vma)
{
	if (vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;

	if (!ork_ended_page(&usage->ended))
		return -ENOMEM;

	ork_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_private_data = ork_usage_get(usage);
	vma->vm_ops = &ork_ended_vm_ops;
	return 0;
}

/**
 * ork_mmap - map a BO, or the page of ended jobs
 * @filp: file
 * @vma: where to
 *
 * Return: 0, -EACCES for a mapping that is more than readable, -EINVAL for one of another length,
 * -ENODEV, -ENOMEM; for a BO what drm_gem_mmap() returns.
 */
int ork_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;
	struct ork_file *priv = file->driver_priv;

	if (vma->vm_pgoff != DRM_ORK_ENDED_OFFSET >> PAGE_SHIFT)
		return drm_gem_mmap(filp, vma);
	if (drm_dev_is_unplugged(file->minor->dev))
		return -ENODEV;

	return ork_ended_mmap(priv->usage, vma);
}
