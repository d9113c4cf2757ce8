/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_INTERNAL_H
#define NPU_INTERNAL_H

#include "npu_conv.h"
#include "npu_model.h"
#include "npu_pending.h"
#include "npu_port.h"
#include "npu_regs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Register values and matrices cross the memory port as they lie in host memory; the NPU is little-endian. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the model needs a little-endian host"
#endif

#if defined(__GNUC__)
#define NPU_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define NPU_PRINTF(string, first)
#endif

/* The blocks with ping-pong register groups. */
enum npu_block_id {
	NPU_CNA,
	NPU_CORE,
	NPU_DPU,
	NPU_DPU_RDMA,
	NPU_PPU,
	NPU_PPU_RDMA,
	NPU_BLOCKS,
};

/* Words from offset 0 of a block to its last register, CNA CVT_CON5/PAD_CON1 at 0x184. */
#define NPU_BLOCK_WORDS 0x80
#define NPU_DDMA_WORDS  (0x40 / 4)

struct npu_block {
	uint32_t regs[2][NPU_BLOCK_WORDS]; /* the two groups; survive jobs, cleared by reset only */
	uint32_t chain[2][NPU_BLOCK_WORDS]; /* the chain that wrote them, for strict mode */
	uint32_t mode;                     /* S_POINTER as written: ping-pong enables, mode and core index */
	unsigned int pointer;              /* group that register writes go to */
	unsigned int executer;             /* group that the next task executes */
};

/* Where the register commands of a task are. No amount means no task (NPU reference 2.5: amount 0 halts a chain). */
struct npu_link {
	uint32_t base;
	uint32_t amount;
};

enum npu_state {
	NPU_IDLE,
	NPU_RUNNING,
	NPU_HUNG, /* nothing but a reset helps (NPU reference 6.2) */
};

struct npu_core {
	struct npu_host host;
	unsigned int index;
	uint64_t generation; /* number of resets; tasks remember the one that they belong to */
	enum npu_state state;

	struct npu_block block[NPU_BLOCKS];
	uint32_t base_address;
	uint32_t register_amounts;
	uint32_t interrupt_mask;
	uint32_t raw;       /* events so far */
	uint32_t signalled; /* the ones that reached the interrupt line: those of a chain do when its last task ends */
	uint32_t task_con;
	uint32_t task_dma_base;
	uint32_t ddma[NPU_DDMA_WORDS];

	uint32_t chain;       /* number of starts since reset */
	struct npu_link next; /* the task that npu_core_fetch() takes next */
	uint32_t tasks;       /* TASK_NUMBER of the running chain */
	uint32_t counter;     /* tasks of it that have ended */
	bool complete;        /* counter has reached TASK_NUMBER */
	uint32_t executing;   /* enable map of the task between fetch and retire, or of the one that hangs */
	bool in_flight;       /* a task is between fetch and retire */
	bool port_stuck;      /* an access of the memory port never completes */

	/* What the last convolution left in CBUF, for strict mode. */
	struct npu_residents {
		uint32_t weights, weight_bytes, features;
	} residents;

	/* Not touched by reset. */
	struct npu_timing timing;
	bool strict;
	uint64_t chaos; /* state of the random numbers; 0: off */

	/* Goes to the task between fetch and retire, so that npu_task_run() needs no lock; NULL meanwhile and after reset. */
	struct npu_pending *pending;
	struct npu_cbuf *cbuf;
};

struct npu_task {
	uint64_t generation;
	struct npu_port port;
	bool convolution;
	struct npu_conv conv;
	struct npu_dpu dpu;
	struct npu_cbuf *cbuf;
	bool out_of_memory;
	bool first; /* of its chain */
	bool last;
	struct npu_timing timing;
	struct npu_task_facts facts;
	struct npu_pending *pending; /* NULL: writes land at once */
};

/* Register values of a task: the executed group of each block. */
struct npu_view {
	const uint32_t *regs[NPU_BLOCKS];
};

/* Takes a field out of a register value; mask as in npu_regs.h. */
static inline uint32_t npu_field(uint32_t value, uint32_t mask)
{
	return (value & mask) / (mask & (~mask + 1));
}

static inline uint32_t npu_get(const struct npu_view *view, uint32_t offset)
{
	static const uint8_t block[8] = {
		[1] = NPU_CNA, [3] = NPU_CORE, [4] = NPU_DPU, [5] = NPU_DPU_RDMA, [6] = NPU_PPU, [7] = NPU_PPU_RDMA,
	};

	return view->regs[block[offset >> 12]][(offset & 0xfff) / 4];
}

/* npu_regmap.c: false if no ping-pong block has a register at this offset of the window. */
bool npu_register_exists(uint32_t offset, uint32_t *writable);

/* npu_core.c */
void npu_block_write(struct npu_core *core, enum npu_block_id id, uint32_t offset, uint32_t value);
bool npu_core_index_matches(const struct npu_core *core, enum npu_block_id id);
void npu_core_warn(struct npu_core *core, const char *format, ...) NPU_PRINTF(2, 3);
/* Hangs the core. Returns false, so that checks can end with it. */
bool npu_core_hang(struct npu_core *core, const char *format, ...) NPU_PRINTF(2, 3);
/* Hangs the core because of a failed access of its memory port; a bus error leaves its trace in the registers. */
void npu_core_port_failed(struct npu_core *core, const struct npu_port *port);

/* npu_task.c: a task that owns nothing of the core yet; hands it what it owns while it runs, and takes that back. */
struct npu_task *npu_task_new(struct npu_core *core);
void npu_task_delete(struct npu_task *task);
void npu_task_lend(struct npu_core *core, struct npu_task *task, uint32_t map);
void npu_task_give_back(struct npu_core *core, struct npu_task *task);

/* npu_strict.c: reports what nothing promises about the planned task. */
void npu_strict_check(struct npu_core *core, const struct npu_view *view, uint32_t map, const struct npu_task *task);

/* npu_regmap.c: calls visit for the offset of every register of the ping-pong blocks. */
void npu_registers_visit(void (*visit)(void *opaque, uint32_t offset), void *opaque);

/* npu_pc.c */
void npu_pc_start(struct npu_core *core);

/* npu_plan.c: checks a convolution's registers and decodes them. False if the task hangs. */
bool npu_plan_conv(struct npu_core *core, const struct npu_view *view, struct npu_task *task);

/* npu_plan_dpu.c: a task without convolution. */
bool npu_plan_eltwise(struct npu_core *core, const struct npu_view *view, struct npu_dpu *dpu);

#endif
