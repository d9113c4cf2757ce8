// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * Well-behaved clients that check every product, next to clients that wedge cores, get killed, submit
 * nonsense, and come and go. Ends when the time is over and as many wedges and kills have been, or on
 * SIGTERM. Prints what was counted, one line "# figure NAME.WHAT NUMBER UNIT" each, and one result of TAP.
 *
 *	soak [-n NAME] [-t SECONDS] [-w WEDGES] [-k KILLS] [-p PAUSE] [-g]
 *
 *	-w, -k	have clients that wedge cores and clients that are killed
 *	-p	milliseconds between two products of a client
 *	-g	the device may go away and come back: a product that it took with it is not lost, but counted by itself
 */

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "ork_test.h"

#define CLIENTS 3
#define OFFENDERS 4
#define SHAPES 3
#define WAIT_MS 60000
/* A hang takes its whole timeout. A fault ends at once; its timeout is for a busy emulator. */
#define HANG_TIMEOUT_MS 20
#define FAULT_TIMEOUT_MS 20000

struct options {
	const char *name;
	long seconds, wedges, kills, pause_ms;
	bool goes;
};

/* Shared by all processes. */
static struct counts {
	uint64_t products, wrong, lost, gone, wedges, kills, refused, reopened, failed;
	int stop;
} *counts;

static void add(uint64_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static bool stopped(void)
{
	return __atomic_load_n(&counts->stop, __ATOMIC_RELAXED);
}

/* A client that cannot go on. */
static void fail(const char *who, int error)
{
	fprintf(stderr, "# %s: %s\n", who, strerror(error < 0 ? -error : error));
	add(&counts->failed);
	_exit(1);
}

static bool device_gone(int error)
{
	return error == -ENODEV || error == -ECANCELED;
}

/* Waits for a device that is away. */
static int open_again(const struct options *opt)
{
	int fd = ork_test_open();

	while (fd < 0 && opt->goes && !stopped()) {
		usleep(10000);
		fd = ork_test_open();
	}
	return fd;
}

/* --- Clients that behave --- */

struct checked {
	struct ork_test_product p;
	void *expected;
};

/* The first result is compared with the reference, the others with the first. */
static int checked_init(int fd, struct checked *c, uint32_t shape)
{
	static const uint32_t sizes[SHAPES][3] = { { 8, 256, 96 }, { 64, 64, 96 }, { 1, 2048, 96 } };
	int ret = ork_test_product_init(fd, &c->p, sizes[shape][0], sizes[shape][1], sizes[shape][2], 3);
	uint64_t wrong;

	c->p.slots = shape == 1;
	if (!ret)
		ret = ork_test_product_program(fd, &c->p, 0);
	if (!ret)
		ret = ork_test_product_run(fd, &c->p, DRM_ORK_PLACE_SPLIT, 7, 0);
	if (!ret)
		ret = ork_test_bo_sync(fd, c->p.c.handle, DRM_ORK_SYNC_TO_CPU, 0, c->p.c.bytes);
	if (ret)
		return ret;
	c->expected = malloc(c->p.c.bytes);
	memcpy(c->expected, c->p.c.ptr, c->p.c.bytes);
	wrong = ork_test_product_check(fd, &c->p);
	/* It could not look. */
	if (wrong == UINT64_MAX)
		return -ENODEV;
	add(&counts->products);
	if (wrong)
		add(&counts->wrong);
	return 0;
}

static int checked_run(int fd, struct checked *c, uint32_t nth)
{
	bool split = nth % 2;
	int ret = ork_test_product_run(fd, &c->p, split ? DRM_ORK_PLACE_SPLIT : DRM_ORK_PLACE_AUTO,
				       split ? 7 : 1u << nth / 2 % 3, 0);

	if (!ret)
		ret = ork_test_bo_sync(fd, c->p.c.handle, DRM_ORK_SYNC_TO_CPU, 0, c->p.c.bytes);
	if (ret)
		return ret;
	add(&counts->products);
	if (memcmp(c->expected, c->p.c.ptr, (size_t)c->p.m * c->p.n * sizeof(int32_t)))
		add(&counts->wrong);
	memset(c->p.c.ptr, 0xa5, c->p.c.bytes);
	return ork_test_bo_sync(fd, c->p.c.handle, DRM_ORK_SYNC_TO_DEVICE, 0, c->p.c.bytes);
}

static void checked_free(struct checked *c)
{
	int i;

	for (i = 0; i < SHAPES; i++) {
		free(c[i].expected);
		if (c[i].p.a.bytes)
			munmap(c[i].p.a.ptr, c[i].p.a.bytes);
		if (c[i].p.b.bytes)
			munmap(c[i].p.b.ptr, c[i].p.b.bytes);
		if (c[i].p.c.bytes)
			munmap(c[i].p.c.ptr, c[i].p.c.bytes);
	}
	memset(c, 0, SHAPES * sizeof(*c));
}

/* Computes until something is in the way. Returns 0 when it is told to stop. */
static int compute(int fd, struct checked *c, const struct options *opt)
{
	uint32_t nth;
	int i, ret = 0;

	for (i = 0; !ret && i < SHAPES; i++)
		ret = checked_init(fd, &c[i], i);
	for (nth = 0; !ret && !stopped(); nth++) {
		ret = checked_run(fd, &c[nth % SHAPES], nth);
		usleep(opt->pause_ms * 1000);
	}
	return ret;
}

static void client(const struct options *opt, int which)
{
	struct checked c[SHAPES] = { 0 };
	int fd, ret;

	do {
		fd = open_again(opt);
		if (fd < 0)
			break;
		ret = compute(fd, c, opt);
		checked_free(c);
		close(fd);
		if (ret && opt->goes && device_gone(ret)) {
			add(&counts->gone);
		} else if (ret) {
			add(&counts->lost);
			fail("a well-behaved client", ret);
		}
	} while (!stopped());
	_exit(0);
}

/* --- Clients that do not --- */

/* In a queue of its own, as one that wedges again and again is lost. Returns 0 for the wedge that was to be. */
static int wedge_once(int fd, struct ork_test_product *p, bool hang, uint32_t core)
{
	int ret = ork_test_queue_create(fd, DRM_ORK_PRIORITY_NORMAL, 0, &p->queue);

	if (ret)
		return ret;
	ret = ork_test_product_run(fd, p, DRM_ORK_PLACE_AUTO, 1u << core, hang ? HANG_TIMEOUT_MS : FAULT_TIMEOUT_MS);
	ork_test_queue_destroy(fd, p->queue);
	return ret == (hang ? -ETIMEDOUT : -EFAULT) ? 0 : ret ?: -EPROTO;
}

/* Half of them hang, half run over the end of their features; half begin with tasks that are right. */
static void offender(const struct options *opt, int which)
{
	bool hang = which % 2 == 0;
	struct ork_test_product p;
	int i, fd, ret;

	while (!stopped() && (fd = open_again(opt)) >= 0) {
		ret = ork_test_wedge_init(fd, &p, hang, which < OFFENDERS / 2 ? 0 : 2);
		for (i = which; !ret && !stopped(); i++) {
			ret = wedge_once(fd, &p, hang, i % 3);
			if (!ret)
				add(&counts->wedges);
			usleep(opt->pause_ms * 1000);
		}
		if (ret && !(opt->goes && device_gone(ret)))
			fail("a client that wedges", ret);
		munmap(p.a.ptr, p.a.bytes);
		munmap(p.b.ptr, p.b.bytes);
		munmap(p.c.ptr, p.c.bytes);
		close(fd);
	}
	_exit(0);
}

/* Uses everything, over and over. */
static void victim(void)
{
	struct ork_test_product p;
	uint32_t queue, vm;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		fd = ork_test_open();
		if (fd < 0 || ork_test_queue_create(fd, DRM_ORK_PRIORITY_LOW, 0, &queue) ||
		    ork_test_vm_create(fd, &vm) || ork_test_product_init_in(fd, vm, &p, 8, 256, 96, 3) ||
		    ork_test_product_program(fd, &p, 0)) {
			usleep(1000);
			close(fd);
			continue;
		}
		p.queue = queue;
		ork_test_product_run(fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0);
		ork_test_product_fini(fd, &p);
		close(fd);
	}
}

