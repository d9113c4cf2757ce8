// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* A job that was submitted before costs no change of page tables and no switch of address spaces. */

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define TRACING "/sys/kernel/tracing/"
#define POWER "/sys/bus/platform/drivers/rknpu-ork-core/*.npu/power/control"
#define WAIT_MS 20000
#define JOBS 50

static const char *const events[] = {
	"iommu/map", "iommu/unmap", "iommu/attach_device_to_domain", "rknpu_ork/ork_vm_switch", "rknpu_ork/ork_kick",
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

/* Lines of the trace that name the event, without its system. */
static int count(const char *event)
{
	FILE *trace = fopen(TRACING "trace", "r");
	char line[512], name[64];
	int lines = 0;

	snprintf(name, sizeof(name), " %s: ", strchr(event, '/') + 1);
	while (trace && fgets(line, sizeof(line), trace))
		lines += line[0] != '#' && strstr(line, name);
	if (trace)
		fclose(trace);
	return lines;
}

/* "on" or "auto": a core that is switched off before the next job comes needs its address space anew. */
static int set_power(const char *control)
{
	int ret = -1;
	glob_t found;
	size_t i;

	if (glob(POWER, 0, NULL, &found))
		return ret;
	for (i = 0, ret = 0; !ret && i < found.gl_pathc; i++)
		ret = ork_test_write_text(found.gl_pathv[i], control);
	globfree(&found);
	return ret;
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
	ASSERT_EQ(ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3), 0);
	ASSERT_EQ(set_power("on"), 0);
	ASSERT_EQ(clear_trace(), 0);
	for (i = 0; i < EVENTS; i++)
		ASSERT_EQ(set_event(events[i], "1"), 0);
}

FIXTURE_TEARDOWN(steady)
{
	size_t i;

	for (i = 0; i < EVENTS; i++)
		set_event(events[i], "0");
	set_power("auto");
	close(self->fd);
}

static int run(int fd, struct ork_test_product *p)
{
	struct drm_ork_job_wait result;
	uint64_t addresses[3], id;
	struct drm_ork_job job = ork_test_product_job(p, addresses);
	int ret;

	job.core_mask = 2;
	ret = ork_test_submit_one(fd, &job, &id);
	if (!ret)
		ret = ork_test_job_wait(fd, id, WAIT_MS, &result);
	return ret ? ret : result.error;
}

/* The first one attaches its address space. */
static void repeat(struct __test_metadata *_metadata, int fd, struct ork_test_product *p)
{
	int i;

	ASSERT_EQ(ork_test_product_program(fd, p, 0), 0);
	ASSERT_EQ(run(fd, p), 0);
	ASSERT_EQ(clear_trace(), 0);
	for (i = 0; i < JOBS; i++)
		ASSERT_EQ(run(fd, p), 0);

	EXPECT_EQ(count("rknpu_ork/ork_kick"), JOBS);
	EXPECT_EQ(count("rknpu_ork/ork_vm_switch"), 0);
	EXPECT_EQ(count("iommu/attach_device_to_domain"), 0);
	EXPECT_EQ(count("iommu/map"), 0);
	EXPECT_EQ(count("iommu/unmap"), 0);
}

TEST_F(steady, a_repeated_job_maps_and_attaches_nothing)
{
	repeat(_metadata, self->fd, &self->p);
}

TEST_F(steady, nor_does_one_that_brings_its_addresses)
{
	self->p.slots = true;
	repeat(_metadata, self->fd, &self->p);
}

TEST_HARNESS_MAIN
