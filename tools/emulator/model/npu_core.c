/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The register file of a core: what the CPU sees in the window, and the ping-pong groups that register commands fill.
 * The walk through a chain of tasks is in npu_pc.c.
 */

#define VERSION_FIRE       0x46495245
#define MAC_GATING_RESET   0x07800800
#define S_POINTER_MODE     (S_POINTER_POINTER_PP_EN | S_POINTER_EXECUTER_PP_EN | S_POINTER_POINTER_PP_MODE | \
			    S_POINTER_CORE_INDEX)
#define S_POINTER_WRITABLE (S_POINTER_MODE | S_POINTER_POINTER | S_POINTER_POINTER_PP_CLEAR | \
			    S_POINTER_EXECUTER_PP_CLEAR)

/* Longest line that goes to host->report. */
#define REPORT_BYTES 256

static const uint32_t enable_bit[NPU_BLOCKS] = {
	ENABLE_CNA, ENABLE_CORE, ENABLE_DPU, ENABLE_DPU_RDMA, ENABLE_PPU, ENABLE_PPU_RDMA,
};

static void report(struct npu_core *core, const char *format, va_list args)
{
	char line[REPORT_BYTES];
	int used = snprintf(line, sizeof(line), "core %u task %u: ", core->index, (unsigned int)core->counter);

	vsnprintf(line + used, sizeof(line) - (size_t)used, format, args);
	core->host.report(core->host.opaque, line);
}

void npu_core_warn(struct npu_core *core, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(core, format, args);
	va_end(args);
}

bool npu_core_hang(struct npu_core *core, const char *format, ...)
{
	va_list args;

	core->state = NPU_HUNG;
	va_start(args, format);
	report(core, format, args);
	va_end(args);
	return false;
}

static const char *client_name(enum npu_client client)
{
	switch (client) {
	case NPU_CLIENT_FEATURE: return "feature read";
	case NPU_CLIENT_WEIGHT: return "weight read";
	case NPU_CLIENT_DPU: return "operand read";
	case NPU_CLIENT_PC: return "register command read";
	case NPU_CLIENT_OUTPUT: return "output write";
	}
	return "access";
}

/* NPU reference 9.10: an unmapped address only stalls; an error response shows in RAW_STATUS and CFG_ID_ERROR. */
void npu_core_port_failed(struct npu_core *core, const struct npu_port *port)
{
	bool write = port->client == NPU_CLIENT_OUTPUT;
	uint32_t event = write ? PC_INTERRUPT_DMA_WRITE_ERROR : PC_INTERRUPT_DMA_READ_ERROR;

	if (port->failure == NPU_DMA_STALL) {
		core->port_stuck = true;
		npu_core_hang(core, "%s at 0x%llx never completes", client_name(port->client),
			      (unsigned long long)port->address);
		return;
	}
	core->raw |= event;
	core->signalled |= event;
	core->ddma[(DDMA_CFG_ID_ERROR & 0xfff) / 4] = write ? (uint32_t)port->client << 6 : (uint32_t)port->client;
	npu_core_hang(core, "%s at 0x%llx is answered with a bus error", client_name(port->client),
		      (unsigned long long)port->address);
}

struct npu_core *npu_core_new(unsigned int index, const struct npu_host *host)
{
	struct npu_core *core = calloc(1, sizeof(*core));

	if (!core)
		return NULL;
	core->host = *host;
	core->index = index;
	npu_timing_default(&core->timing);
	npu_core_reset(core);
	return core;
}

void npu_core_delete(struct npu_core *core)
{
	if (core) {
		free(core->pending);
		free(core->cbuf);
	}
	free(core);
}

void npu_core_reset(struct npu_core *core)
{
	/* What an idle core's memory port reads on silicon (NPU reference 1.6). */
	static const struct {
		uint32_t offset, value;
	} ddma[] = {
		{ DDMA_CFG_OUTSTANDING, 0x00000fff },
		{ DDMA_RD_WEIGHT_0, 0x01010101 },
		{ DDMA_WR_WEIGHT_0, 0x00010101 },
		{ DDMA_RD_WEIGHT_1, 0x00000101 },
	};
	struct npu_core fresh = {
		.host = core->host,
		.index = core->index,
		.generation = core->generation + 1,
		.interrupt_mask = PC_INTERRUPT_EVENTS,
		.timing = core->timing,
		.strict = core->strict,
		.chaos = core->chaos,
	};

	for (size_t i = 0; i < sizeof(ddma) / sizeof(ddma[0]); i++)
		fresh.ddma[(ddma[i].offset & 0xfff) / 4] = ddma[i].value;
	for (int group = 0; group < 2; group++)
		fresh.block[NPU_CORE].regs[group][(CORE_MAC_GATING & 0xfff) / 4] = MAC_GATING_RESET;
	free(core->pending);
	free(core->cbuf);
	*core = fresh;
}

