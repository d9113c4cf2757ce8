/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * The cache of keys and values of an attention head, as a language model fills it token by token: scores are the query
 * times K^T, to which each token adds a column, and the output is the scores times V, to which it adds a row.
 *
 *     cc kv_cache.c -lork && ORK_DEVICE=model ./a.out
 */

#include <ork.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEAD = 128, TOKENS = 70, MOST = 512 };

static int8_t keys[TOKENS][HEAD], values[TOKENS][HEAD];

static void fill(int8_t *data, int count)
{
	int i;

	for (i = 0; i < count; i++)
		data[i] = (int8_t)(rand() % 256 - 128);
}

/* Stands in for the softmax: what the second product takes. */
static int8_t weight_of(int32_t score)
{
	return (int8_t)(score >> 14);
}

/* The same on the CPU. */
static int is_right(const int8_t *query, int tokens, const int32_t *output)
{
	int32_t score, expected[HEAD] = { 0 };
	int token, i;

	for (token = 0; token < tokens; token++) {
		for (score = 0, i = 0; i < HEAD; i++)
			score += query[i] * keys[token][i];
		for (i = 0; i < HEAD; i++)
			expected[i] += weight_of(score) * values[token][i];
	}
	for (i = 0; i < HEAD && output[i] == expected[i]; i++)
		;
	return i == HEAD;
}

static int attend(struct ork_device *dev, struct ork_weights *k_cache, struct ork_weights *v_cache, int token)
{
	int8_t query[HEAD], weights[MOST];
	int32_t scores[MOST], output[HEAD];
	const struct ork_matmul_desc first = {
		.weights = k_cache, .m = 1, .a = query, .lda = HEAD, .c = scores, .ldc = MOST
	};
	const struct ork_matmul_desc second = {
		.weights = v_cache, .m = 1, .a = weights, .lda = MOST, .c = output, .ldc = HEAD
	};
	int i, err;

	fill(query, HEAD);
	err = ork_weights_append_columns(k_cache, keys[token], 1, 1, 0);
	if (!err)
		err = ork_weights_append_rows(v_cache, values[token], HEAD, 1, 0);
	if (!err)
		err = ork_matmul(dev, &first, NULL);
	for (i = 0; i <= token && !err; i++)
		weights[i] = weight_of(scores[i]);
	if (!err)
		err = ork_matmul(dev, &second, NULL);
	if (!err && !is_right(query, token + 1, output)) {
		fprintf(stderr, "token %d: the output differs from the CPU's\n", token);
		return -1;
	}
	return err;
}

int main(void)
{
	const struct ork_weights_desc k_desc = { .type = ORK_I8, .k = HEAD, .n_capacity = MOST };
	const struct ork_weights_desc v_desc = { .type = ORK_I8, .n = HEAD, .k_capacity = MOST };
	struct ork_weights *k_cache = NULL, *v_cache = NULL;
	struct ork_device *dev;
	int token, err;

	fill(keys[0], TOKENS * HEAD);
	fill(values[0], TOKENS * HEAD);
	err = ork_open(NULL, &dev);
	if (err) {
		fprintf(stderr, "open: %s\n", ork_strerror(err));
		return 1;
	}
	err = ork_weights_create(dev, &k_desc, &k_cache);
	if (!err)
		err = ork_weights_create(dev, &v_desc, &v_cache);
	for (token = 0; token < TOKENS && !err; token++)
		err = attend(dev, k_cache, v_cache, token);
	if (err)
		fprintf(stderr, "failed: %s\n", ork_error(dev));
	else
		printf("%d tokens, %zu bytes of cache\n", TOKENS,
		       ork_weights_bytes(k_cache) + ork_weights_bytes(v_cache));
	ork_weights_destroy(k_cache);
	ork_weights_destroy(v_cache);
	ork_close(dev);
	return err != 0;
}
