// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* A job that was submitted before costs no change of page tables, no switch of address spaces and no memory. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define TRACING "/sys/kernel/tracing/"
#define WAIT_MS 20000
#define JOBS 50

/* Results that the driver keeps, and as many jobs more as it takes until memory of the first is used again. */
#define RESULTS (8192 + 1024)
#define BATCH 128

static const char *const events[] = {
	"iommu/map", "iommu/unmap", "iommu/attach_device_to_domain", "rknpu_ork/ork_vm_switch", "rknpu_ork/ork_kick",
	"kmem/kmalloc", "kmem/kmem_cache_alloc",
};

#define EVENTS (sizeof(events) / sizeof(events[0]))

static int set_event(const char *event, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "events/%s/enable", event);
	return ork_test_write_text(path, value);
}

/* To open it for writing clears it. */
static int clear_trace(void)
{
	FILE *trace = fopen(TRACING "trace", "w");

	return trace ? fclose(trace) : -1;
}

/* How often the event was seen from the first kick of a core to the last: not when the trace itself was opened. */
static int count(const char *event)
{
	FILE *trace = fopen(TRACING "trace", "r");
	char line[512], name[64];
	int lines = 0, until_kick = 0;
	bool kicked = false;

	snprintf(name, sizeof(name), " %s: ", strchr(event, '/') + 1);
	while (trace && fgets(line, sizeof(line), trace)) {
		bool kick = line[0] != '#' && strstr(line, " ork_kick: ");

		kicked |= kick;
		lines += kicked && strstr(line, name);
		if (kick)
			until_kick = lines;
	}
	if (trace)
		fclose(trace);
	return until_kick;
}

/* What other processes allocate meanwhile is not ours. */
static int only_ours(const char *event)
{
	char path[128], filter[64];

	snprintf(path, sizeof(path), TRACING "events/%s/filter", event);
	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	return ork_test_write_text(path, filter);
}

FIXTURE(steady)
{
	struct ork_test_product p;
	int fd;
};

FIXTURE_SETUP(steady)
{
	size_t i;

	if (access(TRACING "events/rknpu_ork", W_OK) || access(TRACING "events/iommu", W_OK))
		SKIP(return, "no tracepoints");
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 1, 32, 96, 3), 0);
	/* One that had to be resumed needs its address space anew, and its job comes from a thread of the scheduler. */
	ASSERT_EQ(ork_test_keep_awake(true), 0);
	for (i = 0; i < EVENTS; i++)
		ASSERT_EQ(set_event(events[i], "1"), 0);
	ASSERT_EQ(only_ours("kmem/kmalloc"), 0);
	ASSERT_EQ(only_ours("kmem/kmem_cache_alloc"), 0);
}

FIXTURE_TEARDOWN(steady)
{
	size_t i;

	for (i = 0; i < EVENTS; i++)
		set_event(events[i], "0");
	ork_test_keep_awake(false);
	close(self->fd);
}

static int run(int fd, struct ork_test_product *p)
{
	struct drm_ork_job_wait result;
	uint64_t addresses[3];
	struct drm_ork_job job = ork_test_product_job(p, addresses);

	job.core_mask = 2;
	return ork_test_job_run(fd, &job, WAIT_MS, &result, NULL);
}

/* The first one, which is not looked at, attaches its address space. */
static void repeat(struct __test_metadata *_metadata, int fd, struct ork_test_product *p)
{
	int i;

	ASSERT_EQ(ork_test_product_program(fd, p, 0), 0);
	ASSERT_EQ(run(fd, p), 0);
	ASSERT_EQ(clear_trace(), 0);
	for (i = 0; i < JOBS; i++)
		ASSERT_EQ(run(fd, p), 0);

	EXPECT_EQ(count("rknpu_ork/ork_kick"), JOBS);
}

static void map_and_attach_nothing(struct __test_metadata *_metadata, int fd, struct ork_test_product *p)
{
	repeat(_metadata, fd, p);
	EXPECT_EQ(count("rknpu_ork/ork_vm_switch"), 0);
	EXPECT_EQ(count("iommu/attach_device_to_domain"), 0);
	EXPECT_EQ(count("iommu/map"), 0);
	EXPECT_EQ(count("iommu/unmap"), 0);
}

TEST_F(steady, a_repeated_job_maps_and_attaches_nothing)
{
	map_and_attach_nothing(_metadata, self->fd, &self->p);
}

TEST_F(steady, nor_does_one_that_brings_its_addresses)
{
	self->p.slots = true;
	map_and_attach_nothing(_metadata, self->fd, &self->p);
}

static void allocate_nothing(struct __test_metadata *_metadata, int fd, struct ork_test_product *p)
{
	repeat(_metadata, fd, p);
	EXPECT_EQ(count("kmem/kmalloc"), 0);
	EXPECT_EQ(count("kmem/kmem_cache_alloc"), 0);
}

/* Waits for the last one only. */
static int run_batch(int fd, struct ork_test_product *p)
{
	struct drm_ork_job jobs[BATCH];
	uint64_t addresses[3];
	uint32_t i, done;
	int ret;

	for (i = 0; i < BATCH - 1; i++) {
		jobs[i] = ork_test_product_job(p, addresses);
		jobs[i].core_mask = 2;
	}
	ret = ork_test_submit(fd, jobs, BATCH - 1, &done);
	return ret ? ret : run(fd, p);
}

/* The debug kernel takes its time for so many jobs. */
TEST_F_TIMEOUT(steady, a_job_like_many_before_allocates_nothing, 180)
{
	int i;

	ASSERT_EQ(ork_test_product_program(self->fd, &self->p, 0), 0);
	for (i = 0; i < RESULTS / BATCH + 1; i++)
		ASSERT_EQ(run_batch(self->fd, &self->p), 0);

	allocate_nothing(_metadata, self->fd, &self->p);
	self->p.slots = true;
	allocate_nothing(_metadata, self->fd, &self->p);
}

TEST_HARNESS_MAIN
