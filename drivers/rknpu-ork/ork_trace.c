// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

#define CREATE_TRACE_POINTS
#include "ork_trace.h"
