/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_OPERANDS_H
#define ORK_OPERANDS_H

#include "matmul_args.h"

/* A and B in the library's types. */
struct operands {
	size_t m, k, n;
	void *a, *b; /* from malloc() */
};

/* count random elements in the library's type, from malloc(); NULL without memory. state: of the generator */
void *random_matrix(enum ork_dtype type, size_t count, uint64_t *state);

/* Random or from files, as the arguments say. Returns EXIT_OK or EXIT_USAGE after a complaint. */
int get_operands(const struct matmul_args *args, struct operands *operands);
void free_operands(struct operands *operands);

#endif
