// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * The products of path.h through our driver: a call submits a client's jobs, another one waits for them. All run on core 0
 * but those that are split over all cores.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "ork_test.h"
#include "path.h"

const char path_driver[] = "ork";

struct client {
	int fd;
	struct ork_test_product product;
	uint64_t addresses[3];
	struct drm_ork_job jobs[PATH_MANY];
	struct drm_ork_sync_range cache[2];
	uint32_t count;
	uint64_t first_id;
	const struct drm_ork_ended *ended;
};

/* Ranges to the device are done with the first job, those to the CPU with the last. */
static void set_cache(struct client *client)
{
	struct drm_ork_sync_range *cache = client->cache;
	uint32_t last = client->count - 1;

	cache[0] = (struct drm_ork_sync_range){ .handle = client->product.a.handle, .op = DRM_ORK_SYNC_TO_DEVICE,
						.size_bytes = ORK_TEST_PAGE };
	cache[1] = (struct drm_ork_sync_range){ .handle = client->product.c.handle, .op = DRM_ORK_SYNC_TO_CPU,
						.size_bytes = ORK_TEST_PAGE };
	client->jobs[0].cache = (struct drm_ork_array){ sizeof(cache[0]), last ? 1 : 2, (uintptr_t)cache };
	if (last)
		client->jobs[last].cache = (struct drm_ork_array){ sizeof(cache[0]), 1, (uintptr_t)&cache[1] };
}

static struct client *new_client(uint32_t tasks, uint32_t jobs, bool slots)
{
	struct client *client = calloc(1, sizeof(*client));
	struct ork_test_product *p;

	path_check(client ? 0 : -ENOMEM, "client");
	client->fd = ork_test_open();
	path_check(client->fd < 0 ? -ENODEV : 0, "device");
	p = &client->product;
	path_check(ork_test_product_init(client->fd, p, PATH_ROWS, PATH_K, PATH_COLUMNS * tasks, tasks), "buffers");
	p->slots = slots;
	path_check(ork_test_product_program(client->fd, p, 0), "program");
	client->count = jobs;
	for (uint32_t i = 0; i < jobs; i++) {
		client->jobs[i] = ork_test_product_job(p, client->addresses);
		client->jobs[i].core_mask = 1;
	}
	set_cache(client);
	client->ended = mmap(NULL, sizeof(*client->ended), PROT_READ, MAP_SHARED, client->fd, DRM_ORK_ENDED_OFFSET);
	path_check(client->ended == MAP_FAILED ? -errno : 0, "page");
	return client;
}

struct client *client_new(uint32_t tasks, uint32_t jobs)
{
	return new_client(tasks, jobs, false);
}

void client_free(struct client *client)
{
	ork_test_product_fini(client->fd, &client->product);
	close(client->fd);
	free(client);
}

void client_start(struct client *client)
{
	struct drm_ork_submit submit = {
		.jobs = { sizeof(client->jobs[0]), client->count, (uintptr_t)client->jobs },
	};

	path_check(drmIoctl(client->fd, DRM_IOCTL_ORK_SUBMIT, &submit) ? -errno : 0, "submit");
	client->first_id = submit.first_id;
}

void client_wait(struct client *client)
{
	struct drm_ork_job_wait wait = { .id = client->first_id, .timeout_ns = INT64_MAX, .count = client->count };

	path_check(drmIoctl(client->fd, DRM_IOCTL_ORK_JOB_WAIT, &wait) ? -errno : 0, "wait");
	path_check(wait.error, "job");
}

/* The end is seen in the page that the driver writes, without a second call. */
static void see(struct client **clients, uint32_t count)
{
	struct client *client = clients[0];
	const __u64 *entry;

	client_start(client);
	entry = &client->ended->jobs[client->first_id % DRM_ORK_ENDED_JOBS];
	while (__atomic_load_n(entry, __ATOMIC_ACQUIRE) >> DRM_ORK_ENDED_ID_SHIFT < client->first_id)
		;
	path_check(*entry & DRM_ORK_ENDED_FAILED ? -EIO : 0, "job");
}

static void log_slots(void)
{
	struct client *client = new_client(PATH_MANY, 1, true);

	path_log("slots", PATH_MANY, &client, 1, path_in_turn);
	client_free(client);
}

static void log_cores(void)
{
	struct client *client = client_new(PATH_CORES * PATH_TASKS_PER_CORE, 1);

	client->jobs[0].placement = DRM_ORK_PLACE_SPLIT;
	client->jobs[0].core_mask = (1 << PATH_CORES) - 1;
	path_log("cores", PATH_CORES * PATH_TASKS_PER_CORE, &client, 1, path_in_turn);
	client_free(client);
}

int main(void)
{
	path_log_all();
	log_cores();
	log_slots();
	path_log_new("seen", 1, 1, 1, see);
	return 0;
}
