// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Address spaces
 *
 * A VM is one IOMMU page table that every core of the NPU can be switched to (ork_mmu.c). The
 * driver chooses the addresses: drm_mm hands out the space between page 0 and 4 GiB, sizes are
 * not rounded, and an unmapped guard page follows each mapping, so that a program which runs
 * over the end of its buffer faults instead of reaching the next one.
 *
 * A mapping lives until its last reference is gone. The user's reference goes with
 * DRM_IOCTL_ORK_VM_UNMAP or the file, each program holds those it names, and a queued job holds
 * its program. So memory that the hardware may touch is never unmapped under it.
 *
 * The domain is filled whether or not it is attached; a core that is attached sees changes at once.
 *
 * Locks: vm->lock is taken last, except for the IOMMU's own. Allocation under it is allowed: it
 * is never taken on the way to a fence's signal; finished jobs drop their references from a
 * work item.
 */

#include <linux/slab.h>
#include <linux/xarray.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem_shmem_helper.h>

#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_gem_user.h"
#include "ork_run.h"
#include "ork_vm.h"

#define ORK_VM_START PAGE_SIZE
#define ORK_VM_END SZ_4G
#define ORK_GUARD_BYTES PAGE_SIZE

/*
 * A page table takes up to 4 MiB that no cgroup is charged for. This many reach 128 GiB, four times
 * the memory of the largest board.
 */
#define ORK_MAX_VMS 32

static int ork_vm_fault(struct iommu_domain *domain, struct device *mmu, unsigned long iova,
			int flags, void *data)
{
	struct ork_device *ork = data;
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i])
			ork_run_fault(ork->core[i]);

	return 0;
}

static struct device *ork_any_core_dev(struct ork_device *ork)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i])
			return ork->core[i]->dev;

	return NULL;
}

static struct ork_vm *ork_vm_create(struct ork_device *ork)
{
	struct ork_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	struct iommu_domain *domain;

	if (!vm)
		return ERR_PTR(-ENOMEM);

	domain = ork_iommu_paging_domain_alloc(ork_any_core_dev(ork));
	if (IS_ERR(domain)) {
		kfree(vm);
		return ERR_CAST(domain);
	}

	iommu_set_fault_handler(domain, ork_vm_fault, ork);
	kref_init(&vm->ref);
	vm->id = atomic_inc_return(&ork->vms);
	mutex_init(&vm->lock);
	drm_mm_init(&vm->mm, ORK_VM_START, ORK_VM_END - ORK_VM_START);
	ork_cmd_heap_init(&vm->cmd, vm);
	vm->domain = domain;
	return vm;
}

static void ork_vm_release(struct kref *ref)
{
	struct ork_vm *vm = container_of(ref, struct ork_vm, ref);

	drm_mm_takedown(&vm->mm);
	iommu_domain_free(vm->domain);
	mutex_destroy(&vm->lock);
	kfree(vm);
}

void ork_vm_get(struct ork_vm *vm)
{
	kref_get(&vm->ref);
}

void ork_vm_put(struct ork_vm *vm)
{
	kref_put(&vm->ref, ork_vm_release);
}

/**
 * ork_vm_lookup - find a VM by its number
 * @priv: file
 * @id: number
 *
 * Return: the VM with a reference for the caller, or NULL.
 */
struct ork_vm *ork_vm_lookup(struct ork_file *priv, u32 id)
{
	struct ork_vm *vm;

	xa_lock(&priv->vms);
	vm = xa_load(&priv->vms, id);
	if (vm)
		ork_vm_get(vm);
	xa_unlock(&priv->vms);

	return vm;
}

/**
 * ork_vm_info - tell how full an address space is
 * @vm: address space
 * @info: filled in; the hole is given without the guard page that a mapping would need
 */
void ork_vm_info(struct ork_vm *vm, struct drm_ork_vm_info *info)
{
	struct drm_mm_node *node;
	u64 start, end;

	memset(info, 0, sizeof(*info));
	info->total_bytes = ORK_VM_END - ORK_VM_START;

	mutex_lock(&vm->lock);
	drm_mm_for_each_node(node, &vm->mm)
		info->used_bytes += node->size;
	drm_mm_for_each_hole(node, &vm->mm, start, end)
		info->largest_hole_bytes = max(info->largest_hole_bytes, end - start);
	mutex_unlock(&vm->lock);

	if (info->largest_hole_bytes)
		info->largest_hole_bytes -= ORK_GUARD_BYTES;
}