bool npu_core_irq(const struct npu_core *core)
{
	return core->signalled & core->interrupt_mask;
}

bool npu_core_busy(const struct npu_core *core)
{
	return core->state == NPU_RUNNING;
}

/*
 * Drivers write 0xE without pointer clear before every task and tasks still alternate between the
 * groups (NPU reference 1.4), so bit 0 can only be taken over while the pointer does not move by
 * itself.
 */
static void s_pointer_write(struct npu_core *core, struct npu_block *block, uint32_t value)
{
	if (value & ~(uint32_t)S_POINTER_WRITABLE)
		npu_core_warn(core, "S_POINTER write 0x%08x sets reserved bits", (unsigned int)value);
	block->mode = value & S_POINTER_MODE;
	if (!(value & S_POINTER_POINTER_PP_EN))
		block->pointer = value & S_POINTER_POINTER;
	if (value & S_POINTER_POINTER_PP_CLEAR)
		block->pointer = 0;
	if (value & S_POINTER_EXECUTER_PP_CLEAR)
		block->executer = 0;
}

void npu_block_write(struct npu_core *core, enum npu_block_id id, uint32_t offset, uint32_t value)
{
	struct npu_block *block = &core->block[id];
	uint32_t writable;

	if ((offset & 0xfff) == BLOCK_S_POINTER) {
		s_pointer_write(core, block, value);
		return;
	}
	if ((offset & 0xfff) == BLOCK_OPERATION_ENABLE) {
		npu_core_warn(core, "not modelled: block OPERATION_ENABLE at 0x%04x", (unsigned int)offset);
		return;
	}
	if (!npu_register_exists(offset, &writable)) {
		npu_core_warn(core, "write to unknown register 0x%04x", (unsigned int)offset);
		return;
	}
	if (value & ~writable)
		npu_core_warn(core, "write of 0x%08x to 0x%04x goes past the register's fields", (unsigned int)value,
			      (unsigned int)offset);
	block->regs[block->pointer][(offset & 0xfff) / 4] = value & writable;
	block->chain[block->pointer][(offset & 0xfff) / 4] = core->chain;
}

bool npu_core_index_matches(const struct npu_core *core, enum npu_block_id id)
{
	return npu_field(core->block[id].mode, S_POINTER_CORE_INDEX) == core->index;
}

static uint32_t block_read(struct npu_core *core, enum npu_block_id id, uint32_t offset)
{
	const struct npu_block *block = &core->block[id];
	uint32_t writable;

	switch (offset & 0xfff) {
	case BLOCK_S_STATUS:
		return core->executing & enable_bit[id] ? 1u << (16 * block->executer) : 0;
	case BLOCK_S_POINTER:
		return block->mode | block->pointer | (block->executer ? S_POINTER_EXECUTER : 0);
	case BLOCK_OPERATION_ENABLE:
		return 0;
	}
	if (!npu_register_exists(offset, &writable)) {
		npu_core_warn(core, "read of unknown register 0x%04x", (unsigned int)offset);
		return 0;
	}
	return block->regs[block->pointer][(offset & 0xfff) / 4];
}

static uint32_t task_status(const struct npu_core *core)
{
	return core->complete ? PC_TASK_STATUS_COMPLETE : core->counter;
}

static uint32_t pc_read(struct npu_core *core, uint32_t offset)
{
	switch (offset) {
	case PC_VERSION: return VERSION_FIRE;
	case PC_VERSION_NUM: return 0;
	case PC_OPERATION_ENABLE: return 0;
	case PC_BASE_ADDRESS: return core->base_address;
	case PC_REGISTER_AMOUNTS: return core->register_amounts;
	case PC_INTERRUPT_MASK: return core->interrupt_mask;
	case PC_INTERRUPT_CLEAR: return 0;
	case PC_INTERRUPT_STATUS: return core->raw & core->interrupt_mask;
	case PC_INTERRUPT_RAW_STATUS: return core->raw | PC_INTERRUPT_RAW_IDLE;
	case PC_TASK_CON: return core->task_con;
	case PC_TASK_DMA_BASE_ADDR: return core->task_dma_base;
	case PC_TASK_STATUS: return task_status(core);
	}
	npu_core_warn(core, "read of unknown register 0x%04x", (unsigned int)offset);
	return 0;
}

static void task_con_write(struct npu_core *core, uint32_t value)
{
	core->task_con = value & (PC_TASK_CON_TASK_NUMBER | PC_TASK_CON_TASK_PP_EN);
	if (value & PC_TASK_CON_TASK_COUNT_CLEAR) {
		core->counter = 0;
		core->complete = false;
	}
}

