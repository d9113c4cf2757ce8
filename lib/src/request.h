/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REQUEST_H
#define ORK_REQUEST_H

#include "place.h"
#include "program.h"

/* A product that has been checked, and how it is cut into passes. */
struct ork_request {
	struct ork_device *dev;
	const struct ork_weights *weights;
	enum ork_dtype c_type;
	const struct ork_result *result;
	struct ork_place a, c;
	uint32_t m, batch;
	uint32_t k, n;            /* of the weights when the product was asked for; they may grow afterwards */
	bool shared_b;
	struct ork_requant requant;
	uint32_t cores;           /* 0: chosen by the planner */
	uint32_t core_mask;
	uint32_t timeout_ms;
	struct ork_shape pass;    /* shape of the largest pass */
};

/* What one set of stages and one program compute: whole products, or rows of one. */
struct ork_pass {
	const struct ork_request *req;
	struct ork_shape shape;
	uint32_t first_batch;
	uint32_t first_row;
};

bool ork_requant_valid(const struct ork_requant *requant);

/* Checks everything but a and c. */
int ork_request_init(struct ork_request *req, struct ork_device *dev, const struct ork_matmul_desc *desc,
		     const struct ork_matmul_opts *opts);

/* Checks a and c as well. */
int ork_request_init_data(struct ork_request *req, struct ork_device *dev, const struct ork_matmul_desc *desc,
			  const struct ork_matmul_opts *opts);

uint64_t ork_request_passes(const struct ork_request *req);
void ork_request_pass(const struct ork_request *req, uint64_t index, struct ork_pass *pass);

/* Key of the pass's program. */
void ork_pass_key(const struct ork_pass *pass, struct ork_program_key *key);

#endif
