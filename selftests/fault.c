// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/*
 * Each allocation, and each copy from or to user memory, of a whole use of the driver fails once: the call that it belongs to
 * returns an error that says so, or the use goes well all the same, and another client's jobs are right before and after.
 */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

#define DRIVER "/sys/bus/platform/drivers/rknpu-ork-core/"
#define SWEEP_TIMEOUT_S 7200
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

/* Of the device that is bound now. */
static bool find_node(void)
{
	int fd = ork_test_open();
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, node, sizeof(node) - 1);
	if (fd >= 0)
		close(fd);
	return length > 0;
}

/* What a sweep has counted. */
struct counts {
	uint32_t failures, no_memory, bad_address;
};

static void count(struct counts *c, bool came, int ret)
{
	c->failures += came;
	c->no_memory += ret == -ENOMEM;
	c->bad_address += ret == -EFAULT;
}

static void print_counts(const char *name, const struct counts *c)
{
	printf("# figure fault.%s.failures %u failures\n", name, c->failures);
	printf("# figure fault.%s.enomem %u of them ENOMEM\n", name, c->no_memory);
	printf("# figure fault.%s.efault %u of them EFAULT\n", name, c->bad_address);
	fflush(stdout);
}

FIXTURE(fault)
{
	int fail, fd;
	struct ork_test_product other;
};

FIXTURE_SETUP(fault)
{
	self->fail = ork_test_fail_open();
	if (self->fail < 0)
		SKIP(return, "the kernel does not inject failures, or not for us");
	ASSERT_TRUE(find_node());
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(ork_test_product_init(self->fd, &self->other, 2, 64, 64, 2), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &self->other, 0), 0);
}

FIXTURE_TEARDOWN(fault)
{
	ork_test_product_fini(self->fd, &self->other);
	close(self->fd);
	close(self->fail);
}

/* Each so many failures: 1 is all of them, which takes minutes on the emulated board with the debug kernel. */
static uint32_t step(void)
{
	const char *text = getenv("FAULT_STEP");
	int value = text ? atoi(text) : 1;

	return value > 0 ? value : 1;
}

/* Not the same ones in each run. */
static uint32_t first_failure(void)
{
	uint32_t draw = 0;

	return getrandom(&draw, sizeof(draw), 0) == sizeof(draw) ? 1 + draw % step() : 1;
}

static bool says_what_failed(int error)
{
	return error == -ENOMEM || error == -EFAULT;
}

/* Without a failure, all of it works. */
static void sweep(struct __test_metadata *_metadata, FIXTURE_DATA(fault) *self, bool slots)
{
	struct counts counts = { 0 };
	struct ork_test_left left;
	const char *failed;
	bool came = true;
	uint32_t n;
	int ret;

	ASSERT_EQ(use_driver(slots, &failed), 0);
	ork_test_left_look(&left);
	for (n = first_failure(); came && n < LIMIT; n += step()) {
		ork_test_fail_nth(self->fail, n);
		ret = use_driver(slots, &failed);
		came = ork_test_fail_came(self->fail);
		count(&counts, came, ret);
		if (!came)
			EXPECT_EQ(ret, 0);
		EXPECT_TRUE(!ret || says_what_failed(ret))
			TH_LOG("failure %u: %s: %d", n, failed, ret);
		ASSERT_EQ(ork_test_product_run(self->fd, &self->other, DRM_ORK_PLACE_SPLIT, 5, 0), 0)
			TH_LOG("after failure %u in: %s", n, failed);
		ASSERT_EQ(ork_test_product_check(self->fd, &self->other), 0);
	}
	EXPECT_LT(n, LIMIT);
	EXPECT_GT(counts.no_memory + counts.bad_address, 0);
	EXPECT_EQ(use_driver(slots, &failed), 0);
	EXPECT_TRUE(ork_test_left_nothing(&left));
	EXPECT_LE(ork_test_left_leaks(), 0);
	print_counts(slots ? "slots" : "use", &counts);
}

TEST_F_TIMEOUT(fault, each_failure_of_a_use_is_an_error_and_leaves_nothing, SWEEP_TIMEOUT_S)
{
	sweep(_metadata, self, false);
}

TEST_F_TIMEOUT(fault, each_failure_of_a_use_with_slots_is_an_error_and_leaves_nothing, SWEEP_TIMEOUT_S)
{
	sweep(_metadata, self, true);
}

/* --- a device is bound ---------------------------------------------------------------------------------------------- */

FIXTURE(bind)
{
	char device[2][64];
	int fail, bind, unbind;
};

/* Two of the devices that the driver is bound to. */
static bool find_devices(char (*name)[64])
{
	glob_t found;
	bool two;
	int i;

	if (glob(DRIVER "*.npu", 0, NULL, &found))
		return false;
	two = found.gl_pathc >= 2;
	for (i = 0; two && i < 2; i++)
		snprintf(name[i], sizeof(name[i]), "%s", strrchr(found.gl_pathv[i], '/') + 1);
	globfree(&found);
	return two;
}

FIXTURE_SETUP(bind)
{
	self->fail = ork_test_fail_open();
	if (self->fail < 0)
		SKIP(return, "the kernel does not inject failures, or not for us");
	if (!find_devices(self->device))
		SKIP(return, "there is one device only");
	self->bind = open(DRIVER "bind", O_WRONLY | O_CLOEXEC);
	self->unbind = open(DRIVER "unbind", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(self->bind, 0);
	ASSERT_GE(self->unbind, 0);
}

FIXTURE_TEARDOWN(bind)
{
	close(self->bind);
	close(self->unbind);
	close(self->fail);
}

static int write_name(int fd, const char *device)
{
	return pwrite(fd, device, strlen(device), 0) < 0 ? -errno : 0;
}

/*
 * Another device is missing meanwhile, so the DRM device is not made: there Linux 7.3 crashes by itself, in drm_minor_alloc_release()
 * and in devfreq_dev_release(), which give back what was not made.
 */
TEST_F_TIMEOUT(bind, each_failure_is_an_error_and_the_next_one_works, SWEEP_TIMEOUT_S)
{
	struct counts counts = { 0 };
	const char *failed;
	bool came = true;
	uint32_t n;
	int ret;

	ASSERT_EQ(write_name(self->unbind, self->device[0]), 0);
	ASSERT_EQ(write_name(self->unbind, self->device[1]), 0);
	for (n = first_failure(); came && n < LIMIT; n += step()) {
		ork_test_fail_nth(self->fail, n);
		ret = write_name(self->bind, self->device[0]);
		came = ork_test_fail_came(self->fail);
		count(&counts, came, ret);
		/* Some of the kernel's own functions say -EBUSY or -ENOENT when there is no memory. */
		if (ret)
			ASSERT_EQ(write_name(self->bind, self->device[0]), 0)
				TH_LOG("after failure %u", n);
		ASSERT_EQ(write_name(self->unbind, self->device[0]), 0);
	}
	EXPECT_LT(n, LIMIT);
	EXPECT_GT(counts.no_memory, 0);
	ASSERT_EQ(write_name(self->bind, self->device[0]), 0);
	ASSERT_EQ(write_name(self->bind, self->device[1]), 0);
	ASSERT_TRUE(find_node());
	EXPECT_EQ(use_driver(false, &failed), 0);
	EXPECT_LE(ork_test_left_leaks(), 0);
	print_counts("bind", &counts);
}

TEST_HARNESS_MAIN
