// SPDX-License-Identifier: MIT
/* Copyright 2026 The rknpu-ork authors */

/*
 * The mainline driver as a witness for the emulated board: it was written for silicon and knows nothing of this project, so
 * where it works, the board behaves like what it was written for. Prints TAP.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rocket_client.h"
#include "rocket_program.h"

#define CORES	       3
#define WAIT_MS	       20000
#define UNTOUCHED      0x5a5a5a5a
#define UNMAPPED       0xc0000000u
#define PROGRAM_STRIDE (CONV_WORDS_MAX * 8)
/* The driver gives a job 500 ms. */
#define TIMEOUT_MS_MIN 400
#define CLIENT_JOBS    12
#define CLIENT_TASKS   24

static const char *const core_names[CORES] = { "fdab0000.npu", "fdac0000.npu", "fdad0000.npu" };

static unsigned int failures, tests;

static bool fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	return false;
}

/* One convolution with its buffers: commands and operands in one that the job reads, results in another. */
struct work {
	struct conv conv;
	struct rocket_bo in, out;
	int8_t *input, *weights;
	struct rocket_task task;
};

static uint32_t pixels(const struct work *work)
{
	return work->conv.width * work->conv.height;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static void fill_operands(struct work *work, uint32_t seed)
{
	for (uint32_t i = 0; i < pixels(work) * work->conv.channels; i++)
		work->input[i] = (int8_t)next_random(&seed);
	for (uint32_t i = 0; i < work->conv.kernels * work->conv.channels; i++)
		work->weights[i] = (int8_t)next_random(&seed);
}

static void store_program(struct work *work)
{
	uint64_t words[CONV_WORDS_MAX];

	work->task = (struct rocket_task) { .address = work->in.address, .words = conv_program(&work->conv, words) };
	memcpy(work->in.map, words, work->task.words * 8);
}

static void clear_output(struct work *work)
{
	memset(work->out.map, UNTOUCHED & 0xff, work->out.bytes);
}

static int work_init(struct work *work, int fd, struct conv conv, uint32_t seed)
{
	uint32_t input_bytes, weight_bytes;
	int ret;

	memset(work, 0, sizeof(*work));
	work->conv = conv;
	input_bytes = pixels(work) * conv.channels;
	weight_bytes = conv.kernels * conv.channels;
	ret = rocket_bo_create(fd, PROGRAM_STRIDE + input_bytes + weight_bytes, &work->in);
	if (ret)
		return ret;
	ret = rocket_bo_create(fd, pixels(work) * conv.kernels * 4, &work->out);
	if (ret) {
		rocket_bo_destroy(&work->in);
		return ret;
	}
	work->input = (int8_t *)work->in.map + PROGRAM_STRIDE;
	work->weights = work->input + input_bytes;
	work->conv.input = work->in.address + PROGRAM_STRIDE;
	work->conv.weights = work->conv.input + input_bytes;
	work->conv.output = work->out.address;
	fill_operands(work, seed);
	clear_output(work);
	store_program(work);
	return 0;
}

static void work_fini(struct work *work)
{
	rocket_bo_destroy(&work->in);
	rocket_bo_destroy(&work->out);
}

static int work_submit(struct work *work, uint32_t repeats)
{
	struct rocket_task tasks[repeats];
	int ret = rocket_bo_to_npu(&work->in);

	if (!ret)
		ret = rocket_bo_to_npu(&work->out);
	for (uint32_t i = 0; i < repeats; i++)
		tasks[i] = work->task;
	return ret ? ret : rocket_submit(work->in.fd, tasks, repeats, &work->in, &work->out);
}

static int32_t expected(const struct work *work, uint32_t pixel, uint32_t kernel)
{
	const struct conv *conv = &work->conv;
	int32_t sum = 0;

	for (uint32_t c = 0; c < conv->channels; c++)
		sum += work->input[conv_input_at(conv, pixel, c)] * work->weights[conv_weight_at(conv, kernel, c)];
	return sum;
}

static bool work_is_right(struct work *work)
{
	const int32_t *output = work->out.map;

	for (uint32_t pixel = 0; pixel < pixels(work); pixel++)
		for (uint32_t kernel = 0; kernel < work->conv.kernels; kernel++) {
			int32_t got = output[conv_output_at(&work->conv, pixel, kernel)];

			if (got != expected(work, pixel, kernel))
				return fail("pixel %u kernel %u: %d, not %d", pixel, kernel, got,
					    expected(work, pixel, kernel));
		}
	return true;
}

static bool runs(int fd, struct conv conv, uint32_t seed)
{
	struct work work;
	bool right;
	int ret = work_init(&work, fd, conv, seed);

	if (ret)
		return fail("no buffers: %s", strerror(-ret));
	ret = work_submit(&work, 1);
	if (!ret)
		ret = rocket_bo_wait(&work.out, WAIT_MS);
	right = ret ? fail("submit or wait: %s", strerror(-ret)) : work_is_right(&work);
	work_fini(&work);
	return right;
}

/* runs() with a client of its own. */
static bool runs_alone(struct conv conv, uint32_t seed)
{
	int fd = rocket_open();
	bool right;

	if (fd < 0)
		return fail("no rocket device");
	right = runs(fd, conv, seed);
	close(fd);
	return right;
}

/* Interrupts of a core so far, on all CPUs. */
static unsigned long interrupts(const char *core)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long sum = 0;
	char line[1024];

	while (file && fgets(line, sizeof(line), file)) {
		char *next = strchr(line, ':');

		if (!next || !strstr(line, core))
			continue;
		for (char *end = next + 1;; next = end) {
			unsigned long count = strtoul(next + (*next == ':'), &end, 10);

			if (end == next + (*next == ':') || (*end != ' ' && *end != '\n'))
				break;
			sum += count;
		}
	}
	if (file)
		fclose(file);
	return sum;
}

