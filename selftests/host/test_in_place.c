/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <ork.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "addresses.h"
#include "product_types.h"

/*
 * A and C in buffers: used where they lie if the hardware can, else copied; exact in both cases. Runs on the device
 * that ORK_DEVICE names; without it, on the first render node of the driver.
 */

enum { BUFFER_BYTES = 1 << 20 };

static struct ork_device *dev;

/* A product whose A and C lie in buffers. Offsets, ld and strides are in elements. */
struct product {
	const struct product_type *type;
	size_t m, k, n, batch;
	size_t a_offset, lda, a_stride;
	size_t c_offset, ldc, c_stride;
	struct ork_bo *a, *c;
	uint8_t *a_cpu, *c_cpu;
	uint8_t *b;
	struct ork_weights *weights;
	bool imported; /* A and C: the product leaves the CPU's caches alone */
};

static const struct ork_requant requant = { .scale = 5, .shift = 13, .offset = 7 };

static size_t a_bytes(const struct product *p)
{
	return ork_dtype_bytes(p->type->type);
}

static size_t c_bytes(const struct product *p)
{
	return ork_dtype_bytes(p->type->c_type);
}

static bool make_buffer(struct ork_bo **bo, uint8_t **cpu)
{
	void *ptr;

	if (ork_bo_create(dev, BUFFER_BYTES, 0, bo) || ork_bo_map(*bo, &ptr))
		return false;
	*cpu = ptr;
	return true;
}

static bool make(struct product *p)
{
	struct ork_weights_desc desc = { .type = p->type->type, .ldb = p->n, .k = p->k, .n = p->n };
	uint64_t seed = p->k + p->n;

	p->b = malloc(p->k * p->n * a_bytes(p));
	desc.b = p->b;
	fill_type(p->type->type, p->b, p->k * p->n, &seed);
	if ((!p->a && !make_buffer(&p->a, &p->a_cpu)) || (!p->c && !make_buffer(&p->c, &p->c_cpu)))
		return false;
	fill_type(p->type->type, p->a_cpu, BUFFER_BYTES / a_bytes(p), &seed);
	memset(p->c_cpu, 0x6b, BUFFER_BYTES);
	return ork_weights_create(dev, &desc, &p->weights) == 0;
}

static void discard(struct product *p)
{
	free(p->b);
	ork_weights_destroy(p->weights);
	ork_bo_destroy(p->a);
	ork_bo_destroy(p->c);
}

static struct ork_matmul_desc desc_of(const struct product *p)
{
	return (struct ork_matmul_desc){
		.weights = p->weights, .c_type = p->type->c_type, .m = p->m, .lda = p->lda, .ldc = p->ldc,
		.batch = p->batch, .a_stride = p->a_stride, .c_stride = p->c_stride, .requant = requant,
		.a_bo = p->a, .a_offset_bytes = p->a_offset * a_bytes(p),
		.c_bo = p->c, .c_offset_bytes = p->c_offset * c_bytes(p),
	};
}

/* The end or the begin of the CPU's access to A and C. */
static bool cpu_access(const struct product *p, enum ork_sync_op op)
{
	const struct ork_sync_range ranges[] = {
		{ .bo = p->a, .op = op, .size_bytes = BUFFER_BYTES },
		{ .bo = p->c, .op = op, .size_bytes = BUFFER_BYTES },
	};

	return !p->imported || ork_bo_sync(dev, ranges, 2) == 0;
}

