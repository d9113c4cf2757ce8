/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "machine.h"
#include "matmul_args.h"
#include "npy.h"
#include "operands.h"
#include "regcmd_file.h"
#include "term.h"
#include "tool.h"

static const char usage_text[] =
	"usage: ork matmul -m M -k K -n N [--seed S] [OPTIONS]\n"
	"       ork matmul --a A.npy --b B.npy [OPTIONS]\n"
	"\n"
	"Computes C[M][N] = A[M][K] * B[K][N] on the NPU.\n"
	"\n"
	"  -m M -k K -n N    multiply random matrices of this shape\n"
	"  --seed S          which random matrices, default 1\n"
	"  --a A.npy         read A and B: NumPy files, 2-D, C order\n"
	"  --b B.npy\n"
	"  -o C.npy          write C as a NumPy file\n"
	"  --type TYPE       elements of A and B, C and the files of A and B:\n"
	"                      i8      int8, int32                 (|i1)   the default\n"
	"                      i8q     int8, int8 (see --requant)  (|i1)\n"
	"                      i4      -8 to 7, int32              (|i1)\n"
	"                      f16     float16, float32            (<f2)\n"
	"                      f16f16  float16, float16            (<f2)\n"
	"                      bf16    bfloat16, float32           (<f4, rounded)\n"
	"  --requant X,S,O   C = sat8(half_even(sum * X / 2^S) + O); default 1,S,0 with S by K\n"
	"  --cores C         split over 1, 2 or 3 cores, default auto\n"
	"  --verify          compare with a CPU reference; without equality exit 1, no file\n"
	"  --explain         print the plan and why it was chosen\n"
	"  --dump-regcmd F   write the register commands of the first program to F, for ork regcmd\n"
	"  --repeat R        run R times and print the shortest time\n"
	"  --timeout MS      give up after MS milliseconds without progress\n"
	"  --json            print the result as JSON\n"
	"  --device DEVICE   \"model\" or a render node, default see ork --help\n";

/* Bytes that C holds before each run, so that a result that was not written does not pass for a right one. */
#define C_POISON 0xa5

struct matmul {
	struct matmul_args args;
	struct operands in;
	size_t c_bytes;
	void *c;
	void *expected;         /* NULL without --verify */
	struct ork_device *dev;
	struct ork_weights *weights;
	size_t wrong;           /* most wrong elements of any run */
	double best_ms;
	uint64_t jobs[ORK_MAX_CORES];
	const char *backend;
	char plan[2048];        /* "" without --explain */
};

static int prepare(struct matmul *mm)
{
	char reason[NPY_REASON_CHARS];
	int status;

	if (mm->args.out_path && npy_check_writable(mm->args.out_path, reason))
		return complain(EXIT_USAGE, "cannot write %s: %s", mm->args.out_path, reason);
	status = get_operands(&mm->args, &mm->in);
	if (status)
		return status;
	if (!mm->args.have_requant)
		mm->args.requant = usual_requant(mm->in.k);
	mm->c_bytes = mm->in.m * mm->in.n * ork_dtype_bytes(mm->args.type->c_type);
	mm->c = malloc(mm->c_bytes);
	if (mm->args.verify)
		mm->expected = malloc(mm->c_bytes);
	if (!mm->c || (mm->args.verify && !mm->expected))
		return complain(EXIT_USAGE, "not enough memory for the result");
	return EXIT_OK;
}

/* What the values of the user rule out is the user's mistake, the rest is the device's. */
static int device_error(const struct matmul *mm, int err)
{
	const int status = err == -EINVAL || err == -E2BIG || err == -ENOTSUP ? EXIT_USAGE : EXIT_DEVICE;

	return complain(status, "%s", ork_error(mm->dev));
}

static size_t count_wrong(const struct matmul *mm)
{
	const size_t bytes = ork_dtype_bytes(mm->args.type->c_type);
	const uint8_t *c = mm->c, *expected = mm->expected;
	size_t wrong = 0, i;

	for (i = 0; i < mm->c_bytes; i += bytes)
		wrong += memcmp(c + i, expected + i, bytes) != 0;
	return wrong;
}

