// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* Calls of DRM, dma-buf and the system on the driver's objects: handles, descriptors, syncobjs, mappings, processes. */

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <xf86drm.h>

#include "ioctl_fuzz.h"

/* Below it are descriptors that the fuzzer itself needs. */
#define FIRST_FD 8
#define CHILD_CALLS 48

static int bo_close(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint64_t bo = fuzz_pick(&f->bos, r);
	struct drm_gem_close args = { .handle = bo };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_GEM_CLOSE, &args);

	if (!ret)
		fuzz_drop(&f->bos, r, bo);
	return ret;
}

static int bo_export(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_prime_handle args = { .handle = fuzz_pick(&f->bos, r), .flags = fuzz_one_in(r, 2) ? DRM_CLOEXEC | DRM_RDWR : 0 };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	if (!ret)
		fuzz_put(&s->fds, r, args.fd);
	return ret;
}

/* Memory of another driver, mapped into VM 0. Nobody else gets it: DMA_API_DEBUG complains of the eighth mapping of a page. */
static int heap_buffer(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct dma_heap_allocation_data args = { .len = fuzz_pages(r), .fd_flags = O_RDWR | O_CLOEXEC };
	int ret, heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	struct drm_ork_vm_map map = { .size_bytes = args.len };
	struct drm_gem_close gem = { 0 };

	if (heap < 0)
		return -errno;
	ret = ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &args) ? -errno : 0;
	close(heap);
	if (ret)
		return ret;
	ret = drmPrimeFDToHandle(f->fd, args.fd, &map.handle) ? -errno : 0;
	close(args.fd);
	if (ret)
		return ret;
	ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_ORK_VM_MAP, &map);
	if (!ret)
		fuzz_put(&f->maps, r, fuzz_map_value(map.vm, map.va, map.size_bytes));
	gem.handle = map.handle;
	ioctl(f->fd, DRM_IOCTL_GEM_CLOSE, &gem);
	return ret;
}

static int bo_import(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_prime_handle args = { .fd = fuzz_pick(&s->fds, r) };
	uint64_t bytes = lseek(args.fd, 0, SEEK_END);
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	if (!ret)
		fuzz_put(&f->bos, r, bytes << 32 | args.handle);
	return ret;
}

int fuzz_sync_create(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_syncobj_create args = { .flags = fuzz_one_in(r, 2) ? DRM_SYNCOBJ_CREATE_SIGNALED : 0 };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	if (!ret)
		fuzz_put(&f->syncs, r, args.handle);
	return ret;
}

static int sync_destroy(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_syncobj_destroy args = { .handle = fuzz_pick(&f->syncs, r) };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);

	if (!ret)
		fuzz_drop(&f->syncs, r, args.handle);
	return ret;
}

static int sync_export(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_syncobj_handle args = { .handle = fuzz_pick(&f->syncs, r), .flags = fuzz_below(r, 2) };
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	if (!ret)
		fuzz_put(&s->fds, r, args.fd);
	return ret;
}

static int sync_import(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_syncobj_handle args = {
		.handle = fuzz_pick(&f->syncs, r), .fd = fuzz_pick(&s->fds, r), .flags = fuzz_below(r, 2),
	};
	int ret = fuzz_ioctl(r, f->fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);

	if (!ret && !args.flags)
		fuzz_put(&f->syncs, r, args.handle);
	return ret;
}

/* Not more handles than there are: the kernel of Linux 7.3 warns of a count that it cannot allocate for. */
static int sync_states(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint32_t handles[2] = { fuzz_pick(&f->syncs, r), fuzz_pick(&f->syncs, r) };
	struct drm_syncobj_array args = { .handles = (uintptr_t)handles, .count_handles = 1 + fuzz_below(r, 2) };

	return fuzz_ioctl(r, f->fd, fuzz_one_in(r, 2) ? DRM_IOCTL_SYNCOBJ_SIGNAL : DRM_IOCTL_SYNCOBJ_RESET, &args);
}

static int sync_points(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint32_t handles[2] = { fuzz_pick(&f->syncs, r), fuzz_pick(&f->syncs, r) };
	uint64_t *points = (void *)(uintptr_t)fuzz_scratch(s);
	struct drm_syncobj_timeline_array args = {
		.handles = (uintptr_t)handles, .points = (uintptr_t)points, .count_handles = 1 + fuzz_below(r, 2),
	};

	points[0] = fuzz_below(r, 6);
	points[1] = fuzz_below(r, 6);
	return fuzz_ioctl(r, f->fd, fuzz_one_in(r, 2) ? DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL : DRM_IOCTL_SYNCOBJ_QUERY, &args);
}

