// SPDX-License-Identifier: MIT
/* Copyright 2026 The rknpu-ork authors */

/*
 * The products of path.h through the mainline driver, in the way that costs it least: commands and weights are in a buffer
 * that no job names, so that only a page of input and a page of results are handed over, once per call; and no buffer is
 * handed over that the CPU did not touch.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../path.h"
#include "rocket_client.h"
#include "rocket_program.h"

const char path_driver[] = "rocket";

struct client {
	int fd;
	struct rocket_bo constant, in, out;
	struct rocket_task tasks[PATH_MANY];
	uint32_t task_count, jobs;
};

struct client *client_new(uint32_t tasks, uint32_t jobs)
{
	struct conv conv = { .width = 1, .height = PATH_ROWS, .channels = PATH_K, .kernels = PATH_COLUMNS };
	struct client *client = calloc(1, sizeof(*client));
	uint32_t words;

	path_check(client ? 0 : -ENOMEM, "client");
	client->fd = rocket_open();
	path_check(client->fd < 0 ? client->fd : 0, "device");
	path_check(rocket_bo_create(client->fd, 2 * PATH_PAGE, &client->constant), "buffer");
	path_check(rocket_bo_create(client->fd, PATH_PAGE, &client->in), "buffer");
	path_check(rocket_bo_create(client->fd, PATH_PAGE, &client->out), "buffer");
	conv.input = client->in.address;
	conv.weights = client->constant.address + PATH_PAGE;
	conv.output = client->out.address;
	words = conv_program(&conv, client->constant.map);
	path_check(rocket_bo_to_npu(&client->constant), "sync");
	path_check(rocket_bo_to_npu(&client->out), "sync");
	for (uint32_t i = 0; i < tasks; i++)
		client->tasks[i] = (struct rocket_task){ .address = client->constant.address, .words = words };
	client->task_count = tasks;
	client->jobs = jobs;
	return client;
}

void client_free(struct client *client)
{
	rocket_bo_destroy(&client->constant);
	rocket_bo_destroy(&client->in);
	rocket_bo_destroy(&client->out);
	close(client->fd);
	free(client);
}

void client_start(struct client *client)
{
	path_check(rocket_bo_to_npu(&client->in), "sync");
	path_check(rocket_submit_jobs(client->fd, client->tasks, client->task_count, client->jobs, &client->in, &client->out),
		   "submit");
}

void client_wait(struct client *client)
{
	path_check(rocket_bo_wait(&client->out, PATH_WAIT_MS), "wait");
}

/* For three cores a client each, as a client has one core at a time. */
int main(void)
{
	path_log_all();
	path_log_new("cores", PATH_CORES, PATH_TASKS_PER_CORE, 1, path_together);
	return 0;
}
