/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_device.h"

#define CBUF_BANKS         12
#define CBUF_BANK_BYTES    32768
#define MAX_TASKS          4095 /* TASK_NUMBER has 12 bits (NPU reference 6.1) */
#define DEFAULT_TIMEOUT_MS 5000
#define MAX_TIMEOUT_MS     60000

#define PC_VERSION     0x00
#define PC_VERSION_NUM 0x04

static struct model_device *model_of(struct ork_device *dev)
{
	return (struct model_device *)dev;
}

static int model_query(struct ork_device *dev, struct drm_ork_device_info *info)
{
	struct model_device *model = model_of(dev);
	int i;

	*info = (struct drm_ork_device_info){
		.version = npu_core_read(model->cores[0].npu, PC_VERSION) +
			   (npu_core_read(model->cores[0].npu, PC_VERSION_NUM) & 0xffff),
		.core_mask = (1u << DRM_ORK_MAX_CORES) - 1,
		.cbuf_banks = CBUF_BANKS,
		.cbuf_bank_bytes = CBUF_BANK_BYTES,
		.max_tasks = MAX_TASKS,
		.default_timeout_ms = DEFAULT_TIMEOUT_MS,
		.max_timeout_ms = MAX_TIMEOUT_MS,
	};
	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		info->jobs_done[i] = model->cores[i].jobs_done;
		info->resets[i] = model->cores[i].resets;
	}
	return 0;
}

static int model_query_vm(struct ork_device *dev, uint32_t vm, struct drm_ork_vm_info *info)
{
	const struct model_memory *memory = &model_of(dev)->vms[vm];

	info->total_bytes = model_memory_total();
	info->used_bytes = model_memory_used(memory);
	info->largest_hole_bytes = model_memory_largest_hole(memory);
	return 0;
}

/* All of them are there from the start. */
static int model_vm_create(struct ork_device *dev, uint32_t *vm)
{
	*vm = ++model_of(dev)->last_vm;
	return 0;
}

static int model_vm_map(struct ork_device *dev, struct drm_ork_vm_map *args)
{
	struct model_device *model = model_of(dev);
	struct model_bo *bo = model_handle_get(&model->bos, args->handle);
	uint64_t va;
	int err;

	err = model_memory_map(&model->vms[args->vm], bo->memory + args->offset_bytes, args->size_bytes,
			       !(args->flags & DRM_ORK_MAP_READ_ONLY), args->handle, &va);
	if (err)
		return err;
	bo->references++;
	args->va = va;
	return 0;
}

static void model_vm_unmap(struct ork_device *dev, uint32_t vm, uint64_t va)
{
	struct model_device *model = model_of(dev);

	model_bo_release(model, model_memory_unmap(&model->vms[vm], va));
}

static void model_close(struct ork_device *dev)
{
	struct model_device *model = model_of(dev);
	int i;

	for (i = 0; i < DRM_ORK_MAX_CORES; i++)
		if (model->cores[i].npu)
			npu_core_delete(model->cores[i].npu);
	for (i = 0; i < ORK_VMS; i++)
		model_memory_free(&model->vms[i]);
	free(model->bos.objects);
	free(model->programs.objects);
	free(model);
}

static const struct ork_backend model_backend = {
	.name = "model",
	.close = model_close,
	.query = model_query,
	.query_vm = model_query_vm,
	.bo_create = model_bo_create,
	.bo_wrap = model_bo_wrap,
	.bo_close = model_bo_close,
	.bo_import = model_bo_import,
	.bo_export = model_bo_export,
	.bo_map = model_bo_map,
	.bo_unmap = model_bo_unmap,
	.bo_sync = model_bo_sync,
	.vm_create = model_vm_create,
	.vm_map = model_vm_map,
	.vm_unmap = model_vm_unmap,
	.prog_create = model_prog_create,
	.prog_destroy = model_prog_destroy,
	.fence_init = model_fence_init,
	.fence_exit = model_fence_exit,
	.submit = model_submit,
	.fences_wait = model_fences_wait,
	.fence_fd = model_fence_fd,
};

static enum npu_dma dma_read(void *opaque, uint32_t iova, void *buf, size_t bytes)
{
	struct model_core *core = opaque;
	const uint8_t *from = model_memory_at(core->memory, iova, bytes, false);

	if (!from) {
		core->faulted = true;
		core->fault_va = iova;
		return NPU_DMA_STALL;
	}
	memcpy(buf, from, bytes);
	return NPU_DMA_OK;
}

static enum npu_dma dma_write(void *opaque, uint32_t iova, const void *buf, size_t bytes)
{
	struct model_core *core = opaque;
	uint8_t *to = model_memory_at(core->memory, iova, bytes, true);

	if (!to) {
		core->faulted = true;
		core->fault_va = iova;
		return NPU_DMA_STALL;
	}
	memcpy(to, buf, bytes);
	return NPU_DMA_OK;
}

static void keep_report(void *opaque, const char *message)
{
	struct model_core *core = opaque;

	snprintf(core->report, sizeof(core->report), "%s", message);
}

int ork_model_open(struct ork_device **dev)
{
	struct model_device *model = calloc(1, sizeof(*model));
	unsigned int i;

	if (!model)
		return -ENOMEM;
	model->base.backend = &model_backend;
	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		struct model_core *core = &model->cores[i];
		const struct npu_host host = {
			.opaque = core, .read = dma_read, .write = dma_write, .report = keep_report
		};

		core->model = model;
		core->npu = npu_core_new(i, &host);
		if (!core->npu) {
			model_close(&model->base);
			return -ENOMEM;
		}
	}
	*dev = &model->base;
	return 0;
}