/*
 * The device that the BO's pages are mapped for is not behind the IOMMU, so its DMA addresses are
 * what the NPU's IOMMU has to produce. For an imported BO there may be no other ones.
 */
static int ork_mapping_fill(struct ork_mapping *mapping, struct sg_table *sgt, u64 offset)
{
	int prot = mapping->writable ? IOMMU_READ | IOMMU_WRITE : IOMMU_READ;
	unsigned long va = mapping->node.start;
	u64 left = mapping->size;
	struct scatterlist *sg;
	unsigned int i;
	int ret;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 bytes = sg_dma_len(sg);

		if (offset >= bytes) {
			offset -= bytes;
			continue;
		}

		bytes = min(bytes - offset, left);
		ret = ork_iommu_map(mapping->vm->domain, va, sg_dma_address(sg) + offset, bytes,
				    prot);
		if (ret) {
			iommu_unmap(mapping->vm->domain, mapping->node.start,
				    va - mapping->node.start);
			return ret;
		}

		offset = 0;
		va += bytes;
		left -= bytes;
		if (!left)
			break;
	}

	return 0;
}

/* Where a mapping goes and how. */
struct ork_map_request {
	struct drm_gem_object *obj;
	u64 offset;
	u64 size;
	/* Address, or 0 for any. */
	u64 va;
	bool writable;
};

static int ork_mapping_place(struct ork_mapping *mapping, const struct ork_map_request *req)
{
	struct drm_mm *mm = &mapping->vm->mm;
	int ret;

	if (!req->va)
		return drm_mm_insert_node(mm, &mapping->node, req->size + ORK_GUARD_BYTES);

	mapping->node.start = req->va;
	mapping->node.size = req->size + ORK_GUARD_BYTES;
	ret = drm_mm_reserve_node(mm, &mapping->node);
	return ret == -ENOSPC ? -EEXIST : ret;
}

/* The caller checked the request. Nobody can name the mapping before it is made public. */
static struct ork_mapping *ork_mapping_create(struct ork_vm *vm, const struct ork_map_request *req)
{
	struct ork_mapping *mapping;
	struct sg_table *sgt;
	int ret;

	sgt = drm_gem_shmem_get_pages_sgt(to_drm_gem_shmem_obj(req->obj));
	if (IS_ERR(sgt))
		return ERR_CAST(sgt);

	mapping = kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return ERR_PTR(-ENOMEM);

	kref_init(&mapping->ref);
	mapping->vm = vm;
	mapping->obj = req->obj;
	mapping->size = req->size;
	mapping->writable = req->writable;

	mutex_lock(&vm->lock);
	ret = ork_mapping_place(mapping, req);
	if (ret)
		goto err_unlock;

	ret = ork_mapping_fill(mapping, sgt, req->offset);
	if (ret)
		goto err_remove;
	mutex_unlock(&vm->lock);

	ork_vm_get(vm);
	drm_gem_object_get(req->obj);
	return mapping;

err_remove:
	drm_mm_remove_node(&mapping->node);
err_unlock:
	mutex_unlock(&vm->lock);
	kfree(mapping);
	return ERR_PTR(ret);
}

/**
 * ork_mapping_create_command - map command memory, which the NPU may only read and no program
 * may name
 * @vm: address space
 * @obj: whole BO to map
 *
 * Return: the mapping, -ENOSPC if no hole is large enough, -ENOMEM.
 */
struct ork_mapping *ork_mapping_create_command(struct ork_vm *vm, struct drm_gem_object *obj)
{
	const struct ork_map_request req = { .obj = obj, .size = obj->size };

	return ork_mapping_create(vm, &req);
}

