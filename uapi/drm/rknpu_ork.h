/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef _UAPI_RKNPU_ORK_H_
#define _UAPI_RKNPU_ORK_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Rules of this interface
 *
 * - Every structure is a multiple of 8 bytes; 64-bit members are 8-byte aligned. There are no
 *   unions and no bit-fields.
 * - Every ioctl argument may grow at its end. A member that the caller's header does not have
 *   reads as 0, and 0 asks for the behaviour that the driver had before the member existed.
 * - Arrays are passed as &struct drm_ork_array, with the caller's element size as stride, so that
 *   elements may grow too. An element that is longer than the driver knows is accepted if the
 *   unknown part is 0, else refused with -E2BIG.
 * - Padding and unknown flags must be 0, else -EINVAL.
 * - The driver version (DRM_IOCTL_VERSION) minor is raised when something is added.
 *
 * Errors that every call may return: -EFAULT for an unreadable pointer, -EINVAL for values that
 * the member's description rules out, -ENOENT for a handle that this file does not have,
 * -ENOMEM, -ENODEV after the device went away.
 *
 * Addresses of the NPU ("va") are 32 bits wide and belong to an address space ("VM") of 4 GiB. A
 * file starts with one VM, number 0, and may create more; every core can run in every VM.
 * Addresses 0 to 4095 are never mapped.
 */

/**
 * DOC: Limits
 *
 * A file may have 32 VMs, 64 queues, 32768 programs, and 8192 jobs that have not ended; a job may
 * wait for 64 syncobjs and signal 64. They are far above what programs need and may be raised.
 *
 * What a file makes the driver allocate, the pages of BOs above all, is charged to the memory
 * cgroup of the process that asks; -ENOMEM when the cgroup is full. Page tables are not: 4 MiB per
 * VM at most. Pages of DRM_IOCTL_ORK_BO_USER also count against the process's RLIMIT_MEMLOCK.
 */

/**
 * DOC: Example
 *
 * C[M][N] = A[M][K] * B[K][N] on all cores, errors left out::
 *
 *	struct drm_ork_bo_create bo = { .size_bytes = bytes };
 *	ioctl(fd, DRM_IOCTL_ORK_BO_CREATE, &bo);
 *	char *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, bo.mmap_offset);
 *
 *	struct drm_ork_vm_map map = { .handle = bo.handle, .size_bytes = bytes };
 *	ioctl(fd, DRM_IOCTL_ORK_VM_MAP, &map);
 *
 * and likewise B and C. The words say what to compute, map.va is where A lies::
 *
 *	__u64 words[] = { 0x0201ull << 48 | map.va << 16 | 0x1070, ... };
 *	struct drm_ork_task task = {
 *		.word_count = count, .enable_map = DRM_ORK_ENABLE_CONV,
 *	};
 *	struct drm_ork_prog_create prog = {
 *		.words = { sizeof(words[0]), count, (uintptr_t)words },
 *		.tasks = { sizeof(task), 1, (uintptr_t)&task },
 *	};
 *	ioctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &prog);
 *
 * Then, as often as needed::
 *
 *	struct drm_ork_job job = {
 *		.prog = prog.handle, .placement = DRM_ORK_PLACE_SPLIT, .core_mask = 7,
 *		.task_count = 1,
 *	};
 *	struct drm_ork_submit submit = { .jobs = { sizeof(job), 1, (uintptr_t)&job } };
 *	ioctl(fd, DRM_IOCTL_ORK_SUBMIT, &submit);
 *
 *	struct drm_ork_job_wait wait = { .id = submit.first_id, .timeout_ns = INT64_MAX };
 *	ioctl(fd, DRM_IOCTL_ORK_JOB_WAIT, &wait);
 */

#define DRM_ORK_QUERY		0x00
#define DRM_ORK_BO_CREATE	0x01
#define DRM_ORK_BO_SYNC		0x02
#define DRM_ORK_VM_CREATE	0x03
#define DRM_ORK_VM_DESTROY	0x04
#define DRM_ORK_VM_MAP		0x05
#define DRM_ORK_VM_UNMAP	0x06
#define DRM_ORK_PROG_CREATE	0x07
#define DRM_ORK_PROG_DESTROY	0x08
#define DRM_ORK_SUBMIT		0x09
#define DRM_ORK_BO_WAIT		0x0a
#define DRM_ORK_JOB_WAIT	0x0b
#define DRM_ORK_QUEUE_CREATE	0x0c
#define DRM_ORK_QUEUE_DESTROY	0x0d
#define DRM_ORK_BO_USER		0x0e