static void pc_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case PC_OPERATION_ENABLE:
		if (value & PC_OPERATION_ENABLE_OP_EN)
			npu_pc_start(core);
		return;
	case PC_BASE_ADDRESS:
		core->base_address = value & (PC_BASE_ADDRESS_PC_SOURCE_ADDR | PC_BASE_ADDRESS_PC_SEL);
		return;
	case PC_REGISTER_AMOUNTS:
		core->register_amounts = value & PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT;
		return;
	case PC_INTERRUPT_MASK:
		core->interrupt_mask = value & PC_INTERRUPT_EVENTS;
		return;
	case PC_INTERRUPT_CLEAR:
	case PC_INTERRUPT_STATUS:
		core->raw &= ~value;
		core->signalled &= ~value;
		return;
	case PC_TASK_CON:
		task_con_write(core, value);
		return;
	case PC_TASK_DMA_BASE_ADDR:
		core->task_dma_base = value & PC_TASK_DMA_BASE_ADDR_MASK;
		return;
	case PC_VERSION:
	case PC_VERSION_NUM:
	case PC_INTERRUPT_RAW_STATUS:
	case PC_TASK_STATUS:
		npu_core_warn(core, "write to read-only register 0x%04x", (unsigned int)offset);
		return;
	}
	npu_core_warn(core, "write to unknown register 0x%04x", (unsigned int)offset);
}

/* Between a task's transfers the port rests now and then. A driver that looks before the chain has ended learns nothing. */
static bool ddma_idle(struct npu_core *core)
{
	if (core->in_flight)
		return core->chaos && npu_random(&core->chaos) % 2;
	return !core->port_stuck && !npu_core_has_pending(core);
}

/* Words from 0x8034 were counters on older parts and read 0 (NPU reference 1.1). */
static uint32_t ddma_read(struct npu_core *core, uint32_t offset)
{
	if (offset == DDMA_CFG_STATUS)
		return ddma_idle(core) ? DDMA_CFG_STATUS_IDEL : 0;
	if ((offset & 0xfff) / 4 < NPU_DDMA_WORDS)
		return core->ddma[(offset & 0xfff) / 4];
	npu_core_warn(core, "read of unknown register 0x%04x", (unsigned int)offset);
	return 0;
}

static void ddma_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	if (offset > DDMA_CFG_STATUS) {
		npu_core_warn(core, "write to unknown register 0x%04x", (unsigned int)offset);
		return;
	}
	if (offset != DDMA_CFG_STATUS && offset != DDMA_CFG_ID_ERROR && offset != DDMA_CFG_DMA_FIFO_CLR)
		core->ddma[(offset & 0xfff) / 4] = value;
}

/* The block of a page of the window, or NPU_BLOCKS. */
static enum npu_block_id page_block(uint32_t offset)
{
	switch (offset >> 12) {
	case 1: return NPU_CNA;
	case 3: return NPU_CORE;
	case 4: return NPU_DPU;
	case 5: return NPU_DPU_RDMA;
	case 6: return NPU_PPU;
	case 7: return NPU_PPU_RDMA;
	}
	return NPU_BLOCKS;
}

uint32_t npu_core_read(struct npu_core *core, uint32_t offset)
{
	enum npu_block_id id = page_block(offset);

	if (id != NPU_BLOCKS)
		return block_read(core, id, offset);
	switch (offset >> 12) {
	case 0: return pc_read(core, offset);
	case 8: return ddma_read(core, offset);
	case 2:
		npu_core_warn(core, "read of 0x%04x: this page locks up the SoC", (unsigned int)offset);
		return 0;
	}
	if (offset != GLOBAL_OPERATION_ENABLE)
		npu_core_warn(core, "read of unknown register 0x%04x", (unsigned int)offset);
	return 0;
}

void npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	enum npu_block_id id = page_block(offset);

	if (id != NPU_BLOCKS) {
		if (!(core->base_address & PC_BASE_ADDRESS_PC_SEL))
			npu_core_warn(core, "CPU writes 0x%04x while the PC owns the blocks", (unsigned int)offset);
		npu_block_write(core, id, offset, value);
		return;
	}
	switch (offset >> 12) {
	case 0: pc_write(core, offset, value); return;
	case 8: ddma_write(core, offset, value); return;
	}
	if (offset == GLOBAL_OPERATION_ENABLE)
		npu_core_warn(core, "not modelled: GLOBAL OPERATION_ENABLE");
	else
		npu_core_warn(core, "write to unknown register 0x%04x", (unsigned int)offset);
}
