/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "json.h"
#include "machine.h"
#include "npy.h"
#include "operands.h"
#include "term.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork bench [--shape MxKxN]... [--file FILE]... [--model NAME]... [OPTIONS]\n"
	"\n"
	"Measures products C[M][N] = A[M][K] * B[K][N] of random matrices, copies of A and C by the\n"
	"CPU included, and compares them with what the NPU and the memory could do (the roof).\n"
	"\n"
	"  --shape MxKxN     measure this shape; may be given several times\n"
	"  --file FILE       shapes, one per line: MxKxN, or MxKxN and a type; # begins a remark\n"
	"  --model NAME      shapes of a table: qwen3-1.7b, experts, published\n"
	"  --type TYPE       i8 (default), i8q, i4, f16, f16f16 or bf16; may be given several times\n"
	"  --cores C         1, 2, 3 or auto (default); may be given several times\n"
	"  --warmup W        first run each product W times, default 3\n"
	"  --repeat R        then measure it R times, default 20\n"
	"  --clock MHZ       clock of the roof, default: the highest that devfreq allows, else 1000\n"
	"  --bandwidth GB/S  bandwidth of the roof, default 33.8\n"
	"  --plot OUT.svg    draw the roof and the products\n"
	"  --json            print JSON\n"
	"  --device DEVICE   \"model\" or a render node, default see ork --help\n";

/* The fastest that an RK3588 runs, and 64 bits at 2112 MHz (NPU reference 7). */
#define TOP_CLOCK_HZ   1e9
#define BANDWIDTH_GBPS 33.8

struct bench {
	const struct bench_args *args;
	struct ork_device *dev;
	struct ork_info info;
	const char *times; /* what they are of */
	struct bench_roof roof;
	struct bench_result *results;
	size_t count;
	struct progress progress;
	unsigned long runs_done, runs;
};

/* A product that is ready to run. */
struct product {
	struct ork_weights *weights;
	struct ork_matmul_desc desc;
	void *a, *c;
};

static size_t types_of(const struct bench_args *args, const struct bench_shape *shape)
{
	return shape->type ? 1 : args->type_count;
}

static void choose_roof(struct bench *bench)
{
	const struct bench_args *args = bench->args;
	struct machine_clock clock;

	if (args->clock_mhz)
		bench->roof = (struct bench_roof){ .clock_hz = (double)args->clock_mhz * 1e6, .clock_from = "--clock" };
	else if (strcmp(bench->info.backend, "kernel") == 0 && machine_read_clock("", &clock) == 0)
		bench->roof = (struct bench_roof){ .clock_hz = (double)clock.max_hz, .clock_from = "devfreq max_freq" };
	else
		bench->roof = (struct bench_roof){ .clock_hz = TOP_CLOCK_HZ, .clock_from = "top of the RK3588" };
	bench->roof.bandwidth_gbps = args->bandwidth_gbps > 0 ? args->bandwidth_gbps : BANDWIDTH_GBPS;
	bench->roof.bandwidth_from = args->bandwidth_gbps > 0 ? "--bandwidth" : "64-bit DRAM at 2112 MHz";
}

static int device_error(const struct bench *bench, int err)
{
	const int status = err == -EINVAL || err == -E2BIG || err == -ENOTSUP ? EXIT_USAGE : EXIT_DEVICE;

	return complain(status, "%s", ork_error(bench->dev));
}

static void free_product(struct product *product)
{
	ork_weights_destroy(product->weights);
	free(product->a);
	free(product->c);
}

static int make_product(const struct bench *bench, const struct bench_shape *shape, const struct product_type *type,
			struct product *product)
{
	struct ork_weights_desc desc = { .type = type->type, .ldb = shape->n, .k = shape->k, .n = shape->n };
	uint64_t state = 1;
	void *b = random_matrix(type->type, shape->k * shape->n, &state);
	int err;

	*product = (struct product){
		.a = random_matrix(type->type, shape->m * shape->k, &state),
		.c = malloc(shape->m * shape->n * ork_dtype_bytes(type->c_type)),
	};
	if (!product->a || !product->c || !b) {
		free(b);
		return complain(EXIT_USAGE, "not enough memory for %zux%zux%zu", shape->m, shape->k, shape->n);
	}
	desc.b = b;
	err = ork_weights_create(bench->dev, &desc, &product->weights);
	free(b);
	if (err)
		return device_error(bench, err);
	product->desc = (struct ork_matmul_desc){
		.weights = product->weights, .c_type = type->c_type, .m = shape->m, .a = product->a, .lda = shape->k,
		.c = product->c, .ldc = shape->n,
	};
	if (type->c_type == ORK_I8)
		product->desc.requant = usual_requant(shape->k);
	return EXIT_OK;
}

