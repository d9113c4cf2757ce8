// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Driver for the NPU of the RK3588
 *
 * Each core is a platform device of its own, or all are one (ork_cluster); the component
 * framework makes one DRM device of those that the device tree enables. The path of a request:
 * ork_drv (entry), ork_gem and ork_vm (memory), ork_prog and ork_regcmd (commands), ork_job
 * (scheduling), ork_core (hardware), ork_reset (when it goes wrong).
 *
 * A file that is open when the device goes away keeps its memory and nothing else: its queues
 * are destroyed at unbind, and drm_dev_unplug() has made every ioctl fail by then.
 *
 * Limits: what a file makes the driver allocate is charged to the memory cgroup of the process that
 * asks (GFP_KERNEL_ACCOUNT; the pages of BOs are shmem, which is charged by itself). What is not
 * charged has a limit per file: page tables, which the IOMMU driver allocates, by the number of
 * VMs; what the scheduler and timelines allocate per job, by the jobs that have not ended and the
 * syncobjs of each. These answer -ENOSPC, as other full things here do; jobs answer -EBUSY, as
 * those of ivpu, because waiting helps. It is not -EAGAIN, which drmIoctl() would repeat at once.
 */

#include <linux/component.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/sched.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>
#include <drm/drm_of.h>

#include "ork_clk.h"
#include "ork_cluster.h"
#include "ork_compat.h"
#include "ork_core.h"
#include "ork_debugfs.h"
#include "ork_domains.h"
#include "ork_drv.h"
#include "ork_dump.h"
#include "ork_ended.h"
#include "ork_fdinfo.h"
#include "ork_gem.h"
#include "ork_gem_user.h"
#include "ork_prog.h"
#include "ork_queue.h"
#include "ork_result.h"
#include "ork_run.h"
#include "ork_submit.h"
#include "ork_vm.h"

static int ork_query_copy(struct drm_ork_query *args, const void *info, u32 size)
{
	void __user *to = u64_to_user_ptr(args->ptr);
	u32 known = min(args->size, size);

	if (args->ptr && (copy_to_user(to, info, known) ||
			  clear_user(to + known, args->size - known)))
		return -EFAULT;

	args->size = size;
	return 0;
}

u32 ork_cores_present(struct ork_device *ork)
{
	u32 mask = 0;
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i])
			mask |= BIT(i);

	return mask;
}

static void ork_device_info(struct ork_device *ork, struct drm_ork_device_info *info)
{
	unsigned int i;

	info->cbuf_banks = ork->soc->cbuf_banks;
	info->cbuf_bank_bytes = ork->soc->cbuf_bank_bytes;
	info->max_tasks = ORK_MAX_TASKS;
	info->default_timeout_ms = ORK_DEFAULT_TIMEOUT_MS;
	info->max_timeout_ms = ORK_MAX_TIMEOUT_MS;

	for (i = 0; i < ORK_MAX_CORES; i++) {
		struct ork_core *core = ork->core[i];

		if (!core)
			continue;

		info->version = core->version;
		if (!READ_ONCE(core->lost))
			info->core_mask |= BIT(i);
		info->jobs_done[i] = atomic64_read(&core->jobs_done);
		info->resets[i] = atomic64_read(&core->reset_count);
	}
}

static int ork_query_device(struct ork_device *ork, struct drm_ork_query *args)
{
	struct drm_ork_device_info info = {};

	if (args->id)
		return -EINVAL;

	ork_device_info(ork, &info);
	return ork_query_copy(args, &info, sizeof(info));
}

static int ork_query_vm(struct ork_file *priv, struct drm_ork_query *args)
{
	struct drm_ork_vm_info info = {};
	struct ork_vm *vm = ork_vm_lookup(priv, args->id);

	if (!vm)
		return -ENOENT;

	ork_vm_info(vm, &info);
	ork_vm_put(vm);
	return ork_query_copy(args, &info, sizeof(info));
}

static int ork_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_query *args = data;
	int ret, cookie;

	if (args->pad)
		return -EINVAL;

	if (!drm_dev_enter(drm, &cookie))
		return -ENODEV;

	switch (args->type) {
	case DRM_ORK_QUERY_DEVICE:
		ret = ork_query_device(to_ork_device(drm), args);
		break;
	case DRM_ORK_QUERY_VM:
		ret = ork_query_vm(file->driver_priv, args);
		break;
	default:
		ret = -EINVAL;
	}

	drm_dev_exit(cookie);
	return ret;
}

/*
 * A file that is closed in good order may still have jobs queued; what is with the scheduler gets a
 * chance to run. Those of a killed process are dropped at once, as they may be what it was killed
 * for.
 */
static bool ork_killed_by_signal(void)
{
	return current->flags & PF_EXITING && current->exit_code & 0x7f;
}

