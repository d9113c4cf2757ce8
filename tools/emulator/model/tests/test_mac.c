/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "../npu_mac.h"
#include "suites.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fast MAC array against its definition, and the definition against arithmetic that shares nothing with it. */

#define PIXELS 9
#define LENGTH 10752

static const uint32_t inputs[] = { NPU_INT8, NPU_INT16, NPU_FP16, NPU_BF16, NPU_INT4, NPU_TF32 };
#define INPUTS (sizeof(inputs) / sizeof(inputs[0]))

static uint64_t seed = 88172645463325252u;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

enum data {
	DATA_BITS,     /* any bit pattern */
	DATA_FINITE,   /* any but the largest reals, infinities and NaNs */
	DATA_NARROW,   /* reals of similar size */
	DATA_EXTREMES, /* the largest and smallest values */
	DATA_ZEROS,    /* mostly zeros */
	DATA_KINDS,
};

static uint8_t random_byte(enum data data, const struct npu_type *type, size_t index)
{
	static const uint8_t extreme[] = { 0x00, 0x80, 0x7f, 0xff, 0x01, 0x7b, 0xfb, 0x04 };
	uint32_t random = next_random();
	bool top = type->bits > 8 && index % (type->bits / 8u) == type->bits / 8u - 1;

	switch (data) {
	case DATA_FINITE: return type->real && top ? (uint8_t)(random & 0xbf) : (uint8_t)random;
	case DATA_NARROW: return type->real && top ? (uint8_t)((random & 0x83) | 0x3a) : (uint8_t)random;
	case DATA_EXTREMES: return extreme[random % sizeof(extreme)];
	case DATA_ZEROS: return random % 64 ? 0 : (uint8_t)(random >> 8);
	default: return (uint8_t)random;
	}
}

static void fill(uint8_t *bytes, size_t count, const struct npu_type *type, enum data data)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = random_byte(data, type, i);
}

static bool fast_equals_plain(const struct npu_type *type, size_t pixels, size_t length, enum data data,
			      struct npu_clip clip)
{
	size_t sums = pixels * type->kernel_group;
	uint8_t *features = malloc(npu_type_bytes(type, pixels * length));
	uint8_t *weights = malloc(npu_type_bytes(type, type->kernel_group * length));
	int32_t *fast = malloc(sums * sizeof(*fast)), *plain = malloc(sums * sizeof(*plain));
	struct npu_mac *mac = npu_mac_new(type, pixels, length);
	bool same;

	if (!features || !weights || !fast || !plain || !mac)
		abort();
	fill(features, npu_type_bytes(type, pixels * length), type, data);
	fill(weights, npu_type_bytes(type, type->kernel_group * length), type, data);
	npu_mac_features(mac, features, pixels);
	npu_mac_group(mac, weights, clip, fast);
	npu_mac_plain(type, features, pixels, length, weights, clip, plain);
	same = memcmp(fast, plain, sums * sizeof(*fast)) == 0;
	if (!same)
		printf("# type %d, %zu pixels, length %zu, data %d\n", type->input, pixels, length, data);
	npu_mac_delete(mac);
	free(features);
	free(weights);
	free(fast);
	free(plain);
	return same;
}

static void fast_mac_equals_its_definition(void)
{
	for (size_t i = 0; i < INPUTS; i++)
		for (enum data data = 0; data < DATA_KINDS; data++)
			for (size_t pixels = 1; pixels <= PIXELS; pixels += 4)
				for (size_t length = 32; length <= 320; length += 96)
					CHECK(fast_equals_plain(npu_type(inputs[i]), pixels, length, data,
								(struct npu_clip){ 0 }));
}

static void fast_mac_equals_its_definition_in_long_sums(void)
{
	for (size_t i = 0; i < INPUTS; i++)
		for (enum data data = 0; data < DATA_KINDS; data++)
			CHECK(fast_equals_plain(npu_type(inputs[i]), 1, LENGTH, data, (struct npu_clip){ 0 }));
}

