/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <ork.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "product.h"
#include "tap.h"

/*
 * Jobs in flight, several products in one call, batches, and the words of ork_plan_explain().
 */

static struct ork_device *dev;

/* Products of one shape with operands of their own. */
enum { M = 33, K = 300, N = 100, PRODUCTS = 7 };

static int8_t a[PRODUCTS][M * K], b[PRODUCTS][K * N];
static int32_t c[PRODUCTS][M * N], expected[PRODUCTS][M * N];
static struct ork_weights *weights[PRODUCTS];
static struct ork_matmul_desc descs[PRODUCTS];

static bool make_products(void)
{
	uint64_t seed = 11;
	int i, err = 0;

	for (i = 0; i < PRODUCTS; i++) {
		random_fill(a[i], sizeof(a[i]), &seed);
		random_fill(b[i], sizeof(b[i]), &seed);
		err |= ref_i8(a[i], K, b[i], N, expected[i], N, M, K, N);
		err |= weights_i8(dev, b[i], N, K, N, &weights[i]);
		descs[i] = (struct ork_matmul_desc){
			.weights = weights[i], .m = M, .a = a[i], .lda = K, .c = c[i], .ldc = N
		};
	}
	return !err;
}

static bool all_exact(void)
{
	return memcmp(c, expected, sizeof(c)) == 0;
}

static void products_of_one_call_are_exact(void)
{
	struct ork_job *job;

	memset(c, 0x77, sizeof(c));
	ok(ork_matmul_submit(dev, descs, PRODUCTS, NULL, &job) == 0, "%d products are submitted in one call", PRODUCTS);
	ok(ork_job_wait(job, -1) == 0 && all_exact(), "all are exact");
	ok(ork_job_wait(job, 0) == 0, "waiting again gives the same result");
	ork_job_destroy(job);
}

static const struct ork_backend *counted_backend;
static int buffers_made;

static int count_buffer(struct ork_device *device, struct drm_ork_bo_create *args)
{
	buffers_made++;
	return counted_backend->bo_create(device, args);
}

/* As many as experts of a language model give. */
static int compute_many(void)
{
	enum { MANY = 24 };
	struct ork_matmul_desc many[MANY];
	struct ork_job *job;
	int i, err;

	for (i = 0; i < MANY; i++)
		many[i] = descs[i % PRODUCTS];
	err = ork_matmul_submit(dev, many, MANY, NULL, &job);
	if (err)
		return err;
	err = ork_job_wait(job, -1);
	ork_job_destroy(job);
	return err;
}

static void products_of_a_repeated_call_make_no_buffers(void)
{
	struct ork_backend counting = *dev->backend;
	int err = compute_many();

	counting.bo_create = count_buffer;
	counted_backend = dev->backend;
	dev->backend = &counting;
	if (!err)
		err = compute_many();
	ok(!err && !buffers_made, "the same call again makes no buffers (%d)", buffers_made);
	dev->backend = counted_backend;
}

static void many_equal_products_use_one_core_each(void)
{
	struct ork_info before, after;
	struct ork_job *job;
	uint64_t jobs = 0;
	int i;

	ork_query(dev, &before);
	ork_matmul_submit(dev, descs, 6, NULL, &job);
	ork_job_wait(job, -1);
	ork_job_destroy(job);
	ork_query(dev, &after);
	for (i = 0; i < 3; i++)
		jobs += after.jobs_done[i] - before.jobs_done[i];
	ok(jobs == 6 && after.jobs_done[0] > before.jobs_done[0] && after.jobs_done[1] > before.jobs_done[1] &&
		   after.jobs_done[2] > before.jobs_done[2],
	   "six products are six jobs on three cores");
}

static void several_jobs_are_in_flight(void)
{
	struct ork_job *jobs[PRODUCTS];
	int i, err = 0;

	memset(c, 0x77, sizeof(c));
	for (i = 0; i < PRODUCTS; i++)
		err |= ork_matmul_submit(dev, &descs[i], 1, NULL, &jobs[i]);
	/* A has been read. */
	memset(a, 0, sizeof(a));
	for (i = PRODUCTS - 1; i >= 0; i--)
		err |= ork_job_wait(jobs[i], -1);
	ok(!err && all_exact(), "jobs in flight keep their operands, and end in any order");
	for (i = 0; i < PRODUCTS; i++)
		ork_job_destroy(jobs[i]);
}

static bool is_readable(int fd)
{
	struct pollfd poll_one = { .fd = fd, .events = POLLIN };

	return poll(&poll_one, 1, 10000) == 1 && poll_one.revents & POLLIN;
}

