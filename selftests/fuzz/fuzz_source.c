/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * Coverage-guided fuzzing of the readers of .npy, safetensors and GGUF. The input is a file.
 *
 * Checked for every input: the readers survive (sanitizers), leave a reason when they refuse, and every tensor that they
 * accept lies in the file, some of it decoded to prove it.
 */

#include <stdlib.h>
#include <string.h>

#include "source.h"

/* Called by libFuzzer, which has no header for it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_tensor(const uint8_t *file, size_t size, const struct source_tensor *tensor)
{
	const uint32_t block = tensor->type == SOURCE_UNKNOWN ? 0 : source_block(tensor->type);
	uint64_t blocks = 1;
	float values[256];
	uint32_t i;

	require(tensor->name && tensor->dims <= SOURCE_MAX_DIMS);
	if (!block)
		return;
	for (i = 0; i < SOURCE_MAX_DIMS; i++)
		blocks *= tensor->shape[i];
	blocks /= block;
	require(tensor->offset <= size && blocks <= (size - tensor->offset) / source_block_bytes(tensor->type));
	if (blocks)
		source_decode(tensor->type, file + tensor->offset + (blocks - 1) * source_block_bytes(tensor->type), values,
			      block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char reason[SOURCE_REASON_CHARS] = "";
	struct source source = { .fd = -1, .file_bytes = size };
	/* Of its own, so that the sanitizer sees its end. */
	uint8_t *file = malloc(size);
	size_t i;

	if (size && !file)
		return 0;
	if (size)
		memcpy(file, data, size);
	if (source_parse(file, size, &source, reason))
		require(reason[0] != '\0');
	else
		for (i = 0; i < source.count; i++)
			check_tensor(file, size, &source.tensors[i]);
	source_close(&source);
	free(file);
	return 0;
}