/* Large products that cancel and leave a small one: doubles lose it from some distance on. */
static void small_products_survive_large_ones(void)
{
	const struct npu_type *type = npu_type(NPU_FP16);
	struct npu_mac *mac = npu_mac_new(type, 1, 32);
	uint16_t features[32], weights[16 * 32];
	int32_t fast[16], plain[16];

	for (uint32_t large = 0; large <= 15; large++)
		for (uint32_t small = 0; small <= 14; small++) {
			for (uint32_t k = 0; k < 32; k++)
				features[k] = (uint16_t)(k == 15 ? (15 - small) << 10 | 1 : (15 + large) << 10);
			for (uint32_t i = 0; i < 16 * 32; i++)
				weights[i] = (uint16_t)(features[i % 32] | (i % 32 > 15 ? 0x8000 : 0));
			for (uint32_t n = 0; n < 16; n++)
				weights[n * 32 + 31] = 0;
			npu_mac_features(mac, (uint8_t *)features, 1);
			npu_mac_group(mac, (uint8_t *)weights, (struct npu_clip){ 0 }, fast);
			npu_mac_plain(type, (uint8_t *)features, 1, 32, (uint8_t *)weights, (struct npu_clip){ 0 }, plain);
			CHECK(memcmp(fast, plain, sizeof(plain)) == 0);
		}
	npu_mac_delete(mac);
}

/* What hosts without AVX2 run. */
static void portable_int8_equals_the_definition(void)
{
	const struct npu_type *type = npu_type(NPU_INT8);
	int8_t features[3 * 96], weights[96 * 32];
	int32_t portable[3 * 32], plain[3 * 32];

	for (enum data data = 0; data < DATA_KINDS; data++) {
		fill((uint8_t *)features, sizeof(features), type, data);
		fill((uint8_t *)weights, sizeof(weights), type, data);
		npu_mac_int8_portable(features, 3, 96, weights, 32, portable);
		npu_mac_plain(type, (uint8_t *)features, 3, 96, (uint8_t *)weights, (struct npu_clip){ 0 }, plain);
		CHECK(memcmp(portable, plain, sizeof(plain)) == 0);
	}
}

static void portable_reals_equal_the_definition(void)
{
	static const uint32_t reals[] = { NPU_FP16, NPU_BF16, NPU_TF32 };
	uint32_t features[3 * 96], weights[96 * 16];
	double feature_values[3 * 96], weight_values[96 * 16];
	struct npu_bounds feature_bounds[3 * 6], weight_bounds[6];
	struct npu_reals f = { feature_values, feature_bounds }, w = { weight_values, weight_bounds };
	int32_t portable[3 * 16], plain[3 * 16];

	for (int run = 0; run < 3 * DATA_KINDS * 4; run++) {
		const struct npu_type *type = npu_type(reals[run % 3]);

		fill((uint8_t *)features, sizeof(features), type, (enum data)(run / 3 % DATA_KINDS));
		fill((uint8_t *)weights, sizeof(weights), type, (enum data)(run / 3 % DATA_KINDS));
		npu_reals_features(type, (uint8_t *)features, 3 * 96, &f);
		npu_reals_weights_portable(type, (uint8_t *)weights, 96, &w);
		npu_mac_real_portable(&f, 3, 96, type->channel_group, &w, (uint32_t *)portable);
		npu_mac_plain(type, (uint8_t *)features, 3, 96, (uint8_t *)weights, (struct npu_clip){ 0 }, plain);
		CHECK(memcmp(portable, plain, sizeof(plain)) == 0);
	}
}

/* One pattern that the host's conversion reads in another way, and each of the others. */
static void every_fp16_weight_equals_the_definition(void)
{
	const struct npu_type *type = npu_type(NPU_FP16);
	struct npu_mac *mac = npu_mac_new(type, 1, 32);
	uint16_t features[32] = { 0x3c00 }, weights[16 * 32];
	int32_t fast[16], plain[16];

	/* First once with nothing but zeros. */
	for (uint32_t bits = 0; bits <= 0x10000; bits += 16) {
		for (uint32_t i = 0; i < 16 * 32; i++)
			weights[i] = (uint16_t)(bits == 0 ? 0 : i % 32 ? 0x7bff : bits - 16 + i / 32);
		npu_mac_features(mac, (uint8_t *)features, 1);
		npu_mac_group(mac, (uint8_t *)weights, (struct npu_clip){ 0 }, fast);
		npu_mac_plain(type, (uint8_t *)features, 1, 32, (uint8_t *)weights, (struct npu_clip){ 0 }, plain);
		if (!CHECK(memcmp(fast, plain, sizeof(fast)) == 0))
			break;
	}
	npu_mac_delete(mac);
}

