/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */
#ifndef HW_RK3588_NPU_LOG_H
#define HW_RK3588_NPU_LOG_H

#include "qapi/error.h"
#include "model/npu_model.h"

/*
 * The job log: a line of JSON per task. Cores share the file; a line is one
 * write of a file that is open for appending, so lines never mix.
 */
int rk3588_npu_log_open(const char *path, Error **errp);
void rk3588_npu_log_task(int fd, const struct npu_task_facts *facts,
                         uint64_t npu_hz);

#endif
