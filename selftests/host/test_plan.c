/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "plan.h"
#include "tap.h"

static const struct ork_limits rk3588 = { .cores = 3, .cbuf_banks = 12, .cbuf_bank_bytes = 32768, .max_tasks = 4095 };

/* What the hardware demands of each task, and what the driver's split of the task list demands of the plan. */
static bool is_sound(const struct ork_plan *plan, uint32_t cores)
{
	const uint32_t entries = (plan->k + 63) / 64;

	if (plan->cores < 1 || (cores && plan->cores > cores) || plan->cores > rk3588.cores)
		return false;
	if (plan->data_banks < 1 || plan->data_banks > 11 || plan->data_banks + plan->weight_banks > 12)
		return false;
	if (32 * plan->k > plan->weight_banks * 32768)
		return false;
	if (plan->tile_rows * entries * 64 > plan->data_banks * 32768)
		return false;
	if (plan->tile_rows > 1022 || plan->tile_cols > 8192)
		return false;
	return ork_plan_tasks(plan) % plan->cores == 0 && ork_plan_tasks(plan) <= 4095;
}

/* Counts how often each group of 32 columns of each row is computed. */
static bool covers_once(const struct ork_plan *plan)
{
	const uint32_t groups = plan->cols / 32;
	uint8_t *count = calloc((size_t)plan->rows * groups, 1);
	bool good = count != NULL;
	struct ork_tile tile;
	uint32_t i, m, g;
	size_t j;

	for (i = 0; i < ork_plan_tasks(plan) && good; i++) {
		ork_plan_tile(plan, i, &tile);
		good = tile.rows && tile.rows <= plan->tile_rows && tile.cols && tile.cols <= plan->tile_cols &&
		       tile.col % 32 == 0 && tile.cols % 32 == 0 && tile.row + tile.rows <= plan->rows &&
		       tile.col + tile.cols <= plan->cols;
		for (m = tile.row; good && m < tile.row + tile.rows; m++)
			for (g = tile.col / 32; g < (tile.col + tile.cols) / 32; g++)
				count[(size_t)m * groups + g]++;
	}
	for (j = 0; good && j < (size_t)plan->rows * groups; j++)
		good = count[j] == 1;
	free(count);
	return good;
}

/* Tiles of one core are either column ranges or row ranges that no other core has. */
static bool cores_are_disjoint(const struct ork_plan *plan)
{
	const uint32_t per_core = ork_plan_tasks(plan) / plan->cores;
	struct ork_tile last, first;
	uint32_t core;

	for (core = 1; core < plan->cores; core++) {
		ork_plan_tile(plan, core * per_core - 1, &last);
		ork_plan_tile(plan, core * per_core, &first);
		if (first.col < last.col + last.cols && first.row < last.row + last.rows)
			return false;
	}
	return true;
}

static void every_shape_has_a_sound_plan(uint32_t cores)
{
	static const uint32_t sizes_m[] = { 1, 2, 3, 4, 7, 16, 64, 100, 128, 500, 1022, 1023, 3000 };
	static const uint32_t sizes_k[] = { 32, 64, 96, 768, 1024, 1792, 2048, 3584, 4096, 5120, 6144, 8192, 10240 };
	static const uint32_t sizes_n[] = { 32, 64, 96, 128, 2048, 6144, 8192, 8224, 18944, 32768, 32800, 65536 };
	unsigned int tried = 0, sound = 0, covered = 0, disjoint = 0;
	size_t m, k, n;

	for (m = 0; m < sizeof(sizes_m) / sizeof(sizes_m[0]); m++)
		for (k = 0; k < sizeof(sizes_k) / sizeof(sizes_k[0]); k++)
			for (n = 0; n < sizeof(sizes_n) / sizeof(sizes_n[0]); n++) {
				struct ork_plan plan;

				tried++;
				/* More tasks than a program has: the caller takes fewer rows. */
				if (ork_plan_make(&plan, &rk3588, sizes_m[m], sizes_k[k], sizes_n[n], cores) == -E2BIG)
					ork_plan_make(&plan, &rk3588,
						      ork_plan_pass_rows(&rk3588, sizes_m[m], sizes_k[k], sizes_n[n],
									 SIZE_MAX),
						      sizes_k[k], sizes_n[n], cores);
				sound += is_sound(&plan, cores);
				covered += covers_once(&plan);
				disjoint += cores_are_disjoint(&plan);
			}
	ok(sound == tried, "%u of %u plans for cores=%u respect the hardware's limits, with equal tasks per core",
	   sound, tried, cores);
	ok(covered == tried, "%u of %u plans for cores=%u compute every element once", covered, tried, cores);
	ok(disjoint == tried, "%u of %u plans for cores=%u give cores disjoint parts of C", disjoint, tried, cores);
}

