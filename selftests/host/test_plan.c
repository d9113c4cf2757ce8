/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "plan.h"
#include "tap.h"

static const struct ork_limits rk3588 = { .cores = 3, .cbuf_banks = 12, .cbuf_bank_bytes = 32768, .max_tasks = 4095 };

static struct ork_shape shape_of(enum ork_dtype type, uint32_t m, uint32_t k, uint32_t n)
{
	const struct ork_operand *operand = ork_operand_find(type);

	return (struct ork_shape){
		.result = ork_result_find(operand, ork_default_c_type(operand), 1),
		.batch = 1,
		.rows = m,
		.k_slice = k,
		.slices = 1,
		.cols = ork_round_up(n, operand->group_n),
	};
}

static struct ork_plan plan_of(enum ork_dtype type, uint32_t m, uint32_t k, uint32_t n, uint32_t cores)
{
	const struct ork_shape shape = shape_of(type, m, k, n);
	struct ork_plan plan;

	ork_plan_make(&plan, &rk3588, &shape, cores);
	return plan;
}

/* What the hardware demands of each task, and what the driver's split of the task list demands of the plan. */
static bool is_sound(const struct ork_plan *plan, uint32_t cores)
{
	const struct ork_operand *operand = plan->shape.result->operand;
	const uint32_t kernel_bytes = plan->shape.k_slice * operand->bits / 8;
	const uint32_t entries = (kernel_bytes + 63) / 64;

	if (plan->cores < 1 || (cores && plan->cores > cores) || plan->cores > rk3588.cores)
		return false;
	if (plan->data_banks < 1 || plan->data_banks > 11 || plan->data_banks + plan->weight_banks > 12)
		return false;
	if (operand->group_n * kernel_bytes > plan->weight_banks * 32768)
		return false;
	if (plan->tile_rows * entries * 64 > plan->data_banks * 32768)
		return false;
	if (plan->tile_rows > 1022 || plan->tile_cols > 8192)
		return false;
	/* Equal numbers of tasks, unless tiles cannot be smaller. */
	return plan->split == ORK_SPLIT_BATCH || plan->m_tiles == plan->shape.rows ||
	       plan->n_tiles == plan->shape.cols / operand->group_n || ork_plan_tasks(plan) % plan->cores == 0;
}

/* Counts how often each column group of each row is computed. */
static bool covers_once(const struct ork_plan *plan)
{
	const struct ork_shape *shape = &plan->shape;
	const uint32_t group_n = shape->result->operand->group_n, groups = shape->cols / group_n;
	const size_t cells = (size_t)shape->batch * shape->rows * groups * shape->slices;
	uint8_t *count = calloc(cells, 1);
	bool good = count != NULL;
	struct ork_tile t;
	uint32_t m, g;
	uint64_t i;
	size_t j;

	for (i = 0; i < ork_plan_tasks(plan) && good; i++) {
		ork_plan_tile(plan, i, &t);
		good = t.rows && t.rows <= plan->tile_rows && t.cols && t.cols <= plan->tile_cols &&
		       t.col % group_n == 0 && t.cols % group_n == 0 && t.row + t.rows <= shape->rows &&
		       t.col + t.cols <= shape->cols && t.slice < shape->slices && t.batch < shape->batch;
		for (m = t.row; good && m < t.row + t.rows; m++)
			for (g = t.col / group_n; g < (t.col + t.cols) / group_n; g++)
				count[(((size_t)t.batch * shape->slices + t.slice) * shape->rows + m) * groups + g]++;
	}
	for (j = 0; good && j < cells; j++)
		good = count[j] == 1;
	free(count);
	return good;
}

