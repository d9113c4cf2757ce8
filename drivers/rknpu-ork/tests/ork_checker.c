// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* The checker once more: the driver does not export it, and an object belongs to one module. */
#include "../ork_regcmd.c"
#include "../ork_regcmd_regs.c"
