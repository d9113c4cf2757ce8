/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <ork.h>

#define TEXT_OF(number) #number
#define DOTTED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *ork_version(void)
{
	return DOTTED(ORK_VERSION_MAJOR, ORK_VERSION_MINOR, ORK_VERSION_PATCH);
}

/* The library's own meanings first; strerror() is neither thread-safe nor specific. */
const char *ork_strerror(int err)
{
	const char *text;

	switch (err) {
	case 0:
		return "success";
	case -EINVAL:
		return "invalid argument";
	case -ENOMEM:
		return "out of memory";
	case -ENODEV:
		return "no NPU of the driver rknpu-ork; the command \"ork info\" tells why";
	case -ENOENT:
		return "no such file or object";
	case -EACCES:
	case -EPERM:
		return "permission denied";
	case -EBUSY:
		return "objects of the device are still in use";
	case -EEXIST:
		return "it exists already";
	case -ECANCELED:
		return "it was dropped";
	case -ENOTSUP:
		return "not supported";
	case -E2BIG:
		return "too large";
	case -ENOSPC:
		return "no room in the address space of the NPU";
	case -ETIMEDOUT:
		return "the NPU made no progress and was reset";
	case -EIO:
		return "the NPU met an address that is not mapped";
	default:
		text = strerrordesc_np(-err);
		return text ? text : "unknown error";
	}
}
