/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_VM_H
#define ORK_VM_H

#include <linux/iommu.h>
#include <linux/kref.h>
#include <linux/mutex.h>

#include <drm/drm_mm.h>

#include "ork_cmd.h"

struct drm_device;
struct drm_file;
struct drm_gem_object;
struct drm_ork_vm_info;
struct ork_device;
struct ork_file;

/**
 * struct ork_vm - address space of the NPU, shared by all cores
 */
struct ork_vm {
	/** @ref: one for the file, one per mapping and program, one per core it is attached to */
	struct kref ref;

	/** @id: number that tells VMs of all files apart, not 0 */
	u32 id;

	/** @domain: page table */
	struct iommu_domain *domain;

	/**
	 * @lock: protects @mm, @domain's contents, @closed and every &struct ork_mapping.public
	 */
	struct mutex lock;

	/** @closed: the user has closed it and can map nothing any more */
	bool closed;

	/** @mm: allocated addresses; each node belongs to a mapping and ends with a guard page */
	struct drm_mm mm;

	/** @cmd: memory for commands in this address space */
	struct ork_cmd_heap cmd;
};

/**
 * struct ork_mapping - part of a BO at an address
 */
struct ork_mapping {
	/**
	 * @ref: one for the user who has not unmapped it, one per program that names it or
	 * lives in it
	 */
	struct kref ref;

	/** @vm: address space, holds a reference */
	struct ork_vm *vm;

	/** @obj: BO, holds a reference */
	struct drm_gem_object *obj;

	/** @node: address and size including the guard page */
	struct drm_mm_node node;

	/** @size: bytes, without the guard page */
	u64 size;

	/** @writable: the NPU may write */
	bool writable;

	/**
	 * @public: the user holds a reference; new programs may name it and the user may unmap
	 * it
	 */
	bool public;
};

void ork_vm_get(struct ork_vm *vm);
void ork_vm_put(struct ork_vm *vm);
struct ork_vm *ork_vm_lookup(struct ork_file *priv, u32 id);
void ork_vm_info(struct ork_vm *vm, struct drm_ork_vm_info *info);
int ork_vm_open_default(struct ork_device *ork, struct ork_file *priv);
void ork_vm_close_all(struct ork_file *priv);

struct ork_mapping *ork_mapping_create_command(struct ork_vm *vm, struct drm_gem_object *obj);
struct ork_mapping *ork_mapping_find(struct ork_vm *vm, u64 va, u64 size, bool write);
void ork_mapping_put(struct ork_mapping *mapping);

int ork_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_vm_map(struct drm_device *drm, void *data, struct drm_file *file);
int ork_ioctl_vm_unmap(struct drm_device *drm, void *data, struct drm_file *file);

#endif
