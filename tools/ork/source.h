/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_SOURCE_H
#define ORK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Files that weights come from: .npy, safetensors and GGUF. The headers are read through a mapping, the weights with
 * pread(), so that no file has to fit into memory.
 */

#define SOURCE_REASON_CHARS 256
#define SOURCE_MAX_DIMS     4

/* Elements that tensors can consist of. */
enum source_type {
	SOURCE_UNKNOWN, /* named, but not supported */
	SOURCE_I8,
	SOURCE_F32,
	SOURCE_F16,
	SOURCE_BF16,
	SOURCE_Q8_0,
	SOURCE_Q4_0,
	SOURCE_Q4_K,
	SOURCE_Q6_K,
	SOURCE_TYPES,
};

struct source_tensor {
	char *name;
	enum source_type type;
	char type_name[16];  /* as the file calls it */
	uint32_t dims;
	uint64_t shape[SOURCE_MAX_DIMS]; /* the last one runs fastest; unused ones are 1 */
	uint64_t offset;     /* in the file, in bytes */
	uint64_t header_at;  /* where the file describes it */
};

struct source {
	int fd;
	bool rows_are_k;     /* matrices are B[K][N]; else they are B transposed, as in models */
	uint64_t file_bytes;
	struct source_tensor *tensors;
	size_t count;
};

/* Elements of one block, and its bytes. */
uint32_t source_block(enum source_type type);
uint32_t source_block_bytes(enum source_type type);

/* Real numbers from blocks; count is a multiple of the block. */
void source_decode(enum source_type type, const uint8_t *bytes, float *to, size_t count);

/*
 * Opens a file and reads its header; the format is recognised by the contents. Returns 0, or -1 with a reason of up to
 * SOURCE_REASON_CHARS characters that does not name the file.
 */
int source_open(const char *path, struct source *source, char *reason);
void source_close(struct source *source);

/* Reads a part of the file. Returns as source_open(). */
int source_read(const struct source *source, void *to, size_t bytes, uint64_t offset, char *reason);

/*
 * The formats' own parts: the header at the start of the file's bytes. They add tensors, also when they fail. Returns
 * as source_open().
 */
int source_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason);
int gguf_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason);
int safetensors_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason);
int npy_source_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason);

/* A new tensor at the end of the list, with a copy of the name; NULL: out of memory. */
struct source_tensor *source_add(struct source *source, const char *name, size_t name_bytes);

/* Whether the weights lie in the file, if the type is known. Returns as source_open(). */
int source_check(const struct source_tensor *tensor, uint64_t data_end, char *reason);

/* Writes the reason and returns -1. */
int source_fail(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