/* Everything else in the buffer of C stays as it is. */
static bool is_exact(const struct product *p, uint32_t cores)
{
	const struct ork_matmul_desc desc = desc_of(p);
	const struct ork_matmul_opts opts = { .cores = cores };
	struct ork_ref_desc ref = {
		.type = p->type->type, .c_type = p->type->c_type, .m = p->m, .k = p->k, .n = p->n, .lda = p->lda,
		.b = p->b, .ldb = p->n, .ldc = p->ldc, .k_slice = ork_weights_k_slice(p->weights), .requant = requant,
	};
	uint8_t *expected = malloc(BUFFER_BYTES);
	bool exact = true;
	size_t i;

	memset(expected, 0x6b, BUFFER_BYTES);
	memset(p->c_cpu, 0x6b, BUFFER_BYTES);
	for (i = 0; i < (p->batch ? p->batch : 1); i++) {
		ref.a = p->a_cpu + (p->a_offset + i * p->a_stride) * a_bytes(p);
		ref.c = expected + (p->c_offset + i * p->c_stride) * c_bytes(p);
		exact &= ork_ref_matmul(&ref) == 0;
	}
	if (!cpu_access(p, ORK_SYNC_TO_DEVICE) || ork_matmul(dev, &desc, &opts) || !cpu_access(p, ORK_SYNC_TO_CPU)) {
		note("%s", ork_error(dev));
		exact = false;
	}
	exact = exact && memcmp(p->c_cpu, expected, BUFFER_BYTES) == 0;
	free(expected);
	return exact;
}

static bool says(const struct product *p, const char *words)
{
	const struct ork_matmul_desc desc = desc_of(p);
	char text[2048];

	return ork_plan_explain(dev, &desc, NULL, text, sizeof(text)) > 0 && strstr(text, words);
}

static void aligned_operands_are_used_in_place(const struct product_type *type)
{
	struct product p = {
		.type = type, .m = 37, .k = 96, .n = 160, .batch = 3,
		.a_offset = 64, .lda = 112, .a_stride = 37 * 112 + 32, .c_offset = 128, .ldc = 176, .c_stride = 40 * 176,
	};
	bool good = make(&p);
	uint32_t cores;

	for (cores = 0; cores <= 3 && good; cores++)
		good = is_exact(&p, cores);
	ok(good && says(&p, "A: in place") && says(&p, "C: in place"),
	   "%s: a batch with gaps is computed in place on auto, 1, 2 and 3 cores", type->name);
	p.batch = 0;
	p.m = 1;
	p.lda = p.k + 1;
	p.ldc = p.n + 1;
	ok(is_exact(&p, 0) && says(&p, "A: in place") && says(&p, "C: in place"),
	   "%s: a single row is computed in place whatever its pitch", type->name);
	discard(&p);
}

static void wide_rows_are_used_in_place(void)
{
	/* More columns than a task has, and a pitch that NOTCH just holds. */
	struct product p = {
		.type = &product_types[1], .m = 5, .k = 64, .n = 9024, .lda = 64, .ldc = 131072,
	};

	ok(make(&p) && says(&p, "C: in place") && is_exact(&p, 3), "rows of 128 KiB are written in place");
	discard(&p);
}

static void k_slices_read_in_place(void)
{
	struct product p = { .type = &product_types[0], .m = 9, .k = 20480, .n = 64, .lda = 20496, .ldc = 64 };

	ok(make(&p) && says(&p, "A: in place") && says(&p, "C: copied, because K slices are added") && is_exact(&p, 0),
	   "K slices of A are read in place, their sums are copied");
	discard(&p);
}

