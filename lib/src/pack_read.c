/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "layout.h"
#include "pack_file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed weights and scales are used as they lie in the file");

static int read_part(int fd, void *to, uint64_t bytes, uint64_t offset, char *reason)
{
	uint64_t at = 0;
	ssize_t got;

	while (at < bytes) {
		got = pread(fd, (uint8_t *)to + at, bytes - at, (off_t)(offset + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ork_pack_fail(reason, -errno, "it cannot be read: %s", strerrordesc_np(errno));
		if (!got)
			return ork_pack_fail(reason, -EBADMSG, "it is truncated at byte %llu",
					     (unsigned long long)(offset + at));
		at += (uint64_t)got;
	}
	return 0;
}

static int read_header(int fd, struct ork_pack_header *header, char *reason)
{
	uint8_t bytes[ORK_PACK_HEADER_BYTES];
	struct stat info;
	int err;

	if (fstat(fd, &info))
		return ork_pack_fail(reason, -errno, "it cannot be read: %s", strerrordesc_np(errno));
	if (!S_ISREG(info.st_mode))
		return ork_pack_fail(reason, -EBADMSG, "it is not a regular file");
	if ((uint64_t)info.st_size < sizeof(bytes))
		return ork_pack_fail(reason, -EBADMSG, "it is not an orkpack file");
	err = read_part(fd, bytes, sizeof(bytes), 0, reason);
	return err ? err : ork_pack_parse_header(bytes, (uint64_t)info.st_size, header, reason);
}

static int read_index(struct ork_pack *pack, const struct ork_pack_header *header, char *reason)
{
	int err;

	pack->index = malloc(header->index_bytes + 1);
	pack->entries = calloc(header->tensors + 1, sizeof(*pack->entries));
	if (!pack->index || !pack->entries)
		return ork_pack_fail(reason, -ENOMEM, "there is no memory for an index of %llu bytes",
				     (unsigned long long)header->index_bytes);
	err = read_part(pack->fd, pack->index, header->index_bytes, header->index_offset, reason);
	return err ? err : ork_pack_parse_index(pack->index, header, pack->entries, reason);
}

static int map_file(struct ork_pack *pack, const struct ork_pack_header *header, char *reason)
{
	uint32_t i;
	void *map;

	map = mmap(NULL, header->file_bytes, PROT_READ, MAP_SHARED, pack->fd, 0);
	if (map == MAP_FAILED)
		return ork_pack_fail(reason, -errno, "it cannot be mapped: %s", strerrordesc_np(errno));
	pack->map = map;
	pack->map_bytes = header->file_bytes;
	pack->count = header->tensors;
	for (i = 0; i < pack->count; i++)
		if (pack->entries[i].tensor.scaled)
			pack->entries[i].tensor.scales =
				(const float *)(const void *)(pack->map + pack->entries[i].scale_offset);
	return 0;
}

static int fill(struct ork_pack *pack, char *reason)
{
	struct ork_pack_header header;
	int err = read_header(pack->fd, &header, reason);

	if (!err)
		err = read_index(pack, &header, reason);
	return err ? err : map_file(pack, &header, reason);
}

int ork_pack_open(const char *path, struct ork_pack **pack, char *reason)
{
	struct ork_pack *opened;
	int err;

	if (!path || !pack)
		return ork_pack_fail(reason, -EINVAL, "path or pack is NULL");
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return ork_pack_fail(reason, -ENOMEM, "out of memory");
	opened->users = 1;
	/* A pipe must not make the call wait for its other end. */
	opened->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	err = opened->fd < 0 ? ork_pack_fail(reason, -errno, "%s", strerrordesc_np(errno)) : fill(opened, reason);
	if (err) {
		ork_pack_put_user(opened);
		return err;
	}
	*pack = opened;
	return 0;
}

void ork_pack_put_user(struct ork_pack *pack)
{
	if (!pack || --pack->users)
		return;
	if (pack->map)
		munmap((void *)(uintptr_t)pack->map, pack->map_bytes);
	if (pack->fd >= 0)
		close(pack->fd);
	free(pack->index);
	free(pack->entries);
	free(pack);
}

void ork_pack_close(struct ork_pack *pack)
{
	ork_pack_put_user(pack);
}

size_t ork_pack_count(const struct ork_pack *pack)
{
	return pack ? pack->count : 0;
}

const struct ork_pack_tensor *ork_pack_tensor(const struct ork_pack *pack, size_t index)
{
	return index < ork_pack_count(pack) ? &pack->entries[index].tensor : NULL;
}

static int compare_name(const void *name, const void *entry)
{
	return strcmp(name, ((const struct ork_pack_entry *)entry)->tensor.name);
}

int ork_pack_find(const struct ork_pack *pack, const char *name, size_t *index)
{
	const struct ork_pack_entry *found;

	if (!pack || !name || !index)
		return -EINVAL;
	found = bsearch(name, pack->entries, pack->count, sizeof(*pack->entries), compare_name);
	if (!found)
		return -ENOENT;
	*index = (size_t)(found - pack->entries);
	return 0;
}

static int verify_part(const struct ork_pack *pack, const char *what, uint64_t offset, uint64_t bytes, uint64_t wanted,
		       char *reason)
{
	uint64_t found;
	const int err = ork_hash_file(pack->fd, offset, bytes, &found);

	if (err)
		return ork_pack_fail(reason, err, "its %s at byte %llu cannot be read: %s", what,
				     (unsigned long long)offset, ork_strerror(err));
	if (found == wanted)
		return 0;
	return ork_pack_fail(reason, -EBADMSG, "its %s, %llu bytes from byte %llu, are damaged: the checksum differs",
			     what, (unsigned long long)bytes, (unsigned long long)offset);
}

int ork_pack_verify(const struct ork_pack *pack, size_t index, char *reason)
{
	const struct ork_pack_entry *entry;
	int err;

	if (index >= ork_pack_count(pack))
		return ork_pack_fail(reason, -EINVAL, "there is no tensor %zu", index);
	entry = &pack->entries[index];
	err = verify_part(pack, "weights", entry->tensor.offset_bytes, ork_pack_data_bytes(&entry->tensor),
			  entry->data_hash, reason);
	if (!err && entry->tensor.scaled)
		err = verify_part(pack, "scales", entry->scale_offset, ork_pack_scale_bytes(&entry->tensor),
				  entry->scale_hash, reason);
	return err;
}

int ork_pack_read(const struct ork_pack *pack, size_t index, size_t matrix, size_t first_k, size_t rows, void *b,
		  size_t ldb)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(pack, index);

	if (!tensor || !b || !rows || matrix >= tensor->batch * tensor->groups || first_k >= tensor->k ||
	    rows > tensor->k - first_k || ldb < tensor->n)
		return -EINVAL;
	ork_unpack_weights(ork_operand_find(tensor->type), b, ldb,
			   pack->map + tensor->offset_bytes + matrix * tensor->matrix_bytes, (uint32_t)tensor->k_slice,
			   (uint32_t)tensor->n, (uint32_t)first_k, (uint32_t)rows);
	return 0;
}
