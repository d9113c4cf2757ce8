/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TEST_H
#define ORK_TEST_H

/*
 * What the selftests share: plain calls of the driver, and one matrix product C[M][N] = A[M][K] * B[K][N] whose program is
 * built here, word by word from the hardware reference, without libork.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/rknpu_ork.h>

#define ORK_TEST_PAGE 4096u

/* Seconds after which the harness takes a test for hung: on a busy host, a kernel that checks everything is slow. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 120

/* A BO that is mapped by the CPU and by the NPU. */
struct ork_test_bo {
	uint32_t handle;
	uint64_t bytes;
	uint64_t va;
	void *ptr;
};

/* A product with known contents, cut into tasks of equal width. */
struct ork_test_product {
	uint32_t m, k, n, tasks;
	struct ork_test_bo a, b, c;
	/* Bank split that the program asks for; set before ork_test_product_program() to make it a wrong one. */
	uint32_t data_banks, weight_banks;
	/* Channels that the program reads of a row; more than k runs over the end of the features. */
	uint32_t k_program;
	/* Tasks at the front that are not wrong. */
	uint32_t good;
	uint32_t prog;
	/* VM of the buffers and the program. */
	uint32_t vm;
	/* Queue that its jobs go to. */
	uint32_t queue;
	/* The program takes the addresses of A, B and C from each job. */
	bool slots;
	/* Each task computes all of C. */
	bool copies;
	/* What PROG_CREATE said. */
	uint32_t reject;
};

/* What PROG_CREATE is called with. */
struct ork_test_program {
	struct drm_ork_prog_create args;
	uint64_t *words;
	struct drm_ork_task *tasks;
	struct drm_ork_slot *slots;
};

/* Writes a file of sysfs and the like. Returns 0 or a negative errno. */
int ork_test_write_text(const char *path, const char *text);
/* Reads the first line of one. Returns 0 or a negative errno. */
int ork_test_read_text(const char *path, char *text, size_t size);
/* Writes each file of a pattern. Returns the first error; -ENODEV where there is no file. */
int ork_test_write_all(const char *pattern, const char *text);

/* The devices of the driver. Core N is the N-th in the order of addresses; with one for all cores there is none of the others. */
#define ORK_TEST_CORES "/sys/bus/platform/drivers/rknpu-ork-core/"
extern const char * const ork_test_devices[DRM_ORK_MAX_CORES];

/* Keeps the cores' power on, or lets it go when they have nothing to do. Returns 0 or a negative errno. */
int ork_test_keep_awake(bool on);
/*
 * Whether the power domain of all cores is on; the second waits until it is off, for a minute at most. The cores' runtime_status
 * is not enough: their MMUs, and the domains of the vendor's device tree, which hold the clock as well, sleep after them.
 */
bool ork_test_power_is_on(void);
bool ork_test_power_goes_off(void);

/*
 * Lines of the emulated board that break something while they are high (Documentation/emulator.rst). The first returns a
 * descriptor of some, all low, or -1; the second sets one of these and returns 0 or a negative errno.
 */
int ork_test_get_lines(unsigned int first, unsigned int count);
int ork_test_set_line(int lines, unsigned int index, bool high);

/*
 * Makes the kernel's n-th allocation, or copy from or to user memory, in calls of this thread fail. The first returns a descriptor
 * for the others, or a negative errno if the kernel cannot. 0 is for no failure. The last tells whether the failure has come, and
 * ends it.
 */
int ork_test_fail_open(void);
void ork_test_fail_nth(int fail, uint32_t n);
bool ork_test_fail_came(int fail);

/* What clients have made and not given back. */
struct ork_test_left {
	/* VMs and queues of open files. */
	uint32_t objects;
	/* Memory that was allocated by calls to the driver; 0 where the kernel was not booted with slub_debug=U. */
	uint32_t allocations;
	uint64_t shared_kib;
};

/* A line of /proc/meminfo in KiB, or 0. */
uint64_t ork_test_meminfo_kib(const char *name);
void ork_test_left_look(struct ork_test_left *left);
/* True when all that was made since the look has gone, for which it waits; says what is left if it has not. */
bool ork_test_left_nothing(const struct ork_test_left *before);
/* Lines of the driver's in the reports of kmemleak, which it prints, or a negative errno where the kernel does not look for leaks. */
int ork_test_left_leaks(void);

/* Opens the device's render node. Returns a descriptor or -1. */
int ork_test_open(void);

