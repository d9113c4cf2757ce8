// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* The devices of the cores in sysfs, and lines of the emulated board. */

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ork_test.h"

#define CHIP "fd7c0000.gpio"
#define DOMAIN "/sys/kernel/debug/pm_genpd/npu/current_state"
#define LONG_US 60000000
#define STEP_US 10000

const char * const ork_test_devices[DRM_ORK_MAX_CORES] = { "fdab0000.npu", "fdac0000.npu", "fdad0000.npu" };

int ork_test_get_lines(unsigned int first, unsigned int count)
{
	struct gpio_v2_line_request request = { .num_lines = count, .config.flags = GPIO_V2_LINE_FLAG_OUTPUT };
	struct gpiochip_info info;
	int chip = open("/dev/gpiochip0", O_RDWR | O_CLOEXEC);
	unsigned int i;

	for (i = 0; i < count; i++)
		request.offsets[i] = first + i;
	if (chip < 0 || ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) || strcmp(info.label, CHIP) ||
	    ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request))
		request.fd = -1;
	close(chip);
	return request.fd;
}

int ork_test_set_line(int lines, unsigned int index, bool high)
{
	uint64_t mask = 1ull << index;
	struct gpio_v2_line_values values = { .bits = high ? mask : 0, .mask = mask };

	return ioctl(lines, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) ? -errno : 0;
}

int ork_test_keep_awake(bool on)
{
	return ork_test_write_all(ORK_TEST_CORES "*.npu/power/control", on ? "on" : "auto");
}

bool ork_test_power_is_on(void)
{
	char text[8];

	/* Without the file nobody is to believe that it is off. */
	return ork_test_read_text(DOMAIN, text, sizeof(text)) || strncmp(text, "off", 3);
}

bool ork_test_power_goes_off(void)
{
	unsigned int waited;

	for (waited = 0; ork_test_power_is_on(); waited += STEP_US) {
		if (waited >= LONG_US)
			return false;
		usleep(STEP_US);
	}
	return true;
}
