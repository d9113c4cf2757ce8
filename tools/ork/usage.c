/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "usage.h"

#define PATH_CHARS 1024

/* One line. Returns false if it says that the file is of another driver. */
static bool parse_line(const char *line, struct usage_client *client)
{
	unsigned long long number;
	unsigned int core;

	if (strncmp(line, "drm-driver:", strlen("drm-driver:")) == 0)
		return strcmp(line, "drm-driver:\trknpu-ork\n") == 0;
	if (sscanf(line, "drm-client-id: %lu", &client->id) == 1)
		return true;
	if (sscanf(line, "drm-engine-npu%u: %llu ns", &core, &number) == 2 && core < ORK_MAX_CORES)
		client->busy_ns[core] = number;
	else if (sscanf(line, "drm-total-memory: %llu KiB", &number) == 1)
		client->total_kib = number;
	else if (sscanf(line, "drm-shared-memory: %llu KiB", &number) == 1)
		client->shared_kib = number;
	else if (sscanf(line, "drm-resident-memory: %llu KiB", &number) == 1)
		client->resident_kib = number;
	return true;
}

/* Returns 0 if the file is one of the driver. It may be gone by now. */
static int read_fdinfo(const char *path, struct usage_client *client)
{
	FILE *file = fopen(path, "re");
	bool found = false, ours = true;
	char line[128];

	if (!file)
		return -1;
	while (ours && fgets(line, sizeof(line), file)) {
		found |= strncmp(line, "drm-driver:", strlen("drm-driver:")) == 0;
		ours = parse_line(line, client);
	}
	fclose(file);
	return found && ours ? 0 : -1;
}

/* Adds a client. One that is there already goes to the process that is likely to have opened it. */
static int add_client(struct usage *usage, const struct usage_client *client)
{
	struct usage_client *grown;
	size_t i;

	for (i = 0; i < usage->count; i++) {
		if (usage->clients[i].id != client->id)
			continue;
		if (client->pid < usage->clients[i].pid)
			usage->clients[i] = *client;
		return 0;
	}
	grown = realloc(usage->clients, (usage->count + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	usage->clients = grown;
	usage->clients[usage->count++] = *client;
	return 0;
}

static bool is_drm_node(const char *path)
{
	static const char folder[] = "/dev/dri/";
	char target[64];
	const ssize_t length = readlink(path, target, sizeof(target));

	return length > (ssize_t)strlen(folder) && strncmp(target, folder, strlen(folder)) == 0;
}

static int read_process(const char *root, const char *pid, struct usage *usage)
{
	struct usage_client client;
	char path[PATH_CHARS], name[32];
	struct dirent *entry;
	DIR *folder;
	int err = 0;

	snprintf(path, sizeof(path), "%s/proc/%s/fd", root, pid);
	folder = opendir(path);
	if (!folder) {
		usage->hidden |= errno == EACCES;
		return 0;
	}
	while (!err && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "%s/proc/%s/fd/%s", root, pid, entry->d_name);
		if (!is_drm_node(path))
			continue;
		snprintf(path, sizeof(path), "%s/proc/%s/fdinfo/%s", root, pid, entry->d_name);
		client = (struct usage_client){ .pid = atol(pid) };
		if (read_fdinfo(path, &client))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", pid);
		snprintf(client.name, sizeof(client.name), "%s",
			 machine_read(root, path, name, sizeof(name)) ? "?" : name);
		err = add_client(usage, &client);
	}
	closedir(folder);
	return err;
}

static int compare_ids(const void *a, const void *b)
{
	const struct usage_client *left = a, *right = b;

	return left->id < right->id ? -1 : left->id > right->id;
}

int usage_read(const char *root, struct usage *usage)
{
	char path[PATH_CHARS];
	struct dirent *entry;
	DIR *folder;
	int err = 0;

	*usage = (struct usage){ 0 };
	snprintf(path, sizeof(path), "%s/proc", root);
	folder = opendir(path);
	if (!folder)
		return -1;
	while (!err && (entry = readdir(folder)))
		if (isdigit((unsigned char)*entry->d_name))
			err = read_process(root, entry->d_name, usage);
	closedir(folder);
	if (err)
		usage_free(usage);
	else if (usage->count)
		qsort(usage->clients, usage->count, sizeof(*usage->clients), compare_ids);
	return err;
}

void usage_free(struct usage *usage)
{
	free(usage->clients);
	*usage = (struct usage){ 0 };
}
