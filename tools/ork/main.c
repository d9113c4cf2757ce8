/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const char usage_text[] =
	"usage: ork COMMAND [OPTIONS]\n"
	"\n"
	"Matrix products on the NPU of the RK3588, exact to the bit.\n"
	"\n"
	"commands:\n"
	"  info       what the device is and what it has done\n"
	"  matmul     multiply two matrices\n"
	"  pack       pack the weights of a model into a file that loads at once\n"
	"  unpack     take a matrix out of such a file\n"
	"  inspect    list what such a file has, and verify it\n"
	"  help CMD   options of a command\n"
	"\n"
	"options:\n"
	"  --help     this text\n"
	"  --version  version of the command and of its library\n"
	"\n"
	"The device is --device, else $ORK_DEVICE, else the first render node of the driver\n"
	"rknpu-ork. The device \"model\" is an NPU model inside the process.\n"
	"\n"
	"exit status: 0 success, 1 --verify found something wrong, 2 wrong options, files,\n"
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

int open_device(const char *device, struct ork_device **dev)
{
	const int err = ork_open(device, dev);

	if (!err)
		return EXIT_OK;
	if (!device)
		device = getenv("ORK_DEVICE");
	if (device && *device)
		return complain(EXIT_DEVICE, "cannot open device \"%s\": %s", device, ork_strerror(err));
	if (err == -ENODEV)
		return complain(EXIT_DEVICE,
				"no render node of the driver rknpu-ork found; ORK_DEVICE=model needs none");
	return complain(EXIT_DEVICE, "cannot open the NPU: %s", ork_strerror(err));
}

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "info", cmd_info },
	{ "matmul", cmd_matmul },
	{ "pack", cmd_pack },
	{ "unpack", cmd_unpack },
	{ "inspect", cmd_inspect },
};

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

static int help(int argc, char **argv)
{
	char *ask[] = { NULL, (char[]){ "--help" }, NULL };
	const struct command *command;

	if (argc == 2) {
		fputs(usage_text, stdout);
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
