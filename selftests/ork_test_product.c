// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xf86drm.h>

#include "ork_test.h"

#define TARGET_CNA	0x0201ull
#define TARGET_CORE	0x0801ull
#define TARGET_DPU	0x1001ull

#define BANKS		12u
#define BANK_BYTES	32768u
#define ENTRY_BYTES	64u
#define KERNEL_GROUP	32u
#define K_GROUP		32u
#define CHANNELS_IN	16u
#define CHANNELS_OUT	4u
#define SURFACES	8u

#define MAX_TASK_WORDS	96u

/* Deterministic, full range, different for neighbours in both directions. */
static int8_t element_a(uint32_t m, uint32_t k)
{
	return (int8_t)(m * 89u + k * 57u + (m * k >> 3));
}

static int8_t element_b(uint32_t k, uint32_t n)
{
	return (int8_t)(k * 101u + n * 43u + (k * n >> 5));
}

/* Layouts: hardware reference 4.1, 4.2 and 4.4. */
static size_t index_a(const struct ork_test_product *p, uint32_t m, uint32_t k)
{
	return ((size_t)k / CHANNELS_IN * p->m + m) * CHANNELS_IN + k % CHANNELS_IN;
}

static size_t index_b(const struct ork_test_product *p, uint32_t k, uint32_t n)
{
	return (size_t)n / KERNEL_GROUP * KERNEL_GROUP * p->k +
	       (size_t)k / K_GROUP * KERNEL_GROUP * K_GROUP + n % KERNEL_GROUP * K_GROUP + k % K_GROUP;
}

static size_t index_c(const struct ork_test_product *p, uint32_t m, uint32_t n)
{
	return ((size_t)n / CHANNELS_OUT * p->m + m) * CHANNELS_OUT + n % CHANNELS_OUT;
}

static void fill(struct ork_test_product *p)
{
	int8_t *a = p->a.ptr, *b = p->b.ptr;
	uint32_t m, k, n;

	for (m = 0; m < p->m; m++)
		for (k = 0; k < p->k; k++)
			a[index_a(p, m, k)] = element_a(m, k);

	for (n = 0; n < p->n; n++)
		for (k = 0; k < p->k; k++)
			b[index_b(p, k, n)] = element_b(k, n);
}

static int clear_c(int fd, struct ork_test_product *p)
{
	memset(p->c.ptr, 0xa5, p->c.bytes);
	return ork_test_bo_sync(fd, p->c.handle, DRM_ORK_SYNC_TO_DEVICE, 0, p->c.bytes);
}

static int make_buffers(int fd, struct ork_test_product *p)
{
	int ret;

	ret = ork_test_bo_init(fd, p->vm, &p->a, (uint64_t)p->m * p->k);
	if (!ret)
		ret = ork_test_bo_init(fd, p->vm, &p->b, (uint64_t)p->k * p->n);
	if (!ret)
		ret = ork_test_bo_init(fd, p->vm, &p->c, (uint64_t)p->m * p->n * sizeof(int32_t));
	return ret;
}

int ork_test_product_init(int fd, struct ork_test_product *p, uint32_t m, uint32_t k, uint32_t n,
			  uint32_t tasks)
{
	return ork_test_product_init_in(fd, 0, p, m, k, n, tasks);
}

int ork_test_product_init_in(int fd, uint32_t vm, struct ork_test_product *p, uint32_t m, uint32_t k,
			     uint32_t n, uint32_t tasks)
{
	uint32_t entries = (k + ENTRY_BYTES - 1) / ENTRY_BYTES;
	int ret;

	memset(p, 0, sizeof(*p));
	p->vm = vm;
	p->m = m;
	p->k = k;
	p->k_program = k;
	p->n = n;
	p->tasks = tasks;
	p->data_banks = (m * entries * ENTRY_BYTES + BANK_BYTES - 1) / BANK_BYTES;
	p->weight_banks = BANKS - p->data_banks;

	ret = make_buffers(fd, p);
	if (ret)
		return ret;

	fill(p);
	ret = ork_test_bo_sync(fd, p->a.handle, DRM_ORK_SYNC_TO_DEVICE, 0, p->a.bytes);
	if (!ret)
		ret = ork_test_bo_sync(fd, p->b.handle, DRM_ORK_SYNC_TO_DEVICE, 0, p->b.bytes);
	if (!ret)
		ret = clear_c(fd, p);
	return ret;
}

struct writer {
	uint64_t *words;
	uint32_t count;
};

static void put(struct writer *w, uint64_t target, uint32_t reg, uint32_t value)
{
	w->words[w->count++] = target << 48 | (uint64_t)value << 16 | reg;
}