static void ork_file_free(struct ork_file *priv)
{
	ork_prog_close_all(priv);
	ork_vm_close_all(priv);
	ork_result_close_all(priv);
	ork_usage_put(priv->usage);
	kfree(priv);
}

static struct ork_file *ork_file_create(struct ork_device *ork)
{
	struct ork_file *priv = kzalloc(sizeof(*priv), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!priv)
		return ERR_PTR(-ENOMEM);

	priv->usage = ork_usage_create(atomic_inc_return(&ork->clients));
	if (!priv->usage) {
		kfree(priv);
		return ERR_PTR(-ENOMEM);
	}

	xa_init_flags(&priv->progs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&priv->vms, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	xa_init_flags(&priv->queues, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	xa_init_flags(&priv->results, XA_FLAGS_ACCOUNT);

	ret = ork_vm_open_default(ork, priv);
	if (ret) {
		ork_file_free(priv);
		return ERR_PTR(ret);
	}

	return priv;
}

static int ork_file_link(struct ork_device *ork, struct ork_file *priv)
{
	int ret;

	mutex_lock(&ork->files_lock);
	ret = ork_queue_open_default(ork, priv);
	if (!ret)
		list_add_tail(&priv->node, &ork->files);
	mutex_unlock(&ork->files_lock);

	return ret;
}

static int ork_open(struct drm_device *drm, struct drm_file *file)
{
	struct ork_device *ork = to_ork_device(drm);
	struct ork_file *priv;
	int ret, cookie;

	if (!drm_dev_enter(drm, &cookie))
		return -ENODEV;

	priv = ork_file_create(ork);
	ret = PTR_ERR_OR_ZERO(priv);
	if (!ret) {
		ret = ork_file_link(ork, priv);
		if (ret)
			ork_file_free(priv);
		else
			file->driver_priv = priv;
	}

	drm_dev_exit(cookie);
	return ret;
}

/*
 * Ends a file's queues when it is closed. That can wait for running jobs, so other files must
 * not wait for it; unbind does, because drm_dev_unplug() waits for this section. After
 * drm_dev_unplug() nothing may be waited for: whoever has the lock first, this or unbind, ends the
 * queues at once.
 */
static void ork_file_unlink(struct ork_device *ork, struct ork_file *priv)
{
	int cookie;
	bool plugged = drm_dev_enter(&ork->drm, &cookie);

	mutex_lock(&ork->files_lock);
	list_del_init(&priv->node);
	if (!plugged)
		ork_queue_close_all(priv, true);
	mutex_unlock(&ork->files_lock);

	if (plugged) {
		ork_queue_close_all(priv, ork_killed_by_signal());
		drm_dev_exit(cookie);
	}
}

static void ork_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct ork_device *ork = to_ork_device(drm);
	struct ork_file *priv = file->driver_priv;

	ork_file_unlink(ork, priv);
	ork_file_free(priv);
}

#define ORK_IOCTL(name, func) DRM_IOCTL_DEF_DRV(ORK_##name, func, DRM_RENDER_ALLOW)

static const struct drm_ioctl_desc ork_ioctls[] = {
	ORK_IOCTL(QUERY, ork_ioctl_query),
	ORK_IOCTL(BO_CREATE, ork_ioctl_bo_create),
	ORK_IOCTL(BO_SYNC, ork_ioctl_bo_sync),
	ORK_IOCTL(VM_CREATE, ork_ioctl_vm_create),
	ORK_IOCTL(VM_DESTROY, ork_ioctl_vm_destroy),
	ORK_IOCTL(VM_MAP, ork_ioctl_vm_map),
	ORK_IOCTL(VM_UNMAP, ork_ioctl_vm_unmap),
	ORK_IOCTL(PROG_CREATE, ork_ioctl_prog_create),
	ORK_IOCTL(PROG_DESTROY, ork_ioctl_prog_destroy),
	ORK_IOCTL(SUBMIT, ork_ioctl_submit),
	ORK_IOCTL(BO_WAIT, ork_ioctl_bo_wait),
	ORK_IOCTL(JOB_WAIT, ork_ioctl_job_wait),
	ORK_IOCTL(QUEUE_CREATE, ork_ioctl_queue_create),
	ORK_IOCTL(QUEUE_DESTROY, ork_ioctl_queue_destroy),
	ORK_IOCTL(BO_USER, ork_ioctl_bo_user),
};

static const struct file_operations ork_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = drm_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = ork_mmap,
	ORK_FOP_FLAGS
	.show_fdinfo = ork_show_fdinfo,
};

static const struct drm_driver ork_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE,
	.open = ork_open,
	.postclose = ork_postclose,
	.debugfs_init = ork_debugfs_init,
	.ioctls = ork_ioctls,
	.num_ioctls = ARRAY_SIZE(ork_ioctls),
	.fops = &ork_fops,
	.gem_create_object = ork_gem_create_object,
	.gem_prime_import_sg_table = drm_gem_shmem_prime_import_sg_table,
	ORK_DRM_PRIME
	.name = "rknpu-ork",
	.desc = "Rockchip RK3588 NPU",
	ORK_DRM_DATE
	.major = 1,
	.minor = 2,
};