static bool three_cores_probe(void)
{
	for (int i = 0; i < CORES; i++) {
		char path[96];

		snprintf(path, sizeof(path), "/sys/bus/platform/drivers/rocket/%s", core_names[i]);
		if (access(path, F_OK))
			return fail("%s has no driver", core_names[i]);
	}
	return true;
}

static const struct conv image = { .width = 16, .height = 6, .channels = 64, .kernels = 96 };
static const struct conv matrix = { .width = 1, .height = 40, .channels = 480, .kernels = 64 };

static bool convolution_is_exact(void)
{
	return runs_alone(image, 1);
}

static bool matrix_product_is_exact(void)
{
	return runs_alone(matrix, 2);
}

static bool idle_reader_changes_nothing(void)
{
	struct conv conv = image;

	conv.reader = true;
	if (!runs_alone(conv, 3))
		return false;
	conv = matrix;
	conv.reader = true;
	return runs_alone(conv, 4);
}

static bool tasks_of_a_job_run_one_by_one(void)
{
	unsigned long before = 0, after = 0;
	struct work work;
	int fd = rocket_open();
	int ret = work_init(&work, fd, matrix, 5);

	if (ret)
		return fail("no buffers: %s", strerror(-ret));
	for (int i = 0; i < CORES; i++)
		before += interrupts(core_names[i]);
	ret = work_submit(&work, CLIENT_TASKS);
	if (!ret)
		ret = rocket_bo_wait(&work.out, WAIT_MS);
	for (int i = 0; i < CORES; i++)
		after += interrupts(core_names[i]);
	if (ret)
		return fail("submit or wait: %s", strerror(-ret));
	/* In chaos some interrupts are nobody's. */
	printf("# %lu interrupts for %d tasks\n", after - before, CLIENT_TASKS);
	if (after - before < CLIENT_TASKS)
		return fail("too few interrupts");
	ret = work_is_right(&work);
	work_fini(&work);
	close(fd);
	return ret;
}

/* A client process: opens the device when all are there, and keeps its core busy. */
static int client(int start, uint32_t seed)
{
	int fd = rocket_open();
	struct work work;
	char go;

	if (fd < 0 || work_init(&work, fd, matrix, seed) || read(start, &go, 1) != 1)
		return 1;
	for (int i = 0; i < CLIENT_JOBS; i++)
		if (work_submit(&work, CLIENT_TASKS))
			return 2;
	if (rocket_bo_wait(&work.out, WAIT_MS))
		return 3;
	return work_is_right(&work) ? 0 : 4;
}

