// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Memory of other exporters: the NPU computes where it lies. */

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

FIXTURE(import)
{
	int fd, exporter;
};

FIXTURE_VARIANT(import)
{
	const char *node;
	int (*make)(int exporter, uint64_t bytes);
};

/* Returns a dma-buf or a negative errno. */
static int make_udmabuf(int exporter, uint64_t bytes)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = bytes };
	int ret = -errno, memfd = memfd_create("ork", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (memfd < 0)
		return ret;
	create.memfd = memfd;
	if (ftruncate(memfd, bytes) || fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		ret = -errno;
	else
		ret = ioctl(exporter, UDMABUF_CREATE, &create);
	if (ret < 0)
		ret = -errno;
	/* The dma-buf holds the pages. */
	close(memfd);
	return ret;
}

static int make_from_heap(int exporter, uint64_t bytes)
{
	struct dma_heap_allocation_data data = { .len = bytes, .fd_flags = O_RDWR | O_CLOEXEC };

	return ioctl(exporter, DMA_HEAP_IOCTL_ALLOC, &data) ? -errno : (int)data.fd;
}

FIXTURE_VARIANT_ADD(import, udmabuf)
{
	.node = "/dev/udmabuf", .make = make_udmabuf,
};

FIXTURE_VARIANT_ADD(import, dma_heap)
{
	.node = "/dev/dma_heap/system", .make = make_from_heap,
};

FIXTURE_SETUP(import)
{
	self->exporter = open(variant->node, O_RDWR | O_CLOEXEC);
	if (self->exporter < 0)
		SKIP(return, "this kernel has no %s", variant->node);
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(import)
{
	close(self->exporter);
	close(self->fd);
}

/* What the CPU does in memory of another exporter goes through that exporter. */
static int cpu_access(int dmabuf, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	return ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync) ? -errno : 0;
}

/* Puts foreign memory with the same contents in the place of a buffer of the product. */
static int replace(int fd, struct ork_test_bo *bo, int dmabuf)
{
	void *ptr = mmap(NULL, bo->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	uint32_t handle;
	uint64_t va;
	int ret;

	if (ptr == MAP_FAILED)
		return -errno;
	ret = cpu_access(dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	memcpy(ptr, bo->ptr, bo->bytes);
	if (!ret)
		ret = cpu_access(dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	if (!ret)
		ret = drmPrimeFDToHandle(fd, dmabuf, &handle);
	if (!ret)
		ret = ork_test_map(fd, 0, handle, 0, bo->bytes, &va);
	if (ret)
		return ret;

	ork_test_bo_fini(fd, 0, bo);
	bo->handle = handle;
	bo->va = va;
	bo->ptr = ptr;
	return 0;
}

TEST_F(import, the_npu_computes_in_foreign_memory)
{
	struct ork_test_product p;
	struct ork_test_bo *bos[] = { &p.a, &p.b, &p.c };
	int i, dmabuf[3];

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 8, 256, 96, 3), 0);
	for (i = 0; i < 3; i++) {
		dmabuf[i] = variant->make(self->exporter, bos[i]->bytes);
		ASSERT_GE(dmabuf[i], 0);
		ASSERT_EQ(replace(self->fd, bos[i], dmabuf[i]), 0);
	}
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_SPLIT, 7, 0), 0);
		ASSERT_EQ(cpu_access(dmabuf[2], DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW), 0);
		EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
		ASSERT_EQ(cpu_access(dmabuf[2], DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW), 0);
	}
	ork_test_product_fini(self->fd, &p);
	for (i = 0; i < 3; i++)
		close(dmabuf[i]);
}

TEST_F(import, foreign_memory_stays_while_it_is_mapped)
{
	struct ork_test_product p;
	int dmabuf;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 4, 128, 64, 2), 0);
	dmabuf = variant->make(self->exporter, p.b.bytes);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(replace(self->fd, &p.b, dmabuf), 0);
	munmap(p.b.ptr, p.b.bytes);
	close(dmabuf);
	ASSERT_EQ(ork_test_bo_close(self->fd, p.b.handle), 0);

	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	EXPECT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 7, 0), 0);
	EXPECT_EQ(ork_test_product_check(self->fd, &p), 0);
}

TEST_F(import, ranges_of_foreign_memory_are_checked)
{
	uint64_t bytes = 16 * ORK_TEST_PAGE, va;
	int dmabuf = variant->make(self->exporter, bytes);
	uint32_t handle, again;

	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(drmPrimeFDToHandle(self->fd, dmabuf, &handle), 0);
	ASSERT_EQ(drmPrimeFDToHandle(self->fd, dmabuf, &again), 0);
	EXPECT_EQ(handle, again);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, 0, bytes + ORK_TEST_PAGE, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, ORK_TEST_PAGE, bytes, &va), -EINVAL);
	EXPECT_EQ(ork_test_map(self->fd, 0, handle, ORK_TEST_PAGE, bytes - ORK_TEST_PAGE, &va), 0);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, 0, bytes), 0);
	EXPECT_EQ(ork_test_bo_sync(self->fd, handle, DRM_ORK_SYNC_TO_CPU, 0, bytes + 1), -EINVAL);
	close(dmabuf);
}

/* The debug kernel complains of caches that someone else but the exporter synchronises. */
TEST_F(import, two_clients_synchronise_parts_of_the_same_memory)
{
	int i, fds[2] = { self->fd, ork_test_open() }, dmabuf = variant->make(self->exporter, 16 * ORK_TEST_PAGE);
	uint32_t handles[2];

	ASSERT_GE(dmabuf, 0);
	ASSERT_GE(fds[1], 0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(drmPrimeFDToHandle(fds[i], dmabuf, &handles[i]), 0);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ork_test_bo_sync(fds[i], handles[i], DRM_ORK_SYNC_TO_CPU, ORK_TEST_PAGE, 256), 0);
		EXPECT_EQ(ork_test_bo_sync(fds[i], handles[i], DRM_ORK_SYNC_TO_DEVICE, ORK_TEST_PAGE, 256), 0);
	}
	close(fds[1]);
	close(dmabuf);
}

TEST_F(import, a_job_does_not_synchronise_foreign_memory)
{
	struct drm_ork_sync_range range = { .op = DRM_ORK_SYNC_TO_CPU, .size_bytes = ORK_TEST_PAGE };
	struct ork_test_product p;
	struct drm_ork_job job;
	uint64_t addresses[3], id;
	int dmabuf;

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 4, 128, 64, 2), 0);
	dmabuf = variant->make(self->exporter, p.c.bytes);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(replace(self->fd, &p.c, dmabuf), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	job = ork_test_product_job(&p, addresses);
	job.core_mask = 7;
	job.cache = (struct drm_ork_array){ sizeof(range), 1, (uintptr_t)&range };
	for (range.op = 0; range.op <= DRM_ORK_SYNC_TO_CPU; range.op++) {
		range.handle = p.c.handle;
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), -EINVAL);
		range.handle = p.a.handle;
		EXPECT_EQ(ork_test_submit_one(self->fd, &job, &id), 0);
	}
	close(dmabuf);
}

TEST_HARNESS_MAIN
