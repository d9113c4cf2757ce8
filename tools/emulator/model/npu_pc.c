/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_internal.h"

/*
 * The PC: reads a task's register commands, applies them, starts the task that they describe and
 * follows the embedded link to the next one (NPU reference 2).
 */

#define TARGET_PC     0x0101
#define TARGET_ENABLE 0x0081
#define MARKER        (UINT64_C(0x0041) << 48)

/* Words that one access of the memory port reads. */
#define FETCH_WORDS 512

struct program {
	uint64_t previous;    /* word before the current one */
	struct npu_link link; /* to the next task */
	uint32_t map;         /* of the enable word */
	uint32_t pointers;    /* enable bits of the blocks whose S_POINTER was written */
	bool enabled;         /* the enable word is behind us */
	bool trailing;        /* words after it have been reported */
};

static const struct {
	const char *name;
	uint32_t enable;
	uint32_t events; /* of group 0; group 1 has the next higher bits (NPU reference 1.3) */
} blocks[NPU_BLOCKS] = {
	[NPU_CNA] = { "CNA", ENABLE_CNA, 0x015 },
	[NPU_CORE] = { "CORE", ENABLE_CORE, 0x040 },
	[NPU_DPU] = { "DPU", ENABLE_DPU, 0x100 },
	[NPU_DPU_RDMA] = { "DPU_RDMA", ENABLE_DPU_RDMA, 0 },
	[NPU_PPU] = { "PPU", ENABLE_PPU, 0x400 },
	[NPU_PPU_RDMA] = { "PPU_RDMA", ENABLE_PPU_RDMA, 0 },
};

static uint32_t word_target(uint64_t word)
{
	return (uint32_t)(word >> 48);
}

static uint32_t word_value(uint64_t word)
{
	return (uint32_t)(word >> 16);
}

static uint32_t word_offset(uint64_t word)
{
	return (uint32_t)(word & 0xfffc);
}

void npu_pc_start(struct npu_core *core)
{
	if (core->state != NPU_IDLE) {
		npu_core_warn(core, "op_en has no effect: the core %s", core->state == NPU_HUNG ? "hangs" : "is busy");
		return;
	}
	if (core->base_address & PC_BASE_ADDRESS_PC_SEL) {
		npu_core_warn(core, "op_en has no effect: the PC is in slave mode");
		return;
	}
	core->next.base = core->base_address;
	core->next.amount = core->register_amounts;
	core->tasks = npu_field(core->task_con, PC_TASK_CON_TASK_NUMBER);
	core->chain++;
	core->complete = false;
	core->state = NPU_RUNNING;
	if (core->task_dma_base != 0)
		npu_core_hang(core, "not modelled: TASK_DMA_BASE_ADDR 0x%08x", (unsigned int)core->task_dma_base);
	else if (core->counter >= core->tasks)
		npu_core_hang(core, "started with %u of %u tasks counted", (unsigned int)core->counter,
			      (unsigned int)core->tasks);
}

/* The block that a target names by its bits 56 to 63 (NPU reference 2.1), or NPU_BLOCKS. */
static enum npu_block_id target_block(uint32_t target, uint32_t *page)
{
	switch (target) {
	case 0x0201: *page = 0x1000; return NPU_CNA;
	case 0x0801: *page = 0x3000; return NPU_CORE;
	case 0x1001: *page = 0x4000; return NPU_DPU;
	case 0x2001: *page = 0x5000; return NPU_DPU_RDMA;
	case 0x4001: *page = 0x6000; return NPU_PPU;
	case 0x8001: *page = 0x7000; return NPU_PPU_RDMA;
	}
	return NPU_BLOCKS;
}

static void pc_command(struct npu_core *core, struct program *program, uint64_t word)
{
	switch (word_offset(word)) {
	case PC_BASE_ADDRESS:
		program->link.base = word_value(word) & PC_BASE_ADDRESS_PC_SOURCE_ADDR;
		return;
	case PC_REGISTER_AMOUNTS:
		program->link.amount = word_value(word) & PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT;
		return;
	}
	npu_core_warn(core, "register command writes PC register 0x%04x", (unsigned int)word_offset(word));
}

/* NPU reference 1.4: without the right core bits such a task never completes; with them it is merely bad manners. */
static void check_s_pointer(struct npu_core *core, enum npu_block_id id, uint32_t offset)
{
	if ((id == NPU_CNA || id == NPU_CORE) && (offset & 0xfff) == BLOCK_S_POINTER)
		npu_core_warn(core, "register command writes S_POINTER of %s", id == NPU_CNA ? "CNA" : "CORE");
}