static bool clients_succeed(const pid_t *clients, int count)
{
	bool good = true;

	for (int i = 0; i < count; i++) {
		int status = 0;

		waitpid(clients[i], &status, 0);
		if (status)
			good = fail("client %d: wait status 0x%x", i, status);
	}
	return good;
}

static bool run_clients(uint32_t seed)
{
	pid_t clients[CORES];
	int start[2];

	if (pipe(start))
		return fail("pipe: %s", strerror(errno));
	fflush(stdout);
	for (int i = 0; i < CORES; i++) {
		clients[i] = fork();
		if (clients[i] == 0) {
			int ret = client(start[0], seed + (uint32_t)i);

			fflush(stdout);
			_exit(ret);
		}
	}
	if (write(start[1], "go!", CORES) != CORES)
		fail("pipe: %s", strerror(errno));
	close(start[0]);
	close(start[1]);
	return clients_succeed(clients, CORES);
}

static bool three_clients_use_three_cores(void)
{
	unsigned long before[CORES];
	bool good;

	for (int i = 0; i < CORES; i++)
		before[i] = interrupts(core_names[i]);
	good = run_clients(10);
	for (int i = 0; i < CORES; i++) {
		unsigned long count = interrupts(core_names[i]) - before[i];

		printf("# %s: %lu interrupts\n", core_names[i], count);
		if (count < CLIENT_TASKS)
			good = fail("%s had nothing to do", core_names[i]);
	}
	return good;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Ends a job that has no way to end but the driver's timeout, and whose output must stay as it was. */
static bool timed_out(struct work *work, int64_t start_ms)
{
	int ret = rocket_bo_wait(&work->out, WAIT_MS);

	if (ret)
		return fail("wait: %s", strerror(-ret));
	if (now_ms() - start_ms < TIMEOUT_MS_MIN)
		return fail("the job ended after %lld ms", (long long)(now_ms() - start_ms));
	if (*(uint32_t *)work->out.map != UNTOUCHED)
		return fail("the job wrote its output");
	return true;
}

/* As many clients at once as there are cores, so that each core has such a job. */
static bool address_of_nothing_ends_by_timeout(void)
{
	struct work work[CORES];
	int64_t start = now_ms();
	bool good = true;

	for (int i = 0; i < CORES; i++) {
		int fd = rocket_open();

		if (fd < 0 || work_init(&work[i], fd, matrix, 6))
			return fail("no device or no buffers");
		work[i].conv.input = UNMAPPED;
		store_program(&work[i]);
		if (work_submit(&work[i], 1))
			return fail("cannot submit");
	}
	for (int i = 0; i < CORES; i++) {
		good = timed_out(&work[i], start) && good;
		work_fini(&work[i]);
		close(work[i].in.fd);
	}
	return good;
}

static bool all_cores_work_after_timeouts(void)
{
	return runs_alone(image, 7) && three_clients_use_three_cores();
}

static bool program_at_address_of_nothing_ends_by_timeout(void)
{
	int fd = rocket_open();
	int64_t start = now_ms();
	struct work work;
	bool good;

	if (fd < 0 || work_init(&work, fd, matrix, 8))
		return fail("no device or no buffers");
	work.task.address = UNMAPPED;
	good = work_submit(&work, 1) ? fail("cannot submit") : timed_out(&work, start);
	work.task.address = work.in.address;
	if (good && (work_submit(&work, 1) || rocket_bo_wait(&work.out, WAIT_MS)))
		good = fail("the same client cannot go on");
	good = good && work_is_right(&work);
	work_fini(&work);
	close(fd);
	return good;
}

static void test(const char *name, bool (*function)(void))
{
	bool good = function();

	printf("%sok %u %s\n", good ? "" : "not ", ++tests, name);
	fflush(stdout);
	failures += !good;
}

#define TEST(function) test(#function, function)

int main(void)
{
	printf("TAP version 13\n1..9\n");
	TEST(three_cores_probe);
	TEST(convolution_is_exact);
	TEST(matrix_product_is_exact);
	TEST(idle_reader_changes_nothing);
	TEST(tasks_of_a_job_run_one_by_one);
	TEST(three_clients_use_three_cores);
	TEST(program_at_address_of_nothing_ends_by_timeout);
	TEST(address_of_nothing_ends_by_timeout);
	TEST(all_cores_work_after_timeouts);
	return failures != 0;
}