/**
 * struct drm_ork_array - array in user memory
 */
struct drm_ork_array {
	/** @stride: size of one element in bytes, as the caller's header defines it */
	__u32 stride;

	/** @count: number of elements */
	__u32 count;

	/** @ptr: user pointer to the first element */
	__u64 ptr;
};

/**
 * enum drm_ork_query_type - what DRM_IOCTL_ORK_QUERY returns
 */
enum drm_ork_query_type {
	/** @DRM_ORK_QUERY_DEVICE: &struct drm_ork_device_info */
	DRM_ORK_QUERY_DEVICE = 0,

	/** @DRM_ORK_QUERY_VM: &struct drm_ork_vm_info of the VM in @id */
	DRM_ORK_QUERY_VM = 1,
};

#define DRM_ORK_MAX_CORES 3

/**
 * struct drm_ork_device_info - facts of the device
 */
struct drm_ork_device_info {
	/** @version: hardware version, sum of the VERSION and VERSION_NUM registers */
	__u32 version;

	/** @core_mask: cores that can run jobs, bit n is the core that the SoC calls n */
	__u32 core_mask;

	/** @cbuf_banks: on-chip buffer banks per core */
	__u32 cbuf_banks;

	/** @cbuf_bank_bytes: size of one bank in bytes */
	__u32 cbuf_bank_bytes;

	/** @max_tasks: largest number of tasks in one program and in one job */
	__u32 max_tasks;

	/** @default_timeout_ms: timeout of a job that does not give one, in milliseconds */
	__u32 default_timeout_ms;

	/** @max_timeout_ms: largest timeout that a job may give, in milliseconds */
	__u32 max_timeout_ms;

	/** @pad: 0 */
	__u32 pad;

	/**
	 * @jobs_done: per core, number of job parts that ended without error since the driver
	 * was loaded
	 */
	__u64 jobs_done[DRM_ORK_MAX_CORES];

	/** @resets: per core, number of resets after a hang or fault since the driver was loaded */
	__u64 resets[DRM_ORK_MAX_CORES];
};

/**
 * struct drm_ork_vm_info - use of an address space
 */
struct drm_ork_vm_info {
	/** @total_bytes: size of the space that mappings can use */
	__u64 total_bytes;

	/** @used_bytes: bytes taken by mappings, programs and their guard pages */
	__u64 used_bytes;

	/** @largest_hole_bytes: largest mapping that would fit now */
	__u64 largest_hole_bytes;
};

/**
 * struct drm_ork_query - argument of DRM_IOCTL_ORK_QUERY
 *
 * With @ptr 0, only @size is written: the size that the driver knows. Otherwise min(@size,
 * known size) bytes are copied, the rest of the caller's memory is cleared, and @size is set to
 * the known size.
 */
struct drm_ork_query {
	/** @type: &enum drm_ork_query_type */
	__u32 type;

	/** @size: size of the caller's structure in bytes */
	__u32 size;

	/** @ptr: user pointer to the structure */
	__u64 ptr;

	/** @id: VM for DRM_ORK_QUERY_VM, else 0 */
	__u32 id;

	/** @pad: 0 */
	__u32 pad;
};

/**
 * define DRM_ORK_BO_WC - the CPU maps it uncached and combines writes; no
 * DRM_IOCTL_ORK_BO_SYNC is needed
 */
#define DRM_ORK_BO_WC	0x1

/** define DRM_ORK_BO_NO_MMAP - the CPU never maps it; mmap() fails with -EINVAL */
#define DRM_ORK_BO_NO_MMAP	0x2

/**
 * struct drm_ork_bo_create - argument of DRM_IOCTL_ORK_BO_CREATE
 *
 * The memory reads as 0. The handle is closed with DRM_IOCTL_GEM_CLOSE.
 */
struct drm_ork_bo_create {
	/**
	 * @size_bytes: size; rounded up to pages by the driver. 0 and 4 GiB or more are refused
	 * with -EINVAL
	 */
	__u64 size_bytes;

	/** @flags: DRM_ORK_BO_* */
	__u32 flags;

	/** @handle: out: GEM handle */
	__u32 handle;

	/** @mmap_offset: out: offset for mmap() on the DRM file; 0 with DRM_ORK_BO_NO_MMAP */
	__u64 mmap_offset;
};

