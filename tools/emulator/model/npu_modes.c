/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_internal.h"

#include <stdlib.h>

/* Settings of a core, and the writes that chaos mode holds back. */

void npu_core_set_timing(struct npu_core *core, const struct npu_timing *timing)
{
	core->timing = *timing;
}

void npu_core_set_strict(struct npu_core *core, bool strict)
{
	core->strict = strict;
}

void npu_core_set_chaos(struct npu_core *core, uint64_t seed)
{
	core->chaos = seed;
}

bool npu_core_has_pending(const struct npu_core *core)
{
	return core->pending && core->pending->count > 0;
}

void npu_core_drain(struct npu_core *core, uint32_t max_writes)
{
	uint64_t generation = core->generation;
	struct npu_pending *pending = core->pending;
	struct npu_port port;
	bool landed;

	if (!npu_core_has_pending(core))
		return;
	/* The embedder may reset the core from within host->write. */
	core->pending = NULL;
	npu_port_init(&port, &core->host);
	landed = npu_port_drain(&port, pending, max_writes);
	if (core->generation != generation) {
		free(pending);
		return;
	}
	core->pending = pending;
	if (landed)
		return;
	pending->count = 0;
	npu_core_port_failed(core, &port);
}
