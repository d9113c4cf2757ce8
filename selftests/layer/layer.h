/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_LAYER_H
#define ORK_LAYER_H

#include <stdbool.h>
#include <ork.h>

/*
 * A decoder layer of Qwen3-1.7B in int8, as the products that it consists of. Values are random; sizes, order and what
 * waits for what are those of the model. Of the CPU's work it has what libork does or has helpers for: quantising,
 * copying, converting results to real numbers. Norms, rotation, softmax, SiLU and appending to the cache are left out.
 */

enum {
	LAYER_HIDDEN = 2048,
	LAYER_HEADS = 16,
	LAYER_KV_HEADS = 8,
	LAYER_HEAD = 128,
	LAYER_FFN = 6144,
	LAYER_VOCABULARY = 151936,
	LAYER_CONTEXT = 512, /* tokens that are attended to */
	LAYER_EXPERTS = 8,   /* of a model with experts, that work for one token; their FFN */
	LAYER_EXPERT_FFN = 512,
	LAYER_TOGETHER = 2 * LAYER_EXPERTS, /* products of a step at most */
};

/* A matrix product, or one per head for keys and values. */
struct layer_product {
	const char *name;
	struct ork_weights *weights;
	int8_t *b; /* B[k][n], to check results with; NULL: not checked */
	uint32_t k, n, batch;
	uint32_t rows;       /* M of each */
	int8_t *a;           /* [batch][rows][k], in a_bo if there is one */
	int32_t *c;          /* [batch][rows][n], likewise */
	struct ork_bo *a_bo, *c_bo;
	float *row_scales;
};

/* Products that need nothing of each other, and all that came before. */
struct layer_step {
	struct layer_product *products[LAYER_TOGETHER];
	uint32_t count;
};

struct layer_options {
	uint32_t tokens;      /* M */
	bool fused;           /* q, k and v are one matrix, gate and up another */
	bool whole_k;         /* K is not cut into slices, up to the most that a task takes */
	bool in_place;        /* A and C lie in buffers */
	bool vocabulary;      /* the product with the vocabulary instead of the layer */
	bool experts;         /* the FFN of a layer with experts instead */
};

#define LAYER_STEPS 6

struct layer {
	struct ork_device *dev;
	struct layer_options options;
	struct layer_product products[LAYER_TOGETHER + LAYER_EXPERTS];
	uint32_t product_count;
	struct layer_step steps[LAYER_STEPS];
	uint32_t step_count;
	float *x;          /* stands for the input of any product */
	float *y;          /* and this for the output */
	float *scales;     /* of columns */
};

/* Negative errno values; the device knows more. */
int layer_init(struct layer *layer, struct ork_device *dev, const struct layer_options *options);
void layer_fini(struct layer *layer);

/* Compares some elements of C with the CPU's. Returns whether they are right. */
bool layer_check(const struct layer_product *product);

#endif
