// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * Each allocation, and each copy from or to user memory, of a whole use of the driver fails once: the call that it belongs to
 * returns an error that says so, or the use goes well all the same, and another client's jobs are right before and after.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define SWEEP_TIMEOUT_S 900
#define WAIT_MS 60000
/* No use of the driver has as many points of failure. */
#define LIMIT 20000

/* A whole use, with what its steps have made. */
struct use {
	int fd, other, buffer;
	bool slots;
	uint32_t vm, queue, in, out;
	struct ork_test_product p;
	struct drm_ork_job_wait result;
};

struct step {
	const char *name;
	int (*run)(struct use *use);
};

static char node[64];

static int open_node(struct use *use)
{
	use->fd = open(node, O_RDWR | O_CLOEXEC);
	return use->fd < 0 ? -errno : 0;
}

static int create_vm(struct use *use)
{
	return ork_test_vm_create(use->fd, &use->vm);
}

static int make_buffers(struct use *use)
{
	return ork_test_product_init_in(use->fd, use->vm, &use->p, 2, 64, 64, 2);
}

static int make_program(struct use *use)
{
	use->p.slots = use->slots;
	return ork_test_product_program(use->fd, &use->p, 0);
}

static int create_queue(struct use *use)
{
	int ret = ork_test_queue_create(use->fd, DRM_ORK_PRIORITY_NORMAL, 0, &use->queue);

	use->p.queue = use->queue;
	return ret;
}

static int create_syncobjs(struct use *use)
{
	int ret = ork_test_syncobj(use->fd, &use->out);

	if (!ret && drmSyncobjCreate(use->fd, DRM_SYNCOBJ_CREATE_SIGNALED, &use->in))
		ret = -errno;
	return ret;
}

static int submit_and_wait(struct use *use)
{
	struct drm_ork_sync_range cache = { .handle = use->p.c.handle, .op = DRM_ORK_SYNC_TO_CPU, .size_bytes = use->p.c.bytes };
	struct drm_ork_sync in = { .handle = use->in }, out = { .handle = use->out };
	uint64_t addresses[3], id;
	struct drm_ork_job job = ork_test_product_job(&use->p, addresses);
	int ret;

	job.flags = DRM_ORK_JOB_IMPLICIT_SYNC;
	job.placement = DRM_ORK_PLACE_SPLIT;
	job.core_mask = 5;
	job.cache = (struct drm_ork_array){ sizeof(cache), 1, (uintptr_t)&cache };
	job.in_syncs = (struct drm_ork_array){ sizeof(in), 1, (uintptr_t)&in };
	job.out_syncs = (struct drm_ork_array){ sizeof(out), 1, (uintptr_t)&out };
	ret = ork_test_submit_one(use->fd, &job, &id);
	/* Not by way of a sync file: DRM has -EINVAL for the lack of memory for one. */
	if (!ret && drmSyncobjWait(use->fd, &use->out, 1, INT64_MAX, 0, NULL))
		ret = -errno;
	if (!ret)
		ret = ork_test_job_wait(use->fd, id, WAIT_MS, &use->result);
	return ret ? ret : use->result.error;
}

static int check_result(struct use *use)
{
	uint64_t wrong = ork_test_product_check(use->fd, &use->p);

	/* It fails in a call if it does not count. */
	if (wrong == UINT64_MAX)
		return -ENOMEM;
	return wrong ? -EDOM : 0;
}

static int share_buffer(struct use *use)
{
	uint32_t handle;

	use->other = open(node, O_RDWR | O_CLOEXEC);
	if (use->other < 0)
		return -errno;
	if (drmPrimeHandleToFD(use->fd, use->p.a.handle, DRM_CLOEXEC, &use->buffer))
		return -errno;
	return drmPrimeFDToHandle(use->other, use->buffer, &handle) ? -errno : 0;
}