static void accumulator_shift_rounds_as_defined(void)
{
	for (uint8_t shift = 1; shift < 32; shift += 3)
		for (int up = 0; up < 2; up++) {
			struct npu_clip clip = { .shift = shift, .half_up = up };

			CHECK(fast_equals_plain(npu_type(NPU_INT8), 3, 64, DATA_BITS, clip));
			CHECK(fast_equals_plain(npu_type(NPU_INT16), 3, 64, DATA_BITS, clip));
			CHECK(fast_equals_plain(npu_type(NPU_INT4), 3, 64, DATA_BITS, clip));
		}
}

/* 16-bit sums leave int32 and stop at its ends (NPU reference 5.4). */
static void int16_sums_saturate(void)
{
	const struct npu_type *type = npu_type(NPU_INT16);
	int16_t features[32], weights[16 * 32];
	int32_t sums[16];

	for (int sign = 0; sign < 2; sign++) {
		for (int k = 0; k < 32; k++)
			features[k] = -32768;
		for (int k = 0; k < 16 * 32; k++)
			weights[k] = sign ? 32767 : -32768;
		npu_mac_plain(type, (uint8_t *)features, 1, 32, (uint8_t *)weights, (struct npu_clip){ 0 }, sums);
		CHECK(sums[0] == (sign ? INT32_MIN : INT32_MAX) && sums[15] == sums[0]);
	}
}

__extension__ typedef __int128 wide;

/* Value of an fp16 pattern in units of 2^-24. */
static int64_t fp16_units(uint16_t bits)
{
	int64_t exponent = bits >> 10 & 31, fraction = bits & 1023;
	int64_t magnitude = exponent ? (1024 + fraction) << (exponent - 1) : fraction;

	return bits >> 15 ? -magnitude : magnitude;
}

/* NPU reference 5.1 by 128-bit integers: units of 2^-48, 24 significant bits, ties to even. */
static float round_units(wide sum)
{
	bool negative = sum < 0;
	wide magnitude = negative ? -sum : sum, unit = 1;
	float value;

	while (magnitude / unit >= (wide)1 << 24)
		unit *= 2;
	if (unit > 1) {
		wide rest = magnitude % unit;

		magnitude /= unit;
		if (2 * rest > unit || (2 * rest == unit && magnitude % 2))
			magnitude++;
		value = ldexpf((float)(uint32_t)magnitude, (int)log2((double)unit) - 48);
	} else {
		value = ldexpf((float)(uint32_t)magnitude, -48);
	}
	return negative ? -value : value;
}

