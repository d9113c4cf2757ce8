/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef PATH_H
#define PATH_H

#include <stdint.h>

/*
 * Products whose way through a driver the board logs (ork-board run --steps); tools/emulator/step_costs.py counts. int8,
 * 4 x 64 times 64 x 32 per task, each with one page of input and one of results to be handed over. bench_path.c has them for
 * our driver, rocket/rocket_bench.c for the mainline one.
 */
#define PATH_ROWS 4
#define PATH_K 64
#define PATH_COLUMNS 32
#define PATH_PAGE 4096

#define PATH_MANY 64 /* tasks of a job, jobs of a call */
#define PATH_CORES 3
#define PATH_TASKS_PER_CORE 16
#define PATH_WAIT_MS 20000

/* A driver's client: a file with an address space of its own, and jobs that start and are waited for together. */
struct client;

extern const char path_driver[];

struct client *client_new(uint32_t tasks, uint32_t jobs);
void client_free(struct client *client);
void client_start(struct client *client);
void client_wait(struct client *client);

/* Ends the program unless ret is 0; it is a negative error number. */
void path_check(int ret, const char *what);

/* Starts and waits for each client before the next one, or starts all first. */
void path_in_turn(struct client **clients, uint32_t count);
void path_together(struct client **clients, uint32_t count);

/* Logs what run does as section DRIVER-NAME-PRODUCTS-ROUND. */
void path_log(const char *name, uint32_t products, struct client **clients, uint32_t count,
	      void (*run)(struct client **clients, uint32_t count));

/* The same for new clients; each has jobs of so many tasks. */
void path_log_new(const char *name, uint32_t count, uint32_t tasks, uint32_t jobs,
		  void (*run)(struct client **clients, uint32_t count));

/* What is the same for both drivers. */
void path_log_all(void);

#endif