static int query_and_give_back(struct use *use)
{
	struct drm_ork_device_info info;
	struct drm_ork_bo_wait wait = { .handle = use->p.c.handle };
	int ret = ork_test_device(use->fd, &info);

	if (!ret && drmIoctl(use->fd, DRM_IOCTL_ORK_BO_WAIT, &wait))
		ret = -errno;
	if (!ret)
		ret = ork_test_queue_destroy(use->fd, use->queue);
	if (!ret)
		ret = ork_test_vm_destroy(use->fd, use->vm);
	return ret;
}

static const struct step steps[] = {
	{ "open", open_node },
	{ "create a VM", create_vm },
	{ "make buffers", make_buffers },
	{ "make a program", make_program },
	{ "create a queue", create_queue },
	{ "create syncobjs", create_syncobjs },
	{ "submit and wait", submit_and_wait },
	{ "check the result", check_result },
	{ "share a buffer", share_buffer },
	{ "give back", query_and_give_back },
};

static void unmap(struct ork_test_bo *bo)
{
	if (bo->ptr && bo->ptr != MAP_FAILED)
		munmap(bo->ptr, bo->bytes);
}

/* What was made goes with the files. */
static void end_use(struct use *use)
{
	unmap(&use->p.a);
	unmap(&use->p.b);
	unmap(&use->p.c);
	if (use->buffer >= 0)
		close(use->buffer);
	if (use->other >= 0)
		close(use->other);
	if (use->fd >= 0)
		close(use->fd);
}

/* Returns 0 or the error of the step that failed. */
static int use_driver(bool slots, const char **failed)
{
	struct use use = { .fd = -1, .other = -1, .buffer = -1, .slots = slots };
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(steps) / sizeof(steps[0]); i++) {
		*failed = steps[i].name;
		ret = steps[i].run(&use);
	}
	end_use(&use);
	return ret;
}

FIXTURE(fault)
{
	int fail, fd;
	struct ork_test_product other;
};

FIXTURE_SETUP(fault)
{
	char link[32];

	self->fail = ork_test_fail_open();
	if (self->fail < 0)
		SKIP(return, "the kernel does not inject failures, or not for us");
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", self->fd);
	ASSERT_GT(readlink(link, node, sizeof(node) - 1), 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->other, 2, 64, 64, 2), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->other, 0), 0);
}

FIXTURE_TEARDOWN(fault)
{
	ork_test_product_fini(self->fd, &self->other);
	close(self->fd);
	close(self->fail);
}

static bool says_what_failed(int error)
{
	return error == -ENOMEM || error == -EFAULT;
}

/* Without a failure, all of it works. */
static void sweep(struct __test_metadata *_metadata, FIXTURE_DATA(fault) *self, bool slots)
{
	const char *failed;
	uint32_t n, errors = 0;
	bool came = true;
	int ret;

	ASSERT_EQ(use_driver(slots, &failed), 0);
	for (n = 1; came && n < LIMIT; n++) {
		ork_test_fail_nth(self->fail, n);
		ret = use_driver(slots, &failed);
		came = ork_test_fail_came(self->fail);
		errors += !!ret;
		if (!came)
			EXPECT_EQ(ret, 0);
		EXPECT_TRUE(!ret || says_what_failed(ret))
			TH_LOG("failure %u: %s: %d", n, failed, ret);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->other, DRM_ORK_PLACE_SPLIT, 5, 0), 0)
			TH_LOG("after failure %u in: %s", n, failed);
		ASSERT_EQ(ork_test_product_check(self->fd, &self->other), 0);
	}
	EXPECT_LT(n, LIMIT);
	EXPECT_GT(errors, 0);
	EXPECT_EQ(use_driver(slots, &failed), 0);
	TH_LOG("%u failures, %u of them an error", n - 2, errors);
}

TEST_F_TIMEOUT(fault, each_failure_of_a_use_is_an_error_and_leaves_others_alone, SWEEP_TIMEOUT_S)
{
	sweep(_metadata, self, false);
}

TEST_F_TIMEOUT(fault, each_failure_of_a_use_with_slots_is_an_error_and_leaves_others_alone, SWEEP_TIMEOUT_S)
{
	sweep(_metadata, self, true);
}

TEST_HARNESS_MAIN