static void descriptor_tells_the_end(void)
{
	struct ork_job *job;
	int fd = -1, late = -1;

	ork_matmul_submit(dev, descs, 2, NULL, &job);
	ok(ork_job_fd(job, &fd) == 0 && is_readable(fd), "the descriptor becomes readable");
	ok(ork_job_wait(job, 0) == 0, "then waiting needs no time");
	ok(ork_job_fd(job, &late) == 0 && is_readable(late), "a descriptor of an ended job is readable");
	ok(ork_job_fd(job, NULL) == -EINVAL && ork_job_fd(NULL, &fd) == -EINVAL && ork_job_wait(NULL, 0) == -EINVAL,
	   "null pointers are refused");
	close(fd);
	close(late);
	ork_job_destroy(job);
	ork_job_destroy(NULL);
}

static void job_that_is_not_awaited_writes_nothing(void)
{
	struct ork_job *job;
	bool untouched = true;
	size_t i;

	memset(c, 0x77, sizeof(c));
	ork_matmul_submit(dev, descs, PRODUCTS, NULL, &job);
	ok(ork_close(dev) == -EBUSY && strstr(ork_error(dev), "1 jobs"), "a device with a job stays open");
	ork_job_destroy(job);
	for (i = 0; i < sizeof(c); i++)
		untouched &= ((char *)c)[i] == 0x77;
	ok(untouched, "a job that is destroyed without waiting leaves C alone");
}

static void wrong_submits_leave_nothing_behind(void)
{
	struct ork_matmul_desc wrong[2] = { descs[0], descs[1] };
	struct ork_info before, after;
	struct ork_job *job = NULL;

	ork_query(dev, &before);
	ok(ork_matmul_submit(NULL, descs, 1, NULL, &job) == -EINVAL &&
		   ork_matmul_submit(dev, NULL, 1, NULL, &job) == -EINVAL &&
		   ork_matmul_submit(dev, descs, 0, NULL, &job) == -EINVAL &&
		   ork_matmul_submit(dev, descs, 1, NULL, NULL) == -EINVAL,
	   "null pointers and no products are refused");
	wrong[1].ldc = N - 1;
	ok(ork_matmul_submit(dev, wrong, 2, NULL, &job) == -EINVAL && strstr(ork_error(dev), "ldc"),
	   "one wrong product refuses all");
	wrong[1] = descs[1];
	wrong[1].c_type = ORK_F32;
	ok(ork_matmul_submit(dev, wrong, 2, NULL, &job) == -EINVAL && strstr(ork_error(dev), "C cannot be f32"),
	   "a type of C that A and B do not give is refused");
	wrong[1].c_type = ORK_I8;
	wrong[1].requant.scale = 40000;
	ok(ork_matmul_submit(dev, wrong, 2, NULL, &job) == -EINVAL, "a scale of 17 bits is refused");
	wrong[1] = descs[1];
	wrong[1].batch = 2;
	wrong[1].a_stride = SIZE_MAX / 2;
	ok(ork_matmul_submit(dev, wrong, 2, NULL, &job) == -EINVAL, "a stride that wraps is refused");
	ork_query(dev, &after);
	ok(!job && before.vm_used_bytes == after.vm_used_bytes, "nothing is left of refused calls");
}

/* Batches: one B for all or one for each, joined rows or gaps, more matrices than fit one pass. */
static bool batch_is_exact(size_t count, size_t m, size_t k, size_t n, size_t gap, bool own_b)
{
	const size_t a_stride = m * k + gap, b_stride = k * n + gap, c_stride = m * n + gap;
	int8_t *a_all = malloc(count * a_stride), *b_all = malloc(count * b_stride);
	int32_t *c_all = malloc(count * c_stride * 4), *want = malloc(count * c_stride * 4);
	struct ork_weights_desc b_desc = {
		.type = ORK_I8, .b = b_all, .ldb = n, .k = k, .n = n, .batch = own_b ? count : 0, .b_stride = b_stride
	};
	struct ork_matmul_desc desc = {
		.m = m, .a = a_all, .lda = k, .c = c_all, .ldc = n, .batch = count, .a_stride = a_stride,
		.c_stride = c_stride,
	};
	uint64_t seed = count;
	bool exact;
	size_t i;

	random_fill(a_all, count * a_stride, &seed);
	random_fill(b_all, count * b_stride, &seed);
	memset(c_all, 0x33, count * c_stride * 4);
	memset(want, 0x33, count * c_stride * 4);
	for (i = 0; i < count; i++)
		ref_i8(a_all + i * a_stride, k, b_all + (own_b ? i * b_stride : 0), n, want + i * c_stride, n, m, k, n);
	exact = ork_weights_create(dev, &b_desc, &desc.weights) == 0 && ork_matmul(dev, &desc, NULL) == 0 &&
		memcmp(c_all, want, count * c_stride * 4) == 0;
	ork_weights_destroy(desc.weights);
	free(a_all);
	free(b_all);
	free(c_all);
	free(want);
	return exact;
}

