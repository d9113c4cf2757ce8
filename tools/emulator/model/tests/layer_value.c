/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "layer.h"

#include <math.h>
#include <string.h>

/* The value of one output of a layer, by plain loops. */

__extension__ typedef __int128 wide;

static uint32_t kg_of(const struct layer *l)
{
	return l->input == 7 ? 16 : 32;
}

/* An integer, or a real in units of 2^-24. */
static int64_t units(uint32_t input, uint32_t bits)
{
	int64_t fraction, magnitude;
	int exponent;

	switch (input) {
	case 0: return (int8_t)bits;
	case 1: return (int16_t)bits;
	case 6: return (bits & 7) - (int64_t)(bits & 8);
	case 2:
		exponent = bits >> 10 & 31;
		fraction = bits & 1023;
		magnitude = exponent ? (1024 + fraction) << (exponent - 1) : fraction;
		return bits >> 15 & 1 ? -magnitude : magnitude;
	case 3: bits <<= 16; break;
	}
	/* bf16, and tf32 without its low bits: exponents 117 to 130, ten fraction bits. */
	exponent = bits >> 23 & 255;
	if (exponent == 0)
		return 0;
	fraction = bits >> 13 & 1023;
	magnitude = (1024 + fraction) << (exponent - 127 - 10 + 24);
	return bits >> 31 ? -magnitude : magnitude;
}

static float round_units(wide sum)
{
	bool negative = sum < 0;
	wide magnitude = negative ? -sum : sum;
	int exponent = -48, odd = 0, half = 0;
	float value;

	while (magnitude >> 24) {
		odd |= half;
		half = (int)(magnitude & 1);
		magnitude >>= 1;
		exponent++;
	}
	if (half && (odd || magnitude & 1))
		magnitude++;
	value = ldexpf((float)(uint32_t)magnitude, exponent);
	return negative ? -value : value;
}

/* Input at a tap; padding outside. */
static uint32_t input_at(const struct layer *l, uint32_t pixel, uint32_t kx, uint32_t ky, uint32_t c)
{
	int64_t x = (int64_t)(pixel % l->ow * l->sx + kx * (l->dx + 1)) - l->left;
	int64_t y = (int64_t)(pixel / l->ow * l->sy + ky * (l->dy + 1)) - l->top;

	if (x < 0 || y < 0 || x >= l->w || y >= l->h)
		/* Depthwise int8: odd channels of the first half of a group have the second byte. */
		return l->pad >> (l->depthwise && l->input == 0 && c % 64 < 32 && c % 2 ? 8 : 0);
	return l->a[(y * l->w + x) * l->c + c];
}

static uint32_t weight_at(const struct layer *l, uint32_t n, uint32_t kx, uint32_t ky, uint32_t c)
{
	return l->b[((n * l->kh + ky) * l->kw + kx) * l->c + c];
}

/* Integer sum of weights * inputs over some channels of one tap; weight 1 if none. */
static wide tap_sum(const struct layer *l, uint32_t pixel, uint32_t n, uint32_t kx, uint32_t ky, uint32_t first,
		    uint32_t count, bool weights)
{
	wide sum = 0;

	for (uint32_t c = first; c < first + count && c < l->c; c++)
		sum += (wide)units(l->input, input_at(l, pixel, kx, ky, c)) *
		       (weights ? units(l->input, weight_at(l, l->depthwise ? 0 : n, kx, ky, c)) : 1);
	return sum;
}

static int64_t integer_sum(const struct layer *l, uint32_t pixel, uint32_t n, bool weights)
{
	wide sum = 0;

	for (uint32_t ky = 0; ky < l->kh; ky++)
		for (uint32_t kx = 0; kx < l->kw; kx++)
			sum += tap_sum(l, pixel, n, kx, ky, l->depthwise ? n : 0, l->depthwise ? 1 : l->c, weights);
	return (int64_t)sum;
}

