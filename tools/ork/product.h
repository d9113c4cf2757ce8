/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_PRODUCT_H
#define ORK_PRODUCT_H

#include <ork.h>

/* What the options of the commands that multiply have in common. */

/* Values of --type. */
struct product_type {
	const char *name;
	const char *words;
	enum ork_dtype type;            /* of A and B */
	enum ork_dtype c_type;
	unsigned int macs_per_cycle;    /* of a core (NPU reference 7, from the TRM) */
};

/* The one that is used without --type. */
extern const struct product_type *const default_product_type;

/* NULL if there is none of that name. */
const struct product_type *find_product_type(const char *name);

/* The values of --type and --cores; cores 0 stands for auto. Return EXIT_OK, or EXIT_USAGE after a complaint. */
int parse_product_type(const char *text, const struct product_type **type);
int parse_cores(const char *text, unsigned long *cores);

/* Brings sums of K random products near the range of int8. */
struct ork_requant usual_requant(size_t k);

#endif