/**
 * struct drm_ork_bo_user - argument of DRM_IOCTL_ORK_BO_USER
 *
 * Makes a BO of memory that is there, for example of a mapped file, without copying it. The pages
 * stay in memory until the BO is gone, whatever becomes of the mapping. The NPU may only read them:
 * DRM_IOCTL_ORK_VM_MAP without DRM_ORK_MAP_READ_ONLY fails with -EACCES. It sees what was written
 * before the call. The BO can be neither mapped nor exported nor synchronised: -EINVAL.
 *
 * A private mapping that may become writable is copied by some kernels; a shared one of a file that
 * is open for reading is not.
 *
 * -EFAULT: something in the range is not mapped, or its file system does not allow this. -ENOMEM:
 * also when the pages that the process has pinned would be more than RLIMIT_MEMLOCK, unless it has
 * CAP_IPC_LOCK.
 */
struct drm_ork_bo_user {
	/** @ptr: user pointer, multiple of the page size */
	__u64 ptr;

	/** @size_bytes: multiple of the page size; 0 and 4 GiB or more are refused with -EINVAL */
	__u64 size_bytes;

	/** @flags: 0 */
	__u32 flags;

	/** @handle: out: GEM handle */
	__u32 handle;
};

/**
 * enum drm_ork_sync_op - direction of DRM_IOCTL_ORK_BO_SYNC
 */
enum drm_ork_sync_op {
	/** @DRM_ORK_SYNC_TO_DEVICE: the CPU wrote, the NPU will read or write next */
	DRM_ORK_SYNC_TO_DEVICE = 0,

	/** @DRM_ORK_SYNC_TO_CPU: the NPU wrote, the CPU will read next */
	DRM_ORK_SYNC_TO_CPU = 1,
};

/**
 * struct drm_ork_sync_range - byte range of a BO
 */
struct drm_ork_sync_range {
	/** @handle: GEM handle */
	__u32 handle;

	/** @op: &enum drm_ork_sync_op */
	__u32 op;

	/** @offset_bytes: first byte */
	__u64 offset_bytes;

	/** @size_bytes: length, not 0; the range must lie in the BO */
	__u64 size_bytes;
};

/**
 * struct drm_ork_bo_sync - argument of DRM_IOCTL_ORK_BO_SYNC
 *
 * CPU caches are not coherent with the NPU. All ranges are checked before the first one is
 * synchronised.
 *
 * For imported memory of another exporter this is the exporter's begin (DRM_ORK_SYNC_TO_CPU) or
 * end (DRM_ORK_SYNC_TO_DEVICE) of access by the CPU, as DMA_BUF_IOCTL_SYNC on the dma-buf: of the
 * whole buffer, and the first waits for the buffer's implicit fences.
 *
 * -EINVAL also for a BO of user memory. Errors of the exporter are passed on.
 */
struct drm_ork_bo_sync {
	/** @ranges: array of &struct drm_ork_sync_range */
	struct drm_ork_array ranges;
};

/**
 * struct drm_ork_vm_create - argument of DRM_IOCTL_ORK_VM_CREATE
 *
 * -ENOSPC: the file has as many VMs as the driver allows.
 */
struct drm_ork_vm_create {
	/** @flags: 0 */
	__u32 flags;

	/** @vm: out: number of the new, empty VM, not 0 */
	__u32 vm;
};

/**
 * struct drm_ork_vm_destroy - argument of DRM_IOCTL_ORK_VM_DESTROY
 *
 * Unmaps everything in it. Programs in it stay valid until they are destroyed, and so do their
 * mappings. VM 0 cannot be destroyed: -EINVAL.
 */
struct drm_ork_vm_destroy {
	/** @vm: number */
	__u32 vm;

	/** @pad: 0 */
	__u32 pad;
};

/** define DRM_ORK_MAP_FIXED - map at the address in @va; -EEXIST if something is mapped there */
#define DRM_ORK_MAP_FIXED	0x1

/** define DRM_ORK_MAP_READ_ONLY - the NPU may only read */
#define DRM_ORK_MAP_READ_ONLY	0x2

/**
 * struct drm_ork_vm_map - argument of DRM_IOCTL_ORK_VM_MAP
 *
 * Maps a BO, or part of it, for the NPU. A BO may be mapped several times, into one VM or several.
 * The mapping holds the BO. An unmapped guard page follows it.
 *
 * -ENOSPC: no hole is large enough (DRM_ORK_QUERY_VM tells the largest); nothing changed.
 */
struct drm_ork_vm_map {
	/** @vm: number of the VM */
	__u32 vm;

	/** @handle: GEM handle */
	__u32 handle;

