/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef IOCTL_FUZZ_H
#define IOCTL_FUZZ_H

/*
 * A fuzzer of the driver's calls and of what DRM and dma-buf do with its objects.
 *
 * Its unit is a program of a few calls. A call is a kind and a seed, from which all its arguments follow; handles and
 * addresses are drawn from those that earlier calls have made, now and then made up. Programs that reach code that no other has
 * reached are kept and varied. All threads of a process work on the same files, and processes send each other theirs.
 */

#include <stdbool.h>
#include <stdint.h>

#include <drm/rknpu_ork.h>

#include "../ork_test.h"

#define FUZZ_MAX_PROCESSES 16
#define FUZZ_FILES 3
#define FUZZ_ENTRIES 16
#define FUZZ_PROGRAM_CALLS 24
#define FUZZ_CORPUS 4096
#define FUZZ_PAGE 4096u

/* Where memory of the driver and of the fuzzer is mapped: windows of one size, so that a wrong unmap hits nothing else. */
#define FUZZ_WINDOWS 16
#define FUZZ_WINDOW_BYTES (1u << 20)

struct fuzz_rng {
	uint64_t state;
};

/* What calls have made; each value may be stale. */
struct fuzz_table {
	_Atomic uint64_t value[FUZZ_ENTRIES];
};

/* A file of the driver. */
struct fuzz_file {
	_Atomic int fd;
	struct fuzz_table bos; /* bytes << 32 | handle */
	struct fuzz_table vms, queues, syncs;
	struct fuzz_table progs; /* with slots << 40 | tasks << 32 | handle */
	struct fuzz_table maps; /* see fuzz_map_value() */
	_Atomic uint64_t last_job;
};

struct fuzz_state {
	struct fuzz_file files[FUZZ_FILES];
	struct fuzz_table fds; /* dma-bufs, sync files and others */
	char *windows;
	/* Of the device. To find it takes longer than a hundred calls. */
	char node[64];
	/* Shared by all processes: descriptors are sent to whoever reads. */
	int mail[2];
};

struct fuzz_call {
	uint32_t kind;
	uint64_t seed;
};

struct fuzz_program {
	uint32_t count;
	struct fuzz_call calls[FUZZ_PROGRAM_CALLS];
};

/* Memory that all processes share. */
struct fuzz_shared {
	_Atomic uint64_t calls, jobs, kills;
	_Atomic uint64_t by_kind[64], well[64], ns[64];
	_Atomic uint32_t corpus_count, points;
	_Atomic uint8_t seen[1 << 18];
	struct fuzz_program corpus[FUZZ_CORPUS];
};

extern struct fuzz_shared *fuzz_shared;

/* ioctl_state.c */
uint64_t fuzz_random(struct fuzz_rng *r);
uint64_t fuzz_mix(uint64_t seed, uint64_t value);
uint32_t fuzz_below(struct fuzz_rng *r, uint32_t limit);
bool fuzz_one_in(struct fuzz_rng *r, uint32_t n);
void fuzz_put(struct fuzz_table *table, struct fuzz_rng *r, uint64_t value);
/* What is gone is forgotten, in most cases. */
void fuzz_drop(struct fuzz_table *table, struct fuzz_rng *r, uint64_t value);
/* An entry of a table; now and then something else. */
uint64_t fuzz_pick(struct fuzz_table *table, struct fuzz_rng *r);
uint64_t fuzz_size(struct fuzz_rng *r);
/* Bytes of a few pages, seldom of a whole window. */
uint32_t fuzz_pages(struct fuzz_rng *r);
uint64_t fuzz_bad_pointer(struct fuzz_state *s, struct fuzz_rng *r);
/* Memory for what a call writes through a pointer. */
uint64_t fuzz_scratch(struct fuzz_state *s);
void *fuzz_window(struct fuzz_state *s, struct fuzz_rng *r);
struct drm_ork_array fuzz_array(struct fuzz_state *s, struct fuzz_rng *r, const void *ptr, uint32_t stride, uint32_t count);
int64_t fuzz_deadline(struct fuzz_rng *r);
/* Returns 0 or a negative errno. Now and then the argument is another one. */
int fuzz_ioctl(struct fuzz_rng *r, int fd, unsigned long request, void *arg);
int fuzz_open(const struct fuzz_state *s, struct fuzz_file *f);
bool fuzz_find_node(struct fuzz_state *s);
bool fuzz_state_init(struct fuzz_state *s);

/* ioctl_driver.c, ioctl_job.c, ioctl_core.c: kinds of calls, and a file with a buffer, a program and more to begin with */
typedef int (*fuzz_kind)(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r);

struct fuzz_kind_info {
	const char *name;
	fuzz_kind run;
	/* How often it is drawn, next to the others; less for what costs as much as a hundred of those. */
	uint32_t weight;
};

extern const struct fuzz_kind_info fuzz_driver_kinds[], fuzz_job_kinds[], fuzz_core_kinds[];
extern const uint32_t fuzz_driver_kind_count, fuzz_job_kind_count, fuzz_core_kind_count;

int fuzz_prog_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r);
int fuzz_queue_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r);
int fuzz_sync_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r);
void fuzz_begin(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r);

uint64_t fuzz_map_value(uint32_t vm, uint32_t va, uint64_t bytes);
uint32_t fuzz_map_vm(uint64_t map);
uint32_t fuzz_map_va(uint64_t map);
uint32_t fuzz_map_bytes(uint64_t map);

/* ioctl_program.c */
uint32_t fuzz_kind_count(void);
uint64_t fuzz_now_ns(void);
uint64_t fuzz_now_seconds(void);
const struct fuzz_kind_info *fuzz_kind_info(uint32_t kind);
int fuzz_run_call(struct fuzz_state *s, struct fuzz_call call);
void fuzz_make_program(struct fuzz_rng *r, struct fuzz_program *program);
void fuzz_keep_program(const struct fuzz_program *program);

/* ioctl_cover.c */
struct fuzz_cover {
	uint64_t *area;
};

void fuzz_cover_init(struct fuzz_cover *cover);
void fuzz_cover_begin(struct fuzz_cover *cover);
/* True if the calls since the begin reached something new. */
bool fuzz_cover_end(struct fuzz_cover *cover);

/* ioctl_after.c: what is to be as it was, and figures */
struct fuzz_before {
	uint64_t seconds, resets;
	struct ork_test_left left;
};

void fuzz_look_before(struct fuzz_before *before);
bool fuzz_products_are_right(void);
void fuzz_print_counts(const struct fuzz_before *before);

#endif