static void fp16_sums_follow_the_published_rule(void)
{
	const struct npu_type *type = npu_type(NPU_FP16);
	uint16_t features[96], weights[96 * 16];
	int32_t sums[16];

	for (int run = 0; run < 400; run++) {
		fill((uint8_t *)features, sizeof(features), type, (enum data)(run % DATA_KINDS));
		fill((uint8_t *)weights, sizeof(weights), type, (enum data)(run % DATA_KINDS));
		npu_mac_plain(type, (uint8_t *)features, 1, 96, (uint8_t *)weights, (struct npu_clip){ 0 }, sums);
		for (int n = 0; n < 16; n++) {
			float sum = 0, result;

			for (int group = 0; group < 3; group++) {
				wide exact = 0;

				for (int k = 0; k < 32; k++)
					exact += (wide)fp16_units(features[group * 32 + k]) *
						 fp16_units(weights[(group * 16 + n) * 32 + k]);
				sum += round_units(exact);
			}
			memcpy(&result, &sums[n], sizeof(result));
			CHECK(result == sum);
		}
	}
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The host's FPU rounds to nearest even as well; it differs in the NaNs and in the sign of zero sums. */
static bool same_float(uint32_t ours, float host)
{
	if (host != host)
		return ours == 0x7fc00000;
	return ours == bits_of(host) || (host == 0 && (ours & 0x7fffffff) == 0);
}

static void integer_made_floats_equal_the_hosts(void)
{
	for (int run = 0; run < 200000; run++) {
		uint32_t a = next_random(), b = run % 3 ? next_random() : a ^ (next_random() & 0x80ffffff);
		int64_t integer = (int64_t)((uint64_t)next_random() << (run % 30)) - (run % 7 ? 0 : 1 << 30);

		CHECK(same_float(npu_fp32_add(a, b), float_of(a) + float_of(b)));
		CHECK(same_float(npu_fp32_multiply(a, b), float_of(a) * float_of(b)));
		CHECK(npu_fp32_from_integer(integer) == bits_of((float)integer));
		CHECK(npu_fp32_less(a, b) == (float_of(a) < float_of(b)));
	}
}

/* Nearest fp16 by search among the neighbours of a guess. */
static bool is_nearest_fp16(uint16_t narrow, float value)
{
	double error = fabs(float_of(npu_fp32_from_fp16(narrow)) - (double)value);
	double above = fabs(float_of(npu_fp32_from_fp16((uint16_t)(narrow + 1))) - (double)value);
	double below = (narrow & 0x7fff) ? fabs(float_of(npu_fp32_from_fp16((uint16_t)(narrow - 1))) - (double)value) : 1e9;

	return error <= above && error <= below && (narrow % 2 == 0 || (error < above && error < below));
}

static void narrowing_rounds_to_nearest_even(void)
{
	for (int run = 0; run < 100000; run++) {
		uint32_t bits = (next_random() & 0x87ffffff) | (96 + next_random() % 46) << 23;

		if (fabsf(float_of(bits)) < 65504)
			CHECK(is_nearest_fp16(npu_fp32_to_fp16(bits), float_of(bits)));
	}
	for (uint32_t half = 0; half < 0x7c00; half++)
		CHECK(npu_fp32_to_fp16(npu_fp32_from_fp16((uint16_t)half)) == half);
	CHECK(npu_fp32_to_fp16(bits_of(65519.0f)) == 0x7bff && npu_fp32_to_fp16(bits_of(65520.0f)) == 0x7c00);
	CHECK(npu_fp32_to_fp16(bits_of(-1e30f)) == 0xfc00 && npu_fp32_to_fp16(0x7f800001) == 0x7e00);
	CHECK(npu_fp32_to_fp16(0x80000000) == 0x8000 && npu_fp32_to_fp16(1) == 0);
	CHECK(npu_fp32_to_bf16(0x3f808000) == 0x3f80 && npu_fp32_to_bf16(0x3f818000) == 0x3f82);
	CHECK(npu_fp32_to_bf16(0x7f7fffff) == 0x7f80 && npu_fp32_to_bf16(0xffc00001) == 0x7fc0);
}

static void shifts_round_as_named(void)
{
	static const struct {
		int64_t value;
		int64_t even, away, up;
	} cases[] = {
		{ 5, 2, 3, 3 }, { 3, 2, 2, 2 }, { 6, 3, 3, 3 }, { -5, -2, -3, -2 }, { -3, -2, -2, -1 }, { -7, -4, -4, -3 },
		{ 7, 4, 4, 4 }, { 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK(npu_shift_right(cases[i].value, 1, NPU_HALF_TO_EVEN) == cases[i].even);
		CHECK(npu_shift_right(cases[i].value, 1, NPU_HALF_AWAY) == cases[i].away);
		CHECK(npu_shift_right(cases[i].value, 1, NPU_HALF_UP) == cases[i].up);
	}
	CHECK(npu_shift_right(-1, 63, NPU_HALF_TO_EVEN) == 0 && npu_shift_right(-9, 0, NPU_HALF_UP) == -9);
	CHECK(npu_saturate(40000, 16) == 32767 && npu_saturate(-40000, 16) == -32768 && npu_saturate(-7, 8) == -7);
}

static void tf32_drops_the_low_bits(void)
{
	struct npu_real real = npu_real_tf32(0xbf801fff);

	CHECK(real.negative && real.significand == 1024 && real.exponent == -10);
}

static void even_int4_elements_are_in_the_low_nibble(void)
{
	uint8_t packed[1] = { 0x7f };

	CHECK(npu_integer_at(npu_type(NPU_INT4), packed, 0) == -1);
	CHECK(npu_integer_at(npu_type(NPU_INT4), packed, 1) == 7);
}

void suite_mac(void)
{
	RUN(fast_mac_equals_its_definition);
	RUN(fast_mac_equals_its_definition_in_long_sums);
	RUN(small_products_survive_large_ones);
	RUN(portable_int8_equals_the_definition);
	RUN(portable_reals_equal_the_definition);
	RUN(every_fp16_weight_equals_the_definition);
	RUN(accumulator_shift_rounds_as_defined);
	RUN(int16_sums_saturate);
	RUN(fp16_sums_follow_the_published_rule);
	RUN(integer_made_floats_equal_the_hosts);
	RUN(narrowing_rounds_to_nearest_even);
	RUN(shifts_round_as_named);
	RUN(tf32_drops_the_low_bits);
	RUN(even_int4_elements_are_in_the_low_nibble);
}
