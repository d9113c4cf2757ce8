// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* What clients leave behind when they have gone: objects of the driver, pages, and memory that nothing points to. */

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ork_test.h"

#define END_SECONDS 300
#define LOOK_US 100000
/* Pages of shared memory that others on the board may use meanwhile. */
#define SLACK_KIB 2048
#define SLAB_TRACES "/sys/kernel/debug/slab/*/alloc_traces"
#define SLAB_SHRINK "/sys/kernel/slab/*/shrink"
/* Ends the count in a line of these files, as "%7ld " does. */
#define COUNT_END 7
#define BLOCK_TEXT 4096
#define KMEMLEAK "/sys/kernel/debug/kmemleak"
/* Kmemleak tells nothing that is younger than five seconds. */
#define KMEMLEAK_SECONDS 6

uint64_t ork_test_meminfo_kib(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "r");
	size_t length = strlen(name);
	uint64_t kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ':') {
			kib = strtoull(line + length + 1, NULL, 10);
			break;
		}
	if (file)
		fclose(file);
	return kib;
}

/* Sums up what is counted in all files of a pattern. */
static uint32_t count_in(const char *pattern, uint32_t (*count)(FILE *file))
{
	uint32_t sum = 0;
	FILE *file;
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		/* The kernel frees these when it likes. */
		file = strstr(found.gl_pathv[i], "/vmap_area/") ? NULL : fopen(found.gl_pathv[i], "r");
		if (!file)
			continue;
		sum += count(file);
		fclose(file);
	}
	globfree(&found);
	return sum;
}

static uint32_t count_lines(FILE *file)
{
	uint32_t lines = 0;
	char line[256];

	while (fgets(line, sizeof(line), file))
		lines++;
	return lines;
}

/*
 * What the driver cannot give back. Dumps of hangs are the administrator's to take. And Linux loses a fence that is submitted in
 * the very moment in which a wait for that is interrupted (Documentation/writing-tests.rst): here the kernel makes such fences.
 */
static const char * const not_counted[] = {
	"ork_dump_", "drm_syncobj_timeline_signal_ioctl+", "drm_syncobj_transfer_ioctl+", "dma_fence_allocate_private_stub+",
};

/* A line that begins with the number of allocations and lines that say where they were made. */
struct block {
	uint32_t number;
	bool ours, spared;
	char text[BLOCK_TEXT];
};

static void block_add(struct block *block, const char *line)
{
	size_t i, length = strlen(block->text);

	block->ours |= strstr(line, "[rknpu_ork]") || strstr(line, "drm_ioctl+");
	for (i = 0; i < sizeof(not_counted) / sizeof(not_counted[0]); i++)
		block->spared |= !!strstr(line, not_counted[i]);
	snprintf(block->text + length, sizeof(block->text) - length, "# %s", line);
}

/* What of a block is ours. */
static uint32_t block_end(const struct block *block, bool tell)
{
	if (!block->ours || block->spared)
		return 0;
	if (tell)
		fputs(block->text, stdout);
	return block->number;
}

static uint32_t read_allocations(FILE *file, bool tell)
{
	struct block block = { .number = 0 };
	uint32_t sum = 0;
	char line[256];

	while (fgets(line, sizeof(line), file)) {
		if (strlen(line) > COUNT_END && isdigit(line[COUNT_END - 1])) {
			sum += block_end(&block, tell);
			block = (struct block){ .number = strtoul(line, NULL, 10) };
		}
		block_add(&block, line);
	}
	return sum + block_end(&block, tell);
}

static uint32_t count_allocations(FILE *file)
{
	return read_allocations(file, false);
}

static uint32_t tell_allocations(FILE *file)
{
	return read_allocations(file, true);
}

static uint32_t allocations(void)
{
	glob_t found;

	if (glob(SLAB_TRACES, 0, NULL, &found))
		return 0;
	globfree(&found);
	/* What KASAN keeps for a while after it was freed would count, too. */
	ork_test_write_all(SLAB_SHRINK, "1");
	return count_in(SLAB_TRACES, count_allocations);
}

void ork_test_left_look(struct ork_test_left *left)
{
	left->objects = count_in("/sys/kernel/debug/dri/[0-9]*/vms", count_lines) +
			count_in("/sys/kernel/debug/dri/[0-9]*/queues", count_lines);
	left->allocations = allocations();
	left->shared_kib = ork_test_meminfo_kib("Shmem");
}

static bool no_more_than(const struct ork_test_left *now, const struct ork_test_left *before)
{
	return now->objects <= before->objects && now->allocations <= before->allocations &&
	       now->shared_kib <= before->shared_kib + SLACK_KIB;
}

bool ork_test_left_nothing(const struct ork_test_left *before)
{
	time_t end = time(NULL) + END_SECONDS;
	struct ork_test_left now;

	/* The last jobs end, and what they hold goes, in the background; on a busy machine that takes its time. */
	do {
		usleep(LOOK_US);
		ork_test_left_look(&now);
		if (no_more_than(&now, before))
			return true;
	} while (time(NULL) < end);
	printf("# %u VMs and queues, before %u; %u allocations, before %u; shared memory: %llu KiB, before %llu KiB\n", now.objects,
	       before->objects, now.allocations, before->allocations, (unsigned long long)now.shared_kib,
	       (unsigned long long)before->shared_kib);
	/* The young ones among them are those that are left. */
	if (now.allocations > before->allocations)
		count_in(SLAB_TRACES, tell_allocations);
	return false;
}

int ork_test_left_leaks(void)
{
	char line[256];
	int ret, leaks = 0;
	FILE *file;

	/* It turns itself off when too much was allocated; then it cannot tell. */
	ret = ork_test_write_text(KMEMLEAK, "scan");
	if (ret)
		return ret;
	sleep(KMEMLEAK_SECONDS);
	ret = ork_test_write_text(KMEMLEAK, "scan");
	if (ret)
		return ret;
	file = fopen(KMEMLEAK, "r");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "ork_")) {
			printf("# kmemleak: %s", line);
			leaks++;
		}
	fclose(file);
	return leaks;
}