	/** @flags: DRM_ORK_MAP_* */
	__u32 flags;

	/** @pad: 0 */
	__u32 pad;

	/** @offset_bytes: first byte of the BO, multiple of 4096 */
	__u64 offset_bytes;

	/** @size_bytes: length, multiple of 4096, not 0; the range must lie in the BO */
	__u64 size_bytes;

	/**
	 * @va: out: address, chosen by the driver, multiple of 4096. In with DRM_ORK_MAP_FIXED:
	 * 4096 or more, with the guard page below 4 GiB; else 0
	 */
	__u64 va;
};

/**
 * struct drm_ork_vm_unmap - argument of DRM_IOCTL_ORK_VM_UNMAP
 *
 * The address is free for use at once if no program or job uses the mapping, else when the last one
 * is gone.
 */
struct drm_ork_vm_unmap {
	/** @vm: number of the VM */
	__u32 vm;

	/** @pad: 0 */
	__u32 pad;

	/** @va: address that DRM_IOCTL_ORK_VM_MAP returned; -ENOENT if there is no such mapping */
	__u64 va;
};

/** define DRM_ORK_ENABLE_CONV - enable map of a task that uses CNA, CORE and DPU */
#define DRM_ORK_ENABLE_CONV	0x0d

/**
 * struct drm_ork_task - one task of a program: a complete set of register commands
 */
struct drm_ork_task {
	/** @first_word: index of the task's first word in &struct drm_ork_prog_create.words */
	__u32 first_word;

	/** @word_count: number of words, not 0, without the trailer, which the driver writes */
	__u32 word_count;

	/** @enable_map: blocks that the task starts. Only DRM_ORK_ENABLE_CONV is supported */
	__u32 enable_map;

	/** @pad: 0 */
	__u32 pad;
};

/**
 * enum drm_ork_reject - why a program was refused
 */
enum drm_ork_reject {
	/** @DRM_ORK_REJECT_NONE: it was not refused by the checker */
	DRM_ORK_REJECT_NONE = 0,

	/** @DRM_ORK_REJECT_TARGET: the word's target is not CNA, CORE or DPU */
	DRM_ORK_REJECT_TARGET = 1,

	/** @DRM_ORK_REJECT_REGISTER: the word's register must not be written by a program */
	DRM_ORK_REJECT_REGISTER = 2,

	/**
	 * @DRM_ORK_REJECT_FIELD: the value has bits outside the register's fields, or one that
	 * must be 0
	 */
	DRM_ORK_REJECT_FIELD = 3,

	/** @DRM_ORK_REJECT_MISSING: the task does not write a register that decides what it does */
	DRM_ORK_REJECT_MISSING = 4,

	/**
	 * @DRM_ORK_REJECT_UNSUPPORTED: a mode, precision or stage that this driver does not
	 * support yet
	 */
	DRM_ORK_REJECT_UNSUPPORTED = 5,

	/**
	 * @DRM_ORK_REJECT_ADDRESS: an address is misaligned, or the bytes that the task touches
	 * are not in one mapping
	 */
	DRM_ORK_REJECT_ADDRESS = 6,

	/**
	 * @DRM_ORK_REJECT_SHAPE: sizes that contradict each other or exceed what the hardware
	 * can do
	 */
	DRM_ORK_REJECT_SHAPE = 7,

	/**
	 * @DRM_ORK_REJECT_BANKS: on-chip buffer banks do not hold a kernel group or the
	 * features
	 */
	DRM_ORK_REJECT_BANKS = 8,

	/**
	 * @DRM_ORK_REJECT_REUSE: reuse of on-chip data that the task before it in the program
	 * does not leave there as a whole
	 */
	DRM_ORK_REJECT_REUSE = 9,

	/**
	 * @DRM_ORK_REJECT_OUTPUT: SIZE_E, SURFACE_ADD or NOTCH do not fit the output type and
	 * shape
	 */
	DRM_ORK_REJECT_OUTPUT = 10,

	/**
	 * @DRM_ORK_REJECT_TASK: a task's words lie outside the program, or its enable map is
	 * unknown
	 */
	DRM_ORK_REJECT_TASK = 11,

	/**
	 * @DRM_ORK_REJECT_SLOT: an address slot is no address word, or is declared twice or too
	 * high
	 */
	DRM_ORK_REJECT_SLOT = 12,
};

/** define DRM_ORK_MAX_SLOTS - address slots that a program can have */
#define DRM_ORK_MAX_SLOTS	16