/* The cube program of the hardware reference, 3.1; registers that only take 0 are left out. */
static void put_cna(struct writer *w, const struct ork_test_product *p, uint32_t n, uint32_t b_va)
{
	uint32_t m = p->m, k = p->k_program, reg;

	put(w, TARGET_CNA, 0x100c, 0);
	put(w, TARGET_CNA, 0x1010, (m + 1) << 4);
	put(w, TARGET_CNA, 0x1014, 0x9);
	put(w, TARGET_CNA, 0x1020, 1u << 16 | m);
	put(w, TARGET_CNA, 0x1024, (k - 1) << 16 | k);
	put(w, TARGET_CNA, 0x1028, 1);
	put(w, TARGET_CNA, 0x102c, m);
	put(w, TARGET_CNA, 0x1030, k * n);
	put(w, TARGET_CNA, 0x1034, k);
	put(w, TARGET_CNA, 0x1038, 0x01010000 | n);
	put(w, TARGET_CNA, 0x1040, p->weight_banks << 4 | p->data_banks);
	put(w, TARGET_CNA, 0x1044, (k + ENTRY_BYTES - 1) / ENTRY_BYTES);
	put(w, TARGET_CNA, 0x104c, 0xb);
	for (reg = 0x1050; reg <= 0x105c; reg += 4)
		put(w, TARGET_CNA, reg, 0x10000);
	put(w, TARGET_CNA, 0x1070, p->slots ? 0 : p->a.va);
	put(w, TARGET_CNA, 0x1078, 0x000f000f);
	put(w, TARGET_CNA, 0x107c, 4);
	put(w, TARGET_CNA, 0x1080, (m - 4) & 0x0fffffff);
	put(w, TARGET_CNA, 0x1084, 1u << 16 | m);
	put(w, TARGET_CNA, 0x1088, k);
	put(w, TARGET_CNA, 0x1110, b_va);
}

static void put_dpu(struct writer *w, const struct ork_test_product *p, uint32_t n, uint32_t c_va)
{
	uint32_t m = p->m, e = SURFACES - 1;

	put(w, TARGET_DPU, 0x400c, 0x1e4);
	put(w, TARGET_DPU, 0x4010, 0x80000000);
	put(w, TARGET_DPU, 0x4020, c_va);
	put(w, TARGET_DPU, 0x4024, m << 4);
	put(w, TARGET_DPU, 0x4030, 0);
	put(w, TARGET_DPU, 0x4034, m - 1);
	put(w, TARGET_DPU, 0x4038, 0);
	put(w, TARGET_DPU, 0x403c, (n - 1) << 16 | (n - 1));
	put(w, TARGET_DPU, 0x4040, 0x53);
	put(w, TARGET_DPU, 0x4050, e << 8 | e << 5 | e << 2 | 2);
	put(w, TARGET_DPU, 0x4058, n - 1);
	put(w, TARGET_DPU, 0x405c, (m - 1) << 16);
	put(w, TARGET_DPU, 0x4060, 0x53);
	put(w, TARGET_DPU, 0x4070, 0x383);
	put(w, TARGET_DPU, 0x4078, 1);
	put(w, TARGET_DPU, 0x4080, 0);
	put(w, TARGET_DPU, 0x4084, 1);
	put(w, TARGET_DPU, 0x4088, 0);
	put(w, TARGET_DPU, 0x40c0, m * SURFACES << 4);
}

static void put_task(struct writer *w, const struct ork_test_product *p, uint32_t task)
{
	uint32_t n = p->copies ? p->n : p->n / p->tasks;
	uint32_t first = p->copies ? 0 : task * n;
	struct ork_test_product good = *p;

	good.weight_banks = BANKS - p->data_banks;
	good.k_program = p->k;
	if (task < p->good)
		p = &good;
	put(w, TARGET_DPU, 0x4004, 0xe);
	put_cna(w, p, n, (p->slots ? 0 : p->b.va) + first * p->k);
	put(w, TARGET_CORE, 0x3010, 1);
	put(w, TARGET_CORE, 0x3014, (p->m - 1) << 16);
	put(w, TARGET_CORE, 0x3018, n - 1);
	put_dpu(w, p, n, (p->slots ? 0 : p->c.va) + first * p->m * sizeof(int32_t));
}

/* Slots 0, 1 and 2 are A, B and C. */
static uint32_t find_slots(const struct writer *w, struct drm_ork_slot *slots)
{
	static const uint16_t registers[] = { 0x1070, 0x1110, 0x4020 };
	uint32_t i, j, count = 0;

	for (i = 0; i < w->count; i++)
		for (j = 0; j < 3; j++)
			if ((uint16_t)w->words[i] == registers[j])
				slots[count++] = (struct drm_ork_slot){ i, j };
	return count;
}

void ork_test_product_build(const struct ork_test_product *p, uint32_t flags, struct ork_test_program *out)
{
	struct writer w = { .words = calloc(p->tasks, MAX_TASK_WORDS * sizeof(uint64_t)) };
	uint32_t i;

	out->slots = calloc(p->tasks, 3 * sizeof(*out->slots));
	out->tasks = calloc(p->tasks, sizeof(*out->tasks));
	out->words = w.words;
	for (i = 0; i < p->tasks; i++) {
		out->tasks[i].first_word = w.count;
		out->tasks[i].enable_map = DRM_ORK_ENABLE_CONV;
		put_task(&w, p, i);
		out->tasks[i].word_count = w.count - out->tasks[i].first_word;
	}

	out->args = (struct drm_ork_prog_create){ .flags = flags, .vm = p->vm };
	out->args.words = (struct drm_ork_array){ sizeof(uint64_t), w.count, (uintptr_t)w.words };
	out->args.tasks = (struct drm_ork_array){ sizeof(*out->tasks), p->tasks, (uintptr_t)out->tasks };
	if (p->slots)
		out->args.slots = (struct drm_ork_array){
			sizeof(*out->slots), find_slots(&w, out->slots), (uintptr_t)out->slots
		};
}

