/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "module_file.h"

#define PATH_CHARS 512

int module_find(const char *root, const char *release, char *path, size_t size)
{
	char *line = NULL;
	size_t room = 0;
	FILE *list;
	int err = -1;

	snprintf(path, size, "%s/lib/modules/%s/modules.dep", root, release);
	list = fopen(path, "re");
	if (!list)
		return -1;
	while (err && getline(&line, &room, list) > 0) {
		line[strcspn(line, ":")] = 0;
		if (strncmp(basename(line), "rknpu_ork.ko", strlen("rknpu_ork.ko")))
			continue;
		snprintf(path, size, "/lib/modules/%s/%s", release, line);
		err = 0;
	}
	free(line);
	fclose(list);
	return err;
}

void module_vermagic(const char *root, const char *module, char *release, size_t size)
{
	static const char key[] = "vermagic=";
	char path[PATH_CHARS], *bytes, *at;
	struct stat status;
	FILE *file;

	*release = 0;
	snprintf(path, sizeof(path), "%s%s", root, module);
	file = fopen(path, "re");
	if (!file)
		return;
	bytes = fstat(fileno(file), &status) ? NULL : calloc((size_t)status.st_size + 1, 1);
	if (bytes && fread(bytes, (size_t)status.st_size, 1, file) == 1) {
		at = memmem(bytes, (size_t)status.st_size, key, strlen(key));
		if (at)
			snprintf(release, size, "%.*s", (int)strcspn(at + strlen(key), " "), at + strlen(key));
	}
	free(bytes);
	fclose(file);
}

int module_other_kernel(const char *root, char *release, size_t size)
{
	char path[PATH_CHARS];
	glob_t found;
	size_t i;
	int err = -1;

	snprintf(path, sizeof(path), "%s/lib/modules/*", root);
	if (glob(path, 0, NULL, &found))
		return -1;
	for (i = 0; i < found.gl_pathc && err; i++) {
		snprintf(release, size, "%s", basename(found.gl_pathv[i]));
		err = module_find(root, release, path, sizeof(path));
	}
	globfree(&found);
	return err;
}
