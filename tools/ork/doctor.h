/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_DOCTOR_H
#define ORK_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"

/*
 * What stands between a user and the NPU. Each check tells in one line what it found and, if that is not good, the command
 * that mends it. Files are below a root, "" in earnest, so that tests can have a machine of their own.
 */

#define DOCTOR_TEXT_CHARS 512
#define DOCTOR_CORES      3

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_WARNING,  /* it works, but worse than it could */
	DOCTOR_FAULT,    /* it does not work */
	DOCTOR_UNKNOWN,  /* this user cannot read what it takes */
};

enum doctor_binding {
	DOCTOR_NO_NPU,
	DOCTOR_MAINLINE, /* a node per core */
	DOCTOR_VENDOR,   /* one node */
};

struct doctor {
	const char *root;
	char release[96];            /* of the kernel; "" if not known */
	bool loaded;                 /* our module */
	enum doctor_binding binding;
	char devices[DOCTOR_CORES][16]; /* fdab0000.npu, ...; of nodes that are enabled */
	unsigned int device_count;
	unsigned int bound;          /* devices that our driver has */
	struct json *json;           /* NULL: lines for people */
	unsigned int count[DOCTOR_UNKNOWN + 1];
};

/* One line about a check. remedy: the command that mends it, or NULL. */
void doctor_say(struct doctor *doctor, enum doctor_status status, const char *check, const char *remedy,
		const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The checks, in the order in which they have to be made. */
void doctor_kernel(struct doctor *doctor);
void doctor_module(struct doctor *doctor);
void doctor_device_tree(struct doctor *doctor);
void doctor_drivers(struct doctor *doctor);
void doctor_iommu(struct doctor *doctor);
void doctor_node(struct doctor *doctor);
void doctor_clock(struct doctor *doctor);
void doctor_power(struct doctor *doctor);
void doctor_cores(struct doctor *doctor);
void doctor_log(struct doctor *doctor);

/* --- Files below the root --------------------------------------------------------------------------------------- */

/* 0, or -ENOENT, -EACCES, ... */
int doctor_exists(const struct doctor *doctor, const char *path);

/* First path that matches the glob(7) pattern, without the root. Returns 0 or -1. */
int doctor_find(const struct doctor *doctor, const char *pattern, char *path, size_t size);

/* All of a file or its first bytes, with a 0 behind. Returns their number, or a negative errno value. */
int doctor_read(const struct doctor *doctor, const char *path, char *data, size_t size);

/* Last part of what a symbolic link points to. Returns 0 or a negative errno value. */
int doctor_link(const struct doctor *doctor, const char *path, char *name, size_t size);

#endif
