// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Opening the device and asking what it is. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "kselftest_harness.h"
#include "ork_test.h"

FIXTURE(device)
{
	int fd;
};

FIXTURE_SETUP(device)
{
	self->fd = ork_test_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

TEST_F(device, version_is_set)
{
	drmVersionPtr version = drmGetVersion(self->fd);

	ASSERT_NE(version, NULL);
	EXPECT_STREQ(version->name, "rknpu-ork");
	EXPECT_GE(version->version_major, 1);
	drmFreeVersion(version);
}

TEST_F(device, tells_three_cores_and_limits)
{
	struct drm_ork_device_info info;

	ASSERT_EQ(ork_test_device(self->fd, &info), 0);
	EXPECT_EQ(info.version, 0x46495245);
	EXPECT_EQ(info.core_mask, 7);
	EXPECT_EQ(info.cbuf_banks, 12);
	EXPECT_EQ(info.cbuf_bank_bytes, 32768);
	EXPECT_GT(info.max_tasks, 4095);
	EXPECT_GT(info.default_timeout_ms, 0);
	EXPECT_GE(info.max_timeout_ms, info.default_timeout_ms);
}

TEST_F(device, query_negotiates_the_size)
{
	char buffer[1024];
	struct drm_ork_query args = { .type = DRM_ORK_QUERY_DEVICE };
	struct drm_ork_device_info info;

	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_QUERY, &args), 0);
	EXPECT_EQ(args.size, sizeof(info));

	memset(buffer, 0xff, sizeof(buffer));
	args.size = 8;
	args.ptr = (uintptr_t)buffer;
	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_QUERY, &args), 0);
	EXPECT_EQ(args.size, sizeof(info));
	EXPECT_EQ((uint8_t)buffer[8], 0xff);

	args.size = sizeof(buffer);
	ASSERT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_QUERY, &args), 0);
	EXPECT_EQ(buffer[sizeof(info)], 0);
	EXPECT_EQ(buffer[sizeof(buffer) - 1], 0);
}

TEST_F(device, refuses_unknown_query_and_bad_pointer)
{
	struct drm_ork_query args = { .type = 99, .size = 8 };

	EXPECT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_QUERY, &args), -1);
	EXPECT_EQ(errno, EINVAL);

	args = (struct drm_ork_query){ .type = DRM_ORK_QUERY_DEVICE, .size = 8, .ptr = 8 };
	EXPECT_EQ(drmIoctl(self->fd, DRM_IOCTL_ORK_QUERY, &args), -1);
	EXPECT_EQ(errno, EFAULT);
}

/* The value of a key in the file's fdinfo, or -1. */
static long long fdinfo(int fd, const char *key)
{
	char path[64], line[256];
	long long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			value = atoll(line + strlen(key) + 1);
	if (file)
		fclose(file);
	return value;
}

TEST_F(device, fdinfo_tells_memory_and_busy_cores)
{
	struct ork_test_product p;

	EXPECT_EQ(fdinfo(self->fd, "drm-total-memory"), 0);
	EXPECT_EQ(fdinfo(self->fd, "drm-engine-npu1"), 0);
	EXPECT_GT(fdinfo(self->fd, "drm-client-id"), 0);

	ASSERT_EQ(ork_test_product_init(self->fd, &p, 16, 512, 64, 1), 0);
	ASSERT_EQ(ork_test_product_program(self->fd, &p, 0), 0);
	ASSERT_EQ(ork_test_product_run(self->fd, &p, DRM_ORK_PLACE_AUTO, 2, 0), 0);
	EXPECT_EQ(fdinfo(self->fd, "drm-total-memory") * 1024, p.a.bytes + p.b.bytes + p.c.bytes);
	EXPECT_EQ(fdinfo(self->fd, "drm-resident-memory"), fdinfo(self->fd, "drm-total-memory"));
	EXPECT_EQ(fdinfo(self->fd, "drm-shared-memory"), 0);
	EXPECT_GT(fdinfo(self->fd, "drm-engine-npu1"), 0);
	EXPECT_EQ(fdinfo(self->fd, "drm-engine-npu0"), 0);
	ork_test_product_fini(self->fd, &p);
	EXPECT_EQ(fdinfo(self->fd, "drm-total-memory"), 0);
}

TEST_F(device, many_files_can_be_open)
{
	struct drm_ork_vm_info vm;
	int fds[64], i;

	for (i = 0; i < 64; i++) {
		fds[i] = ork_test_open();
		ASSERT_GE(fds[i], 0);
		ASSERT_EQ(ork_test_vm(fds[i], 0, &vm), 0);
		EXPECT_EQ(vm.used_bytes, 0);
	}
	for (i = 0; i < 64; i++)
		close(fds[i]);
}

TEST_HARNESS_MAIN
