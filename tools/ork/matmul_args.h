/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_MATMUL_ARGS_H
#define ORK_MATMUL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "product.h"

/* What the user asked "ork matmul" for. */
struct matmul_args {
	const char *device;             /* NULL: the default */
	const struct product_type *type;
	struct ork_requant requant;
	bool have_requant;
	unsigned long m, k, n;          /* 0 if not given */
	unsigned long seed;
	const char *a_path, *b_path;    /* both or none */
	const char *out_path;           /* NULL: the result is not kept */
	unsigned long cores;            /* 0: auto */
	unsigned long timeout_ms;       /* 0: the driver's default */
	unsigned long repeat;
	const char *dump_path;          /* NULL: register commands are not kept */
	bool verify;
	bool explain;
	bool json;
	bool help;
};

/* Returns EXIT_OK or EXIT_USAGE after a complaint. */
int parse_matmul_args(int argc, char **argv, struct matmul_args *args);

#endif
