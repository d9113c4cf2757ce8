// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * Calls the driver at random from several processes with several threads each, some of which are killed, and looks afterwards
 * whether the device still computes right and nothing is left of what the calls have made. See ioctl_fuzz.h.
 *
 *	ioctl_fuzz [-c CALLS] [-s SECONDS] [-p PROCESSES] [-S SEED] [-t]
 *	ioctl_fuzz -r "KIND:SEED KIND:SEED ..."
 *
 * With -t each program is printed before it runs, in the form that -r repeats.
 */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../ork_test.h"
#include "ioctl_fuzz.h"

#define MAX_THREADS 3
/* Calls that a signal interrupts are calls too. On the emulated board each costs as much as ten. */
#define SIGNAL_NS 100000000
#define TICK_US 50000
/* A process begins with opening files and making memory; then it has this many calls before it is killed, on average. */
#define KILL_CALLS 8000
#define LIFE_PROGRAMS 800
#define END_SECONDS 60
/* Many bits away from all other mappings: calls write where a pointer with a changed bit says. */
#define SHARED_ADDRESS 0x155500000000ull

struct fuzz_shared *fuzz_shared;

static struct options {
	uint64_t calls, seed;
	uint32_t seconds, processes;
	bool trace;
	const char *repeat;
} options = { .calls = 20000, .seconds = 60, .processes = 3 };

struct thread {
	struct fuzz_state *state;
	uint64_t seed;
};

static void nothing(int signum)
{
}

static void start_signals(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct itimerspec period = { .it_interval.tv_nsec = SIGNAL_NS, .it_value.tv_nsec = SIGNAL_NS };
	timer_t timer;

	event._sigev_un._tid = syscall(SYS_gettid);
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
		timer_settime(timer, 0, &period, NULL);
}

static void print_program(const struct fuzz_program *program)
{
	char text[FUZZ_PROGRAM_CALLS * 32];
	uint32_t i, at = 0;

	for (i = 0; i < program->count; i++)
		at += snprintf(text + at, sizeof(text) - at, "%u:%llx ", program->calls[i].kind,
			       (unsigned long long)program->calls[i].seed);
	text[at - 1] = '\n';
	if (write(STDOUT_FILENO, text, at) < 0)
		_exit(1);
}

static void *run_programs(void *arg)
{
	struct thread *thread = arg;
	struct fuzz_rng r = { thread->seed };
	struct fuzz_program program;
	struct fuzz_cover cover;
	uint32_t i, left = LIFE_PROGRAMS;

	fuzz_cover_init(&cover);
	start_signals();
	while (left--) {
		fuzz_make_program(&r, &program);
		if (options.trace)
			print_program(&program);
		fuzz_cover_begin(&cover);
		for (i = 0; i < program.count; i++)
			fuzz_run_call(thread->state, program.calls[i]);
		if (fuzz_cover_end(&cover))
			fuzz_keep_program(&program);
	}
	return NULL;
}

static void begin(struct fuzz_state *s, uint64_t seed)
{
	struct fuzz_rng r = { seed };
	uint32_t i;

	signal(SIGCHLD, SIG_IGN);
	/* Without SA_RESTART. */
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = nothing }, NULL);
	if (!fuzz_state_init(s))
		_exit(2);
	for (i = 0; i < FUZZ_FILES; i++)
		fuzz_begin(s, &s->files[i], &r);
}

/* The process ends while its other threads are at work. */
static void live(struct fuzz_state *s, uint64_t seed)
{
	struct thread threads[MAX_THREADS];
	pthread_t id;
	uint32_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	begin(s, seed);
	for (i = 0; i < 1 + seed % MAX_THREADS; i++) {
		threads[i] = (struct thread){ s, fuzz_mix(seed, i) };
		if (i)
			pthread_create(&id, NULL, run_programs, &threads[i]);
	}
	run_programs(&threads[0]);
	_exit(0);
}

static pid_t start_life(struct fuzz_state *s, uint64_t seed)
{
	pid_t pid = fork();

	if (!pid)
		live(s, seed);
	return pid;
}

