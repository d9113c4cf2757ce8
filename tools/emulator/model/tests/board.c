/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "board.h"

#include "../npu_regs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool mapped(uint32_t iova, size_t bytes)
{
	return iova >= MEMORY_BASE && bytes <= MEMORY_BYTES && iova - MEMORY_BASE <= MEMORY_BYTES - bytes;
}

static enum npu_dma answer(const struct board *board, uint32_t iova, size_t bytes)
{
	if (board->error_at >= iova && board->error_at - iova < bytes)
		return NPU_DMA_BUS_ERROR;
	return mapped(iova, bytes) ? NPU_DMA_OK : NPU_DMA_STALL;
}

static enum npu_dma read_memory(void *opaque, uint32_t iova, void *buf, size_t bytes)
{
	struct board *board = opaque;
	enum npu_dma result = answer(board, iova, bytes);

	board->reads++;
	if (board->reads == board->reset_after_reads) {
		npu_core_reset(board->core);
		return NPU_DMA_STALL;
	}
	if (result == NPU_DMA_OK)
		memcpy(buf, board_memory(board, iova), bytes);
	return result;
}

static enum npu_dma write_memory(void *opaque, uint32_t iova, const void *buf, size_t bytes)
{
	struct board *board = opaque;
	enum npu_dma result = answer(board, iova, bytes);

	board->writes++;
	if (board->writes == board->reset_after_writes) {
		npu_core_reset(board->core);
		return NPU_DMA_STALL;
	}
	if (result == NPU_DMA_OK)
		memcpy(board_memory(board, iova), buf, bytes);
	return result;
}

static void take_report(void *opaque, const char *message)
{
	struct board *board = opaque;

	if (board->reports++ == 0)
		snprintf(board->first_report, sizeof(board->first_report), "%s", message);
}

static void take_facts(void *opaque, const struct npu_task_facts *facts)
{
	struct board *board = opaque;

	board->facts = *facts;
}

void board_init(struct board *board, unsigned int index)
{
	struct npu_host host = {
		.opaque = board,
		.read = read_memory,
		.write = write_memory,
		.report = take_report,
		.task_done = take_facts,
	};

	memset(board, 0, sizeof(*board));
	board->memory = calloc(1, MEMORY_BYTES);
	board->core = npu_core_new(index, &host);
	if (!board->memory || !board->core)
		abort();
}

void board_fini(struct board *board)
{
	npu_core_delete(board->core);
	free(board->memory);
}

void *board_memory(struct board *board, uint32_t iova)
{
	return board->memory + (iova - MEMORY_BASE);
}

void board_kick(struct board *board, unsigned int index, uint32_t program, uint32_t amount, uint32_t tasks)
{
	struct npu_core *core = board->core;

	npu_core_write(core, PC_BASE_ADDRESS, 1);
	npu_core_write(core, 0x1004, 0xe + (index << 28));
	npu_core_write(core, 0x3004, 0xe + (index << 28));
	npu_core_write(core, PC_BASE_ADDRESS, program);
	npu_core_write(core, PC_REGISTER_AMOUNTS, amount);
	npu_core_write(core, PC_INTERRUPT_MASK, 0x300);
	npu_core_write(core, PC_INTERRUPT_CLEAR, 0x300);
	npu_core_write(core, PC_TASK_CON, 0x7000 | tasks);
	npu_core_write(core, PC_TASK_DMA_BASE_ADDR, 0);
	npu_core_write(core, PC_OPERATION_ENABLE, 1);
	npu_core_write(core, PC_OPERATION_ENABLE, 0);
}

unsigned int board_work(struct board *board)
{
	unsigned int retired = 0;

	while (npu_core_busy(board->core)) {
		struct npu_task *task = npu_core_fetch(board->core);

		if (!task)
			continue;
		npu_task_run(task);
		npu_core_retire(board->core, task);
		retired++;
	}
	return retired;
}

bool board_done(struct board *board, uint32_t raw)
{
	return npu_core_irq(board->core) && !npu_core_busy(board->core) &&
	       npu_core_read(board->core, PC_INTERRUPT_RAW_STATUS) == (0xc0000000 | raw) &&
	       npu_core_read(board->core, PC_TASK_STATUS) == 0xf000;
}

bool board_reported(const struct board *board, const char *text)
{
	bool found = board->reports == 1 && strstr(board->first_report, text);

	if (!found)
		printf("# %u reports, first: %s\n", board->reports, board->first_report);
	return found;
}

bool board_hung(struct board *board, const char *text)
{
	return !npu_core_irq(board->core) && !npu_core_busy(board->core) &&
	       npu_core_read(board->core, PC_TASK_STATUS) != 0xf000 && board_reported(board, text);
}
