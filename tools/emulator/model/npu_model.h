/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_MODEL_H
#define NPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One core of the RK3588's NPU, from its register window to its memory port.
 *
 * The model is portable C: no OS calls, no threads, no globals. Whoever embeds it (the QEMU device, libork's in-process
 * device, a test) brings memory and a notion of time:
 *
 *   - npu_core_read() and npu_core_write() are the CPU's accesses to the register window.
 *   - While npu_core_busy(), the embedder takes tasks one by one: npu_core_fetch() reads and decodes the next task's register
 *     commands, npu_task_run() computes it, npu_core_retire() counts it, raises interrupt bits and decides whether the chain
 *     goes on.
 *   - npu_core_irq() is the level of the interrupt line.
 *
 * Calls that take a struct npu_core must not overlap: the embedder holds its lock around them. npu_task_run() touches only
 * the task and may run without that lock, so that cores compute in parallel. A reset in the meantime is noticed by
 * npu_core_retire(), which then changes nothing.
 */

/* Outcome of one access of the NPU's memory port. */
enum npu_dma {
	NPU_DMA_OK,
	NPU_DMA_STALL,     /* never completes: IOMMU fault, or the core was reset meanwhile */
	NPU_DMA_BUS_ERROR, /* answered with an error response */
};

/*
 * What one task did, for a log. Precisions are the codes of NPU reference 3.3. A DPU task without convolution has no channels,
 * kernels and MACs, only its output cube.
 */
struct npu_task_facts {
	unsigned int core;
	uint32_t task;       /* number in its chain, from 0 */
	uint32_t tasks;      /* TASK_NUMBER of the chain */
	uint32_t enable_map; /* blocks that took part */
	bool hung;           /* it never ended; the report says why */

	uint8_t input; /* precisions */
	uint8_t output;
	uint32_t width; /* of the feature cube */
	uint32_t height;
	uint32_t channels;
	uint32_t out_width; /* of the output cube */
	uint32_t out_height;
	uint32_t kernels; /* output channels */
	uint32_t kernel_width;
	uint32_t kernel_height;
	uint32_t cbuf_con0; /* register 0x1040: banks and reuse bits */
	uint32_t feature_address;
	uint32_t weight_address;
	uint32_t output_address;

	uint64_t bytes_read; /* through the memory port, without register commands */
	uint64_t bytes_written;
	uint64_t macs;
	uint64_t cycles; /* predicted, see struct npu_timing */
};

/* What the embedder provides. Addresses are I/O virtual; [iova, iova + bytes) may cross pages. */
struct npu_host {
	void *opaque;
	enum npu_dma (*read)(void *opaque, uint32_t iova, void *buf, size_t bytes);
	enum npu_dma (*write)(void *opaque, uint32_t iova, const void *buf, size_t bytes);
	/*
	 * One line without newline: a hang and its cause, or a program that relies on undefined behaviour.
	 * Comes only from calls that take a struct npu_core.
	 */
	void (*report)(void *opaque, const char *message);
	/* A task has ended or hangs; called by npu_core_retire(). May be NULL. */
	void (*task_done)(void *opaque, const struct npu_task_facts *facts);
};

/*
 * A first timing model: a task takes the longer of its MACs and its memory traffic, plus a fixed cost; the first task of a chain
 * also pays for the kick. Cycles of the NPU clock. The defaults are the TRM's MAC rates and round published figures
 * (NPU reference 7, measurements 1 and 3); they are not fitted to any of them.
 */
struct npu_timing {
	uint32_t macs_per_cycle[8]; /* by input precision code */
	uint32_t dma_bytes_per_cycle;
	uint32_t task_cycles;
	uint32_t kick_cycles;
};

struct npu_core;
struct npu_task;

/* Size of the register window in bytes. The MMU banks at 0x9000 and 0xA000 inside it are not the model's. */
#define NPU_WINDOW_BYTES 0x10000

/*
 * Makes core number index (0 to 2) in reset state. host is copied. Returns NULL when out of memory. npu_core_delete() frees it.
 */
struct npu_core *npu_core_new(unsigned int index, const struct npu_host *host);
void npu_core_delete(struct npu_core *core);

/* Both reset lines of the core: every register, CBUF contents and a running chain are gone. */
void npu_core_reset(struct npu_core *core);

/* 32-bit access at a multiple of 4 below NPU_WINDOW_BYTES. Unknown registers read as 0 and ignore writes, with a report. */
uint32_t npu_core_read(struct npu_core *core, uint32_t offset);
void npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value);

/*
 * Level of the NPU's part of the interrupt line: raw status and mask have a bit in common. Events of a
 * chain count only once its last task has been retired, bus errors at once.
 */
bool npu_core_irq(const struct npu_core *core);

/* A started chain has tasks left and is not hung. */
bool npu_core_busy(const struct npu_core *core);

/*
 * Fetches the next task: reads its register commands through host->read and applies them to the register groups.
 * Returns NULL if that hangs the core or the fetch fails (npu_core_busy() is then false), or when out of memory.
 * The caller hands the task to npu_core_retire().
 */
struct npu_task *npu_core_fetch(struct npu_core *core);

/* Computes the task through host->read and host->write. May be called without the lock on the core. */
void npu_task_run(struct npu_task *task);

/* Predicted NPU cycles of a task that npu_task_run() has computed. */
uint64_t npu_task_cycles(const struct npu_task *task);

/* Ends the task and frees it. If the core was reset after npu_core_fetch(), nothing else happens. */
void npu_core_retire(struct npu_core *core, struct npu_task *task);

void npu_timing_default(struct npu_timing *timing);

/* Modes and parameters of a core. They survive reset; a change counts from the next task on. */
void npu_core_set_timing(struct npu_core *core, const struct npu_timing *timing);

/*
 * Strict: reports, with "strict:" in front of the cause, programs that real hardware happens to execute but whose result nothing
 * promises: reuse bits in the first task of a chain, values that an earlier chain left in the registers, and the like.
 */
void npu_core_set_strict(struct npu_core *core, bool strict);

/*
 * Chaos: the last writes of a chain land after its interrupt, in shuffled order if elements have two bytes (NPU reference 6.7).
 * How many is random; equal seeds give equal runs. Seed 0 turns it off. DDMA's idle bit, 0x8030 bit 8, reads 0 while
 * writes are pending. The embedder lands them with npu_core_drain() when it likes; the next npu_core_fetch() lands what is left, and
 * a reset drops it.
 */
void npu_core_set_chaos(struct npu_core *core, uint64_t seed);
bool npu_core_has_pending(const struct npu_core *core);

/* Lands up to max_writes pending writes of at most 256 bytes each through host->write. */
void npu_core_drain(struct npu_core *core, uint32_t max_writes);

#endif
