/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "program.h"

int ork_fail(struct ork_device *dev, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(dev->error, sizeof(dev->error), format, args);
	va_end(args);
	return err;
}

static int read_limits(struct ork_device *dev)
{
	struct drm_ork_device_info info = { 0 };
	const int err = dev->backend->query(dev, &info);

	if (err)
		return err;
	dev->core_mask = info.core_mask & ((1u << ORK_MAX_CORES) - 1);
	dev->max_timeout_ms = info.max_timeout_ms;
	dev->limits.cores = (uint32_t)__builtin_popcount(dev->core_mask);
	dev->limits.cbuf_banks = info.cbuf_banks;
	dev->limits.cbuf_bank_bytes = info.cbuf_bank_bytes;
	dev->limits.max_tasks = info.max_tasks;
	/*
	 * A buffer that does not hold one kernel group of the largest K and a row of A is no NPU that the planner
	 * knows.
	 */
	if (!dev->limits.cores || info.cbuf_banks < 12 || info.cbuf_bank_bytes < 32768 || info.max_tasks < 4095)
		return -ENODEV;
	return 0;
}

int ork_open(const char *device, struct ork_device **dev)
{
	struct ork_device *opened;
	int err;

	if (!dev)
		return -EINVAL;
	if (!device)
		device = getenv("ORK_DEVICE");
	if (device && !*device)
		device = NULL;

	if (device && strcmp(device, "model") == 0)
		err = ork_model_open(&opened);
	else
		err = ork_kernel_open(device, &opened);
	if (err)
		return err;

	err = read_limits(opened);
	if (err) {
		opened->backend->close(opened);
		return err;
	}
	*dev = opened;
	return 0;
}

/* VMs stay for the next who needs one, because programs and stages that know them stay too. */
int ork_vm_take(struct ork_device *dev, uint32_t *vm)
{
	uint32_t created;
	int err;

	if (dev->vms_idle) {
		*vm = (uint32_t)__builtin_ctz(dev->vms_idle);
		dev->vms_idle &= dev->vms_idle - 1;
		return 0;
	}
	if (dev->vms_made == ORK_VMS - 1)
		return -ENOSPC;
	err = dev->backend->vm_create(dev, &created);
	if (err)
		return err;
	/* Numbers are given out from 1 on. */
	if (created >= ORK_VMS)
		return -ENOSPC;
	dev->vms_made++;
	*vm = created;
	return 0;
}

void ork_vm_give(struct ork_device *dev, uint32_t vm)
{
	dev->vms_idle |= 1u << vm;
}

int ork_close(struct ork_device *dev)
{
	if (!dev)
		return 0;
	if (dev->user_weights || dev->user_bos || dev->user_jobs || dev->user_residencies)
		return ork_fail(dev, -EBUSY,
				"%u buffers, %u weights, %u residency objects and %u jobs of the device still exist",
				dev->user_bos, dev->user_weights, dev->user_residencies, dev->user_jobs);
	ork_programs_free(dev);
	ork_stages_free(dev);
	ork_fences_free(dev);
	dev->backend->close(dev);
	return 0;
}

const char *ork_error(const struct ork_device *dev)
{
	return dev ? dev->error : "";
}

int ork_query(struct ork_device *dev, struct ork_info *info)
{
	struct drm_ork_device_info device = { 0 };
	struct drm_ork_vm_info vm = { 0 };
	int err;

	if (!dev)
		return -EINVAL;
	if (!info)
		return ork_fail(dev, -EINVAL, "ork_query: info is NULL");
	err = dev->backend->query(dev, &device);
	if (!err)
		err = dev->backend->query_vm(dev, 0, &vm);
	if (err)
		return ork_fail(dev, err, "ork_query: the device does not answer: %s", ork_strerror(err));

	*info = (struct ork_info){
		.backend = dev->backend->name,
		.hw_version = device.version,
		.cores = dev->limits.cores,
		.core_mask = dev->core_mask,
		.cbuf_banks = device.cbuf_banks,
		.cbuf_bank_bytes = device.cbuf_bank_bytes,
		.max_tasks = device.max_tasks,
		.default_timeout_ms = device.default_timeout_ms,
		.max_timeout_ms = device.max_timeout_ms,
		.vm_total_bytes = vm.total_bytes,
		.vm_used_bytes = vm.used_bytes,
		.vm_largest_hole_bytes = vm.largest_hole_bytes,
	};
	memcpy(info->jobs_done, device.jobs_done, sizeof(info->jobs_done));
	memcpy(info->resets, device.resets, sizeof(info->resets));
	return 0;
}
