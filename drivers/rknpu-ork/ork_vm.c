// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Address spaces
 *
 * A VM is one IOMMU page table that every core of the NPU can be switched to (ork_core.c). The
 * driver chooses the addresses: drm_mm hands out the space between page 0 and 4 GiB, sizes are
 * not rounded, and an unmapped guard page follows each mapping, so that a program which runs
 * over the end of its buffer faults instead of reaching the next one.
 *
 * A mapping lives until its last reference is gone. The user's reference goes with
 * DRM_IOCTL_ORK_VM_UNMAP or the file, each program holds those it names, and a queued job holds
 * its program. So memory that the hardware may touch is never unmapped under it.
 *
 * Locks: vm->lock is taken last, except for the IOMMU's own. Allocation under it is allowed: it
 * is never taken on the way to a fence's signal; finished jobs drop their references from a
 * work item.
 */

#include <linux/slab.h>

#include <drm/drm_gem_shmem_helper.h>

#include "ork_compat.h"
#include "ork_core.h"
#include "ork_drv.h"
#include "ork_vm.h"

#define ORK_VM_START PAGE_SIZE
#define ORK_VM_END SZ_4G
#define ORK_GUARD_BYTES PAGE_SIZE

static int ork_vm_fault(struct iommu_domain *domain, struct device *mmu, unsigned long iova,
			int flags, void *data)
{
	struct ork_device *ork = data;
	unsigned int i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		if (ork->core[i] && ork_core_has_mmu(ork->core[i], mmu))
			ork_core_fault(ork->core[i], iova);

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

/**
 * ork_vm_create - make an empty address space
 * @ork: device
 *
 * Return: the VM, to be closed with ork_vm_close(), or an error of the IOMMU driver.
 */
struct ork_vm *ork_vm_create(struct ork_device *ork)
{
	struct ork_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL);
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
	mutex_init(&vm->lock);
	drm_mm_init(&vm->mm, ORK_VM_START, ORK_VM_END - ORK_VM_START);
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

static int ork_mapping_fill(struct ork_mapping *mapping, struct sg_table *sgt, u64 offset, int prot)
{
	unsigned long va = mapping->node.start;
	u64 left = mapping->size;
	struct scatterlist *sg;
	unsigned int i;
	int ret;

	for_each_sgtable_sg(sgt, sg, i) {
		u64 bytes = sg->length;

		if (offset >= bytes) {
			offset -= bytes;
			continue;
		}

		bytes = min(bytes - offset, left);
		ret = ork_iommu_map(mapping->vm->domain, va, sg_phys(sg) + offset, bytes, prot);
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

/* The caller checked the range. Nobody can name the mapping before it is made public. */
static struct ork_mapping *ork_mapping_create(struct ork_vm *vm, struct drm_gem_object *obj,
					      u64 offset, u64 size, int prot)
{
	struct ork_mapping *mapping;
	struct sg_table *sgt;
	int ret;

	sgt = drm_gem_shmem_get_pages_sgt(to_drm_gem_shmem_obj(obj));
	if (IS_ERR(sgt))
		return ERR_CAST(sgt);

	mapping = kzalloc(sizeof(*mapping), GFP_KERNEL);
	if (!mapping)
		return ERR_PTR(-ENOMEM);

	kref_init(&mapping->ref);
	mapping->vm = vm;
	mapping->obj = obj;
	mapping->size = size;

	mutex_lock(&vm->lock);
	ret = drm_mm_insert_node(&vm->mm, &mapping->node, size + ORK_GUARD_BYTES);
	if (ret)
		goto err_unlock;

	ret = ork_mapping_fill(mapping, sgt, offset, prot);
	if (ret)
		goto err_remove;
	mutex_unlock(&vm->lock);

	ork_vm_get(vm);
	drm_gem_object_get(obj);
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
	return ork_mapping_create(vm, obj, 0, obj->size, IOMMU_READ);
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
 *
 * Return: the mapping with a reference for the caller, or NULL if no single mapping holds the
 * whole range.
 */
struct ork_mapping *ork_mapping_find(struct ork_vm *vm, u32 va, u64 size)
{
	struct ork_mapping *mapping;

	mutex_lock(&vm->lock);
	mapping = ork_mapping_lookup(vm, va);
	if (mapping && size <= mapping->size &&
	    va - mapping->node.start <= mapping->size - size)
		kref_get(&mapping->ref);
	else
		mapping = NULL;
	mutex_unlock(&vm->lock);

	return mapping;
}

/* From here on another thread can unmap it. */
static void ork_mapping_publish(struct ork_mapping *mapping)
{
	struct ork_vm *vm = mapping->vm;

	mutex_lock(&vm->lock);
	mapping->public = true;
	mutex_unlock(&vm->lock);
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

/**
 * ork_vm_close - end the user's life of an address space
 * @vm: address space
 *
 * Unmaps what the user did not. Running jobs keep what they need.
 */
void ork_vm_close(struct ork_vm *vm)
{
	struct ork_mapping *mapping;

	while ((mapping = ork_mapping_withdraw_any(vm)))
		ork_mapping_put(mapping);

	ork_vm_put(vm);
}

int ork_ioctl_vm_map(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_file *priv = file->driver_priv;
	struct drm_ork_vm_map *args = data;
	struct ork_mapping *mapping;
	struct drm_gem_object *obj;
	int ret = 0;

	if (args->flags || !args->size_bytes ||
	    !IS_ALIGNED(args->offset_bytes | args->size_bytes, PAGE_SIZE))
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;

	if (args->offset_bytes >= obj->size || args->size_bytes > obj->size - args->offset_bytes) {
		ret = -EINVAL;
		goto out_put;
	}

	mapping = ork_mapping_create(priv->vm, obj, args->offset_bytes, args->size_bytes,
				     IOMMU_READ | IOMMU_WRITE);
	if (IS_ERR(mapping)) {
		ret = PTR_ERR(mapping);
		goto out_put;
	}

	args->va = mapping->node.start;
	ork_mapping_publish(mapping);

out_put:
	drm_gem_object_put(obj);
	return ret;
}

int ork_ioctl_vm_unmap(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct ork_file *priv = file->driver_priv;
	struct drm_ork_vm_unmap *args = data;
	struct ork_mapping *mapping = ork_mapping_withdraw(priv->vm, args->va);

	if (!mapping)
		return -ENOENT;

	ork_mapping_put(mapping);
	return 0;
}