static void batches_are_exact(void)
{
	ok(batch_is_exact(5, 7, 100, 50, 0, false), "a batch with one B is exact");
	ok(batch_is_exact(5, 7, 100, 50, 9, false), "with gaps as well");
	ok(batch_is_exact(5, 7, 100, 50, 0, true), "a batch with a B for each is exact");
	ok(batch_is_exact(3, 40, 33, 9000, 5, true), "a batch of wide matrices is exact");
	ok(batch_is_exact(600, 32, 32, 1000, 1, true), "a batch that needs more than one pass is exact");
	ok(batch_is_exact(2, 3, 25000, 70, 3, true), "a batch with K slices is exact");
	ok(batch_is_exact(3000, 1, 32, 32, 1, true), "a batch of 3000 small matrices is exact");
	ok(batch_is_exact(5000, 1, 32, 32, 1, true), "a batch of more tasks than a program has is exact");
}

static void wrong_batches_are_refused(void)
{
	struct ork_weights_desc b_desc = {
		.type = ORK_I8, .b = b[0], .ldb = N, .k = K / 2, .n = N, .batch = 2, .b_stride = K / 2 * N
	};
	struct ork_matmul_desc desc = { .m = 1, .a = a[0], .lda = K, .c = c[0], .ldc = N, .a_stride = K, .c_stride = N };

	ork_weights_create(dev, &b_desc, &desc.weights);
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL && strstr(ork_error(dev), "2 matrices"),
	   "a batch smaller than that of its weights is refused");
	desc.batch = 3;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL, "a larger one as well");
	ork_weights_destroy(desc.weights);
	b_desc.b_stride = SIZE_MAX;
	ok(ork_weights_create(dev, &b_desc, &desc.weights) == -EINVAL, "weights with a stride that wraps are refused");
	b_desc.batch = ORK_MAX_DIM + 1;
	ok(ork_weights_create(dev, &b_desc, &desc.weights) == -E2BIG, "weights with too many matrices are refused");
}

static void plans_are_explained(void)
{
	struct ork_matmul_desc desc = { .weights = weights[0], .m = 3000 };
	char text[1024];
	int length;

	length = ork_plan_explain(dev, &desc, NULL, text, sizeof(text));
	ok(length > 0 && (size_t)length == strlen(text) && strstr(text, "M=3000 K=320 N=128, i8 to i32"),
	   "a plan is explained without data");
	ok(ork_plan_explain(dev, &desc, NULL, NULL, 0) == length, "its length can be asked for");
	desc.m = ORK_MAX_DIM;
	length = ork_plan_explain(dev, &desc, NULL, text, sizeof(text));
	ok(length > 0 && strncmp(text, "passes: ", 8) == 0, "passes are told");
	ok(ork_plan_explain(NULL, &desc, NULL, text, sizeof(text)) == -EINVAL &&
		   ork_plan_explain(dev, NULL, NULL, text, sizeof(text)) == -EINVAL &&
		   ork_plan_explain(dev, &desc, NULL, NULL, 1) == -EINVAL,
	   "null pointers are refused");
}

static void words_of_plans_are_shown(void)
{
	struct ork_weights *weights;
	struct ork_matmul_desc desc = { .m = 300, .lda = 64, .ldc = 96 };
	static int8_t b[64 * 96];
	uint64_t *words;
	int count;

	if (weights_i8(dev, b, 96, 64, 96, &weights))
		return;
	desc.weights = weights;
	count = ork_plan_words(dev, &desc, NULL, NULL, 0);
	ok(count > 0 && count % ORK_WORDS_PER_TASK == 0, "the number of words of a plan can be asked for");
	words = calloc((size_t)count, sizeof(*words));
	ok(words && ork_plan_words(dev, &desc, NULL, words, (size_t)count - 1) == count && !words[0],
	   "too little room is left alone");
	/* The first word of each task is the DPU's S_POINTER (NPU reference 3.1). */
	ok(words && ork_plan_words(dev, &desc, NULL, words, (size_t)count) == count &&
		   words[0] == UINT64_C(0x10010000000e4004) && words[count - ORK_WORDS_PER_TASK] == words[0],
	   "the words are those of tasks");
	ok(ork_plan_words(dev, &desc, NULL, NULL, 1) == -EINVAL, "there has to be memory for them");
	free(words);
	ork_weights_destroy(weights);
}

int main(void)
{
	int i;

	if (!ok(ork_open("model", &dev) == 0 && make_products(), "the model opens"))
		return done();
	products_of_one_call_are_exact();
	products_of_a_repeated_call_make_no_buffers();
	many_equal_products_use_one_core_each();
	several_jobs_are_in_flight();
	descriptor_tells_the_end();
	job_that_is_not_awaited_writes_nothing();
	wrong_submits_leave_nothing_behind();
	batches_are_exact();
	wrong_batches_are_refused();
	plans_are_explained();
	words_of_plans_are_shown();
	for (i = 0; i < PRODUCTS; i++)
		ork_weights_destroy(weights[i]);
	ok(ork_close(dev) == 0, "the model closes");
	return done();
}