/* Children of the processes become ours when these die; none may be left. */
static bool end_all(const pid_t *pids)
{
	uint64_t deadline = fuzz_now_seconds() + END_SECONDS;
	uint32_t i;

	for (i = 0; i < options.processes; i++)
		kill(pids[i], SIGKILL);
	while (fuzz_now_seconds() < deadline) {
		if (waitpid(-1, NULL, WNOHANG) < 0)
			return true;
		usleep(1000);
	}
	printf("# processes that were killed do not end\n");
	return false;
}

/* A signal is either ours or that of a call that has written where a changed pointer said. */
static bool ended_well(int status)
{
	if (WIFSIGNALED(status) || !WEXITSTATUS(status))
		return true;
	printf("# a process of the fuzzer ended with status 0x%x\n", status);
	return false;
}

static bool fuzz(struct fuzz_state *s)
{
	uint64_t lives = 0, end = fuzz_now_seconds() + options.seconds;
	struct fuzz_rng r = { options.seed };
	pid_t pid, pids[FUZZ_MAX_PROCESSES];
	bool well = true;
	int status;
	uint32_t i;

	for (i = 0; i < options.processes; i++)
		pids[i] = start_life(s, fuzz_mix(options.seed, lives++));
	while (fuzz_shared->calls < options.calls && fuzz_now_seconds() < end && well) {
		usleep(TICK_US);
		if (fuzz_shared->calls / KILL_CALLS > fuzz_shared->kills) {
			kill(pids[fuzz_below(&r, options.processes)], SIGKILL);
			fuzz_shared->kills++;
		}
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			for (i = 0; i < options.processes && pids[i] != pid; i++)
				;
			if (i == options.processes)
				continue;
			well &= ended_well(status);
			pids[i] = start_life(s, fuzz_mix(options.seed, lives++));
		}
	}
	return end_all(pids) && well;
}

static bool repeat(struct fuzz_state *s)
{
	unsigned long long seed;
	const char *at = options.repeat;
	struct fuzz_call call;
	int used;

	begin(s, options.seed);
	for (; sscanf(at, "%u:%llx%n", &call.kind, &seed, &used) == 2; at += used) {
		call.kind %= fuzz_kind_count();
		call.seed = seed;
		printf("# %s: %d\n", fuzz_kind_info(call.kind)->name, fuzz_run_call(s, call));
	}
	return true;
}

static bool report(uint32_t number, bool ok, const char *what)
{
	printf("%sok %u %s\n", ok ? "" : "not ", number, what);
	return ok;
}

static bool parse(int argc, char **argv)
{
	int option;

	options.seed = (uint64_t)time(NULL) << 20 ^ getpid();
	while ((option = getopt(argc, argv, "c:s:S:p:tr:")) >= 0) {
		switch (option) {
		case 'c':
			options.calls = strtoull(optarg, NULL, 0);
			break;
		case 's':
			options.seconds = strtoul(optarg, NULL, 0);
			break;
		case 'S':
			options.seed = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			options.processes = strtoul(optarg, NULL, 0);
			break;
		case 't':
			options.trace = true;
			break;
		case 'r':
			options.repeat = optarg;
			break;
		default:
			return false;
		}
	}
	return options.processes && options.processes <= FUZZ_MAX_PROCESSES && optind == argc;
}

int main(int argc, char **argv)
{
	static struct fuzz_state state;
	struct fuzz_before before;
	bool ok;

	if (!parse(argc, argv)) {
		fprintf(stderr, "usage: %s [-c CALLS] [-s SECONDS] [-p PROCESSES] [-S SEED] [-t] [-r PROGRAM]\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..3\n# -S %llu -p %u\n", (unsigned long long)options.seed, options.processes);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fuzz_shared = mmap((void *)SHARED_ADDRESS, sizeof(*fuzz_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fuzz_shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, state.mail) ||
	    !fuzz_find_node(&state))
		return 2;
	/* Before the look at what is used: all of what the processes share. */
	memset(fuzz_shared, 0, sizeof(*fuzz_shared));
	fuzz_look_before(&before);

	ok = report(1, options.repeat ? repeat(&state) : fuzz(&state), "processes run and end");
	fuzz_print_counts(&before);
	close(state.mail[0]);
	close(state.mail[1]);
	ok &= report(2, options.repeat || ork_test_left_nothing(&before.left), "nothing of what they made is left");
	ok &= report(3, fuzz_products_are_right(), "each core computes right");
	return !ok;
}