void ork_test_program_free(struct ork_test_program *program)
{
	free(program->words);
	free(program->tasks);
	free(program->slots);
}

int ork_test_product_program(int fd, struct ork_test_product *p, uint32_t flags)
{
	struct ork_test_program program;
	int ret;

	ork_test_product_build(p, flags, &program);
	ret = drmIoctl(fd, DRM_IOCTL_ORK_PROG_CREATE, &program.args) ? -errno : 0;
	p->prog = program.args.handle;
	p->reject = program.args.reject;
	ork_test_program_free(&program);
	return ret;
}

int ork_test_hang_chain_init(int fd, struct ork_test_product *p, uint32_t tasks, uint32_t good)
{
	int ret = ork_test_product_init(fd, p, 1, 2048, 64, 1);

	if (ret)
		return ret;
	p->copies = true;
	p->tasks = tasks;
	p->good = good;
	p->weight_banks = 1;
	return ork_test_product_program(fd, p, DRM_ORK_PROG_UNCHECKED_LIMITS);
}

int ork_test_hang_init(int fd, struct ork_test_product *p)
{
	return ork_test_hang_chain_init(fd, p, 1, 0);
}

int ork_test_wedge_init(int fd, struct ork_test_product *p, bool hang, uint32_t good)
{
	int ret = hang ? ork_test_product_init(fd, p, 1, 2048, 96, 3) : ork_test_product_init(fd, p, 64, 64, 96, 3);

	if (ret)
		return ret;
	p->good = good;
	if (hang)
		p->weight_banks = 1;
	else
		p->k_program = 256;
	return ork_test_product_program(fd, p, DRM_ORK_PROG_UNCHECKED_LIMITS);
}

void ork_test_product_fini(int fd, struct ork_test_product *p)
{
	struct drm_ork_prog_destroy args = { .handle = p->prog };

	drmIoctl(fd, DRM_IOCTL_ORK_PROG_DESTROY, &args);
	ork_test_bo_fini(fd, p->vm, &p->a);
	ork_test_bo_fini(fd, p->vm, &p->b);
	ork_test_bo_fini(fd, p->vm, &p->c);
}

struct drm_ork_job ork_test_product_job(const struct ork_test_product *p, uint64_t *addresses)
{
	struct drm_ork_job job = { .prog = p->prog, .queue = p->queue, .task_count = p->tasks };

	addresses[0] = p->a.va;
	addresses[1] = p->b.va;
	addresses[2] = p->c.va;
	if (p->slots)
		job.addresses = (struct drm_ork_array){ 8, 3, (uintptr_t)addresses };
	return job;
}

int ork_test_product_start(int fd, struct ork_test_product *p, uint32_t placement,
			   uint32_t core_mask, uint32_t timeout_ms, uint32_t *syncobj)
{
	uint64_t addresses[3];
	struct drm_ork_job job = ork_test_product_job(p, addresses);
	struct drm_ork_sync out = { 0 };
	int ret = ork_test_syncobj(fd, syncobj);

	if (ret)
		return ret;

	out.handle = *syncobj;
	job.placement = placement;
	job.core_mask = core_mask;
	job.timeout_ms = timeout_ms;
	job.out_syncs = (struct drm_ork_array){ sizeof(out), 1, (uintptr_t)&out };
	return ork_test_submit(fd, &job, 1, NULL);
}

int ork_test_product_run(int fd, struct ork_test_product *p, uint32_t placement, uint32_t core_mask,
			 uint32_t timeout_ms)
{
	uint32_t syncobj;
	int ret;

	ret = ork_test_product_start(fd, p, placement, core_mask, timeout_ms, &syncobj);
	if (!ret)
		ret = ork_test_wait(fd, syncobj, 60000);

	drmSyncobjDestroy(fd, syncobj);
	return ret;
}

static int32_t reference(const struct ork_test_product *p, uint32_t m, uint32_t n)
{
	int32_t sum = 0;
	uint32_t k;

	for (k = 0; k < p->k; k++)
		sum += element_a(m, k) * element_b(k, n);
	return sum;
}

uint64_t ork_test_product_check(int fd, struct ork_test_product *p)
{
	const int32_t *c = p->c.ptr;
	uint64_t wrong = 0;
	uint32_t m, n;

	if (ork_test_bo_sync(fd, p->c.handle, DRM_ORK_SYNC_TO_CPU, 0, p->c.bytes))
		return UINT64_MAX;

	/* The last task's first: a job that said too early that it has ended has not got much time. */
	for (n = p->n; n-- > 0; )
		for (m = 0; m < p->m; m++)
			wrong += c[index_c(p, m, n)] != reference(p, m, n);

	return clear_c(fd, p) ? UINT64_MAX : wrong;
}