static void banks_follow_the_reference(void)
{
	static const struct {
		uint32_t m, k, n, data, weight, rows;
	} cases[] = {
		{ 4, 32, 32, 1, 11, 4 },        /* captured, 3.13 */
		{ 144, 224, 64, 2, 10, 144 },   /* rounding of rows to 64 bytes, 3.12 */
		{ 36, 3584, 1216, 4, 8, 36 },   /* rkllm's tile, 3.5.1 */
		{ 37, 3584, 1216, 3, 9, 19 },   /* two nearly equal tiles */
		{ 128, 4096, 4096, 4, 8, 32 },  /* room for two groups */
		{ 64, 6144, 64, 5, 7, 22 },     /* two groups do not fit; off the exact fit of 6 banks */
		{ 128, 10240, 64, 1, 11, 3 },
	};
	struct ork_plan plan;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ork_plan_make(&plan, &rk3588, cases[i].m, cases[i].k, cases[i].n, 1);
		ok(plan.data_banks == cases[i].data && plan.weight_banks == cases[i].weight &&
			   plan.tile_rows == cases[i].rows,
		   "M=%u K=%u: %u data banks, %u weight banks, tiles of %u rows (%u, %u, %u)", cases[i].m, cases[i].k,
		   cases[i].data, cases[i].weight, cases[i].rows, plan.data_banks, plan.weight_banks, plan.tile_rows);
	}
}

static uint32_t cores_of(uint32_t m, uint32_t k, uint32_t n, uint32_t cores)
{
	struct ork_plan plan;

	return ork_plan_make(&plan, &rk3588, m, k, n, cores) ? 0 : plan.cores;
}

static void cores_fit_the_product(void)
{
	struct ork_plan plan;

	ok(cores_of(1, 2048, 6144, 0) == 3, "auto uses all cores for a large product");
	ok(cores_of(1, 32, 96, 0) == 1, "auto uses one core for a tiny product");
	ok(cores_of(1, 64, 64, 3) == 2, "N of two groups and one row are cut for two cores");
	ok(cores_of(1, 64, 32, 3) == 1, "one group and one row are not cut");
	ork_plan_make(&plan, &rk3588, 64, 64, 32, 3);
	ok(plan.cores == 3 && plan.n_tiles == 1 && plan.m_tiles == 3, "M is cut where N has too few groups");
}

static void impossible_shapes_are_refused(void)
{
	struct ork_plan plan;

	ok(ork_plan_make(&plan, &rk3588, 1, 10272, 32, 1) == -ENOTSUP, "K above 10240 is refused");
	ok(ork_plan_make(&plan, &rk3588, 1048576, 10240, 1048576, 3) == -E2BIG,
	   "more tasks than a program holds are refused");
}

static void passes_bound_memory_and_tasks(void)
{
	struct ork_plan plan;
	uint32_t rows;

	ok(ork_plan_pass_rows(&rk3588, 100, 64, 64, 1 << 20) == 100, "a product that fits is one pass");
	rows = ork_plan_pass_rows(&rk3588, 1048576, 2048, 1048576, 64 << 20);
	ok(rows == 16, "staging C stays within its bound (%u rows)", rows);
	rows = ork_plan_pass_rows(&rk3588, 1048576, 10240, 65536, SIZE_MAX);
	ok(rows < 1048576 && ork_plan_make(&plan, &rk3588, rows, 10240, 65536, 3) == 0,
	   "a pass of %u rows fits a program", rows);
	ok(ork_plan_pass_rows(&rk3588, 10, 64, 1048576, 1) == 1, "a pass has at least one row");
}

static void plan_explains_itself(void)
{
	struct ork_plan plan;
	char text[512];

	ork_plan_make(&plan, &rk3588, 128, 4096, 4096, 3);
	ork_plan_explain(&plan, &rk3588, text, sizeof(text));
	note("%s", text);
	ok(strstr(text, "3 core(s), N split") && strstr(text, "4 features, 8 weights"), "a plan tells cores and banks");
}

int main(void)
{
	uint32_t cores;

	for (cores = 0; cores <= 3; cores++)
		every_shape_has_a_sound_plan(cores);
	banks_follow_the_reference();
	cores_fit_the_product();
	impossible_shapes_are_refused();
	passes_bound_memory_and_tasks();
	plan_explains_itself();
	return done();
}