static void ork_mapping_release(struct kref *ref)
{
	struct ork_mapping *mapping = container_of(ref, struct ork_mapping, ref);
	struct ork_vm *vm = mapping->vm;

	mutex_lock(&vm->lock);
	iommu_unmap(vm->domain, mapping->node.start, mapping->size);
	drm_mm_remove_node(&mapping->node);
	mutex_unlock(&vm->lock);

	drm_gem_object_put(mapping->obj);
	ork_vm_put(vm);
	kfree(mapping);
}

void ork_mapping_put(struct ork_mapping *mapping)
{
	kref_put(&mapping->ref, ork_mapping_release);
}

static struct ork_mapping *ork_mapping_lookup(struct ork_vm *vm, u64 va)
{
	struct drm_mm_node *node;

	lockdep_assert_held(&vm->lock);

	if (va >= ORK_VM_END)
		return NULL;

	drm_mm_for_each_node_in_range(node, &vm->mm, va, va + 1) {
		struct ork_mapping *mapping = container_of(node, struct ork_mapping, node);

		return mapping->public ? mapping : NULL;
	}

	return NULL;
}

/**
 * ork_mapping_find - find the user's mapping that holds a range
 * @vm: address space
 * @va: first byte
 * @size: bytes
 * @write: the NPU will write
 *
 * Return: the mapping with a reference for the caller, or NULL if no single mapping holds the
 * whole range or it does not allow writing.
 */
struct ork_mapping *ork_mapping_find(struct ork_vm *vm, u64 va, u64 size, bool write)
{
	struct ork_mapping *mapping;

	mutex_lock(&vm->lock);
	mapping = ork_mapping_lookup(vm, va);
	if (mapping && mapping->writable >= write && size <= mapping->size &&
	    va - mapping->node.start <= mapping->size - size)
		kref_get(&mapping->ref);
	else
		mapping = NULL;
	mutex_unlock(&vm->lock);

	return mapping;
}

/*
 * From here on another thread can unmap it. Return: false if the user has closed the VM meanwhile:
 * nobody else would.
 */
static bool ork_mapping_publish(struct ork_mapping *mapping)
{
	struct ork_vm *vm = mapping->vm;
	bool closed;

	mutex_lock(&vm->lock);
	closed = vm->closed;
	mapping->public = !closed;
	mutex_unlock(&vm->lock);

	return !closed;
}

/* Takes the user's reference away from the mapping that starts at @va. */
static struct ork_mapping *ork_mapping_withdraw(struct ork_vm *vm, u64 va)
{
	struct ork_mapping *mapping;

	mutex_lock(&vm->lock);
	mapping = ork_mapping_lookup(vm, va);
	if (mapping && mapping->node.start == va)
		mapping->public = false;
	else
		mapping = NULL;
	mutex_unlock(&vm->lock);

	return mapping;
}

static struct ork_mapping *ork_mapping_withdraw_any(struct ork_vm *vm)
{
	struct ork_mapping *found = NULL;
	struct drm_mm_node *node;

	mutex_lock(&vm->lock);
	drm_mm_for_each_node(node, &vm->mm) {
		struct ork_mapping *mapping = container_of(node, struct ork_mapping, node);

		if (mapping->public) {
			mapping->public = false;
			found = mapping;
			break;
		}
	}
	mutex_unlock(&vm->lock);

	return found;
}

/* Unmaps what the user did not. Programs and jobs keep what they need. */
static void ork_vm_close(struct ork_vm *vm)
{
	struct ork_mapping *mapping;

	mutex_lock(&vm->lock);
	vm->closed = true;
	mutex_unlock(&vm->lock);

	while ((mapping = ork_mapping_withdraw_any(vm)))
		ork_mapping_put(mapping);

	ork_cmd_heap_close(&vm->cmd);
	ork_vm_put(vm);
}

static int ork_vm_open(struct ork_device *ork, struct ork_file *priv, u32 *id)
{
	struct ork_vm *vm = ork_vm_create(ork);
	int ret;

	if (IS_ERR(vm))
		return PTR_ERR(vm);

	ret = xa_alloc(&priv->vms, id, vm, XA_LIMIT(0, ORK_MAX_VMS - 1), GFP_KERNEL);
	if (ret)
		ork_vm_put(vm);

	return ret == -EBUSY ? -ENOSPC : ret;
}

