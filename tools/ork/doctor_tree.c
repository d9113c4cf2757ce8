/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"

static int below_root(const struct doctor *doctor, const char *path, char full[PATH_MAX])
{
	return snprintf(full, PATH_MAX, "%s%s", doctor->root, path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int doctor_exists(const struct doctor *doctor, const char *path)
{
	char full[PATH_MAX];
	struct stat st;
	const int err = below_root(doctor, path, full);

	if (err)
		return err;
	return lstat(full, &st) ? -errno : 0;
}

int doctor_find(const struct doctor *doctor, const char *pattern, char *path, size_t size)
{
	char full[PATH_MAX];
	glob_t found;
	int err = -1;

	if (below_root(doctor, pattern, full) || glob(full, 0, NULL, &found))
		return -1;
	if ((size_t)snprintf(path, size, "%s", found.gl_pathv[0] + strlen(doctor->root)) < size)
		err = 0;
	globfree(&found);
	return err;
}

int doctor_read(const struct doctor *doctor, const char *path, char *data, size_t size)
{
	char full[PATH_MAX];
	size_t used = 0;
	ssize_t got;
	int fd, err = below_root(doctor, path, full);

	if (err)
		return err;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, data + used, size - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0 && used < size - 1);
	err = got < 0 && !used ? -errno : (int)used;
	close(fd);
	data[used] = '\0';
	return err;
}

int doctor_link(const struct doctor *doctor, const char *path, char *name, size_t size)
{
	char full[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t length;
	const int err = below_root(doctor, path, full);

	if (err)
		return err;
	length = readlink(full, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	slash = strrchr(target, '/');
	snprintf(name, size, "%s", slash ? slash + 1 : target);
	return 0;
}
