/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_port.h"

#include <string.h>

void npu_port_init(struct npu_port *port, const struct npu_host *host)
{
	*port = (struct npu_port){ .host = *host, .failure = NPU_DMA_OK, .client = NPU_CLIENT_PC };
}

static bool reachable(int64_t address, size_t bytes)
{
	return address >= 0 && (uint64_t)address + bytes <= UINT64_C(1) << 32;
}

static bool remember(struct npu_port *port, enum npu_dma result, enum npu_client client, int64_t address)
{
	if (result == NPU_DMA_OK)
		return true;
	port->failure = result;
	port->client = client;
	port->address = address;
	return false;
}

bool npu_port_read(struct npu_port *port, enum npu_client client, int64_t address, void *buf, size_t bytes)
{
	if (port->failure != NPU_DMA_OK)
		return false;
	if (!reachable(address, bytes))
		return remember(port, NPU_DMA_STALL, client, address);
	if (client != NPU_CLIENT_PC)
		port->bytes_read += bytes;
	return remember(port, port->host.read(port->host.opaque, (uint32_t)address, buf, bytes), client, address);
}

static bool land(struct npu_port *port, enum npu_client client, int64_t address, const void *buf, size_t bytes)
{
	if (port->failure != NPU_DMA_OK)
		return false;
	if (!reachable(address, bytes))
		return remember(port, NPU_DMA_STALL, client, address);
	return remember(port, port->host.write(port->host.opaque, (uint32_t)address, buf, bytes), client, address);
}

bool npu_port_drain(struct npu_port *port, struct npu_pending *pending, uint32_t max_writes)
{
	struct npu_pending_write write;

	for (; max_writes > 0 && pending->count > 0; max_writes--) {
		npu_pending_take(pending, &write);
		if (!land(port, NPU_CLIENT_OUTPUT, write.address, write.data, write.bytes))
			return false;
	}
	return true;
}

/* A full list lands one write for each that it takes. */
static bool postpone(struct npu_port *port, int64_t address, const uint8_t *buf, size_t bytes)
{
	while (bytes > 0) {
		size_t part = bytes < NPU_PENDING_BYTES ? bytes : NPU_PENDING_BYTES;

		if (port->pending->count == port->pending->limit && !npu_port_drain(port, port->pending, 1))
			return false;
		npu_pending_add(port->pending, address, buf, part);
		address += (int64_t)part;
		buf += part;
		bytes -= part;
	}
	return true;
}

bool npu_port_write(struct npu_port *port, enum npu_client client, int64_t address, const void *buf, size_t bytes)
{
	if (port->failure == NPU_DMA_OK)
		port->bytes_written += bytes;
	if (port->pending && port->pending->limit > 0)
		return postpone(port, address, buf, bytes);
	return land(port, client, address, buf, bytes);
}

void npu_burst_init(struct npu_burst *burst, struct npu_port *port, enum npu_client client, bool write)
{
	burst->port = port;
	burst->client = client;
	burst->write = write;
	burst->atoms = 0;
	burst->address = 0;
}

static bool burst_write(struct npu_burst *burst, size_t bytes)
{
	for (size_t i = 0; i < burst->atoms; i++)
		memcpy(burst->staging + i * NPU_ATOM, burst->atom[i], NPU_ATOM);
	return npu_port_write(burst->port, burst->client, burst->address, burst->staging, bytes);
}

static bool burst_read(struct npu_burst *burst, size_t bytes)
{
	if (!npu_port_read(burst->port, burst->client, burst->address, burst->staging, bytes))
		return false;
	for (size_t i = 0; i < burst->atoms; i++)
		memcpy(burst->atom[i], burst->staging + i * NPU_ATOM, NPU_ATOM);
	return true;
}

bool npu_burst_flush(struct npu_burst *burst)
{
	size_t bytes = burst->atoms * NPU_ATOM;
	bool done = true;

	if (burst->atoms > 0)
		done = burst->write ? burst_write(burst, bytes) : burst_read(burst, bytes);
	burst->atoms = 0;
	return done;
}

bool npu_burst_atom(struct npu_burst *burst, int64_t address, void *atom)
{
	bool continues = address == burst->address + (int64_t)(burst->atoms * NPU_ATOM);

	if (burst->atoms > 0 && (!continues || burst->atoms == NPU_BURST_ATOMS) && !npu_burst_flush(burst))
		return false;
	if (burst->atoms == 0)
		burst->address = address;
	burst->atom[burst->atoms++] = atom;
	return true;
}
