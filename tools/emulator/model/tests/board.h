/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef BOARD_H
#define BOARD_H

#include "../npu_model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A core, memory that is mapped at one place of the I/O address space, and what the core reported. */
#define MEMORY_BASE  0x10000000u
#define MEMORY_BYTES 0x02000000u

#define PROGRAM_AT (MEMORY_BASE + 0x00001000u)
#define A_AT       (MEMORY_BASE + 0x00200000u)
#define B_AT       (MEMORY_BASE + 0x00800000u)
#define C_AT       (MEMORY_BASE + 0x01800000u)

struct board {
	struct npu_core *core;
	uint8_t *memory;
	uint32_t error_at; /* an access that touches this address is answered with a bus error; 0: none */
	uint32_t reads;
	uint32_t writes;
	uint32_t reset_after_reads; /* the core is reset during that read; 0: never */
	uint32_t reset_after_writes;
	unsigned int reports;
	char first_report[256];
	struct npu_task_facts facts; /* of the task that ended last */
};

void board_init(struct board *board, unsigned int index);
void board_fini(struct board *board);

void *board_memory(struct board *board, uint32_t iova);

/* The writes of a driver before the first task, NPU reference 1.5. amount is that of the first program. */
void board_kick(struct board *board, unsigned int index, uint32_t program, uint32_t amount, uint32_t tasks);

/* Runs tasks until the core is idle or hangs; returns how many were retired. */
unsigned int board_work(struct board *board);

/*
 * The last kick ended with the given interrupt pending, or hung without one and with one report
 * that contains text.
 */
bool board_done(struct board *board, uint32_t raw);
bool board_hung(struct board *board, const char *text);
bool board_reported(const struct board *board, const char *text);

#endif
