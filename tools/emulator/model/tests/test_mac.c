/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_mac.h"
#include "suites.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define PIXELS   9
#define CHANNELS 10752

static bool same_as_plain(const int8_t *features, size_t pixels, size_t channels, const int8_t *weights)
{
	int32_t fast[PIXELS * NPU_MAC_INT8_KERNELS], plain[PIXELS * NPU_MAC_INT8_KERNELS];

	npu_mac_int8(features, pixels, channels, weights, fast);
	npu_mac_int8_plain(features, pixels, channels, weights, plain);
	return memcmp(fast, plain, pixels * NPU_MAC_INT8_KERNELS * sizeof(fast[0])) == 0;
}

static void fast_mac_equals_its_definition(void)
{
	int8_t *features = malloc(PIXELS * CHANNELS), *weights = malloc(NPU_MAC_INT8_KERNELS * CHANNELS);

	if (!features || !weights)
		abort();
	for (size_t i = 0; i < PIXELS * CHANNELS; i++)
		features[i] = (int8_t)(i * 2654435761u >> 13);
	for (size_t i = 0; i < NPU_MAC_INT8_KERNELS * CHANNELS; i++)
		weights[i] = (int8_t)(i * 2246822519u >> 11);
	for (size_t pixels = 1; pixels <= PIXELS; pixels++)
		for (size_t channels = 32; channels <= 320; channels += 32)
			CHECK(same_as_plain(features, pixels, channels, weights));
	CHECK(same_as_plain(features, PIXELS, CHANNELS, weights));
	free(features);
	free(weights);
}

static void mac_is_exact_at_the_extremes(void)
{
	static const int8_t extreme[2] = { -128, 127 };
	int8_t *features = malloc(CHANNELS), *weights = malloc(NPU_MAC_INT8_KERNELS * CHANNELS);

	if (!features || !weights)
		abort();
	for (int pair = 0; pair < 4; pair++) {
		int8_t a = extreme[pair & 1], b = extreme[pair >> 1];
		int32_t sums[NPU_MAC_INT8_KERNELS];

		memset(features, a, CHANNELS);
		memset(weights, b, NPU_MAC_INT8_KERNELS * CHANNELS);
		npu_mac_int8(features, 1, CHANNELS, weights, sums);
		for (int n = 0; n < NPU_MAC_INT8_KERNELS; n++)
			CHECK(sums[n] == CHANNELS * a * b);
		CHECK(same_as_plain(features, 1, CHANNELS, weights));
	}
	free(features);
	free(weights);
}

void suite_mac(void)
{
	RUN(fast_mac_equals_its_definition);
	RUN(mac_is_exact_at_the_extremes);
}