static void ork_destroy_wq(struct drm_device *drm, void *data)
{
	destroy_workqueue(data);
}

static void ork_free_dump(struct drm_device *drm, void *data)
{
	ork_dump_free_last(to_ork_device(drm));
}

static int ork_bind(struct device *dev)
{
	struct ork_device *ork;
	int ret;

	ork = devm_drm_dev_alloc(dev, &ork_drm_driver, struct ork_device, drm);
	if (IS_ERR(ork))
		return PTR_ERR(ork);

	INIT_LIST_HEAD(&ork->files);
	spin_lock_init(&ork->dump_lock);
	ork->detached_ops = ork_fence_detached_ops();
	ret = drmm_mutex_init(&ork->drm, &ork->files_lock);
	if (ret)
		return ret;

	ork->wq = alloc_workqueue("rknpu-ork", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!ork->wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(&ork->drm, ork_destroy_wq, ork->wq);
	if (ret)
		return ret;

	ret = drmm_add_action(&ork->drm, ork_free_dump, NULL);
	if (ret)
		return ret;

	dev_set_drvdata(dev, ork);
	ret = component_bind_all(dev, ork);
	if (ret)
		return ret;

	ret = ork_clk_init(ork);
	if (!ret)
		ret = drm_dev_register(&ork->drm, 0);
	if (ret) {
		ork_clk_fini(ork);
		component_unbind_all(dev, ork);
	}

	return ret;
}

static void ork_unbind(struct device *dev)
{
	struct ork_device *ork = dev_get_drvdata(dev);
	struct ork_file *priv, *next;
	unsigned int i;

	drm_dev_unplug(&ork->drm);

	mutex_lock(&ork->files_lock);
	list_for_each_entry_safe(priv, next, &ork->files, node) {
		list_del_init(&priv->node);
		ork_queue_close_all(priv, true);
	}
	mutex_unlock(&ork->files_lock);

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i])
			ork_run_drain(ork->core[i]);

	ork_clk_fini(ork);
	component_unbind_all(dev, ork);
}

static const struct component_master_ops ork_master_ops = {
	.bind = ork_bind,
	.unbind = ork_unbind,
};

static int ork_probe(struct platform_device *pdev)
{
	struct component_match *match = NULL;
	struct device_node *node;

	for_each_matching_node(node, ork_cluster_driver.driver.of_match_table)
		if (of_device_is_available(node))
			drm_of_component_match_add(&pdev->dev, &match, component_compare_of, node);

	if (!match)
		return -ENODEV;

	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	return component_master_add_with_match(&pdev->dev, &ork_master_ops, match);
}

static ork_remove_t ork_remove(struct platform_device *pdev)
{
	component_master_del(&pdev->dev, &ork_master_ops);
	return ORK_REMOVED;
}

static struct platform_driver ork_driver = {
	.probe = ork_probe,
	.remove = ork_remove,
	.driver.name = "rknpu-ork",
};

static struct platform_driver * const ork_drivers[] = { &ork_cluster_driver, &ork_driver };

static struct platform_device *ork_pdev;

static struct ork_domains ork_domains;

static int __init ork_init(void)
{
	const struct platform_device_info info = {
		.name = "rknpu-ork",
		.id = PLATFORM_DEVID_NONE,
		.dma_mask = DMA_BIT_MASK(40),
	};
	int ret;

	ret = ork_domains_link(&ork_domains, ork_cluster_driver.driver.of_match_table);
	if (ret)
		return ret;

	ret = platform_register_drivers(ork_drivers, ARRAY_SIZE(ork_drivers));
	if (ret)
		goto err_unlink;

	/* The device that aggregates the cores; it has no node in the device tree. */
	ork_pdev = platform_device_register_full(&info);
	ret = PTR_ERR_OR_ZERO(ork_pdev);
	if (ret)
		goto err_unregister;

	return 0;

err_unregister:
	platform_unregister_drivers(ork_drivers, ARRAY_SIZE(ork_drivers));
err_unlink:
	ork_domains_unlink(&ork_domains);
	return ret;
}
module_init(ork_init);

static void __exit ork_exit(void)
{
	platform_device_unregister(ork_pdev);
	platform_unregister_drivers(ork_drivers, ARRAY_SIZE(ork_drivers));
	ork_domains_unlink(&ork_domains);
}
module_exit(ork_exit);

MODULE_AUTHOR("The rknpu-ork authors");
MODULE_DESCRIPTION("Rockchip RK3588 NPU");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
MODULE_IMPORT_NS(ORK_DMA_BUF_NS);
