// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * The chip that supplies the NPU does not answer on its bus: what needs another voltage fails with an error, what does not goes
 * on, and all works when it is over. Needs the emulated board with such a chip and a line that makes it deaf
 * (Documentation/emulator.rst). That the clock is never too fast for the voltage only the board can tell: it reports it on the
 * console.
 */

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define FIRST_LINE 8
#define LINES 6
/* Of these. */
#define REFUSE_RATE 0
#define DEAF_SUPPLY 5

#define DEVFREQ "/sys/class/devfreq/fdab0000.npu/"
#define CLOCK "/sys/kernel/debug/clk/scmi_clk_npu/clk_rate"
#define SUPPLY "/sys/bus/i2c/devices/*-0042/regulator/regulator.*/"
#define TRACING "/sys/kernel/tracing/"
#define LONG_S 120
/* Until what is left to work items has happened. */
#define SETTLE_US 200000
/* If nobody waits, what should come first does so in most of them. */
#define ROUNDS 10

/* Two rates with the lowest voltage, and one that needs more. */
#define LOW_HZ 300000000
#define OTHER_LOW_HZ 400000000
#define HIGH_HZ 800000000
#define LOW_UV 700000
#define HIGH_UV 750000

/* Of a file whose name may be a pattern. Negative is an errno. */
static long read_number(const char *pattern)
{
	char text[32];
	glob_t found;
	int ret;

	if (glob(pattern, 0, NULL, &found))
		return -ENOENT;
	ret = ork_test_read_text(found.gl_pathv[0], text, sizeof(text));
	globfree(&found);
	return ret ?: strtol(text, NULL, 10);
}

/* It is set at once, as the cores are kept awake. */
static int set_rate(long hz)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", hz);
	return ork_test_write_text(DEVFREQ "userspace/set_freq", text);
}

/* Binds or unbinds all devices of the driver. Returns what each of them said, or -EDOM if that differs. */
static int bind_all(const char *how)
{
	char path[128];
	int i, ret = 0, first = 0;

	snprintf(path, sizeof(path), ORK_TEST_CORES "%s", how);
	for (i = 0; i < DRM_ORK_MAX_CORES; i++) {
		ret = ork_test_write_text(path, ork_test_devices[i]);
		if (i && ret != first)
			return -EDOM;
		first = ret;
	}
	return ret;
}

/* From now on, what sleeps and which supplies go. */
static int trace_sleep(void)
{
	FILE *trace = fopen(TRACING "trace", "w");

	if (!trace || fclose(trace) || ork_test_write_text(TRACING "events/rpm/rpm_suspend/enable", "1") ||
	    ork_test_write_text(TRACING "events/regulator/regulator_disable/enable", "1"))
		return -1;
	return 0;
}

/* Whether a supply went, and whatever went to sleep had done so. */
static bool supply_went_last(void)
{
	FILE *trace = fopen(TRACING "trace", "r");
	bool gone = false, late = false;
	char line[512];

	while (trace && fgets(line, sizeof(line), trace)) {
		gone |= line[0] != '#' && strstr(line, " regulator_disable: ");
		late |= gone && strstr(line, " rpm_suspend: ") && strstr(line, ".iommu ");
	}
	if (trace)
		fclose(trace);
	return gone && !late;
}

FIXTURE(supply)
{
	int fd, lines;
	struct ork_test_product p;
};

static int open_device(FIXTURE_DATA(supply) *self)
{
	int ret;

	self->fd = ork_test_open();
	if (self->fd < 0)
		return -ENODEV;
	ret = ork_test_product_init(self->fd, &self->p, 8, 256, 96, 3) ?: ork_test_product_program(self->fd, &self->p, 0);
	ret = ret ?: ork_test_write_text(DEVFREQ "governor", "userspace");
	return ret ?: ork_test_write_text(DEVFREQ "max_freq", "1000000000");
}

static void close_device(FIXTURE_DATA(supply) *self)
{
	ork_test_product_fini(self->fd, &self->p);
	close(self->fd);
}

FIXTURE_SETUP(supply)
{
	self->lines = ork_test_get_lines(FIRST_LINE, LINES);
	if (self->lines < 0 || read_number(SUPPLY "microvolts") < 0)
		SKIP(return, "the board has no supply that can be made deaf, or not for us");
	ASSERT_EQ(open_device(self), 0);
	ASSERT_EQ(ork_test_keep_awake(true), 0);
}

FIXTURE_TEARDOWN(supply)
{
	ork_test_set_line(self->lines, REFUSE_RATE, false);
	ork_test_set_line(self->lines, DEAF_SUPPLY, false);
	ork_test_keep_awake(false);
	ork_test_write_text(DEVFREQ "governor", "simple_ondemand");
	ork_test_write_text(DEVFREQ "max_freq", "600000000");
	close_device(self);
	close(self->lines);
}

static void set_deaf(FIXTURE_DATA(supply) *self, struct __test_metadata *_metadata, bool deaf)
{
	ASSERT_EQ(ork_test_set_line(self->lines, DEAF_SUPPLY, deaf), 0);
	if (deaf)
		EXPECT_EQ(read_number(SUPPLY "microvolts"), -ENXIO);
}

static int run(FIXTURE_DATA(supply) *self)
{
	int ret = ork_test_product_run(self->fd, &self->p, DRM_ORK_PLACE_SPLIT, 7, 0);

	if (!ret && ork_test_product_check(self->fd, &self->p))
		ret = -EDOM;
	return ret;
}

