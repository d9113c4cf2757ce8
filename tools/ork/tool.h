/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_TOOL_H
#define ORK_TOOL_H

#include <ork.h>

/* Exit statuses of the command. */
enum {
	EXIT_OK = 0,
	EXIT_MISMATCH = 1, /* a check found something wrong */
	EXIT_USAGE = 2,    /* wrong options, files, shapes or values */
	EXIT_DEVICE = 3,   /* no device, or it failed */
};

int cmd_bench(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_matmul(int argc, char **argv);
int cmd_pack(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_regcmd(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_unpack(int argc, char **argv);

/* Prints one line "ork: ..." on stderr and returns status. */
int complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What getopt_long() with ':' in front of its options made of the last argument: '?' or ':'. Returns EXIT_USAGE. */
int complain_option(int option, char **argv);

/* The first argument that is no option, for commands that take none. Returns EXIT_USAGE. */
int complain_argument(char **argv);

/* A decimal number from min to max, the whole text. Returns 0, or -1 if text is anything else. */
int parse_number(const char *text, unsigned long min, unsigned long max, unsigned long *value);

/* The same for the value of an option. Returns EXIT_OK, or EXIT_USAGE after a complaint. */
int parse_option_number(const char *option, const char *text, unsigned long min, unsigned long max,
			unsigned long *value);

/* The value of --device, NULL if it is not given, or else that of $ORK_DEVICE. NULL: a device is looked for. */
const char *chosen_device(const char *device);

/* ork_open() that says what to do about a failure. device may be NULL. Returns EXIT_OK or EXIT_DEVICE. */
int open_device(const char *device, struct ork_device **dev);

#endif