static struct ork_matmul_desc product(const struct matmul *mm)
{
	return (struct ork_matmul_desc){
		.weights = mm->weights,
		.c_type = mm->args.type->c_type,
		.m = mm->in.m,
		.a = mm->in.a,
		.lda = mm->in.k,
		.c = mm->c,
		.ldc = mm->in.n,
		.requant = mm->args.requant,
	};
}

static struct ork_matmul_opts options(const struct matmul *mm)
{
	return (struct ork_matmul_opts){ .cores = (uint32_t)mm->args.cores,
					 .timeout_ms = (uint32_t)mm->args.timeout_ms };
}

static int run_once(struct matmul *mm)
{
	const struct ork_matmul_desc desc = product(mm);
	const struct ork_matmul_opts opts = options(mm);
	double start, elapsed;
	size_t wrong;
	int err;

	memset(mm->c, C_POISON, mm->c_bytes);
	start = now_ms();
	err = ork_matmul(mm->dev, &desc, &opts);
	elapsed = now_ms() - start;
	if (err)
		return device_error(mm, err);
	if (mm->best_ms == 0 || elapsed < mm->best_ms)
		mm->best_ms = elapsed;
	wrong = mm->expected ? count_wrong(mm) : 0;
	if (wrong > mm->wrong)
		mm->wrong = wrong;
	return EXIT_OK;
}

static int run_repeatedly(struct matmul *mm)
{
	struct ork_info before, after;
	unsigned long i;
	int err, status;

	err = ork_query(mm->dev, &before);
	if (err)
		return device_error(mm, err);
	for (i = 0; i < mm->args.repeat; i++) {
		status = run_once(mm);
		if (status)
			return status;
	}
	err = ork_query(mm->dev, &after);
	if (err)
		return device_error(mm, err);
	for (i = 0; i < ORK_MAX_CORES; i++)
		mm->jobs[i] = after.jobs_done[i] - before.jobs_done[i];
	mm->backend = after.backend;
	return EXIT_OK;
}

static int explain(struct matmul *mm)
{
	const struct ork_matmul_desc desc = product(mm);
	const struct ork_matmul_opts opts = options(mm);
	const int length = ork_plan_explain(mm->dev, &desc, &opts, mm->plan, sizeof(mm->plan));

	if (length < 0)
		return device_error(mm, length);
	if (!mm->args.json)
		fputs(mm->plan, stdout);
	return EXIT_OK;
}

static int dump_regcmd(struct matmul *mm)
{
	const struct ork_matmul_desc desc = product(mm);
	const struct ork_matmul_opts opts = options(mm);
	const int count = ork_plan_words(mm->dev, &desc, &opts, NULL, 0);
	uint64_t *words = count > 0 ? malloc((size_t)count * sizeof(*words)) : NULL;
	int status = EXIT_OK;

	if (count < 0)
		return device_error(mm, count);
	if (!words)
		return complain(EXIT_USAGE, "not enough memory");
	if (ork_plan_words(mm->dev, &desc, &opts, words, (size_t)count) != count)
		status = complain(EXIT_DEVICE, "%s", ork_error(mm->dev));
	else if (regcmd_write(mm->args.dump_path, words, (size_t)count))
		status = complain(EXIT_USAGE, "cannot write %s: %s", mm->args.dump_path, strerror(errno));
	free(words);
	return status;
}

static int compute_expected(const struct matmul *mm)
{
	const struct operands *in = &mm->in;
	const struct ork_ref_desc desc = {
		.type = mm->args.type->type, .c_type = mm->args.type->c_type, .m = in->m, .k = in->k, .n = in->n,
		.a = in->a, .lda = in->k, .b = in->b, .ldb = in->n, .c = mm->expected, .ldc = in->n,
		.k_slice = ork_weights_k_slice(mm->weights), .requant = mm->args.requant,
	};
	const int err = ork_ref_matmul(&desc);

	return err ? complain(EXIT_USAGE, "the reference fails: %s", ork_strerror(err)) : EXIT_OK;
}

static int run_all(struct matmul *mm)
{
	const struct ork_weights_desc desc = {
		.type = mm->args.type->type, .b = mm->in.b, .ldb = mm->in.n, .k = mm->in.k, .n = mm->in.n
	};
	const int err = ork_weights_create(mm->dev, &desc, &mm->weights);
	int status = EXIT_OK;

	if (err)
		return device_error(mm, err);
	if (mm->args.explain)
		status = explain(mm);
	if (!status && mm->args.dump_path)
		status = dump_regcmd(mm);
	if (!status && mm->expected)
		status = compute_expected(mm);
	return status ? status : run_repeatedly(mm);
}