static void other_operands_are_copied(void)
{
	static const struct product products[] = {
		{ .type = &product_types[2], .m = 4, .k = 64, .n = 64, .lda = 64, .ldc = 64 },
		{ .type = &product_types[0], .m = 4, .k = 65, .n = 64, .lda = 80, .ldc = 64 },
		{ .type = &product_types[0], .m = 4, .k = 64, .n = 64, .a_offset = 8, .lda = 64, .ldc = 64 },
		{ .type = &product_types[0], .m = 4, .k = 64, .n = 64, .lda = 72, .ldc = 64 },
		{ .type = &product_types[0], .m = 4, .k = 64, .n = 64, .batch = 2, .lda = 64, .a_stride = 257, .ldc = 64,
		  .c_stride = 256 },
		{ .type = &product_types[2], .m = 4, .k = 64, .n = 64, .lda = 64, .ldc = 64 },
		{ .type = &product_types[3], .m = 4, .k = 64, .n = 60, .lda = 64, .ldc = 60 },
		{ .type = &product_types[4], .m = 4, .k = 64, .n = 64, .lda = 64, .c_offset = 4, .ldc = 64 },
		{ .type = &product_types[0], .m = 4, .k = 64, .n = 64, .lda = 64, .ldc = 65 },
		{ .type = &product_types[0], .m = 4, .k = 64, .n = 64, .batch = 2, .lda = 64, .a_stride = 256, .ldc = 64,
		  .c_stride = 257 },
		{ .type = &product_types[0], .m = 2, .k = 64, .n = 64, .lda = 64, .ldc = 32772 },
	};
	static const char *const words[] = {
		"A: copied, because int4 is packed", "A: copied, because K is padded", "A: copied, because its offset",
		"A: copied, because its rows", "A: copied, because its matrices", "C: copied, because it is converted",
		"C: copied, because N is padded", "C: copied, because its offset", "C: copied, because its rows are no",
		"C: copied, because its matrices", "C: copied, because its rows are more than 128 KiB",
	};
	struct product p;
	size_t i;

	for (i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		p = products[i];
		ok(make(&p) && says(&p, words[i]) && is_exact(&p, 0), "%s, and the result is exact", words[i]);
		discard(&p);
	}
}

/* Only what is copied needs a stage. */
static void places_mix(void)
{
	struct product p = { .type = &product_types[0], .m = 8, .k = 64, .n = 64, .lda = 64, .ldc = 64 };
	struct ork_matmul_desc desc;
	uint64_t before, after;
	int32_t c[8 * 64];
	bool good = make(&p) && is_exact(&p, 1);

	desc = desc_of(&p);
	desc.c_bo = NULL;
	desc.c = c;
	ok(good && ork_matmul(dev, &desc, NULL) == 0 && memcmp(c, p.c_cpu, sizeof(c)) == 0,
	   "A in a buffer, C in memory of the caller");
	desc = desc_of(&p);
	desc.a_bo = NULL;
	desc.a = p.a_cpu;
	memset(p.c_cpu, 0, sizeof(c));
	ok(ork_matmul(dev, &desc, NULL) == 0 && memcmp(c, p.c_cpu, sizeof(c)) == 0, "and the other way round");
	discard(&p);
	p = (struct product){ .type = &product_types[0], .m = 2000, .k = 128, .n = 128, .lda = 128, .ldc = 128 };
	good = make(&p);
	desc = desc_of(&p);
	desc.a_offset_bytes = 1024;
	desc.m = 1;
	good = good && ork_matmul(dev, &desc, NULL) == 0;
	before = used_addresses(dev);
	good = good && ork_matmul(dev, &desc, NULL) == 0;
	desc.a_offset_bytes = 2048;
	good = good && ork_matmul(dev, &desc, NULL) == 0;
	after = used_addresses(dev);
	ok(good && before == after, "another place in the buffer uses the same program");
	discard(&p);
}

/* The memory of another device handle, as another process would pass it on. */
static void imported_buffers_are_used_in_place(void)
{
	struct product p = { .type = &product_types[0], .m = 50, .k = 256, .n = 96, .lda = 256, .ldc = 96,
			     .imported = true };
	struct ork_bo *exported[2] = { NULL, NULL };
	struct ork_device *other;
	void *ptr, *there;
	int fds[2] = { -1, -1 };
	bool good = ork_open(NULL, &other) == 0;
	int i;

	for (i = 0; i < 2 && good; i++)
		good = ork_bo_create(other, BUFFER_BYTES, 0, &exported[i]) == 0 &&
		       ork_bo_export(exported[i], &fds[i]) == 0 &&
		       ork_bo_import(dev, fds[i], i ? &p.c : &p.a) == 0;
	ok(good && ork_bo_size(p.a) == BUFFER_BYTES, "buffers are exported and imported");
	good = good && ork_bo_map(p.a, &ptr) == 0;
	p.a_cpu = ptr;
	good = good && ork_bo_map(p.c, &ptr) == 0;
	p.c_cpu = ptr;
	ok(good && make(&p) && is_exact(&p, 0) && says(&p, "A: in place") && says(&p, "C: in place"),
	   "products are computed in imported memory");
	ok(good && ork_bo_map(exported[1], &there) == 0 && memcmp(there, p.c_cpu, BUFFER_BYTES) == 0,
	   "where the other device sees them");
	ok(ork_bo_import(dev, fds[0], &p.a) == -EEXIST && ork_bo_import(other, fds[0], &p.a) == -EEXIST,
	   "memory that a device has is not imported again");
	ork_bo_destroy(exported[0]);
	ork_bo_destroy(exported[1]);
	ok(is_exact(&p, 0), "the memory stays when the one who made it gives it up");
	ork_close(other);
	discard(&p);
	close(fds[0]);
	close(fds[1]);
}

