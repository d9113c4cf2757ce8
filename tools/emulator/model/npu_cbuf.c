/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_cbuf.h"

#include <string.h>

void npu_cbuf_init(struct npu_cbuf *cbuf)
{
	uint32_t state = 0x2545f491;

	for (size_t i = 0; i < sizeof(cbuf->data); i++) {
		state = state * 1664525u + 1013904223u;
		cbuf->data[i] = (uint8_t)(state >> 24);
	}
}

/* The longest piece from position on that does not wrap. */
static size_t piece(uint32_t capacity, uint64_t position, size_t bytes)
{
	size_t left = capacity - (size_t)(position % capacity);

	return bytes < left ? bytes : left;
}

void npu_cbuf_put_weights(struct npu_cbuf *cbuf, uint32_t capacity, uint64_t position, const uint8_t *from, size_t bytes)
{
	uint8_t *ring = cbuf->data + NPU_CBUF_BYTES - capacity;

	while (bytes > 0) {
		size_t part = piece(capacity, position, bytes);

		memcpy(ring + position % capacity, from, part);
		position += part;
		from += part;
		bytes -= part;
	}
}

void npu_cbuf_get_weights(const struct npu_cbuf *cbuf, uint32_t capacity, uint64_t position, uint8_t *to, size_t bytes)
{
	const uint8_t *ring = cbuf->data + NPU_CBUF_BYTES - capacity;

	while (bytes > 0) {
		size_t part = piece(capacity, position, bytes);

		memcpy(to, ring + position % capacity, part);
		position += part;
		to += part;
		bytes -= part;
	}
}
