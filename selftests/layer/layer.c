/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* Longest K of a task (NPU reference 6.1, D10). */
#define WHOLE_K 10240

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* count is a multiple of 8. */
static void fill(int8_t *data, size_t count, uint64_t *state)
{
	uint64_t value;
	size_t i;

	for (i = 0; i < count; i += sizeof(value)) {
		value = next(state);
		memcpy(data + i, &value, sizeof(value));
	}
}

static int operand(struct ork_device *dev, bool in_place, size_t bytes, struct ork_bo **bo, void *data)
{
	void **pointer = data;
	int err;

	if (!in_place) {
		*pointer = calloc(1, bytes);
		return *pointer ? 0 : -ENOMEM;
	}
	err = ork_bo_create(dev, bytes, 0, bo);
	return err ? err : ork_bo_map(*bo, pointer);
}

static int add_operands(const struct layer *layer, struct layer_product *p, bool in_place)
{
	const size_t rows = (size_t)p->batch * p->rows;
	int err;

	p->row_scales = calloc(rows, sizeof(*p->row_scales));
	if (!p->row_scales)
		return -ENOMEM;
	err = operand(layer->dev, in_place, rows * p->k, &p->a_bo, &p->a);
	return err ? err : operand(layer->dev, in_place, rows * p->n * sizeof(*p->c), &p->c_bo, &p->c);
}

static struct layer_product *add_product(struct layer *layer, const char *name, uint32_t k, uint32_t n)
{
	struct layer_product *p = &layer->products[layer->product_count++];

	*p = (struct layer_product){ .name = name, .k = k, .n = n, .batch = 1, .rows = layer->options.tokens };
	return p;
}

/* A matrix of the model. */
static int add_matrix(struct layer *layer, struct layer_step *step, const char *name, uint32_t k, uint32_t n)
{
	struct layer_product *p = add_product(layer, name, k, n);
	struct ork_weights_desc desc = { .type = ORK_I8, .ldb = n, .k = k, .n = n };
	uint64_t seed = k + n;
	int err;

	step->products[step->count++] = p;
	p->b = malloc((size_t)k * n);
	if (!p->b)
		return -ENOMEM;
	fill(p->b, (size_t)k * n, &seed);
	desc.b = p->b;
	desc.max_k_slice = layer->options.whole_k ? WHOLE_K : 0;
	err = ork_weights_create(layer->dev, &desc, &p->weights);
	return err ? err : add_operands(layer, p, layer->options.in_place);
}

/*
 * Keys, transposed, or values of all heads. Each serves two heads of queries. Its K or N grows with each token, so A and C
 * are copied.
 */
static int add_cache(struct layer *layer, struct layer_step *step, const char *name, uint32_t k, uint32_t n)
{
	struct layer_product *p = add_product(layer, name, k, n);
	const size_t count = (size_t)LAYER_KV_HEADS * k * n;
	struct ork_weights_desc desc = {
		.type = ORK_I8, .ldb = n, .k = k, .n = n, .k_capacity = k, .n_capacity = n, .batch = LAYER_KV_HEADS,
		.b_stride = (size_t)k * n,
	};
	uint64_t seed = k;
	int8_t *b = malloc(count);
	int err;

	step->products[step->count++] = p;
	p->batch = LAYER_KV_HEADS;
	p->rows *= LAYER_HEADS / LAYER_KV_HEADS;
	if (!b)
		return -ENOMEM;
	fill(b, count, &seed);
	desc.b = b;
	err = ork_weights_create(layer->dev, &desc, &p->weights);
	free(b);
	return err ? err : add_operands(layer, p, false);
}

static struct layer_step *add_step(struct layer *layer)
{
	return &layer->steps[layer->step_count++];
}

static int add_projections(struct layer *layer)
{
	struct layer_step *step = add_step(layer);
	int err;

	if (layer->options.fused)
		return add_matrix(layer, step, "q|k|v", LAYER_HIDDEN,
				  (LAYER_HEADS + 2 * LAYER_KV_HEADS) * LAYER_HEAD);
	err = add_matrix(layer, step, "q", LAYER_HIDDEN, LAYER_HEADS * LAYER_HEAD);
	if (!err)
		err = add_matrix(layer, step, "k", LAYER_HIDDEN, LAYER_KV_HEADS * LAYER_HEAD);
	return err ? err : add_matrix(layer, step, "v", LAYER_HIDDEN, LAYER_KV_HEADS * LAYER_HEAD);
}

