/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_CBUF_H
#define NPU_CBUF_H

#include <stddef.h>
#include <stdint.h>

/*
 * The convolution buffer of a core, NPU reference 3.5: features from the bottom, weights from the top. Contents stay until something
 * overwrites them, which is what the reuse bits rely on; nobody checks whose they are.
 */
#define NPU_CBUF_BANKS      12
#define NPU_CBUF_BANK_BYTES 32768
#define NPU_CBUF_ENTRY      64
#define NPU_CBUF_BYTES      (NPU_CBUF_BANKS * NPU_CBUF_BANK_BYTES)

struct npu_cbuf {
	uint8_t data[NPU_CBUF_BYTES];
};

/* What is in there after power on; any values would do. */
void npu_cbuf_init(struct npu_cbuf *cbuf);

/*
 * The weight banks are a ring of capacity bytes that a task's weight stream goes through from position 0 on. After it they hold
 * the last capacity bytes of the stream.
 */
void npu_cbuf_put_weights(struct npu_cbuf *cbuf, uint32_t capacity, uint64_t position, const uint8_t *from,
			  size_t bytes);
void npu_cbuf_get_weights(const struct npu_cbuf *cbuf, uint32_t capacity, uint64_t position, uint8_t *to, size_t bytes);

#endif