static int compare_times(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

/* By nearest rank; times are ascending. */
static double percentile(const double *times, size_t count, unsigned int percent)
{
	const size_t rank = (count * percent + 99) / 100;

	return times[rank ? rank - 1 : 0];
}

static double median(const double *times, size_t count)
{
	return (times[(count - 1) / 2] + times[count / 2]) / 2;
}

static void fill_result(const struct bench *bench, const struct product *product, double *times,
			struct bench_result *result)
{
	const struct bench_shape *shape = &result->shape;
	const struct product_type *type = result->type;
	const double cores = (double)(result->cores ? result->cores : bench->info.cores);
	const double ops = 2.0 * (double)shape->m * (double)shape->k * (double)shape->n;
	/* int4 is one byte for the caller only. */
	const double a_element = type->type == ORK_I4 ? 0.5 : (double)ork_dtype_bytes(type->type);
	const double bytes = (double)(shape->m * shape->k) * a_element + (double)ork_weights_bytes(product->weights) +
			     (double)(shape->m * shape->n * ork_dtype_bytes(type->c_type));
	const size_t count = bench->args->repeat;
	double memory_gops;

	qsort(times, count, sizeof(*times), compare_times);
	result->median_ms = median(times, count);
	result->p10_ms = percentile(times, count, 10);
	result->p90_ms = percentile(times, count, 90);
	result->min_ms = times[0];
	result->gops = ops / result->median_ms * 1e-6;
	result->gbps = bytes / result->median_ms * 1e-6;
	result->intensity = ops / bytes;
	result->peak_gops = 2.0 * type->macs_per_cycle * cores * bench->roof.clock_hz * 1e-9;
	memory_gops = result->intensity * bench->roof.bandwidth_gbps;
	result->roof_gops = memory_gops < result->peak_gops ? memory_gops : result->peak_gops;
}

static int measure(struct bench *bench, const struct product *product, struct bench_result *result)
{
	const struct ork_matmul_opts opts = { .cores = (uint32_t)result->cores };
	const unsigned long warmup = bench->args->warmup, repeat = bench->args->repeat;
	double *times = malloc(repeat * sizeof(*times)), start;
	char what[64];
	unsigned long i;
	int err = 0;

	if (!times)
		return complain(EXIT_USAGE, "out of memory");
	snprintf(what, sizeof(what), "%zux%zux%zu %s", result->shape.m, result->shape.k, result->shape.n,
		 result->type->name);
	for (i = 0; i < warmup + repeat && !err; i++) {
		progress_show(&bench->progress, (double)bench->runs_done++ / (double)bench->runs, what);
		start = now_ms();
		err = ork_matmul(bench->dev, &product->desc, &opts);
		if (i >= warmup)
			times[i - warmup] = now_ms() - start;
	}
	progress_end(&bench->progress);
	if (!err)
		fill_result(bench, product, times, result);
	free(times);
	return err ? device_error(bench, err) : EXIT_OK;
}

static const char *cores_text(const struct bench_result *result)
{
	static const char *const texts[] = { "auto", "1", "2", "3" };

	return texts[result->cores];
}

static void print_header(const struct bench *bench)
{
	if (strcmp(bench->times, "silicon"))
		printf("%stimes are of the %s and say nothing about an RK3588%s\n", term_style(TERM_WARN), bench->times,
		       term_style(TERM_PLAIN));
	printf("roof: %.0f MHz (%s), %g GB/s (%s)\n", bench->roof.clock_hz * 1e-6, bench->roof.clock_from,
	       bench->roof.bandwidth_gbps, bench->roof.bandwidth_from);
	printf("%-20s %-6s %5s %10s %10s %10s %9s %7s %8s %9s %6s\n", "shape", "type", "cores", "median ms", "p10 ms",
	       "p90 ms", "GOP/s", "GB/s", "ops/byte", "roof", "share");
}

static void print_result(const struct bench_result *result)
{
	char shape[64];

	snprintf(shape, sizeof(shape), "%zux%zux%zu", result->shape.m, result->shape.k, result->shape.n);
	printf("%-20s %-6s %5s %10.3f %10.3f %10.3f %9.2f %7.3f %8.1f %9.1f %4.0f %%%s%s\n", shape, result->type->name,
	       cores_text(result), result->median_ms, result->p10_ms, result->p90_ms, result->gops, result->gbps,
	       result->intensity, result->roof_gops, 100 * result->gops / result->roof_gops,
	       *result->shape.name ? "  " : "", result->shape.name);
	fflush(stdout);
}

/* A shape with one type, on each number of cores. */
static int run_product(struct bench *bench, const struct bench_shape *shape, const struct product_type *type)
{
	struct product product;
	int status = make_product(bench, shape, type, &product);
	size_t i;

	for (i = 0; i < bench->args->core_count && !status; i++) {
		struct bench_result *result = &bench->results[bench->count];

		*result = (struct bench_result){ .shape = *shape, .type = type, .cores = bench->args->cores[i] };
		status = measure(bench, &product, result);
		if (status)
			break;
		bench->count++;
		if (!bench->args->json)
			print_result(result);
	}
	free_product(&product);
	return status;
}

static int run_all(struct bench *bench)
{
	const struct bench_args *args = bench->args;
	size_t results = 0, i, j;
	int status = EXIT_OK;

	for (i = 0; i < args->shape_count; i++)
		results += types_of(args, &args->shapes[i]) * args->core_count;
	bench->runs = results * (args->warmup + args->repeat);
	bench->results = calloc(results, sizeof(*bench->results));
	if (!bench->results)
		return complain(EXIT_USAGE, "out of memory");
	if (!args->json)
		print_header(bench);
	for (i = 0; i < args->shape_count; i++) {
		const struct bench_shape *shape = &args->shapes[i];

		for (j = 0; j < types_of(args, shape) && !status; j++)
			status = run_product(bench, shape, shape->type ? shape->type : args->types[j]);
	}
	return status;
}

static void result_json(struct json *json, const struct bench_result *result)
{
	json_object(json, NULL);
	json_text(json, "name", *result->shape.name ? result->shape.name : NULL);
	json_number(json, "m", result->shape.m);
	json_number(json, "k", result->shape.k);
	json_number(json, "n", result->shape.n);
	json_text(json, "type", result->type->name);
	json_text(json, "cores", cores_text(result));
	json_real(json, "median_ms", result->median_ms);
	json_real(json, "p10_ms", result->p10_ms);
	json_real(json, "p90_ms", result->p90_ms);
	json_real(json, "shortest_ms", result->min_ms);
	json_real(json, "gops", result->gops);
	json_real(json, "gbps", result->gbps);
	json_real(json, "ops_per_byte", result->intensity);
	json_real(json, "roof_gops", result->roof_gops);
	json_real(json, "share", result->gops / result->roof_gops);
	json_close(json);
}

static void print_json(const struct bench *bench)
{
	struct json json;
	size_t i;

	json_begin(&json, "bench");
	json_text(&json, "backend", bench->info.backend);
	json_text(&json, "times_are_of", bench->times);
	json_real(&json, "clock_hz", bench->roof.clock_hz);
	json_text(&json, "clock_from", bench->roof.clock_from);
	json_real(&json, "bandwidth_gbps", bench->roof.bandwidth_gbps);
	json_text(&json, "bandwidth_from", bench->roof.bandwidth_from);
	json_number(&json, "warmup", bench->args->warmup);
	json_number(&json, "repeat", bench->args->repeat);
	json_array(&json, "results");
	for (i = 0; i < bench->count; i++)
		result_json(&json, &bench->results[i]);
	json_close(&json);
	json_end(&json);
}

static int plot(const struct bench *bench)
{
	char remark[96] = "";

	if (strcmp(bench->times, "silicon"))
		snprintf(remark, sizeof(remark), "Times are of the %s and say nothing about an RK3588.", bench->times);
	return plot_bench(bench->args->plot_path, remark, &bench->roof, bench->results, bench->count);
}

static int bench_on_device(const struct bench_args *args)
{
	struct bench bench = { .args = args };
	int status = open_device(args->device, &bench.dev), err;

	if (status)
		return status;
	err = ork_query(bench.dev, &bench.info);
	if (err) {
		status = device_error(&bench, err);
	} else {
		bench.times = machine_times("", bench.info.backend);
		choose_roof(&bench);
		status = run_all(&bench);
	}
	ork_close(bench.dev);
	if (!status && args->plot_path)
		status = plot(&bench);
	if (!status && args->json)
		print_json(&bench);
	free(bench.results);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	char reason[NPY_REASON_CHARS];
	struct bench_args args;
	int status = parse_bench_args(argc, argv, &args);

	if (!status && args.help)
		fputs(usage_text, stdout);
	else if (!status && args.plot_path && npy_check_writable(args.plot_path, reason))
		status = complain(EXIT_USAGE, "cannot write %s: %s", args.plot_path, reason);
	else if (!status)
		status = bench_on_device(&args);
	free(args.shapes);
	return status;
}
