/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_REGCMD_TASK_H
#define ORK_REGCMD_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

/* Tasks of a program, and what the driver's checker says to them. */

struct regcmd_task {
	size_t first;           /* word in the file */
	uint32_t count;         /* words, trailer included */
	uint32_t trailer;       /* words of it: 0 or 4 */
	uint32_t reject;        /* enum drm_ork_reject */
	uint32_t reject_word;   /* counted from the task's first word */
	bool reuses_unknown;    /* it uses what a task before it left, which is not in the file */
};

/*
 * Cuts words into tasks: behind each word that starts the blocks, or after every task_words words if that is not 0. Zeros in
 * front of a task are padding. Returns the next task behind *at and moves that, or false at the end.
 */
bool regcmd_next_task(const __u64 *words, size_t count, uint32_t task_words, size_t *at, struct regcmd_task *task);

/* Memory of the checker from task to task of a program. */
struct regcmd_checker;
struct regcmd_checker *regcmd_checker_create(void);
void regcmd_checker_free(struct regcmd_checker *checker);

/*
 * Has the driver's checker look at the next task and fills in reject and reject_word. What is mapped is not known here, so
 * any address counts as mapped.
 */
void regcmd_check_task(struct regcmd_checker *checker, const __u64 *words, struct regcmd_task *task);

/* Name without DRM_ORK_REJECT_, and what it means. */
const char *regcmd_reject_name(uint32_t reject);
const char *regcmd_reject_text(uint32_t reject);

#endif
