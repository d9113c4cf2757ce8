/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_RESIDENCY_H
#define ORK_RESIDENCY_H

#include "pack_file.h"

/* No item. */
#define ORK_NO_ITEM UINT32_MAX

/* One B of the file. */
struct ork_resident {
	struct ork_weights *weights; /* NULL: not resident */
	uint32_t users;
	uint32_t older, newer;       /* in the list of items that nobody uses */
};

struct ork_residency {
	struct ork_device *dev;
	struct ork_pack *pack;
	struct ork_resident *items;
	uint32_t *first;             /* item of a tensor's first B */
	uint32_t oldest, newest;     /* ends of the list */
	uint64_t vm_limit_bytes;     /* of weights in one VM; the rest is for stages and programs */
	uint64_t vm_bytes[ORK_VMS];  /* of weights in VMs of this object */
	uint32_t vms;                /* bit n: VM n is one of them */
	struct ork_residency_info info;
};

#endif