static int sync_wait(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint32_t handles[2] = { fuzz_pick(&f->syncs, r), fuzz_pick(&f->syncs, r) };
	uint64_t points[2] = { fuzz_below(r, 6), fuzz_below(r, 6) };
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)handles, .points = (uintptr_t)points, .timeout_nsec = fuzz_deadline(r),
		.count_handles = 1 + fuzz_below(r, 2), .flags = fuzz_below(r, 8),
	};

	return fuzz_ioctl(r, f->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

/* Without DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT: the kernel loses a fence now and then (Documentation/writing-tests.rst). */
static int sync_transfer(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct drm_syncobj_transfer args = {
		.src_handle = fuzz_pick(&f->syncs, r), .dst_handle = fuzz_pick(&f->syncs, r),
		.src_point = fuzz_below(r, 6), .dst_point = fuzz_below(r, 6), .flags = fuzz_below(r, 2),
	};

	return fuzz_ioctl(r, f->fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &args);
}

/* Fences of dma-bufs, and of sync files. */
static int buffer_fences(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	struct dma_buf_export_sync_file args = { .flags = 1 + fuzz_below(r, 3), .fd = fuzz_pick(&s->fds, r) };
	struct dma_buf_sync sync = { .flags = fuzz_below(r, 8) };
	struct sync_merge_data merge = { .fd2 = fuzz_pick(&s->fds, r) };
	int ret, fd = fuzz_pick(&s->fds, r);

	switch (fuzz_below(r, 4)) {
	case 0:
		ret = fuzz_ioctl(r, fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args);
		if (!ret)
			fuzz_put(&s->fds, r, args.fd);
		return ret;
	case 1:
		return fuzz_ioctl(r, fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &args);
	case 2:
		ret = fuzz_ioctl(r, fd, SYNC_IOC_MERGE, &merge);
		if (!ret)
			fuzz_put(&s->fds, r, merge.fence);
		return ret;
	default:
		return fuzz_ioctl(r, fd, DMA_BUF_IOCTL_SYNC, &sync);
	}
}

static int map_buffer(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	int fd = fuzz_pick(&s->fds, r);

	fuzz_shared->calls++;
	return mmap(fuzz_window(s, r), fuzz_pages(r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	       MAP_FAILED ? -errno : 0;
}

/* Through the kernel, which answers an error where the CPU would raise a signal. */
static int touch(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	int ret, zero = open(fuzz_one_in(r, 2) ? "/dev/zero" : "/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (zero < 0)
		return -errno;
	ret = read(zero, fuzz_window(s, r), fuzz_pages(r)) < 0 ? -errno : 0;
	close(zero);
	return ret;
}

static int unmap(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint32_t bytes = fuzz_one_in(r, 4) ? fuzz_pages(r) : FUZZ_WINDOW_BYTES;

	fuzz_shared->calls++;
	return mmap(fuzz_window(s, r), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ? -errno : 0;
}

static int close_fd(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	int fd = fuzz_pick(&s->fds, r);

	if (fd < FIRST_FD)
		return -EBADF;
	fuzz_shared->calls++;
	fuzz_drop(&s->fds, r, fd);
	return close(fd) ? -errno : 0;
}

static int reopen(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	int old = f->fd, ret;

	if (fuzz_one_in(r, 2))
		return -EAGAIN;
	if (fuzz_one_in(r, 4)) {
		f->fd = fcntl(old, F_DUPFD_CLOEXEC, FIRST_FD);
		ret = 0;
	} else {
		ret = fuzz_open(s, f);
		if (!ret)
			fuzz_begin(s, f, r);
	}
	if (old != f->fd && old >= FIRST_FD)
		close(old);
	fuzz_shared->calls++;
	return ret;
}

static int send_fd(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	int fd = fuzz_one_in(r, 4) ? f->fd : (int)fuzz_pick(&s->fds, r);
	char byte = 0, control[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	if (fd < FIRST_FD)
		return -EBADF;
	*header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	fuzz_shared->calls++;
	return sendmsg(s->mail[0], &message, MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int receive_fd(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	int fd;
	char byte, control[CMSG_SPACE(sizeof(fd))];
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *header;

	fuzz_shared->calls++;
	if (recvmsg(s->mail[1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	fuzz_put(&s->fds, r, fd);
	return 0;
}

/* The child has the same files, makes a few calls and goes. */
static int fork_child(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	uint64_t seed = fuzz_random(r);
	uint32_t i;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_DFL);
	alarm(1);
	for (i = 0; i < CHILD_CALLS; i++) {
		struct fuzz_rng draw = { fuzz_mix(seed, i) };
		uint32_t kind = fuzz_below(&draw, fuzz_kind_count());

		if (fuzz_kind_info(kind)->run != fork_child)
			fuzz_run_call(s, (struct fuzz_call){ kind, draw.state });
	}
	_exit(0);
}

/* What others see of the files. */
static int look(struct fuzz_state *s, struct fuzz_file *f, struct fuzz_rng *r)
{
	char path[64], text[4096];
	struct pollfd poll_fd = { .fd = fuzz_pick(&s->fds, r), .events = POLLIN | POLLOUT };
	int fd, ret;

	poll(&poll_fd, 1, 0);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", f->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	fuzz_shared->calls++;
	ret = read(fd, text, sizeof(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

const struct fuzz_kind_info fuzz_core_kinds[] = {
	{ "bo-close", bo_close, 10 },
	{ "bo-export", bo_export, 12 },
	{ "heap-buffer", heap_buffer, 1 },
	{ "bo-import", bo_import, 12 },
	{ "sync-create", fuzz_sync_create, 10 },
	{ "sync-destroy", sync_destroy, 4 },
	{ "sync-export", sync_export, 10 },
	{ "sync-import", sync_import, 12 },
	{ "sync-states", sync_states, 20 },
	{ "sync-points", sync_points, 20 },
	{ "sync-wait", sync_wait, 16 },
	{ "sync-transfer", sync_transfer, 10 },
	{ "buffer-fences", buffer_fences, 40 },
	{ "map-buffer", map_buffer, 4 },
	{ "touch", touch, 2 },
	{ "unmap", unmap, 4 },
	{ "close-fd", close_fd, 20 },
	{ "reopen", reopen, 1 },
	{ "send-fd", send_fd, 8 },
	{ "receive-fd", receive_fd, 8 },
	{ "fork", fork_child, 1 },
	{ "look", look, 2 },
};

const uint32_t fuzz_core_kind_count = sizeof(fuzz_core_kinds) / sizeof(fuzz_core_kinds[0]);