static int cores_used(const struct matmul *mm)
{
	int used = 0, i;

	for (i = 0; i < ORK_MAX_CORES; i++)
		used += mm->jobs[i] != 0;
	return used;
}

static void print_summary(const struct matmul *mm)
{
	const int used = cores_used(mm);

	printf("matmul M=%zu K=%zu N=%zu %s: %s, %d core%s, jobs per core %" PRIu64 "/%" PRIu64 "/%" PRIu64 ", ",
	       mm->in.m, mm->in.k, mm->in.n, mm->args.type->words, mm->backend, used, used == 1 ? "" : "s",
	       mm->jobs[0], mm->jobs[1], mm->jobs[2]);
	if (mm->expected)
		printf("verify %s%s%s (%zu of %zu elements wrong), ", term_style(mm->wrong ? TERM_BAD : TERM_GOOD),
		       mm->wrong ? "FAILED" : "ok", term_style(TERM_PLAIN), mm->wrong, mm->in.m * mm->in.n);
	else
		printf("not verified, ");
	printf("%.3f ms", mm->best_ms);
	if (mm->args.repeat > 1)
		printf(" (shortest of %lu)", mm->args.repeat);
	putchar('\n');
}

static void print_json(const struct matmul *mm)
{
	struct json json;
	int i;

	json_begin(&json, "matmul");
	json_number(&json, "m", mm->in.m);
	json_number(&json, "k", mm->in.k);
	json_number(&json, "n", mm->in.n);
	json_text(&json, "type", mm->args.type->name);
	json_text(&json, "backend", mm->backend);
	json_number(&json, "cores", (unsigned long long)cores_used(mm));
	json_array(&json, "jobs");
	for (i = 0; i < ORK_MAX_CORES; i++)
		json_number(&json, NULL, mm->jobs[i]);
	json_close(&json);
	if (mm->expected)
		json_number(&json, "wrong", mm->wrong);
	else
		json_null(&json, "wrong");
	json_number(&json, "repeat", mm->args.repeat);
	json_real(&json, "shortest_ms", mm->best_ms);
	json_text(&json, "times_are_of", machine_times("", mm->backend));
	if (mm->args.explain)
		json_text(&json, "plan", mm->plan);
	json_end(&json);
}

static enum npy_type file_type(enum ork_dtype c_type)
{
	switch (c_type) {
	case ORK_I8:
		return NPY_I1;
	case ORK_F16:
		return NPY_F2;
	case ORK_F32:
		return NPY_F4;
	default:
		return NPY_I4;
	}
}

static int write_result(const struct matmul *mm)
{
	const struct npy_matrix c = {
		.type = file_type(mm->args.type->c_type), .data = mm->c, .rows = mm->in.m, .cols = mm->in.n
	};
	char reason[NPY_REASON_CHARS];

	if (mm->wrong || !mm->args.out_path || !npy_write(mm->args.out_path, &c, reason))
		return EXIT_OK;
	return complain(EXIT_USAGE, "cannot write %s: %s", mm->args.out_path, reason);
}

static int run_on_device(struct matmul *mm)
{
	int status = open_device(mm->args.device, &mm->dev);

	if (status)
		return status;
	status = run_all(mm);
	ork_weights_destroy(mm->weights);
	ork_close(mm->dev);
	if (!status)
		status = write_result(mm);
	if (status)
		return status;
	if (mm->args.json)
		print_json(mm);
	else
		print_summary(mm);
	return mm->wrong ? EXIT_MISMATCH : EXIT_OK;
}

int cmd_matmul(int argc, char **argv)
{
	struct matmul mm = { 0 };
	int status;

	status = parse_matmul_args(argc, argv, &mm.args);
	if (status)
		return status;
	if (mm.args.help) {
		fputs(usage_text, stdout);
		return EXIT_OK;
	}
	status = prepare(&mm);
	if (!status)
		status = run_on_device(&mm);
	free_operands(&mm.in);
	free(mm.c);
	free(mm.expected);
	return status;
}