static float real_sum(const struct layer *l, uint32_t pixel, uint32_t n)
{
	uint32_t first = l->depthwise ? n : 0, end = l->depthwise ? n + 1 : l->c, step = l->depthwise ? 1 : kg_of(l);
	float sum = 0;

	for (uint32_t c = first; c < end; c += step)
		for (uint32_t ky = 0; ky < l->kh; ky++)
			for (uint32_t kx = 0; kx < l->kw; kx++)
				sum += round_units(tap_sum(l, pixel, n, kx, ky, c, step, true));
	return sum;
}

/* Nearest multiple of 2^shift, by division. */
static int64_t shifted(int64_t value, uint32_t shift, bool away, bool up)
{
	wide unit = (wide)1 << shift, twice = 2 * (wide)value, floor = value / unit, rest;

	if (value % unit < 0)
		floor--;
	rest = twice - 2 * floor * unit;
	if (rest > unit || (rest == unit && (up || (away ? value > 0 : floor % 2 != 0))))
		floor++;
	return (int64_t)floor;
}

static int64_t clamp(int64_t value, int bits)
{
	int64_t max = ((int64_t)1 << (bits - 1)) - 1;

	return value > max ? max : value < -max - 1 ? -max - 1 : value;
}

static int64_t stages(const struct layer *l, uint32_t n, int64_t value)
{
	if (l->bias || l->triple)
		value += l->operand[3 * n];
	if (l->triple) {
		value *= l->operand[3 * n + 2];
		value = shifted(value, l->triple_shift[value < 0], false, false);
	}
	value = clamp(value, 32);
	return l->relu && value < 0 ? 0 : value;
}

static uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* A normal fp16 or bf16, or a small fp16, nearest and even: in doubles, whose sums are exact here. */
static uint32_t narrow(uint32_t output, float value)
{
	uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000;
	double magnitude = fabs(value), unit;
	int exponent;

	if (output == 3)
		return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	if (magnitude == 0)
		return sign;
	frexp(magnitude, &exponent);
	unit = ldexp(1, exponent - 11 < -24 ? -24 : exponent - 11);
	magnitude = nearbyint(magnitude / unit) * unit;
	if (magnitude >= 65536)
		return sign | 0x7c00;
	if (magnitude < ldexp(1, -14))
		return sign | (uint32_t)(magnitude * 0x1p24);
	frexp(magnitude, &exponent);
	return sign | ((uint32_t)(exponent + 14) << 10) | ((uint32_t)ldexp(magnitude, 11 - exponent) & 1023);
}

static uint32_t real_element(const struct layer *l, uint32_t pixel, uint32_t channel)
{
	float sum = channel < (l->depthwise ? l->c : l->n) ? real_sum(l, pixel, channel) : 0;

	if (l->relu && !(sum > 0))
		sum = 0;
	return l->output == 5 ? float_bits(sum) : narrow(l->output, sum);
}

static int64_t ow_factor(const struct layer *l, uint32_t channel)
{
	return l->ow_memory ? l->operand[3 * channel + 1] : l->ow_operand;
}

uint32_t layer_element(const struct layer *l, uint32_t pixel, uint32_t channel)
{
	uint32_t bytes = layer_output_bytes(l), mask = bytes == 4 ? 0xffffffff : (1u << 8 * bytes) - 1;
	bool exists = channel < (l->depthwise ? l->c : l->n);
	int64_t value = 0;

	if (l->input != 0 && l->input != 1 && l->input != 6)
		return real_element(l, pixel, channel);
	if (exists)
		value = integer_sum(l, pixel, channel, true);
	value = clamp(shifted(value, l->clip & 31, false, l->clip >> 6), 32);
	if ((l->ow_operand || l->ow_memory) && (exists || !l->depthwise))
		value = clamp(value + ow_factor(l, channel) * integer_sum(l, pixel, channel, false), 32);
	value = stages(l, channel, value);
	if (l->output == 5)
		return float_bits((float)value);
	return (uint32_t)clamp(shifted(value * l->scale, l->shift, l->half_away, false) + l->offset, 8 * (int)bytes) & mask;
}