static void block_command(struct npu_core *core, struct program *program, uint64_t word)
{
	uint32_t page = 0, offset = word_offset(word);
	enum npu_block_id id = target_block(word_target(word), &page);

	if (id == NPU_BLOCKS) {
		npu_core_warn(core, "register command 0x%016llx has an unknown target", (unsigned long long)word);
		return;
	}
	if ((offset & 0xf000) != page)
		npu_core_warn(core, "register command 0x%016llx: offset and target differ", (unsigned long long)word);
	check_s_pointer(core, id, offset);
	if ((offset & 0xfff) == BLOCK_S_POINTER)
		program->pointers |= blocks[id].enable;
	npu_block_write(core, id, page | (offset & 0xfff), word_value(word));
}

static bool enable_command(struct npu_core *core, struct program *program, uint64_t word)
{
	if (program->previous != MARKER)
		return npu_core_hang(core, "enable word without the marker word 0x0041 before it");
	if (word_offset(word) != BLOCK_OPERATION_ENABLE)
		return npu_core_hang(core, "enable word for register 0x%04x", (unsigned int)word_offset(word));
	program->enabled = true;
	program->map = word_value(word);
	return true;
}

static bool command(struct npu_core *core, struct program *program, uint64_t word)
{
	bool filler = word_target(word) <= 1;

	if (filler || word == MARKER)
		return true;
	if (program->enabled) {
		if (!program->trailing)
			npu_core_warn(core, "register commands after the enable word are ignored");
		program->trailing = true;
		return true;
	}
	if (word_target(word) == TARGET_ENABLE)
		return enable_command(core, program, word);
	if (word_target(word) == TARGET_PC)
		pc_command(core, program, word);
	else
		block_command(core, program, word);
	return true;
}

/* Reads and applies the 2 * (amount + 1) words of the next task (NPU reference 2.3). */
static bool load_program(struct npu_core *core, struct npu_port *port, struct program *program)
{
	uint64_t words[FETCH_WORDS];
	uint64_t generation = core->generation;
	uint32_t left = 2 * (core->next.amount + 1);
	int64_t address = core->next.base;

	while (left > 0) {
		uint32_t count = left < FETCH_WORDS ? left : FETCH_WORDS;
		bool done = npu_port_read(port, NPU_CLIENT_PC, address, words, count * sizeof(words[0]));

		if (core->generation != generation)
			return false;
		if (!done) {
			npu_core_port_failed(core, port);
			return false;
		}
		for (uint32_t i = 0; i < count; i++) {
			if (!command(core, program, words[i]))
				return false;
			program->previous = words[i];
		}
		left -= count;
		address += (int64_t)(count * sizeof(words[0]));
	}
	if (!program->enabled)
		return npu_core_hang(core, "no enable word among %u register commands",
				     2 * ((unsigned int)core->next.amount + 1));
	return true;
}

/* A block executes the group of its executer; commands that went to the other group have started nothing. */
static bool check_groups(struct npu_core *core, uint32_t map)
{
	for (int id = 0; id < NPU_BLOCKS; id++) {
		const struct npu_block *block = &core->block[id];

		if (!(map & blocks[id].enable))
			continue;
		if (block->pointer != block->executer)
			return npu_core_hang(core, "%s waits for group %u, its registers are in group %u",
					     blocks[id].name, block->executer, block->pointer);
		if ((id == NPU_CNA || id == NPU_CORE) && !npu_core_index_matches(core, (enum npu_block_id)id))
			return npu_core_hang(core, "S_POINTER of %s names core %u", blocks[id].name,
					     (unsigned int)npu_field(block->mode, S_POINTER_CORE_INDEX));
	}
	return true;
}

/* NPU reference 2.5: in a chain each such task has to write the pointers of its blocks anew. */
static bool plan_eltwise(struct npu_core *core, const struct program *program, const struct npu_view *view,
			 struct npu_task *task)
{
	if (core->counter > 0 && program->pointers != (ENABLE_DPU | ENABLE_DPU_RDMA))
		return npu_core_hang(core, "chained DPU task that does not write S_POINTER of DPU and DPU_RDMA");
	if (!check_groups(core, program->map) || !npu_plan_eltwise(core, view, &task->dpu))
		return false;
	if (core->strict)
		npu_strict_check(core, view, program->map, task);
	return true;
}

