// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Failures of allocations and of copies from and to user memory, on kernels that can inject them. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ork_test.h"

#define DEBUGFS "/sys/kernel/debug/"

/* Which failures are possible: all of them, without a message for each. */
static const char * const settings[][2] = {
	{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
	{ DEBUGFS "failslab/verbose", "0" },
	{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
	{ DEBUGFS "fail_page_alloc/ignore-gfp-highmem", "N" },
	{ DEBUGFS "fail_page_alloc/min-order", "0" },
	{ DEBUGFS "fail_page_alloc/verbose", "0" },
	{ DEBUGFS "fail_usercopy/verbose", "0" },
};

int ork_test_fail_open(void)
{
	uint32_t i;
	int ret;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		ret = ork_test_write_text(settings[i][0], settings[i][1]);
		if (ret)
			return ret;
	}
	ret = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return ret < 0 ? -errno : ret;
}

void ork_test_fail_nth(int fail, uint32_t n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	/* This is a copy from user memory, too: it is what fails if one call was left. */
	if (pwrite(fail, text, length, 0) != length && pwrite(fail, text, length, 0) != length)
		abort();
}

/* Reading it is a call that can fail, too, if the failure is still to come. */
bool ork_test_fail_came(int fail)
{
	char text[16] = "";
	bool came = pread(fail, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	ork_test_fail_nth(fail, 0);
	return came;
}
