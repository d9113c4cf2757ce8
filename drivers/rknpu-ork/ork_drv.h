/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_DRV_H
#define ORK_DRV_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>

#include <uapi/drm/rknpu_ork.h>

#define ORK_MAX_CORES DRM_ORK_MAX_CORES

#define ORK_DEFAULT_TIMEOUT_MS 5000
#define ORK_MAX_TIMEOUT_MS 60000

/* Tasks of a program. */
#define ORK_MAX_TASKS 16384

struct dma_fence_ops;
struct ork_clk;
struct ork_core;
struct ork_devfreq;
struct ork_dump;
struct ork_usage;

/* Banks that a core's MMU has at most. */
#define ORK_MAX_MMU_BANKS 2

/**
 * struct ork_soc_core - where a core is
 */
struct ork_soc_core {
	/** @base: physical address of its register window */
	phys_addr_t base;

	/** @mmu_bank: offsets of its MMU's banks in the window; 0 if there is none */
	u32 mmu_bank[ORK_MAX_MMU_BANKS];
};

/**
 * struct ork_soc - facts of one SoC
 */
struct ork_soc {
	/** @core: by core number */
	struct ork_soc_core core[ORK_MAX_CORES];

	/** @cbuf_banks: on-chip buffer banks per core */
	u32 cbuf_banks;

	/** @cbuf_bank_bytes: size of one bank */
	u32 cbuf_bank_bytes;

	/** @words_per_amount: command words that one step of REGISTER_AMOUNTS stands for */
	u32 words_per_amount;

	/** @parked_hz: rate of the compute clock with which the power may go off */
	unsigned long parked_hz;

	/** @safe_hz: its highest rate that needs no care for the voltage */
	unsigned long safe_hz;
};

/**
 * struct ork_device - the DRM device: all cores of the NPU
 */
struct ork_device {
	/** @drm: base; drm.dev is the virtual device that aggregates the cores */
	struct drm_device drm;

	/** @soc: facts */
	const struct ork_soc *soc;

	/**
	 * @core: by core number, NULL where the device tree has none. Constant while the DRM
	 * device is registered
	 */
	struct ork_core *core[ORK_MAX_CORES];

	/** @clk: the compute clock, NULL if nobody controls it */
	struct ork_clk *clk;

	/** @devfreq: what chooses its rate, or NULL */
	struct ork_devfreq *devfreq;

	/** @wq: watchdogs, resets and the release of finished jobs */
	struct workqueue_struct *wq;

	/** @files_lock: protects @files; unbind holds it while it ends the queues of open files */
	struct mutex files_lock;

	/** @files: open files, linked by &struct ork_file.node */
	struct list_head files;

	/** @dump_lock: protects @dump */
	spinlock_t dump_lock;

	/** @dump: last hang, or NULL; holds a reference */
	struct ork_dump *dump;

	/** @clients: files opened so far */
	atomic_t clients;

	/** @vms: VMs created so far */
	atomic_t vms;

	/** @detached_ops: operations of fences that have signalled, or NULL (ork_compat.h) */
	const struct dma_fence_ops *detached_ops;
};

/**
 * struct ork_file - an open DRM file
 */
struct ork_file {
	/** @node: in &struct ork_device.files */
	struct list_head node;

	/** @vms: address spaces by number */
	struct xarray vms;

	/** @usage: what the file has used; holds a reference */
	struct ork_usage *usage;

	/** @progs: programs by handle */
	struct xarray progs;

	/** @jobs: jobs numbered so far */
	atomic64_t jobs;

	/** @results: what became of the last of them, a ring (ork_result.c) */
	struct xarray results;

	/** @queues: by number; 0 is the default. Empty when the device is gone */
	struct xarray queues;
};

u32 ork_cores_present(struct ork_device *ork);

static inline struct ork_device *to_ork_device(struct drm_device *drm)
{
	return container_of(drm, struct ork_device, drm);
}

#endif