/**
 * struct drm_ork_slot - command word whose address comes with each job
 *
 * The word's value is an offset that is added to the job's address for that slot. So a program
 * for a shape serves any buffers, and several words can share one slot.
 */
struct drm_ork_slot {
	/**
	 * @word: index in &struct drm_ork_prog_create.words of a write to FEATURE_DATA_ADDR,
	 * DCOMP_ADDR0 or DST_BASE_ADDR
	 */
	__u32 word;

	/** @slot: index in the job's addresses, below DRM_ORK_MAX_SLOTS */
	__u32 slot;
};

/**
 * define DRM_ORK_PROG_UNCHECKED_LIMITS - for people who probe the hardware. Does not refuse sizes,
 * bank splits and reuse of more weights than the banks hold, which hang or corrupt, and checks the
 * first bytes instead of the whole range at each address. Needs CAP_SYS_ADMIN, else -EPERM. The
 * MMU and the timeout still protect everybody else.
 */
#define DRM_ORK_PROG_UNCHECKED_LIMITS	0x1

/**
 * struct drm_ork_prog_create - argument of DRM_IOCTL_ORK_PROG_CREATE
 *
 * The driver copies the words, checks each of them, appends each task's trailer and links the tasks
 * into one chain. The NPU runs the copy, which only it can read. A program never changes and may be
 * submitted any number of times. It holds the mappings that its addresses lie in. With address
 * slots, each job gets a copy of its own that goes when the job has ended. In a long run of tasks
 * that reuse on-chip data, the driver lets one now and then load it again.
 *
 * -EINVAL with @reject not 0: the checker refused the program; nothing was created. -ENOSPC as
 * for DRM_IOCTL_ORK_VM_MAP, or the file has as many programs as the driver allows.
 */
struct drm_ork_prog_create {
	/** @vm: number of the VM that the program's addresses belong to and that its jobs run in */
	__u32 vm;

	/** @flags: DRM_ORK_PROG_* */
	__u32 flags;

	/**
	 * @words: array of __u64 register commands: [63:48] target, [47:16] value, [15:0]
	 * register
	 */
	struct drm_ork_array words;

	/** @tasks: array of &struct drm_ork_task, in the order in which they run; 1 to max_tasks */
	struct drm_ork_array tasks;

	/** @slots: array of &struct drm_ork_slot; may be empty */
	struct drm_ork_array slots;

	/** @handle: out: program handle, not 0 */
	__u32 handle;

	/** @reject: out: &enum drm_ork_reject */
	__u32 reject;

	/** @reject_task: out: index of the refused task */
	__u32 reject_task;

	/**
	 * @reject_word: out: index in @words of the word, or of the task's first word if a word
	 * is missing
	 */
	__u32 reject_word;
};

/**
 * struct drm_ork_prog_destroy - argument of DRM_IOCTL_ORK_PROG_DESTROY
 *
 * Jobs that were submitted keep the program until they end.
 */
struct drm_ork_prog_destroy {
	/** @handle: program handle */
	__u32 handle;

	/** @pad: 0 */
	__u32 pad;
};

/**
 * enum drm_ork_placement - which cores run a job
 */
enum drm_ork_placement {
	/** @DRM_ORK_PLACE_AUTO: one core of the mask, chosen by the driver */
	DRM_ORK_PLACE_AUTO = 0,

	/**
	 * @DRM_ORK_PLACE_SPLIT: all cores of the mask. The n tasks are cut into as many ranges
	 * as the mask has c cores; the i-th core in ascending order runs tasks i * n / c to (i
	 * + 1) * n / c - 1, or none if that range is empty. Tasks of different cores run at the
	 * same time, in no order.
	 */
	DRM_ORK_PLACE_SPLIT = 1,

	/** @DRM_ORK_PLACE_RANGES: the cores and tasks of &struct drm_ork_job.ranges */
	DRM_ORK_PLACE_RANGES = 2,
};

/**
 * struct drm_ork_range - tasks that one core runs
 */
struct drm_ork_range {
	/** @core: number of the core; each core at most once */
	__u32 core;

	/** @first_task: first task of the program */
	__u32 first_task;

	/** @task_count: number of tasks, not 0 */
	__u32 task_count;

	/** @pad: 0 */
	__u32 pad;
};

/**
 * struct drm_ork_sync - syncobj that a job waits for or signals
 */
struct drm_ork_sync {
	/** @handle: syncobj */
	__u32 handle;

	/** @flags: 0 */
	__u32 flags;

