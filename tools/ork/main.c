/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "open_error.h"
#include "tool.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "info", "what the device is and what it has done", cmd_info },
	{ "matmul", "multiply two matrices", cmd_matmul },
	{ "bench", "measure products and compare them with what the hardware could do", cmd_bench },
	{ "top", "how busy the cores are, and who uses them", cmd_top },
	{ "pack", "pack the weights of a model into a file that loads at once", cmd_pack },
	{ "unpack", "take a matrix out of such a file", cmd_unpack },
	{ "inspect", "list what such a file has, and verify it", cmd_inspect },
	{ "doctor", "what is wrong with this board, and what mends it", cmd_doctor },
	{ "selftest", "prove quickly that this NPU computes right", cmd_selftest },
	{ "probe", "what the hardware does beyond the limits; root only", cmd_probe },
	{ "regcmd", "take register commands apart, and check them", cmd_regcmd },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char usage_head[] =
	"usage: ork COMMAND [OPTIONS]\n"
	"\n"
	"Matrix products on the NPU of the RK3588, exact to the bit.\n"
	"\n"
	"commands:\n";

static const char usage_tail[] =
	"  help CMD   options of a command\n"
	"\n"
	"options:\n"
	"  --help     this text\n"
	"  --version  version of the command and of its library\n"
	"\n"
	"The device is --device, else $ORK_DEVICE, else the first render node of the driver\n"
	"rknpu-ork. The device \"model\" is an NPU model inside the process.\n"
	"\n"
	"With --json every command prints its result as one JSON object on one line. Colours\n"
	"and progress bars are for terminals only; NO_COLOR=1 turns colours off.\n"
	"\n"
	"exit status: 0 success, 1 a check found something wrong, 2 wrong options, files,\n"
	"shapes or values, 3 no device or a device error\n";

int complain(int status, const char *format, ...)
{
	va_list args;

	fputs("ork: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}

int parse_number(const char *text, unsigned long min, unsigned long max, unsigned long *value)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || *end || number < min || number > max)
		return -1;
	*value = number;
	return 0;
}

int parse_option_number(const char *option, const char *text, unsigned long min, unsigned long max,
			unsigned long *value)
{
	if (parse_number(text, min, max, value) == 0)
		return EXIT_OK;
	return complain(EXIT_USAGE, "%s takes a number from %lu to %lu, not \"%s\"", option, min, max, text);
}

int complain_option(int option, char **argv)
{
	if (option == ':')
		return complain(EXIT_USAGE, "option \"%s\" needs a value", argv[optind - 1]);
	return complain(EXIT_USAGE, "wrong option \"%s\"; see ork help %s", argv[optind - 1], argv[0]);
}

int complain_argument(char **argv)
{
	return complain(EXIT_USAGE, "unexpected argument \"%s\"; see ork help %s", argv[optind], argv[0]);
}

const char *chosen_device(const char *device)
{
	if (!device)
		device = getenv("ORK_DEVICE");
	return device && *device ? device : NULL;
}

int open_device(const char *device, struct ork_device **dev)
{
	const int err = ork_open(device, dev);
	char reason[512];

	if (!err)
		return EXIT_OK;
	device = chosen_device(device);
	explain_open_error("", device, err, reason, sizeof(reason));
	if (device)
		return complain(EXIT_DEVICE, "cannot open device \"%s\": %s", device, reason);
	return complain(EXIT_DEVICE, "cannot open the NPU: %s", reason);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

static void print_usage(void)
{
	size_t i;

	fputs(usage_head, stdout);
	for (i = 0; i < COMMANDS; i++)
		printf("  %-9s  %s\n", commands[i].name, commands[i].summary);
	fputs(usage_tail, stdout);
}

static int help(int argc, char **argv)
{
	char *ask[] = { NULL, (char[]){ "--help" }, NULL };
	const struct command *command;

	if (argc == 2) {
		print_usage();
		return EXIT_OK;
	}
	command = find_command(argv[2]);
	if (!command || argc > 3)
		return complain(EXIT_USAGE, "there is no help for \"%s\"; see ork --help", argv[2]);
	ask[0] = argv[2];
	return command->run(2, ask);
}

/* Output that did not reach its file is an error like any other. */
static int flush_output(int status)
{
	if (fflush(stdout) == 0 || status != EXIT_OK)
		return status;
	return complain(EXIT_USAGE, "cannot write the output: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2)
		return complain(EXIT_USAGE, "a command is missing; see ork --help");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
		return flush_output(help(argc, argv));
	if (strcmp(argv[1], "--version") == 0) {
		printf("ork %d.%d.%d, libork %s\n", ORK_VERSION_MAJOR, ORK_VERSION_MINOR, ORK_VERSION_PATCH,
		       ork_version());
		return flush_output(EXIT_OK);
	}
	command = find_command(argv[1]);
	if (!command)
		return complain(EXIT_USAGE, "unknown command \"%s\"; see ork --help", argv[1]);
	return flush_output(command->run(argc - 1, argv + 1));
}