static void killer(const struct options *opt, int which)
{
	unsigned int after = 7919;

	while (!stopped()) {
		pid_t pid;

		usleep(opt->pause_ms * 1000);
		pid = fork();
		if (pid < 0)
			fail("fork", errno);
		if (!pid)
			victim();
		after = after * 1103515245u + 12345u;
		usleep((after >> 8) % 40000);
		kill(pid, SIGKILL);
		if (waitpid(pid, NULL, 0) == pid)
			add(&counts->kills);
	}
	_exit(0);
}

static uint32_t rnd(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Programs and jobs with a few bits turned. What is accepted all the same must do no harm. */
static void talk_nonsense(int fd, struct ork_test_product *p, uint32_t *state)
{
	struct drm_ork_prog_destroy destroy = { 0 };
	struct ork_test_program program;
	uint64_t addresses[3], id;
	struct drm_ork_job job;
	int i, bits = rnd(state) % 4;

	ork_test_product_build(p, 0, &program);
	for (i = 0; i < bits; i++)
		program.words[rnd(state) % program.args.words.count] ^= 1ull << rnd(state) % 64;
	if (rnd(state) % 8 == 0)
		program.tasks[0].word_count ^= 1u << rnd(state) % 32;
	if (drmIoctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args))
		add(&counts->refused);
	job = ork_test_product_job(p, addresses);
	job.prog = program.args.handle;
	job.core_mask = 7;
	if (rnd(state) % 2)
		((uint32_t *)&job)[rnd(state) % (sizeof(job) / 4)] ^= 1u << rnd(state) % 32;
	/* A good job with too little time would be a reset that is counted as nobody's. */
	if (job.timeout_ms < FAULT_TIMEOUT_MS)
		job.timeout_ms = 0;
	if (ork_test_submit_one(fd, &job, &id))
		add(&counts->refused);
	destroy.handle = program.args.handle;
	drmIoctl(fd, DRM_IOCTL_ORK_PROG_DESTROY, &destroy);
	ork_test_program_free(&program);
}