/* Memory of neither the NPU nor its driver. Returns -1 if this system has none. */
static int foreign_memory(const char *backend)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = BUFFER_BYTES };
	int exporter, fd = -1, memfd = memfd_create("ork", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (memfd < 0 || ftruncate(memfd, BUFFER_BYTES) || fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -1;
	if (strcmp(backend, "model") == 0)
		return memfd;
	create.memfd = (uint32_t)memfd;
	exporter = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (exporter >= 0) {
		fd = ioctl(exporter, UDMABUF_CREATE, &create);
		close(exporter);
	}
	close(memfd);
	return fd;
}

static void foreign_memory_is_used_in_place(void)
{
	struct product p = { .type = &product_types[0], .m = 50, .k = 256, .n = 96, .lda = 256, .ldc = 96,
			     .imported = true };
	struct ork_info info;
	int fds[2], i;
	bool good;
	void *ptr;

	ork_query(dev, &info);
	for (i = 0; i < 2; i++)
		fds[i] = foreign_memory(info.backend);
	if (fds[0] < 0 || fds[1] < 0) {
		ok(true, "memory of other exporters # SKIP this kernel has no /dev/udmabuf");
		return;
	}
	good = ork_bo_import(dev, fds[0], &p.a) == 0 && ork_bo_import(dev, fds[1], &p.c) == 0;
	good = good && ork_bo_map(p.a, &ptr) == 0;
	p.a_cpu = ptr;
	good = good && ork_bo_map(p.c, &ptr) == 0;
	p.c_cpu = ptr;
	good = good && cpu_access(&p, ORK_SYNC_TO_CPU) && make(&p) && is_exact(&p, 0);
	ok(good && says(&p, "A: in place") && says(&p, "C: in place"), "memory of other exporters is used in place");
	discard(&p);
	close(fds[0]);
	close(fds[1]);
}

/* Who knows nothing but the dma-buf waits for it. C of the last product is what counts; the others take time. */
static void others_wait_for_the_job(void)
{
	enum { PRODUCTS = 12, C_BYTES = 200 * 256 * 4 };
	const struct ork_matmul_opts in_order = { .in_order = 1 };
	struct product p = { .type = &product_types[0], .m = 200, .k = 1024, .n = 256, .lda = 1024, .ldc = 256 };
	struct ork_matmul_desc descs[PRODUCTS];
	struct pollfd written = { .events = POLLIN };
	struct ork_job *job = NULL;
	int32_t *c = malloc(C_BYTES);
	bool good;
	int i;

	good = make(&p) && is_exact(&p, 0) && ork_bo_export(p.c, &written.fd) == 0;
	memcpy(c, p.c_cpu, C_BYTES);
	memset(p.c_cpu, 0, BUFFER_BYTES);
	for (i = 0; i < PRODUCTS; i++) {
		descs[i] = desc_of(&p);
		descs[i].c_offset_bytes = i < PRODUCTS - 1 ? BUFFER_BYTES / 2 : 0;
	}
	good = good && ork_matmul_submit(dev, descs, PRODUCTS, &in_order, &job) == 0;
	good = good && poll(&written, 1, 60000) == 1 && memcmp(p.c_cpu, c, C_BYTES) == 0;
	ok(good, "C is complete when its dma-buf says so");
	ok(ork_job_wait(job, 0) == 0, "and so is the job");
	ork_job_destroy(job);
	close(written.fd);
	free(c);
	discard(&p);
}

static void wrong_imports_are_refused(void)
{
	struct ork_bo *bo = NULL, *real;
	int fd, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	ork_bo_create(dev, 4096, 0, &real);
	ok(ork_bo_import(NULL, 0, &bo) == -EINVAL && ork_bo_import(dev, -1, &bo) == -EINVAL &&
		   ork_bo_import(dev, null, NULL) == -EINVAL && ork_bo_export(NULL, &fd) == -EINVAL &&
		   ork_bo_export(real, NULL) == -EINVAL,
	   "null pointers and no descriptor are refused");
	ok(ork_bo_import(dev, null, &bo) == -EINVAL && !bo, "what is no memory is refused");
	close(null);
	ok(ork_bo_import(dev, null, &bo) == -EBADF && *ork_error(dev), "a closed descriptor is refused");
	ork_bo_destroy(real);
}

static void wrong_places_are_refused(void)
{
	struct product p = { .type = &product_types[3], .m = 8, .k = 64, .n = 64, .lda = 64, .ldc = 64 };
	struct ork_matmul_desc desc;
	struct ork_device *other;
	struct ork_bo *foreign;
	uint8_t first;

	make(&p);
	first = p.c_cpu[0];
	ork_open("model", &other);
	ork_bo_create(other, BUFFER_BYTES, 0, &foreign);
	desc = desc_of(&p);
	desc.a = p.a_cpu;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL && strstr(ork_error(dev), "a_bo"), "a buffer and a pointer are refused");
	desc.a = NULL;
	desc.a_bo = NULL;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL, "neither of them as well");
	desc = desc_of(&p);
	desc.a_bo = foreign;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL && strstr(ork_error(dev), "another device"),
	   "a buffer of another device is refused");
	desc = desc_of(&p);
	desc.a_offset_bytes = BUFFER_BYTES - 8 * 64 * 2 + 2;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL && strstr(ork_error(dev), "as a whole"),
	   "a buffer that is too small for A is refused");
	desc = desc_of(&p);
	desc.c_offset_bytes = SIZE_MAX - 3;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL, "an offset behind the buffer of C is refused");
	desc = desc_of(&p);
	desc.ldc = BUFFER_BYTES / 4 / 7;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL, "a stride that leaves the buffer is refused");
	desc = desc_of(&p);
	desc.batch = 2;
	desc.c_stride = BUFFER_BYTES / 4;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL, "a batch that leaves the buffer is refused");
	desc = desc_of(&p);
	desc.a_offset_bytes = 1;
	ok(ork_matmul(dev, &desc, NULL) == -EINVAL && strstr(ork_error(dev), "misaligned"),
	   "an offset inside of an element is refused");
	ok(p.c_cpu[0] == first, "and nothing was computed");
	desc = desc_of(&p);
	desc.a_offset_bytes = BUFFER_BYTES - 8 * 64 * 2;
	desc.c_offset_bytes = BUFFER_BYTES - 8 * 64 * 4;
	ok(ork_matmul(dev, &desc, NULL) == 0, "operands that end where their buffers end are good");
	ork_bo_destroy(foreign);
	ork_close(other);
	discard(&p);
}

int main(void)
{
	size_t i;

	if (!ok(ork_open(NULL, &dev) == 0, "the device opens"))
		return done();
	for (i = 0; i < PRODUCT_TYPES; i++)
		if (product_types[i].type != ORK_I4)
			aligned_operands_are_used_in_place(&product_types[i]);
	wide_rows_are_used_in_place();
	k_slices_read_in_place();
	other_operands_are_copied();
	places_mix();
	imported_buffers_are_used_in_place();
	foreign_memory_is_used_in_place();
	others_wait_for_the_job();
	wrong_imports_are_refused();
	wrong_places_are_refused();
	ok(ork_close(dev) == 0, "the device closes");
	return done();
}
