/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PROGRAM_H
#define ORK_PROGRAM_H

#include "internal.h"

/* What a program depends on. Two products with the same key use the same program. */
struct ork_program_key {
	struct ork_shape shape;
	struct ork_requant requant;
	uint32_t cores;         /* as the user asked: 0 is the planner's choice */
	uint32_t core_mask;
	uint32_t vm;            /* that A, B and C lie in */
};

/* The tasks of a plan. More than a program can hold are cut into several. */
struct ork_program {
	struct ork_program_key key;
	struct ork_plan plan;
	bool kept;              /* by the device; else it goes with its last user */
	unsigned int users;     /* that are about to submit it */
	uint64_t last_use;
	uint32_t parts;
	uint32_t handles[];
};

/* Plans for the key. */
void ork_program_plan(const struct ork_device *dev, const struct ork_program_key *key, struct ork_plan *plan);

/* Words of the first part's tasks, as ork_plan_words(). */
int ork_program_words(struct ork_device *dev, const struct ork_program_key *key, uint64_t *words, size_t count);

/* Kept or new; stays until it is put. Is not kept if the programs of the device are all in use. */
int ork_program_get(struct ork_device *dev, const struct ork_program_key *key, struct ork_program **program);
void ork_program_put(struct ork_device *dev, struct ork_program *program);
void ork_programs_free(struct ork_device *dev);

/* Number of tasks of one part. */
uint32_t ork_program_part_tasks(const struct ork_device *dev, const struct ork_program *program, uint32_t part);

#endif
