/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Sizes and offsets of the ABI. Compiled, never run, as C and as C++ and for 64-bit and 32-bit ARM: a structure whose layout
 * differs between them, or that moved, does not compile.
 */

#include <drm/rknpu_ork.h>
#include <stddef.h>

#ifdef __cplusplus
#define CHECK(what) static_assert(what, #what)
#else
#define CHECK(what) _Static_assert(what, #what)
#endif

#define SIZE(type, bytes) CHECK(sizeof(struct type) == (bytes))
#define AT(type, member, bytes) CHECK(offsetof(struct type, member) == (bytes))

SIZE(drm_ork_array, 16);
AT(drm_ork_array, ptr, 8);
SIZE(drm_ork_device_info, 80);
AT(drm_ork_device_info, jobs_done, 32);
AT(drm_ork_device_info, resets, 56);
SIZE(drm_ork_vm_info, 24);
SIZE(drm_ork_query, 24);
AT(drm_ork_query, ptr, 8);
AT(drm_ork_query, id, 16);
SIZE(drm_ork_bo_create, 24);
AT(drm_ork_bo_create, mmap_offset, 16);
SIZE(drm_ork_sync_range, 24);
AT(drm_ork_sync_range, offset_bytes, 8);
SIZE(drm_ork_bo_sync, 16);
SIZE(drm_ork_vm_create, 8);
SIZE(drm_ork_vm_destroy, 8);
SIZE(drm_ork_vm_map, 40);
AT(drm_ork_vm_map, offset_bytes, 16);
AT(drm_ork_vm_map, va, 32);
SIZE(drm_ork_vm_unmap, 16);
SIZE(drm_ork_task, 16);
SIZE(drm_ork_slot, 8);
SIZE(drm_ork_prog_create, 72);
AT(drm_ork_prog_create, words, 8);
AT(drm_ork_prog_create, slots, 40);
AT(drm_ork_prog_create, handle, 56);
SIZE(drm_ork_prog_destroy, 8);
SIZE(drm_ork_range, 16);
SIZE(drm_ork_sync, 16);
SIZE(drm_ork_job, 112);
AT(drm_ork_job, ranges, 32);
AT(drm_ork_job, out_syncs, 96);
SIZE(drm_ork_submit, 32);
AT(drm_ork_submit, done, 20);
AT(drm_ork_submit, first_id, 24);
SIZE(drm_ork_bo_wait, 16);
AT(drm_ork_bo_wait, timeout_ns, 8);
SIZE(drm_ork_job_wait, 72);
AT(drm_ork_job_wait, timeout_ns, 8);
AT(drm_ork_job_wait, submitted_ns, 32);
AT(drm_ork_job_wait, fault_va, 56);
SIZE(drm_ork_bo_user, 24);
AT(drm_ork_bo_user, handle, 20);
SIZE(drm_ork_queue_create, 16);
SIZE(drm_ork_queue_destroy, 8);