static int add_ffn(struct layer *layer)
{
	struct layer_step *step = add_step(layer);
	int err;

	if (layer->options.fused) {
		err = add_matrix(layer, step, "gate|up", LAYER_HIDDEN, 2 * LAYER_FFN);
	} else {
		err = add_matrix(layer, step, "gate", LAYER_HIDDEN, LAYER_FFN);
		if (!err)
			err = add_matrix(layer, step, "up", LAYER_HIDDEN, LAYER_FFN);
	}
	return err ? err : add_matrix(layer, add_step(layer), "down", LAYER_FFN, LAYER_HIDDEN);
}

static int add_layer(struct layer *layer)
{
	int err = add_projections(layer);

	if (!err)
		err = add_cache(layer, add_step(layer), "scores", LAYER_HEAD, LAYER_CONTEXT);
	if (!err)
		err = add_cache(layer, add_step(layer), "values", LAYER_CONTEXT, LAYER_HEAD);
	if (!err)
		err = add_matrix(layer, add_step(layer), "o", LAYER_HEADS * LAYER_HEAD, LAYER_HIDDEN);
	return err ? err : add_ffn(layer);
}

/* Gate and up of all experts need only A, which is the same for all; down needs both of its expert. */
static int add_experts(struct layer *layer)
{
	struct layer_step *step = add_step(layer);
	uint32_t i;
	int err = 0;

	for (i = 0; i < 2 * LAYER_EXPERTS && !err; i++)
		err = add_matrix(layer, step, "gate,up", LAYER_HIDDEN, LAYER_EXPERT_FFN);
	step = add_step(layer);
	for (i = 0; i < LAYER_EXPERTS && !err; i++)
		err = add_matrix(layer, step, "down", LAYER_EXPERT_FFN, LAYER_HIDDEN);
	return err;
}

static int add_reals(struct layer *layer)
{
	size_t most_a = 0, most_c = 0, i;

	for (i = 0; i < layer->product_count; i++) {
		const struct layer_product *p = &layer->products[i];
		const size_t rows = (size_t)p->batch * p->rows;

		most_a = rows * p->k > most_a ? rows * p->k : most_a;
		most_c = rows * p->n > most_c ? rows * p->n : most_c;
	}
	layer->x = malloc(most_a * sizeof(*layer->x));
	layer->y = malloc(most_c * sizeof(*layer->y));
	layer->scales = malloc(LAYER_VOCABULARY * sizeof(*layer->scales));
	if (!layer->x || !layer->y || !layer->scales)
		return -ENOMEM;
	for (i = 0; i < most_a; i++)
		layer->x[i] = (float)((int)(i * 2654435761u >> 16 & 0xff) - 128);
	for (i = 0; i < LAYER_VOCABULARY; i++)
		layer->scales[i] = 1.0f / 127;
	return 0;
}

int layer_init(struct layer *layer, struct ork_device *dev, const struct layer_options *options)
{
	int err;

	*layer = (struct layer){ .dev = dev, .options = *options };
	if (options->vocabulary)
		err = add_matrix(layer, add_step(layer), "vocabulary", LAYER_HIDDEN, LAYER_VOCABULARY);
	else if (options->experts)
		err = add_experts(layer);
	else
		err = add_layer(layer);
	return err ? err : add_reals(layer);
}

void layer_fini(struct layer *layer)
{
	uint32_t i;

	for (i = 0; i < layer->product_count; i++) {
		struct layer_product *p = &layer->products[i];

		ork_weights_destroy(p->weights);
		if (!p->a_bo)
			free(p->a);
		if (!p->c_bo)
			free(p->c);
		ork_bo_destroy(p->a_bo);
		ork_bo_destroy(p->c_bo);
		free(p->row_scales);
		free(p->b);
	}
	free(layer->x);
	free(layer->y);
	free(layer->scales);
}

bool layer_check(const struct layer_product *p)
{
	const uint32_t rows[] = { 0, p->rows - 1 }, cols[] = { 0, p->n / 2 + 1, p->n - 1 };
	uint32_t i, j, k;
	int32_t sum;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < 3; j++) {
			for (sum = 0, k = 0; k < p->k; k++)
				sum += p->a[(size_t)rows[i] * p->k + k] * p->b[(size_t)k * p->n + cols[j]];
			if (p->c[(size_t)rows[i] * p->n + cols[j]] != sum)
				return false;
		}
	}
	return true;
}