static void expect_rate(struct __test_metadata *_metadata, long hz)
{
	EXPECT_EQ(read_number(CLOCK), hz);
	EXPECT_EQ(read_number(DEVFREQ "cur_freq"), hz);
}

TEST_F_TIMEOUT(supply, rate_without_its_voltage_is_refused_and_changes_nothing, LONG_S)
{
	ASSERT_EQ(set_rate(LOW_HZ), 0);
	ASSERT_EQ(read_number(SUPPLY "microvolts"), LOW_UV);
	set_deaf(self, _metadata, true);
	EXPECT_EQ(set_rate(HIGH_HZ), -ENXIO);
	expect_rate(_metadata, LOW_HZ);
	EXPECT_EQ(run(self), 0);
	set_deaf(self, _metadata, false);
	EXPECT_EQ(read_number(SUPPLY "microvolts"), LOW_UV);
	EXPECT_EQ(set_rate(HIGH_HZ), 0);
	expect_rate(_metadata, HIGH_HZ);
	EXPECT_EQ(read_number(SUPPLY "microvolts"), HIGH_UV);
	EXPECT_EQ(run(self), 0);
}

/* The voltage that stays too high does no harm, and goes down with the next rate. */
TEST_F_TIMEOUT(supply, lower_rate_does_not_wait_for_a_lower_voltage, LONG_S)
{
	ASSERT_EQ(set_rate(HIGH_HZ), 0);
	set_deaf(self, _metadata, true);
	EXPECT_EQ(set_rate(LOW_HZ), 0);
	expect_rate(_metadata, LOW_HZ);
	EXPECT_EQ(run(self), 0);
	set_deaf(self, _metadata, false);
	EXPECT_EQ(read_number(SUPPLY "microvolts"), HIGH_UV);
	EXPECT_EQ(set_rate(OTHER_LOW_HZ), 0);
	EXPECT_EQ(read_number(SUPPLY "microvolts"), LOW_UV);
	EXPECT_EQ(run(self), 0);
}

TEST_F_TIMEOUT(supply, voltage_does_not_go_down_before_the_clock, LONG_S)
{
	ASSERT_EQ(set_rate(HIGH_HZ), 0);
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_RATE, true), 0);
	EXPECT_EQ(set_rate(LOW_HZ), -EIO);
	expect_rate(_metadata, HIGH_HZ);
	EXPECT_EQ(read_number(SUPPLY "microvolts"), HIGH_UV);
	ASSERT_EQ(ork_test_set_line(self->lines, REFUSE_RATE, false), 0);
	EXPECT_EQ(set_rate(LOW_HZ), 0);
	expect_rate(_metadata, LOW_HZ);
	EXPECT_EQ(read_number(SUPPLY "microvolts"), LOW_UV);
}

TEST_F_TIMEOUT(supply, cores_go_to_sleep_and_wake_up_without_it, LONG_S)
{
	ASSERT_EQ(set_rate(HIGH_HZ), 0);
	set_deaf(self, _metadata, true);
	ASSERT_EQ(ork_test_keep_awake(false), 0);
	EXPECT_TRUE(ork_test_power_goes_off());
	EXPECT_EQ(run(self), 0);
	EXPECT_TRUE(ork_test_power_goes_off());
	set_deaf(self, _metadata, false);
	EXPECT_EQ(run(self), 0);
}

TEST_F_TIMEOUT(supply, system_goes_to_sleep_and_wakes_up_without_it, LONG_S)
{
	if (ork_test_write_text("/sys/power/pm_test", "platform"))
		SKIP(return, "the kernel has no test of sleep");
	ork_test_write_text("/sys/module/suspend/parameters/pm_test_delay", "1");

	ASSERT_EQ(set_rate(HIGH_HZ), 0);
	set_deaf(self, _metadata, true);
	EXPECT_EQ(ork_test_write_text("/sys/power/state", "freeze"), 0);
	EXPECT_EQ(run(self), 0);
	set_deaf(self, _metadata, false);
	EXPECT_EQ(run(self), 0);
	ork_test_write_text("/sys/power/pm_test", "none");
}

/*
 * In this order: a supply that could not be turned off stays on for as long as the system runs, and then who wants it on does not
 * have to ask the chip.
 */
TEST_F_TIMEOUT(supply, device_cannot_be_bound_and_can_be_unbound_without_it, LONG_S)
{
	int round;

	close_device(self);
	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(bind_all("bind"), round ? 0 : -EBUSY);
		ASSERT_EQ(trace_sleep(), 0);
		ASSERT_EQ(bind_all("unbind"), 0);
		usleep(SETTLE_US);
		EXPECT_TRUE(supply_went_last());
	}
	ASSERT_EQ(read_number(SUPPLY "num_users"), 0);
	set_deaf(self, _metadata, true);
	EXPECT_EQ(bind_all("bind"), -ENXIO);
	set_deaf(self, _metadata, false);
	ASSERT_EQ(bind_all("bind"), 0);
	ASSERT_EQ(open_device(self), 0);
	EXPECT_EQ(run(self), 0);

	set_deaf(self, _metadata, true);
	close_device(self);
	EXPECT_EQ(bind_all("unbind"), 0);
	set_deaf(self, _metadata, false);
	ASSERT_EQ(bind_all("bind"), 0);
	ASSERT_EQ(open_device(self), 0);
	EXPECT_EQ(run(self), 0);
	EXPECT_EQ(set_rate(HIGH_HZ), 0);
	EXPECT_EQ(run(self), 0);
}

TEST_HARNESS_MAIN