/* Tiles of one core are either column ranges or row ranges that no other core has. */
static bool cores_are_disjoint(const struct ork_plan *plan)
{
	const uint64_t per_core = ork_plan_tasks(plan) / plan->cores;
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

static const uint32_t sizes_m[] = { 1, 2, 3, 4, 7, 16, 64, 100, 128, 500, 1022, 1023, 3000 };
static const uint32_t sizes_k[] = { 32, 64, 96, 768, 1024, 1792, 2048, 3584, 4096, 5120, 6144, 8192, 10240 };
static const uint32_t sizes_n[] = { 32, 64, 96, 128, 2048, 6144, 8192, 8224, 18944, 32768, 32800, 65536 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void every_shape_has_a_sound_plan(enum ork_dtype type, uint32_t cores)
{
	unsigned int tried = 0, sound = 0, covered = 0, disjoint = 0;
	size_t m, k, n;

	for (m = 0; m < COUNT(sizes_m); m++)
		for (k = 0; k < COUNT(sizes_k); k++)
			/* The types differ in columns per group only; one is tried in full. */
			for (n = type == ORK_I8 ? 0 : k % 4; n < COUNT(sizes_n); n += type == ORK_I8 ? 1 : 4) {
				const struct ork_plan plan =
					plan_of(type, sizes_m[m], sizes_k[k], sizes_n[n], cores);

				tried++;
				sound += is_sound(&plan, cores);
				covered += covers_once(&plan);
				disjoint += cores_are_disjoint(&plan);
			}
	ok(sound == tried && covered == tried && disjoint == tried,
	   "%u %s plans for cores=%u respect the hardware (%u), compute all once (%u), give cores disjoint parts (%u)",
	   tried, ork_dtype_name(type), cores, sound, covered, disjoint);
}

static void slices_and_batches_are_covered(void)
{
	unsigned int tried = 0, good = 0;
	uint32_t batch, slices, cores;

	for (batch = 1; batch <= 7; batch++) {
		for (slices = 1; slices <= 5; slices++) {
			for (cores = 0; cores <= 3; cores++) {
				struct ork_shape shape = shape_of(ORK_I8, 300, 4096, 200);
				struct ork_plan plan;

				shape.batch = batch;
				shape.slices = slices;
				ork_plan_make(&plan, &rk3588, &shape, cores);
				tried++;
				good += is_sound(&plan, cores) && covers_once(&plan);
			}
		}
	}
	ok(good == tried, "%u of %u plans with batches and K slices compute every part once", good, tried);
}

/* Nothing of a stage is used twice, and nothing outside of it. */
static bool stage_is_partitioned(const struct ork_plan *plan)
{
	const struct ork_shape *shape = &plan->shape;
	const uint64_t bytes = ork_shape_c_bytes(shape);
	uint8_t *used = calloc(bytes, 1);
	bool good = used != NULL;
	struct ork_tile t;
	uint64_t i, j, at;

	for (i = 0; i < ork_plan_tasks(plan) && good; i++) {
		ork_plan_tile(plan, i, &t);
		at = ork_tile_c_offset(shape, &t);
		good = at % 16 == 0;
		for (j = 0; good && j < (uint64_t)t.rows * t.cols * shape->result->bytes; j++) {
			good = at + j < bytes && !used[at + j];
			used[at + j] = 1;
		}
	}
	for (j = 0; good && j < bytes; j++)
		good = used[j];
	free(used);
	return good;
}

static void tiles_share_the_stage(void)
{
	static const enum ork_dtype types[] = { ORK_I4, ORK_I8, ORK_F16 };
	unsigned int tried = 0, good = 0;
	size_t i;
	uint32_t cores;

	for (i = 0; i < COUNT(types); i++) {
		for (cores = 1; cores <= 3; cores++) {
			struct ork_shape shape = shape_of(types[i], 37, 7168, 9000);
			struct ork_plan plan;

			shape.slices = cores;
			shape.batch = 2;
			ork_plan_make(&plan, &rk3588, &shape, cores);
			tried++;
			good += stage_is_partitioned(&plan);
		}
	}
	ok(good == tried, "in %u of %u plans tiles fill the stage of C without overlap", good, tried);
}

static void banks_follow_the_reference(void)
{
	static const struct {
		enum ork_dtype type;
		uint32_t m, k, n, data, weight, rows;
	} cases[] = {
		{ ORK_I8, 4, 32, 32, 1, 11, 4 },        /* captured, 3.13 */
		{ ORK_I8, 144, 224, 64, 2, 10, 144 },   /* rounding of rows to 64 bytes, 3.12 */
		{ ORK_I8, 36, 3584, 1216, 4, 8, 36 },   /* rkllm's tile, 3.5.1 */
		{ ORK_I8, 37, 3584, 1216, 3, 9, 19 },   /* two nearly equal tiles */
		{ ORK_I8, 128, 4096, 4096, 4, 8, 32 },  /* room for two groups */
		{ ORK_I8, 64, 6144, 64, 5, 7, 22 },     /* two groups do not fit; off the exact fit of 6 banks */
		{ ORK_I8, 128, 10240, 64, 1, 11, 3 },
		{ ORK_F16, 8, 64, 32, 1, 11, 8 },       /* 3.12 */
		{ ORK_F16, 144, 1024, 16, 9, 3, 144 },  /* not one bank of weights, 6.3 */
		{ ORK_F16, 128, 10240, 64, 1, 11, 1 },
		{ ORK_I4, 4, 128, 128, 1, 11, 4 },      /* 3.12 */
		{ ORK_I4, 100, 480, 64, 1, 11, 100 },
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		const struct ork_plan plan = plan_of(cases[i].type, cases[i].m, cases[i].k, cases[i].n, 1);

		ok(plan.data_banks == cases[i].data && plan.weight_banks == cases[i].weight &&
			   plan.tile_rows == cases[i].rows,
		   "%s M=%u K=%u: %u data banks, %u weight banks, tiles of %u rows (%u, %u, %u)",
		   ork_dtype_name(cases[i].type), cases[i].m, cases[i].k, cases[i].data, cases[i].weight,
		   cases[i].rows, plan.data_banks, plan.weight_banks, plan.tile_rows);
	}
}

static uint32_t cores_of(uint32_t m, uint32_t k, uint32_t n, uint32_t cores)
{
	return plan_of(ORK_I8, m, k, n, cores).cores;
}

static void cores_fit_the_product(void)
{
	struct ork_plan plan;

	ok(cores_of(1, 2048, 6144, 0) == 3, "auto uses all cores for a large product");
	ok(cores_of(1, 32, 96, 0) == 1, "auto uses one core for a tiny product");
	ok(cores_of(1, 64, 64, 3) == 2, "N of two groups and one row are cut for two cores");
	ok(cores_of(1, 64, 32, 3) == 1, "one group and one row are not cut");
	plan = plan_of(ORK_I8, 64, 64, 32, 3);
	ok(plan.cores == 3 && plan.split == ORK_SPLIT_M && plan.m_tiles == 3, "M is cut where N has too few groups");
	plan = plan_of(ORK_I8, 3000, 64, 96, 3);
	ok(plan.split == ORK_SPLIT_M, "M is cut where A is larger than B");
	ok(plan_of(ORK_I8, 1, 2048, 6144, 3).split == ORK_SPLIT_N, "N is cut where B is larger than A");
}

/* What stays on the chip must have been loaded as a whole, and not before a range starts. */
static void weights_stay_only_where_they_fit(void)
{
	unsigned int tried = 0, good = 0, kept = 0;
	size_t m, k, n;
	uint32_t i;

	for (m = 0; m < COUNT(sizes_m); m++)
		for (k = 0; k < COUNT(sizes_k); k++)
			for (n = 0; n < COUNT(sizes_n); n++) {
				const struct ork_plan plan =
					plan_of(ORK_I8, sizes_m[m], sizes_k[k], sizes_n[n], (m + k + n) % 4);
				const uint32_t count = (uint32_t)ork_plan_tasks(&plan);

				tried++;
				kept += plan.keep_weights;
				good += !plan.keep_weights ||
					plan.tile_cols * plan.shape.k_slice <= plan.weight_banks * 32768;
				for (i = 0; i < plan.cores; i++)
					good -= ork_plan_reuses_weights(&plan, 0, count, i * count / plan.cores);
			}
	ok(good == tried && kept > 0, "%u of %u plans keep weights, only where they fit, from the second task on", kept,
	   tried);
}

static void passes_bound_memory(void)
{
	struct ork_shape shape = shape_of(ORK_I8, 100, 64, 64);

	ork_plan_pass(&shape, 1 << 20);
	ok(shape.rows == 100, "a product that fits is one pass");
	shape = shape_of(ORK_I8, 1048576, 2048, 1048576);
	ork_plan_pass(&shape, 64 << 20);
	ok(shape.rows == 16, "staging C stays within its bound (%u rows)", shape.rows);
	shape = shape_of(ORK_I8, 10, 64, 1048576);
	ork_plan_pass(&shape, 1);
	ok(shape.rows == 1, "a pass has at least one row");
	shape = shape_of(ORK_I8, 64, 64, 64);
	shape.batch = 1000;
	ork_plan_pass(&shape, 1 << 20);
	ok(shape.rows == 64 && shape.batch == 63, "a pass takes whole products of a batch (%u of %u rows)",
	   shape.batch, shape.rows);
}

static int text_of(const struct ork_plan *plan, char *text, size_t size)
{
	struct ork_text out = { .at = text, .room = size };

	ork_plan_text(&out, plan, &rk3588);
	return out.length;
}

static void plan_explains_itself(void)
{
	const struct ork_plan plan = plan_of(ORK_I8, 128, 4096, 4096, 0);
	char text[1024], part[40];
	const int length = text_of(&plan, text, sizeof(text));

	note("%.*s", (int)strcspn(text, "\n"), text);
	ok(strstr(text, "cores: 3") && strstr(text, "us on 1") && strstr(text, "4 features, 8 weights of 12"),
	   "a plan tells cores, their costs and banks");
	ok((size_t)length == strlen(text) && text[length - 1] == '\n', "and the length of its text");
	ok(text_of(&plan, part, sizeof(part)) == length && strncmp(part, text, 39) == 0 && !part[39] &&
		   text_of(&plan, NULL, 0) == length,
	   "a text that does not fit is cut");
}

int main(void)
{
	static const enum ork_dtype types[] = { ORK_I8, ORK_I4, ORK_F16 };
	uint32_t cores;
	size_t i;

	for (i = 0; i < COUNT(types); i++)
		for (cores = 0; cores <= 3; cores++)
			every_shape_has_a_sound_plan(types[i], cores);
	slices_and_batches_are_covered();
	tiles_share_the_stage();
	banks_follow_the_reference();
	cores_fit_the_product();
	weights_stay_only_where_they_fit();
	passes_bound_memory();
	plan_explains_itself();
	return done();
}
