// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Runs libork's test of weights on disk as a user who may lock no memory: the weights are copied. */

#include <libgen.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODE "/dev/dri/renderD128"
#define NOBODY 65534

int main(int argc, char **argv)
{
	const struct rlimit none = { 0, 0 };
	char path[4096];

	if (geteuid()) {
		printf("1..0 # SKIP not allowed to become another user\n");
		return 0;
	}
	snprintf(path, sizeof(path), "%s/test_residency", dirname(argv[0]));
	if (chmod(NODE, 0666) || setrlimit(RLIMIT_MEMLOCK, &none) || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	execl(path, path, NULL);
	return 1;
}
