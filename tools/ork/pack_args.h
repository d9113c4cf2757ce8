/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PACK_ARGS_H
#define ORK_PACK_ARGS_H

#include "pack_tensor.h"

#define PACK_MAX_PATTERNS 64

struct pack_args {
	bool help, json;
	const char *out_path;
	struct pack_options options;
	const char *patterns[PACK_MAX_PATTERNS];
	size_t pattern_count;
	char **inputs;
	size_t input_count;
};

/* The options of ork pack. Returns EXIT_OK, or what the command exits with after it has complained. */
int parse_pack_args(int argc, char **argv, struct pack_args *args);

#endif
