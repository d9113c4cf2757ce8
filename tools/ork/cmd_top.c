/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "open_error.h"
#include "term.h"
#include "tool.h"
#include "top.h"

static const char usage_text[] =
	"usage: ork top [-d SECONDS] [-n COUNT] [-b] [--json]\n"
	"\n"
	"Shows again and again how busy the cores are and who uses them: the share of the time\n"
	"since the last time, and the memory of each process. q ends it. Without root there are\n"
	"only your own processes.\n"
	"\n"
	"  -d SECONDS  time between two looks, 0.1 to 3600, default 1\n"
	"  -n COUNT    end after that many looks\n"
	"  -b          print one look below the other, as is done without a terminal\n"
	"  --json      print each look as a JSON object on one line\n";

struct options {
	double seconds;
	unsigned long count; /* 0: until it is ended */
	bool batch, json;
};

/* The keyboard without echo and Enter, and the signals that end the command as a descriptor. */
struct keyboard {
	struct termios saved;
	bool raw;
	int signals;
};

static int open_keyboard(struct keyboard *keyboard, bool interactive)
{
	struct termios raw;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	keyboard->signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (keyboard->signals < 0)
		return complain(EXIT_USAGE, "cannot wait for signals: %s", strerror(errno));
	keyboard->raw = interactive && tcgetattr(STDIN_FILENO, &keyboard->saved) == 0;
	if (!keyboard->raw)
		return EXIT_OK;
	raw = keyboard->saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	return EXIT_OK;
}

static void close_keyboard(const struct keyboard *keyboard)
{
	if (keyboard->raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &keyboard->saved);
	if (keyboard->signals >= 0)
		close(keyboard->signals);
}

/*
 * Waits until then, and hears the user also if that is over: on a busy machine a look takes longer than the time between
 * two of them. Returns whether the user wants to go on.
 */
static bool wait_until(const struct keyboard *keyboard, double end_ms)
{
	struct pollfd fds[] = {
		{ .fd = keyboard->signals, .events = POLLIN },
		{ .fd = keyboard->raw ? STDIN_FILENO : -1, .events = POLLIN },
	};
	double left;
	char key;

	do {
		left = end_ms - now_ms();
		if (poll(fds, 2, left > 0 ? (int)left + 1 : 0) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents)
			return false;
		if (fds[1].revents && (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q'))
			return false;
	} while (left > 0);
	return true;
}

static void show(const struct top_view *view, const struct options *options, bool first)
{
	unsigned int columns, lines;

	if (options->json) {
		top_print_json(view);
	} else if (options->batch) {
		if (!first)
			putchar('\n');
		top_print(view, UINT_MAX);
	} else {
		term_size(&columns, &lines);
		/* Home, then the screen, then what may be left below. */
		fputs("\033[H\033[2J", stdout);
		top_print(view, lines - 1);
	}
}

static int no_driver(void)
{
	char reason[512];

	explain_open_error("", NULL, -ENODEV, reason, sizeof(reason));
	return complain(EXIT_DEVICE, "there are no cores to look at: %s", reason);
}

/* Returns EXIT_OK, also when the user has ended it. */
static int watch(const struct options *options, const struct keyboard *keyboard)
{
	struct top_sample before, now;
	struct top_view view;
	unsigned long looks;
	int status = EXIT_OK;

	if (top_take("", &before))
		return no_driver();
	for (looks = 0; !status && (!options->count || looks < options->count); looks++) {
		if (!wait_until(keyboard, before.ms + options->seconds * 1e3))
			break;
		if (top_take("", &now)) {
			status = no_driver();
			break;
		}
		if (top_compare(&before, &now, &view))
			status = complain(EXIT_USAGE, "out of memory");
		else
			show(&view, options, looks == 0);
		free(view.processes);
		top_free(&before);
		before = now;
		if (fflush(stdout) && !status)
			status = complain(EXIT_USAGE, "cannot write the output: %s", strerror(errno));
	}
	top_free(&before);
	return status;
}

static int parse_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (*text && !*end && *seconds >= 0.1 && *seconds <= 3600)
		return EXIT_OK;
	return complain(EXIT_USAGE, "-d takes seconds from 0.1 to 3600, not \"%s\"", text);
}

static int run(struct options *options)
{
	struct keyboard keyboard;
	int status;

	options->batch |= options->json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
	status = open_keyboard(&keyboard, !options->batch);
	if (!status)
		status = watch(options, &keyboard);
	close_keyboard(&keyboard);
	return status;
}

int cmd_top(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	struct options options = { .seconds = 1 };
	int option, status = EXIT_OK;

	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, ":d:n:b", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			return EXIT_OK;
		}
		if (option == ':' || option == '?')
			return complain_option(option, argv);
		if (option == 'd')
			status = parse_seconds(optarg, &options.seconds);
		if (option == 'n')
			status = parse_option_number("-n", optarg, 1, ULONG_MAX, &options.count);
		options.batch |= option == 'b';
		options.json |= option == 'j';
	}
	if (status)
		return status;
	if (optind < argc)
		return complain_argument(argv);
	return run(&options);
}
