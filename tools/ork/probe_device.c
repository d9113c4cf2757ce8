/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include <drm/rknpu_ork.h>

#include "probe.h"
#include "regcmd.h"

#define PAGE 4096u

#define MAX_TASKS 2

static int call(const struct probe_device *probe, unsigned long request, void *args)
{
	return drmIoctl(probe->fd, request, args) ? -errno : 0;
}

int probe_open(const char *node, struct probe_device *probe)
{
	probe->fd = open(node, O_RDWR | O_CLOEXEC);
	return probe->fd < 0 ? -errno : 0;
}

void probe_close(struct probe_device *probe)
{
	close(probe->fd);
}

int probe_bo_create(const struct probe_device *probe, uint64_t bytes, struct probe_bo *bo)
{
	struct drm_ork_bo_create create = { .size_bytes = (bytes + PAGE - 1) / PAGE * PAGE, .flags = DRM_ORK_BO_WC };
	struct drm_ork_vm_map map = { .size_bytes = create.size_bytes };
	int err = call(probe, DRM_IOCTL_ORK_BO_CREATE, &create);

	*bo = (struct probe_bo){ 0 };
	if (err)
		return err;
	bo->handle = map.handle = create.handle;
	bo->bytes = create.size_bytes;
	bo->ptr = mmap(NULL, bo->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, probe->fd, (off_t)create.mmap_offset);
	if (bo->ptr == MAP_FAILED) {
		bo->ptr = NULL;
		return -errno;
	}
	err = call(probe, DRM_IOCTL_ORK_VM_MAP, &map);
	bo->va = (uint32_t)map.va;
	return err;
}

void probe_bo_destroy(const struct probe_device *probe, struct probe_bo *bo)
{
	struct drm_ork_vm_unmap unmap = { .va = bo->va };
	struct drm_gem_close gem_close = { .handle = bo->handle };

	if (bo->va)
		call(probe, DRM_IOCTL_ORK_VM_UNMAP, &unmap);
	if (bo->ptr)
		munmap(bo->ptr, bo->bytes);
	if (bo->handle)
		call(probe, DRM_IOCTL_GEM_CLOSE, &gem_close);
}

/* In a queue of its own: one that has hung a few times is lost. */
static int run_program(const struct probe_device *probe, uint32_t prog, uint32_t tasks, struct probe_verdict *verdict)
{
	struct drm_ork_queue_create queue = { .core_mask = 1u << probe->core };
	struct drm_ork_job job = {
		.prog = prog, .core_mask = 1u << probe->core, .task_count = tasks, .timeout_ms = probe->timeout_ms,
	};
	struct drm_ork_submit submit = { .jobs = { sizeof(job), 1, (uintptr_t)&job } };
	struct drm_ork_job_wait wait = { .timeout_ns = INT64_MAX };
	struct drm_ork_queue_destroy destroy;
	int err = call(probe, DRM_IOCTL_ORK_QUEUE_CREATE, &queue);

	if (err)
		return err;
	job.queue = queue.queue;
	err = call(probe, DRM_IOCTL_ORK_SUBMIT, &submit);
	wait.id = submit.first_id;
	if (!err)
		err = call(probe, DRM_IOCTL_ORK_JOB_WAIT, &wait);
	destroy = (struct drm_ork_queue_destroy){ .queue = queue.queue };
	call(probe, DRM_IOCTL_ORK_QUEUE_DESTROY, &destroy);
	if (err)
		return err;
	if (wait.error == -ETIMEDOUT)
		verdict->outcome = PROBE_HANGS;
	else if (wait.error == -EFAULT)
		verdict->outcome = PROBE_FAULTS;
	else
		return wait.error;
	return 0;
}

int probe_submit(const struct probe_device *probe, uint64_t *words, uint32_t tasks, struct probe_verdict *verdict)
{
	struct drm_ork_task table[MAX_TASKS];
	struct drm_ork_prog_create create = {
		.flags = DRM_ORK_PROG_UNCHECKED_LIMITS,
		.words = { sizeof(*words), tasks * ORK_TASK_WORDS, (uintptr_t)words },
		.tasks = { sizeof(table[0]), tasks, (uintptr_t)table },
	};
	struct drm_ork_prog_destroy destroy;
	uint32_t i;
	int err;

	for (i = 0; i < tasks; i++)
		table[i] = (struct drm_ork_task){
			.first_word = i * ORK_TASK_WORDS, .word_count = ORK_TASK_WORDS, .enable_map = DRM_ORK_ENABLE_CONV,
		};
	err = call(probe, DRM_IOCTL_ORK_PROG_CREATE, &create);
	if (err == -EINVAL && create.reject) {
		verdict->outcome = PROBE_REFUSED;
		verdict->reject = create.reject;
		return 0;
	}
	if (err)
		return err;
	err = run_program(probe, create.handle, tasks, verdict);
	destroy = (struct drm_ork_prog_destroy){ .handle = create.handle };
	call(probe, DRM_IOCTL_ORK_PROG_DESTROY, &destroy);
	return err;
}
