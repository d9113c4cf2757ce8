/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef NPU_DPU_H
#define NPU_DPU_H

#include "npu_mac.h"
#include "npu_port.h"
#include "npu_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The DPU, NPU reference 5.5: sums go through OW, BS, BN, EW and the output converter and are written by 3.7. Values are int32, or
 * fp32 bit patterns.
 */

/* BS or BN: an adder, a multiplier, and limits. */
struct npu_stage {
	bool alu;
	bool alu_minus;
	bool alu_memory; /* the operand comes from BRDMA, one for each channel; likewise below */
	int32_t alu_operand;
	bool mul;
	bool mul_memory;
	bool prelu; /* multiplies negative values only */
	int32_t mul_operand;
	uint8_t shift; /* of products that are not negative, and of negative ones */
	uint8_t shift_negative;
	bool relu;
	bool relux;
	int32_t bound; /* of relux */
};

enum npu_algorithm {
	NPU_MAX = 0,
	NPU_MIN = 1,
	NPU_ADD = 2,
	NPU_MINUS = 4,
};

/* EW: one operation with a second operand for each element. */
struct npu_ew {
	bool on;
	bool multiply;
	enum npu_algorithm algorithm;
	bool memory; /* the operand comes from ERDMA, else it is one of eight constants */
	int32_t constant[8];
	enum npu_precision operand;
	bool float_adder; /* takes integers for bit patterns of floats (NPU reference 5.6) */
	bool convert;     /* the operand: (op + offset) * scale >> shift, or the offset last */
	bool offset_first;
	enum npu_rounding rounding;
	int32_t offset;
	int16_t scale;
	uint8_t shift;
	uint8_t truncate; /* shifts of products, as for stages */
	uint8_t truncate_negative;
	bool relu;
	bool relux;
	int32_t bound;
};

/* DPU_RDMA: where operands are. Pitches in atoms. */
struct npu_rdma {
	bool enabled;
	bool bias;   /* BRDMA data use 1: int32 for each channel */
	bool triple; /* BRDMA data use 7: 64 bytes for eight channels, int32 A, int16 B, int16 C */
	int64_t channel_address;
	bool elements;             /* ERDMA */
	bool shared;               /* COMB_USE: MRDMA reads even surfaces of the operand, ERDMA odd ones */
	int64_t element_address;
	int64_t element_pitch;
	int64_t main_address;
	int64_t main_pitch;
	enum npu_precision main; /* of the main data of a task without convolution */
};

struct npu_dpu {
	bool real;
	bool flying; /* main data come from MRDMA */
	enum npu_precision output;
	uint32_t channels;
	uint32_t group; /* channels of a kernel group */
	uint32_t width; /* of the output cube */
	uint32_t height;
	bool plain; /* sums are written as they are */
	bool garbage;

	bool ow; /* adds ow_operand, or operand B, times the sum of inputs */
	bool ow_memory;
	int16_t ow_operand;
	struct npu_stage bs;
	struct npu_stage bn;
	struct npu_ew ew;
	int16_t scale; /* output converter */
	uint8_t shift;
	enum npu_rounding rounding;
	int32_t offset;
	struct npu_rdma rdma;

	int64_t address;         /* the writer, from here on */
	uint32_t notch[2];       /* atoms from the end of a line to the next, of even and of odd surfaces */
	int64_t surface;         /* pitch of surfaces within a kernel group, atoms */
	int64_t next_group;      /* pitch of kernel groups, atoms */
	uint32_t group_surfaces; /* size_e + 1 */
};

static inline uint32_t npu_dpu_output_bytes(const struct npu_dpu *dpu)
{
	return npu_precision_bytes(dpu->output);
}

/* Operands of one value for each channel. */
struct npu_channel_operands {
	int32_t *a;
	int16_t *b;
	int16_t *c;
};

/* Sums of some pixels and some kernel groups, as the MAC array leaves them: [groups][pixels][kernels of a group]. */
struct npu_sums {
	uint32_t first_pixel;
	uint32_t pixels;
	uint32_t first_group;
	uint32_t groups;
	int32_t *sum;
	int32_t *inputs;         /* sums of inputs: [pixels], or as sum if depthwise; for OW only */
	bool inputs_by_channel;
	uint8_t *elements;       /* operands of EW, same order as sum */
	uint8_t *output;         /* same order as sum; sum itself if plain */
};

/* npu_rdma.c */
bool npu_rdma_channels(const struct npu_dpu *dpu, struct npu_port *port, struct npu_channel_operands *operands);
void npu_rdma_channels_delete(struct npu_channel_operands *operands);
bool npu_rdma_elements(const struct npu_dpu *dpu, struct npu_burst *burst, const struct npu_sums *sums);
bool npu_rdma_main(const struct npu_dpu *dpu, struct npu_burst *burst, const struct npu_sums *sums);

/* npu_stages.c: computes the output elements. */
void npu_stages_run(const struct npu_dpu *dpu, const struct npu_channel_operands *operands, struct npu_sums *sums);

/* npu_output.c: writes them to memory. */
bool npu_output_write(const struct npu_dpu *dpu, struct npu_burst *burst, const struct npu_sums *sums);

/* npu_eltwise.c: a task without convolution. False if the host is out of memory. */
bool npu_eltwise_run(const struct npu_dpu *dpu, struct npu_port *port);

#endif
