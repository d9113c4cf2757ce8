/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_CHAIN_H
#define ORK_CHAIN_H

#include "request.h"

/*
 * Products that run one after another. Copies of A are made before the first one starts and copies of C when the last
 * one has ended, so what one product writes and a later one touches must not be copied on the way.
 */
int ork_chain_check(const struct ork_request *reqs, size_t count);

#endif