/**
 * ork_vm_open_default - give a new file its VM 0
 * @ork: device
 * @priv: file
 *
 * Return: 0, -ENOMEM or an error of the IOMMU driver.
 */
int ork_vm_open_default(struct ork_device *ork, struct ork_file *priv)
{
	u32 id;

	return ork_vm_open(ork, priv, &id);
}

/**
 * ork_vm_close_all - close every VM of a file
 * @priv: file
 */
void ork_vm_close_all(struct ork_file *priv)
{
	struct ork_vm *vm;
	unsigned long id;

	xa_for_each(&priv->vms, id, vm)
		ork_vm_close(vm);
	xa_destroy(&priv->vms);
}

int ork_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_vm_create *args = data;
	int ret, cookie;

	if (args->flags)
		return -EINVAL;

	if (!drm_dev_enter(drm, &cookie))
		return -ENODEV;

	ret = ork_vm_open(to_ork_device(drm), file->driver_priv, &args->vm);
	drm_dev_exit(cookie);
	return ret;
}

int ork_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_file *priv = file->driver_priv;
	struct drm_ork_vm_destroy *args = data;
	struct ork_vm *vm;

	if (args->pad || !args->vm)
		return -EINVAL;

	vm = xa_erase(&priv->vms, args->vm);
	if (!vm)
		return -ENOENT;

	ork_vm_close(vm);
	return 0;
}

static int ork_map_check(const struct drm_ork_vm_map *args)
{
	bool fixed = args->flags & DRM_ORK_MAP_FIXED;

	if (args->flags & ~(DRM_ORK_MAP_FIXED | DRM_ORK_MAP_READ_ONLY) || args->pad ||
	    !args->size_bytes || !fixed != !args->va)
		return -EINVAL;

	if (!IS_ALIGNED(args->offset_bytes | args->size_bytes | args->va, PAGE_SIZE))
		return -EINVAL;

	/* A BO is smaller than this, so the sum below does not overflow. */
	if (args->size_bytes > ORK_VM_END || args->va > ORK_VM_END ||
	    args->va + args->size_bytes + ORK_GUARD_BYTES > ORK_VM_END)
		return -EINVAL;

	return 0;
}

static int ork_map_bo(struct ork_vm *vm, struct drm_gem_object *obj, struct drm_ork_vm_map *args)
{
	const struct ork_map_request req = {
		.obj = obj,
		.offset = args->offset_bytes,
		.size = args->size_bytes,
		.va = args->va,
		.writable = !(args->flags & DRM_ORK_MAP_READ_ONLY),
	};
	struct ork_mapping *mapping;
	u64 va;

	if (req.offset >= obj->size || req.size > obj->size - req.offset)
		return -EINVAL;
	if (req.writable && ork_gem_is_user(obj))
		return -EACCES;

	mapping = ork_mapping_create(vm, &req);
	if (IS_ERR(mapping))
		return PTR_ERR(mapping);

	va = mapping->node.start;
	if (!ork_mapping_publish(mapping)) {
		ork_mapping_put(mapping);
		return -ENOENT;
	}

	args->va = va;
	return 0;
}

int ork_ioctl_vm_map(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_vm_map *args = data;
	struct drm_gem_object *obj;
	struct ork_vm *vm;
	int ret;

	ret = ork_map_check(args);
	if (ret)
		return ret;

	vm = ork_vm_lookup(file->driver_priv, args->vm);
	if (!vm)
		return -ENOENT;

	obj = drm_gem_object_lookup(file, args->handle);
	if (obj) {
		ret = ork_map_bo(vm, obj, args);
		drm_gem_object_put(obj);
	} else {
		ret = -ENOENT;
	}

	ork_vm_put(vm);
	return ret;
}

int ork_ioctl_vm_unmap(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_ork_vm_unmap *args = data;
	struct ork_mapping *mapping;
	struct ork_vm *vm;

	if (args->pad)
		return -EINVAL;

	vm = ork_vm_lookup(file->driver_priv, args->vm);
	if (!vm)
		return -ENOENT;

	mapping = ork_mapping_withdraw(vm, args->va);
	if (mapping)
		ork_mapping_put(mapping);

	ork_vm_put(vm);
	return mapping ? 0 : -ENOENT;
}
