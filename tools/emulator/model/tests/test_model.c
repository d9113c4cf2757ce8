/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "suites.h"
#include "tap.h"

#include <stdio.h>

static int tests;
static int failed_tests;
static bool current_failed;

bool tap_check(bool holds, const char *condition, const char *file, int line)
{
	if (!holds) {
		printf("# %s:%d: %s\n", file, line, condition);
		current_failed = true;
	}
	return holds;
}

void tap_run(const char *name, void (*test)(void))
{
	current_failed = false;
	test();
	tests++;
	failed_tests += current_failed;
	printf("%s %d - %s\n", current_failed ? "not ok" : "ok", tests, name);
	fflush(stdout);
}

int main(void)
{
	suite_registers();
	suite_commands();
	suite_chain();
	suite_conv();
	suite_types();
	suite_image();
	suite_hang();
	suite_reuse();
	suite_dpu();
	suite_stages();
	suite_real();
	suite_property();
	suite_corrupt();
	suite_mac();
	suite_modes();
	printf("1..%d\n", tests);
	return failed_tests != 0;
}