/* What runs is decided by the enable map alone (NPU reference 2.2). */
static bool plan(struct npu_core *core, const struct program *program, struct npu_task *task)
{
	uint32_t map = program->map;
	struct npu_view view;

	for (int id = 0; id < NPU_BLOCKS; id++)
		view.regs[id] = core->block[id].regs[core->block[id].executer];
	if (map & ~(uint32_t)(ENABLE_CNA | ENABLE_CORE | ENABLE_DPU | ENABLE_DPU_RDMA | ENABLE_PPU | ENABLE_PPU_RDMA))
		return npu_core_hang(core, "enable map 0x%02x names blocks that do not exist", (unsigned int)map);
	if (map & (ENABLE_PPU | ENABLE_PPU_RDMA))
		return npu_core_hang(core, "not modelled: pooling (enable map 0x%02x)", (unsigned int)map);
	task->dpu.rdma.enabled = map & ENABLE_DPU_RDMA;
	if (map == (ENABLE_DPU | ENABLE_DPU_RDMA))
		return plan_eltwise(core, program, &view, task);
	if ((map & ~(uint32_t)ENABLE_DPU_RDMA) != (ENABLE_CNA | ENABLE_CORE | ENABLE_DPU))
		return npu_core_hang(core, "enable map 0x%02x has a block without work", (unsigned int)map);
	task->convolution = true;
	if (!check_groups(core, map) || !npu_plan_conv(core, &view, task))
		return false;
	if (core->strict)
		npu_strict_check(core, &view, map, task);
	return true;
}

struct npu_task *npu_core_fetch(struct npu_core *core)
{
	struct program program = { 0 };
	struct npu_task *task;

	if (core->state != NPU_RUNNING)
		return NULL;
	if (core->in_flight) {
		npu_core_warn(core, "the embedder fetches a task before it retired the one before");
		return NULL;
	}
	/* Writes of the chain before reach memory before anything of this one reads it. */
	npu_core_drain(core, UINT32_MAX);
	if (core->state != NPU_RUNNING)
		return NULL;
	task = npu_task_new(core);
	if (!task) {
		npu_core_hang(core, "the host is out of memory");
		return NULL;
	}
	if (!load_program(core, &task->port, &program)) {
		npu_task_delete(task);
		return NULL;
	}
	core->executing = program.map;
	core->next = program.link;
	if (!plan(core, &program, task)) {
		npu_task_delete(task);
		return NULL;
	}
	npu_task_lend(core, task, program.map);
	core->in_flight = true;
	return task;
}

/* NPU reference 1.4: mode 0 moves the pointer to the group that does not execute, mode 1 to the other group. */
static void swap_groups(struct npu_block *block)
{
	unsigned int executed = block->executer;

	if (block->mode & S_POINTER_EXECUTER_PP_EN)
		block->executer = !executed;
	if (!(block->mode & S_POINTER_POINTER_PP_EN))
		return;
	block->pointer = block->mode & S_POINTER_POINTER_PP_MODE ? !block->pointer : !executed;
}

static void finish_blocks(struct npu_core *core)
{
	for (int id = 0; id < NPU_BLOCKS; id++) {
		if (!(core->executing & blocks[id].enable))
			continue;
		core->raw |= blocks[id].events << core->block[id].executer;
		swap_groups(&core->block[id]);
	}
	core->executing = 0;
}

/* The interrupt belongs to the chain: events of earlier tasks reach the line only now (NPU reference 2.5, 2.7). */
static void finish_chain(struct npu_core *core)
{
	core->complete = true;
	core->counter = 0;
	core->signalled |= core->raw;
	core->state = NPU_IDLE;
}

static void finish_task(struct npu_core *core)
{
	finish_blocks(core);
	core->counter++;
	if (core->counter == core->tasks)
		finish_chain(core);
	else if (core->next.base == 0 || core->next.amount == 0)
		npu_core_hang(core, "%u of %u tasks are done and there is no link to the next",
			      (unsigned int)core->counter, (unsigned int)core->tasks);
}

void npu_core_retire(struct npu_core *core, struct npu_task *task)
{
	if (task->generation == core->generation && core->in_flight) {
		core->in_flight = false;
		npu_task_give_back(core, task);
		if (task->out_of_memory)
			npu_core_hang(core, "the host is out of memory");
		else if (task->port.failure != NPU_DMA_OK)
			npu_core_port_failed(core, &task->port);
		else
			finish_task(core);
		task->facts.hung = task->out_of_memory || task->port.failure != NPU_DMA_OK;
		if (core->host.task_done)
			core->host.task_done(core->host.opaque, &task->facts);
	}
	npu_task_delete(task);
}
