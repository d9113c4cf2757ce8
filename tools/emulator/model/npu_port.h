/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_PORT_H
#define NPU_PORT_H

#include "npu_model.h"
#include "npu_pending.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The memory port as one task uses it. The first access that fails is remembered and every later
 * one is refused, so a task stops at once and the retiring core learns what happened.
 */

/* Who accesses memory. The values are the response ids that CFG_ID_ERROR shows; silicon's numbering is not known. */
enum npu_client {
	NPU_CLIENT_FEATURE = 1,
	NPU_CLIENT_WEIGHT = 2,
	NPU_CLIENT_DPU = 3,
	NPU_CLIENT_PC = 5,
	NPU_CLIENT_OUTPUT = 8, /* the only writer */
};

struct npu_port {
	struct npu_host host;
	enum npu_dma failure;
	enum npu_client client; /* of the failed access, like the next */
	int64_t address;
	struct npu_pending *pending; /* takes writes first; NULL: none */
	uint64_t bytes_read;         /* without register commands */
	uint64_t bytes_written;
};

void npu_port_init(struct npu_port *port, const struct npu_host *host);

/*
 * address is what an address generator computed. Outside of 32 bits there is no memory: such an
 * access never completes.
 */
bool npu_port_read(struct npu_port *port, enum npu_client client, int64_t address, void *buf, size_t bytes);
bool npu_port_write(struct npu_port *port, enum npu_client client, int64_t address, const void *buf, size_t bytes);

/* Lands up to max_writes of the pending writes. */
bool npu_port_drain(struct npu_port *port, struct npu_pending *pending, uint32_t max_writes);

/*
 * A burst collects 16-byte atoms with ascending addresses into one access. Atoms may come in any order; the burst is
 * carried out whenever the next atom does not continue it.
 */
#define NPU_ATOM        16
#define NPU_BURST_ATOMS 2048

struct npu_burst {
	struct npu_port *port;
	bool write;
	enum npu_client client;
	size_t atoms;
	int64_t address;
	void *atom[NPU_BURST_ATOMS]; /* where each atom goes to or comes from; read-only if write */
	uint8_t staging[NPU_BURST_ATOMS * NPU_ATOM];
};

void npu_burst_init(struct npu_burst *burst, struct npu_port *port, enum npu_client client, bool write);
bool npu_burst_atom(struct npu_burst *burst, int64_t address, void *atom);
bool npu_burst_flush(struct npu_burst *burst);

#endif