	/** @point: point on its timeline, or 0 for a binary syncobj */
	__u64 point;
};

/**
 * define DRM_ORK_JOB_IMPLICIT_SYNC - wait for what other users of the job's BOs have queued, and
 * let them wait for the job: BOs that the program writes get a write fence, others a read fence.
 * For buffers that are shared by dma-buf or waited for with DRM_IOCTL_ORK_BO_WAIT.
 */
#define DRM_ORK_JOB_IMPLICIT_SYNC	0x1

/**
 * struct drm_ork_job - one job: a range of a program's tasks
 *
 * A range, and each piece that DRM_ORK_PLACE_SPLIT cuts it into, must not begin with a task that
 * reuses on-chip data: -EINVAL.
 *
 * Each core runs its tasks in order, in parts between which jobs of other queues get their turn.
 * When a part ends with an error, parts of the job that have not begun are not run.
 */
struct drm_ork_job {
	/** @prog: program handle */
	__u32 prog;

	/** @flags: DRM_ORK_JOB_* */
	__u32 flags;

	/** @placement: &enum drm_ork_placement */
	__u32 placement;

	/**
	 * @core_mask: cores that may run the job: a non-empty subset of
	 * drm_ork_device_info.core_mask and of the queue's cores; 0 with DRM_ORK_PLACE_RANGES
	 */
	__u32 core_mask;

	/** @first_task: first task; 0 with DRM_ORK_PLACE_RANGES */
	__u32 first_task;

	/** @task_count: number of tasks, not 0; 0 with DRM_ORK_PLACE_RANGES */
	__u32 task_count;

	/**
	 * @timeout_ms: time in milliseconds without progress after which the job is given up;
	 * counted from the start on a core and again from each finished task. 0: the default.
	 * More than the maximum is refused.
	 */
	__u32 timeout_ms;

	/** @queue: number of the queue; 0 is the file's first one */
	__u32 queue;

	/** @ranges: array of &struct drm_ork_range; empty without DRM_ORK_PLACE_RANGES */
	struct drm_ork_array ranges;

	/**
	 * @addresses: array of __u64, one for each slot of the program: a multiple of 16 inside a
	 * mapping of the program's VM that holds all bytes that the tasks touch through the slot
	 */
	struct drm_ork_array addresses;

	/**
	 * @cache: array of &struct drm_ork_sync_range: DRM_ORK_SYNC_TO_DEVICE is done before
	 * the call returns, DRM_ORK_SYNC_TO_CPU before the job's fence signals. Not of memory of
	 * another exporter (-EINVAL), which DRM_IOCTL_ORK_BO_SYNC synchronises.
	 */
	struct drm_ork_array cache;

	/**
	 * @in_syncs: array of &struct drm_ork_sync that the job waits for. A fence that does
	 * not exist yet makes the call wait for it.
	 */
	struct drm_ork_array in_syncs;

	/**
	 * @out_syncs: array of &struct drm_ork_sync that get the job's fence. It signals when
	 * all parts have ended and the results are in memory. Its error (sync_file status) is
	 * -ETIMEDOUT after a hang, -EFAULT after an access to an address that is not mapped,
	 * -EIO after a DMA error, -ENODEV if the core is out of service or gets no power, clock or
	 * address space, -ECANCELED if the job was dropped because its queue was destroyed or lost.
	 */
	struct drm_ork_array out_syncs;
};

/**
 * struct drm_ork_submit - argument of DRM_IOCTL_ORK_SUBMIT
 *
 * Jobs are checked and queued in order. If one is refused, the call returns its error, @done is
 * its index, the jobs before it are queued and the ones after it are not.
 *
 * -ECANCELED: the queue is lost, see &struct drm_ork_queue_create. -EBUSY: the file has as many
 * jobs that have not ended as the driver allows; it may try again when one has. A long job counts
 * for several.
 */
struct drm_ork_submit {
	/** @jobs: array of &struct drm_ork_job, at least one */
	struct drm_ork_array jobs;

	/** @flags: 0 */
	__u32 flags;

	/** @done: out: number of jobs that were queued */
	__u32 done;

	/**
	 * @first_id: out: number of the first job, for DRM_IOCTL_ORK_JOB_WAIT; those of the
	 * others follow it. Numbers are per file, not 0, and not used again
	 */
	__u64 first_id;
};

/**
 * enum drm_ork_priority - whose jobs a core runs first
 */
enum drm_ork_priority {
	/** @DRM_ORK_PRIORITY_NORMAL: that of queue 0 */
	DRM_ORK_PRIORITY_NORMAL = 0,

