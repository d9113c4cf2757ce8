/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <top.h>
#include <unistd.h>

#include "tap.h"

/* What ork top makes of fdinfo and sysfs, on machines that consist of a few files below a folder. */

static char root[] = "/tmp/ork-machine-XXXXXX";

static void run(const char *format, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), format, root, what);
	if (system(command))
		exit(1);
}

static void put(const char *path, const char *contents)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	run("mkdir -p \"$(dirname %s%s)\"", path);
	file = fopen(full, "w");
	if (!file || fputs(contents, file) < 0 || fclose(file))
		exit(1);
}

/* A process has a file open. */
static void put_fd(int pid, int fd, const char *target, const char *fdinfo)
{
	char path[64], full[256];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	put(path, fdinfo);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	run("mkdir -p \"$(dirname %s%s)\"", path);
	snprintf(full, sizeof(full), "%s%s", root, path);
	unlink(full);
	if (symlink(target, full))
		exit(1);
}

#define CLIENT(id, busy0, busy1)                                                                                       \
	"pos:\t0\ndrm-driver:\trknpu-ork\ndrm-client-id:\t" id "\ndrm-engine-npu0:\t" busy0                              \
	" ns\ndrm-engine-npu1:\t" busy1 " ns\ndrm-total-memory:\t12 KiB\ndrm-shared-memory:\t4 KiB\n"                    \
	"drm-resident-memory:\t8 KiB\n"

static void put_core(const char *busy_ns, const char *jobs)
{
#define DEVICE "/sys/bus/platform/drivers/rknpu-ork-core/fdab0000.npu/"
	put(DEVICE "npu0/state", "ok\n");
	put(DEVICE "npu0/busy_ns", busy_ns);
	put(DEVICE "npu0/jobs", jobs);
	put(DEVICE "npu0/resets", "3\n");
	put(DEVICE "power/runtime_status", "active\n");
}

static void put_machine(void)
{
	put_core("1000000\n", "5\n");
	put("/proc/10/comm", "busy\n");
	put_fd(10, 3, "/dev/dri/renderD128", CLIENT("7", "1000", "0"));
	put_fd(10, 4, "/dev/dri/renderD128", CLIENT("9", "500", "0"));
	/* Shares a client with the one above, as after fork(). */
	put("/proc/11/comm", "child\n");
	put_fd(11, 3, "/dev/dri/renderD128", CLIENT("7", "1000", "0"));
	put("/proc/12/comm", "other\n");
	put_fd(12, 3, "/dev/dri/renderD129", "drm-driver:\tpanthor\ndrm-client-id:\t8\ndrm-engine-npu0:\t1 ns\n");
	put_fd(12, 4, "/tmp/file", CLIENT("20", "1", "1"));
	put("/proc/13/comm", "idle\n");
	put_fd(13, 3, "/dev/dri/renderD128", CLIENT("3", "70", "80"));
	put("/proc/self/comm", "no number\n");
}

static void test_usage(void)
{
	struct usage usage;
	bool read;

	put_machine();
	read = usage_read(root, &usage) == 0;
	ok(read && usage.count == 3, "files of the driver are found, a shared one once, no others");
	ok(read && usage.clients[0].id == 3 && usage.clients[1].id == 7 && usage.clients[2].id == 9,
	   "in the order of their ids");
	ok(read && usage.clients[1].pid == 10, "a shared one with the first process");
	ok(read && usage.clients[0].pid == 13 && strcmp(usage.clients[0].name, "idle") == 0, "with their process");
	ok(read && usage.clients[0].busy_ns[0] == 70 && usage.clients[0].busy_ns[1] == 80 &&
		   usage.clients[0].total_kib == 12 && usage.clients[0].shared_kib == 4 &&
		   usage.clients[0].resident_kib == 8,
	   "with their times and memory");
	ok(read && !usage.hidden, "nothing is hidden if all could be read");
	usage_free(&usage);
}

static void test_compare(void)
{
	struct top_sample before, now;
	struct top_view view;

	ok(top_take(root, &before) == 0, "a machine with a core can be looked at");
	/* Half of 10 ms on core 0, of which process 10 has the most. */
	put_core("6000000\n", "25\n");
	put_fd(10, 4, "/dev/dri/renderD128", CLIENT("9", "4000500", "0"));
	put_fd(13, 3, "/dev/dri/renderD128", CLIENT("3", "70", "1000080"));
	put("/proc/14/comm", "new\n");
	put_fd(14, 3, "/dev/dri/renderD128", CLIENT("30", "99000000", "0"));
	if (top_take(root, &now))
		exit(1);
	before.ms = 100;
	now.ms = 110;
	if (top_compare(&before, &now, &view))
		exit(1);
	ok(view.load[0] > 0.499 && view.load[0] < 0.501 && view.jobs[0] == 20, "a core's load and jobs are what came since");
	ok(now.have_core[0] && !now.have_core[1] && view.load[1] <= 0, "cores that are not there have none");
	ok(view.count == 3 && view.processes[0].pid == 14 && view.processes[1].pid == 10 && view.processes[2].pid == 13,
	   "processes come with the busiest first");
	ok(view.processes[0].load[0] >= 1 && view.processes[0].load[0] <= 1, "no load is above 1");
	ok(view.processes[1].load[0] > 0.399 && view.processes[1].load[0] < 0.401 && view.processes[1].busy_ns[0] == 4001500 &&
		   view.processes[1].total_kib == 24,
	   "a process has what all its files have");
	ok(view.processes[2].load[1] > 0.099 && view.processes[2].load[1] < 0.101, "on each core");
	free(view.processes);
	top_free(&before);
	top_free(&now);
}

static void test_no_driver(void)
{
	struct top_sample sample;

	run("rm -rf %s/sys%s", "");
	ok(top_take(root, &sample) == -1, "a machine without cores cannot be looked at");
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	test_usage();
	test_compare();
	test_no_driver();
	run("rm -rf %s%s", "");
	return done();
}
