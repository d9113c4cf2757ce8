/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_BENCH_H
#define ORK_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "product.h"

/* A product to measure. */
struct bench_shape {
	const char *name;               /* "" or what it is in a model; not owned */
	size_t m, k, n;
	const struct product_type *type; /* NULL: those of --type */
};

#define BENCH_MAX_TYPES 6
#define BENCH_MAX_CORES 4

/* What the user asked "ork bench" for. */
struct bench_args {
	const char *device;             /* NULL: the default */
	const char *plot_path;          /* NULL: no plot */
	struct bench_shape *shapes;     /* from malloc() */
	size_t shape_count;
	const struct product_type *types[BENCH_MAX_TYPES];
	size_t type_count;
	unsigned long cores[BENCH_MAX_CORES]; /* 0: auto */
	size_t core_count;
	unsigned long warmup, repeat;
	unsigned long clock_mhz;        /* 0: not given */
	double bandwidth_gbps;          /* 0: not given */
	bool json, help;
};

/* Returns EXIT_OK or EXIT_USAGE after a complaint. The caller frees args->shapes in any case. */
int parse_bench_args(int argc, char **argv, struct bench_args *args);

/* Adds a shape. Returns as parse_bench_args(). */
int add_bench_shape(struct bench_args *args, const struct bench_shape *shape);

/* Adds the shapes of a model table; -1: there is none of that name, else as parse_bench_args(). */
int add_bench_model(struct bench_args *args, const char *name);

/* Names of the model tables, with ", " between them. */
extern const char bench_model_names[];

/* A measured product. Times are those of ork_matmul(), copies of A and C by the CPU included. */
struct bench_result {
	struct bench_shape shape;
	const struct product_type *type;
	unsigned long cores;            /* asked for, 0: auto */
	double median_ms, p10_ms, p90_ms, min_ms;
	double gops;                    /* 1e9 operations per second, 2 for a multiplication with addition */
	double gbps;                    /* 1e9 bytes per second, if A, the packed B and C go over the bus once */
	double intensity;               /* operations per such byte */
	double peak_gops;               /* of the array of the cores */
	double roof_gops;               /* the lower one of that and of what the memory allows */
};

/* What the roof is made of. */
struct bench_roof {
	double clock_hz, bandwidth_gbps;
	const char *clock_from, *bandwidth_from; /* where they are from, in words */
};

/*
 * Draws the results below their roofs as an SVG file that needs no other. remark: a line below the title, may be "".
 * Returns as parse_bench_args().
 */
int plot_bench(const char *path, const char *remark, const struct bench_roof *roof, const struct bench_result *results,
	       size_t count);

#endif