	/** @DRM_ORK_PRIORITY_LOW: runs when nothing else wants to */
	DRM_ORK_PRIORITY_LOW = 1,

	/** @DRM_ORK_PRIORITY_HIGH: goes first. Needs CAP_SYS_NICE, else -EACCES */
	DRM_ORK_PRIORITY_HIGH = 2,
};

/**
 * struct drm_ork_queue_create - argument of DRM_IOCTL_ORK_QUEUE_CREATE
 *
 * Jobs of one queue start in order on each core; those of several share the cores fairly, whatever
 * their number. A file starts with queue 0, of normal priority and for all cores.
 *
 * A queue whose jobs wedge a core four times, none ending well in between, is lost: its jobs end
 * with -ECANCELED, and so does DRM_IOCTL_ORK_SUBMIT. Other queues of the file are not touched.
 *
 * -ENOSPC: the file has as many queues as the driver allows.
 */
struct drm_ork_queue_create {
	/** @priority: &enum drm_ork_priority */
	__u32 priority;

	/** @core_mask: cores that its jobs may use, out of those of the device; 0: all */
	__u32 core_mask;

	/** @flags: 0 */
	__u32 flags;

	/** @queue: out: number of the new queue, not 0 */
	__u32 queue;
};

/**
 * struct drm_ork_queue_destroy - argument of DRM_IOCTL_ORK_QUEUE_DESTROY
 *
 * Jobs that are close to their turn are run if that comes within a second; the others end with
 * -ECANCELED. Queue 0 cannot be destroyed: -EINVAL.
 */
struct drm_ork_queue_destroy {
	/** @queue: number */
	__u32 queue;

	/** @pad: 0 */
	__u32 pad;
};

/** define DRM_ORK_WAIT_WRITE - wait for writers only, to read the BO */
#define DRM_ORK_WAIT_WRITE	0x1

/**
 * struct drm_ork_bo_wait - argument of DRM_IOCTL_ORK_BO_WAIT
 *
 * Waits for jobs with DRM_ORK_JOB_IMPLICIT_SYNC and for other drivers that share the BO.
 * -ETIMEDOUT: not idle yet; with a time in the past that is the way to ask. Does not touch caches.
 */
struct drm_ork_bo_wait {
	/** @handle: GEM handle */
	__u32 handle;

	/** @flags: DRM_ORK_WAIT_* */
	__u32 flags;

	/** @timeout_ns: CLOCK_MONOTONIC time in nanoseconds at which to give up */
	__s64 timeout_ns;
};

/**
 * enum drm_ork_job_state - how far a job is
 */
enum drm_ork_job_state {
	/** @DRM_ORK_JOB_QUEUED: no part of it has begun */
	DRM_ORK_JOB_QUEUED = 0,

	/** @DRM_ORK_JOB_RUNNING: a part has begun */
	DRM_ORK_JOB_RUNNING = 1,

	/** @DRM_ORK_JOB_ENDED: its fence has signalled */
	DRM_ORK_JOB_ENDED = 2,
};

/**
 * struct drm_ork_job_wait - argument of DRM_IOCTL_ORK_JOB_WAIT
 *
 * Waits for jobs in the order of their numbers, until all have ended or one has with an error, and
 * tells what became of that one, or of the last. The call succeeds when the job has ended, with or
 * without error. -ETIMEDOUT: one has not ended yet; the out members describe it, and with a time in
 * the past that is the way to ask. -ENOENT: this file has no such job, it was not queued, or 8192
 * jobs have been submitted since.
 */
struct drm_ork_job_wait {
	/**
	 * @id: number of the first job, from &struct drm_ork_submit.first_id; out: number of the
	 * job that the out members describe
	 */
	__u64 id;

	/** @timeout_ns: CLOCK_MONOTONIC time in nanoseconds at which to give up */
	__s64 timeout_ns;

	/** @state: out: &enum drm_ork_job_state */
	__u32 state;

	/** @error: out: 0 or the negative errno of the job's fence, see @out_syncs of the job */
	__s32 error;

	/** @cores: out: mask of the cores that its parts were placed on */
	__u32 cores;

	/** @tasks_done: out: tasks that have ended, in parts that have */
	__u32 tasks_done;

	/** @submitted_ns: out: CLOCK_MONOTONIC time in nanoseconds when it was queued */
	__u64 submitted_ns;

	/** @started_ns: out: time when its first part began on a core, or 0 */
	__u64 started_ns;

