// SPDX-License-Identifier: MIT
/* Copyright 2026 The rknpu-ork authors */
#include "path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

/* The one with the fewest instructions counts: in others a timer of the guest went off. */
#define ROUNDS 5
/* Power up the core and fill the caches of the kernel's allocators. */
#define WARM_UP 8
/* Jobs of each of two clients. */
#define MIXED 16

void path_check(int ret, const char *what)
{
	if (ret) {
		fprintf(stderr, "%s: %s: %s\n", path_driver, what, strerror(-ret));
		exit(1);
	}
}

void path_in_turn(struct client **clients, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		client_start(clients[i]);
		client_wait(clients[i]);
	}
}

void path_together(struct client **clients, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		client_start(clients[i]);
	for (uint32_t i = 0; i < count; i++)
		client_wait(clients[i]);
}

void path_log(const char *name, uint32_t products, struct client **clients, uint32_t count,
	      void (*run)(struct client **clients, uint32_t count))
{
	char section[64];

	for (int i = 0; i < WARM_UP; i++)
		run(clients, count);
	for (int round = 0; round < ROUNDS; round++) {
		snprintf(section, sizeof(section), "%s-%s-%u-%d", path_driver, name, products, round);
		steps_on(section);
		run(clients, count);
		steps_off();
	}
}

void path_log_new(const char *name, uint32_t count, uint32_t tasks, uint32_t jobs,
		  void (*run)(struct client **clients, uint32_t count))
{
	struct client *clients[PATH_CORES];

	for (uint32_t i = 0; i < count; i++)
		clients[i] = client_new(tasks, jobs);
	path_log(name, count * tasks * jobs, clients, count, run);
	for (uint32_t i = 0; i < count; i++)
		client_free(clients[i]);
}

void path_log_all(void)
{
	path_log_new("task", 1, 1, 1, path_in_turn);
	path_log_new("tasks", 1, PATH_MANY, 1, path_in_turn);
	path_log_new("jobs", 1, 1, PATH_MANY, path_in_turn);
	path_log_new("spaces", 2, 1, 1, path_in_turn);
	path_log_new("mixed", 2, 1, MIXED, path_together);
}