static void nonsense(const struct options *opt, int which)
{
	uint32_t i, state = 2463534242u;
	struct ork_test_product p;
	uint64_t offset, va;
	uint32_t handle;
	int fd;

	while (!stopped() && (fd = open_again(opt)) >= 0) {
		add(&counts->reopened);
		if (!ork_test_bo_create(fd, 1 << 20, 0, &handle, &offset))
			ork_test_map(fd, 0, handle, 0, 1 << 20, &va);
		if (!ork_test_product_init(fd, &p, 8, 256, 96, 3)) {
			for (i = 0; i < 50 && !stopped(); i++)
				talk_nonsense(fd, &p, &state);
			ork_test_product_fini(fd, &p);
		}
		close(fd);
		usleep(opt->pause_ms * 1000);
	}
	_exit(0);
}

/* --- All of them --- */

static uint32_t started;

static void start(void (*run)(const struct options *opt, int which), const struct options *opt, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork", errno);
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			signal(SIGTERM, SIG_IGN);
			run(opt, i);
		}
		started++;
	}
}

static void on_term(int signum)
{
	counts->stop = 1;
}

static long seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec;
}

static void figure(const struct options *opt, const char *what, uint64_t value, const char *unit)
{
	printf("# figure %s.%s %llu %s\n", opt->name, what, (unsigned long long)value, unit);
}

/* Resets of all cores; 0 if the device's counters do not last. */
static uint64_t resets(const struct options *opt)
{
	struct drm_ork_device_info info = { 0 };
	int fd = opt->goes ? -1 : ork_test_open();

	if (fd < 0)
		return 0;
	ork_test_device(fd, &info);
	close(fd);
	return info.resets[0] + info.resets[1] + info.resets[2];
}

static int report(const struct options *opt, long seconds, uint64_t resets_seen)
{
	bool good = counts->products && !counts->wrong && !counts->lost && !counts->failed;

	/* Who was not to wedge a core did not. */
	if (!opt->goes && resets_seen != counts->wedges)
		good = false;
	figure(opt, "time", seconds, "seconds of the guest");
	figure(opt, "checked", counts->products, "products");
	figure(opt, "wrong", counts->wrong, "products");
	figure(opt, "lost", counts->lost, "products");
	figure(opt, "interrupted", counts->gone, "products");
	figure(opt, "wedges", counts->wedges, "hangs and faults");
	/* A device that goes takes its counters with it. */
	if (!opt->goes)
		figure(opt, "resets", resets_seen, "resets");
	figure(opt, "kills", counts->kills, "processes");
	figure(opt, "refused", counts->refused, "calls");
	figure(opt, "reopened", counts->reopened, "files");
	printf("%sok 1 - %s: every product right, none lost\n", good ? "" : "not ", opt->name);
	return good ? 0 : 1;
}

static int parse(int argc, char **argv, struct options *opt)
{
	int c;

	while ((c = getopt(argc, argv, "n:t:w:k:p:g")) != -1) {
		switch (c) {
		case 'n':
			opt->name = optarg;
			break;
		case 't':
			opt->seconds = atol(optarg);
			break;
		case 'w':
			opt->wedges = atol(optarg);
			break;
		case 'k':
			opt->kills = atol(optarg);
			break;
		case 'p':
			opt->pause_ms = atol(optarg);
			break;
		case 'g':
			opt->goes = true;
			break;
		default:
			return -1;
		}
	}
	return optind == argc ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct options opt = { .name = "soak", .seconds = 10 };
	uint64_t before;
	long begin;
	int status;

	if (parse(argc, argv, &opt))
		return 2;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 1;
	signal(SIGTERM, on_term);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..1\n");

	before = resets(&opt);
	begin = seconds_now();
	start(client, &opt, CLIENTS);
	start(nonsense, &opt, 1);
	if (opt.wedges)
		start(offender, &opt, OFFENDERS);
	if (opt.kills)
		start(killer, &opt, 1);

	while (!stopped() && !counts->failed &&
	       (seconds_now() - begin < opt.seconds || (long)counts->wedges < opt.wedges || (long)counts->kills < opt.kills))
		usleep(100000);
	counts->stop = 1;
	while (started) {
		if (wait(&status) < 0)
			continue;
		started--;
		/* Whoever crashed has counted nothing. */
		if (status)
			add(&counts->failed);
	}
	return report(&opt, seconds_now() - begin, resets(&opt) - before);
}