	/** @ended_ns: out: time when a core ended its last part; 0 if it has not ended or begun */
	__u64 ended_ns;

	/** @fault_va: out: address that was not mapped if @error is -EFAULT, else 0 */
	__u64 fault_va;

	/** @count: number of jobs to wait for, numbered from @id on; at most 4096. 0: one */
	__u32 count;

	/** @pad: 0 */
	__u32 pad;
};

/**
 * define DRM_ORK_ENDED_OFFSET - offset for mmap() on the DRM file of a page that shows which jobs
 * of the file have ended, &struct drm_ork_ended
 *
 * Since version 1.2. One page, for reading only: PROT_WRITE and PROT_EXEC fail with -EACCES,
 * another length with -EINVAL. What follows the structure in the page is 0. The mapping stays
 * readable when the file is closed and when the device is gone.
 */
#define DRM_ORK_ENDED_OFFSET	0x10000

/** define DRM_ORK_ENDED_JOBS - number of entries of &struct drm_ork_ended */
#define DRM_ORK_ENDED_JOBS	512

/** define DRM_ORK_ENDED_FAILED - bit of an entry: the job ended with an error */
#define DRM_ORK_ENDED_FAILED	0x1

/** define DRM_ORK_ENDED_ID_SHIFT - where the job's number begins in an entry */
#define DRM_ORK_ENDED_ID_SHIFT	1

/**
 * struct drm_ork_ended - jobs that have ended
 *
 * To learn of the end of a job without a system call. Jobs end in any order, and the page is a
 * ring: an entry names the latest of the jobs with its place in the ring that have ended since the
 * page was mapped first. So the entry of a job has
 *
 * - the job's number without DRM_ORK_ENDED_FAILED: it has ended without error,
 * - the job's number with it: it has ended, and DRM_IOCTL_ORK_JOB_WAIT tells its error,
 * - a smaller number: it has not ended, or ended before the page was mapped first,
 * - a larger number: the page does not tell, DRM_IOCTL_ORK_JOB_WAIT does.
 *
 * An entry never becomes smaller. It is written after the job's fence has signalled; who reads it
 * with acquire semantics (__atomic_load_n() with __ATOMIC_ACQUIRE) reads the job's results after
 * that.
 */
struct drm_ork_ended {
	/**
	 * @jobs: entry of job n at index n modulo DRM_ORK_ENDED_JOBS: its number shifted left by
	 * DRM_ORK_ENDED_ID_SHIFT, with DRM_ORK_ENDED_FAILED; 0 at first
	 */
	__u64 jobs[DRM_ORK_ENDED_JOBS];
};

#define DRM_IOCTL_ORK_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_QUERY, struct drm_ork_query)
#define DRM_IOCTL_ORK_BO_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_BO_CREATE, struct drm_ork_bo_create)
#define DRM_IOCTL_ORK_BO_SYNC \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_BO_SYNC, struct drm_ork_bo_sync)
#define DRM_IOCTL_ORK_VM_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_VM_CREATE, struct drm_ork_vm_create)
#define DRM_IOCTL_ORK_VM_DESTROY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_VM_DESTROY, struct drm_ork_vm_destroy)
#define DRM_IOCTL_ORK_VM_MAP \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_VM_MAP, struct drm_ork_vm_map)
#define DRM_IOCTL_ORK_VM_UNMAP \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_VM_UNMAP, struct drm_ork_vm_unmap)
#define DRM_IOCTL_ORK_PROG_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_PROG_CREATE, struct drm_ork_prog_create)
#define DRM_IOCTL_ORK_PROG_DESTROY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_PROG_DESTROY, struct drm_ork_prog_destroy)
#define DRM_IOCTL_ORK_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_SUBMIT, struct drm_ork_submit)
#define DRM_IOCTL_ORK_BO_WAIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_BO_WAIT, struct drm_ork_bo_wait)
#define DRM_IOCTL_ORK_JOB_WAIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_JOB_WAIT, struct drm_ork_job_wait)
#define DRM_IOCTL_ORK_QUEUE_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_QUEUE_CREATE, struct drm_ork_queue_create)
#define DRM_IOCTL_ORK_QUEUE_DESTROY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_QUEUE_DESTROY, struct drm_ork_queue_destroy)
#define DRM_IOCTL_ORK_BO_USER \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ORK_BO_USER, struct drm_ork_bo_user)

#if defined(__cplusplus)
}
#endif

#endif /* _UAPI_RKNPU_ORK_H_ */
