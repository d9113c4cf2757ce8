/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PACK_FILE_H
#define ORK_PACK_FILE_H

#include "internal.h"
#include "pack_format.h"

/* An open file. Weights that were loaded from it hold it too. */
struct ork_pack {
	int fd;
	unsigned int users;
	const uint8_t *map;  /* the whole file */
	uint64_t map_bytes;
	uint8_t *index;      /* names lie here */
	struct ork_pack_entry *entries;
	uint32_t count;
};

/* Frees the file with its last user. NULL does nothing. */
void ork_pack_put_user(struct ork_pack *pack);

/* ork_pack_load() into any VM, for weights that do not count as the user's. */
int ork_pack_load_in(struct ork_device *dev, struct ork_pack *pack, uint32_t vm, size_t index, size_t first,
		     size_t count, struct ork_weights **weights);

#endif