/* Each returns 0 or a negative errno. */
int ork_test_device(int fd, struct drm_ork_device_info *info);
int ork_test_vm(int fd, uint32_t vm, struct drm_ork_vm_info *info);
int ork_test_vm_create(int fd, uint32_t *vm);
int ork_test_vm_destroy(int fd, uint32_t vm);
int ork_test_bo_create(int fd, uint64_t bytes, uint32_t flags, uint32_t *handle, uint64_t *offset);
int ork_test_bo_close(int fd, uint32_t handle);
int ork_test_bo_sync(int fd, uint32_t handle, uint32_t op, uint64_t offset, uint64_t bytes);
int ork_test_vm_map(int fd, struct drm_ork_vm_map *args);
int ork_test_vm_unmap(int fd, uint32_t vm, uint64_t va);
int ork_test_queue_create(int fd, uint32_t priority, uint32_t core_mask, uint32_t *queue);
int ork_test_queue_destroy(int fd, uint32_t queue);
int ork_test_submit(int fd, struct drm_ork_job *jobs, uint32_t count, uint32_t *done);
/* Submits one job; *id gets its number. */
int ork_test_submit_one(int fd, struct drm_ork_job *job, uint64_t *id);
/* Waits for a job's end. Returns 0 with the result of a job that has ended, with or without error. */
int ork_test_job_wait(int fd, uint64_t id, uint32_t timeout_ms, struct drm_ork_job_wait *result);
/* On the clock that the driver's times and deadlines are of. */
int64_t ork_test_now_ns(void);
/* Submits a job and waits for its end. *queued_ns gets a time when it was queued, if not NULL. Returns the job's error, too. */
int ork_test_job_run(int fd, struct drm_ork_job *job, uint32_t timeout_ms, struct drm_ork_job_wait *result, uint64_t *queued_ns);
/* How many of a file's jobs, numbered first to first + count - 1, a core began with in that time: while another one waited. */
uint32_t ork_test_jobs_between(int fd, uint64_t first, uint32_t count, uint64_t from_ns, uint64_t to_ns);

/* Maps a whole range of a BO at an address that the driver chooses. */
int ork_test_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t bytes, uint64_t *va);

/* Creates, maps for the NPU and maps for the CPU. */
int ork_test_bo_init(int fd, uint32_t vm, struct ork_test_bo *bo, uint64_t bytes);
void ork_test_bo_fini(int fd, uint32_t vm, struct ork_test_bo *bo);

int ork_test_syncobj(int fd, uint32_t *handle);
/* Waits for the fence. Returns 0, the fence's error, or -ETIME if it does not signal in time. */
int ork_test_wait(int fd, uint32_t syncobj, uint32_t timeout_ms);

/* Fills A and B, clears C. n must be a multiple of 32 * tasks, k of 32. In VM 0. */
int ork_test_product_init(int fd, struct ork_test_product *p, uint32_t m, uint32_t k, uint32_t n,
			  uint32_t tasks);
int ork_test_product_init_in(int fd, uint32_t vm, struct ork_test_product *p, uint32_t m, uint32_t k,
			     uint32_t n, uint32_t tasks);
/* Builds the program in user memory only. */
void ork_test_product_build(const struct ork_test_product *p, uint32_t flags, struct ork_test_program *out);
void ork_test_program_free(struct ork_test_program *program);
int ork_test_product_program(int fd, struct ork_test_product *p, uint32_t flags);
/* A product of one task that never ends: a kernel group of 64 KiB in one bank of 32 KiB. With its program. */
int ork_test_hang_init(int fd, struct ork_test_product *p);
/* Many of these tasks, of which those at the front do end. */
int ork_test_hang_chain_init(int fd, struct ork_test_product *p, uint32_t tasks, uint32_t good);
/* A product of three tasks that hang, or else run over the end of their features, but for some at the front. With its program. */
int ork_test_wedge_init(int fd, struct ork_test_product *p, bool hang, uint32_t good);
void ork_test_product_fini(int fd, struct ork_test_product *p);

/* A job of all tasks; addresses has room for three. */
struct drm_ork_job ork_test_product_job(const struct ork_test_product *p, uint64_t *addresses);

/* Submits all tasks. Returns the submit's error, or the job's. */
int ork_test_product_run(int fd, struct ork_test_product *p, uint32_t placement, uint32_t core_mask,
			 uint32_t timeout_ms);
/* Submits without waiting; *syncobj gets the fence. */
int ork_test_product_start(int fd, struct ork_test_product *p, uint32_t placement,
			   uint32_t core_mask, uint32_t timeout_ms, uint32_t *syncobj);
/* Number of wrong elements of C; clears C for the next run. */
uint64_t ork_test_product_check(int fd, struct ork_test_product *p);

#endif
