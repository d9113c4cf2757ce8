/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The rknpu-ork authors */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "rk3588_npu_log.h"

int rk3588_npu_log_open(const char *path, Error **errp)
{
    return qemu_create(path, O_WRONLY | O_APPEND, 0666, errp);
}

void rk3588_npu_log_task(int fd, const struct npu_task_facts *facts,
                         uint64_t npu_hz)
{
    g_autofree char *line = g_strdup_printf(
        "{\"end_ns\": %" PRId64 ", \"core\": %u, \"task\": %u, \"tasks\": %u,"
        " \"enable\": %u, \"hung\": %s, \"input\": %u, \"output\": %u,"
        " \"width\": %u, \"height\": %u, \"channels\": %u,"
        " \"out_width\": %u, \"out_height\": %u, \"kernels\": %u,"
        " \"kernel_width\": %u, \"kernel_height\": %u, \"cbuf_con0\": %u,"
        " \"feature_address\": %u, \"weight_address\": %u,"
        " \"output_address\": %u, \"bytes_read\": %" PRIu64 ","
        " \"bytes_written\": %" PRIu64 ", \"macs\": %" PRIu64 ","
        " \"cycles\": %" PRIu64 ", \"ns\": %" PRIu64 "}\n",
        qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), facts->core, facts->task,
        facts->tasks, facts->enable_map, facts->hung ? "true" : "false",
        facts->input, facts->output, facts->width, facts->height,
        facts->channels, facts->out_width, facts->out_height, facts->kernels,
        facts->kernel_width, facts->kernel_height, facts->cbuf_con0,
        facts->feature_address, facts->weight_address, facts->output_address,
        facts->bytes_read, facts->bytes_written, facts->macs, facts->cycles,
        muldiv64(facts->cycles, NANOSECONDS_PER_SECOND, npu_hz));
    size_t bytes = strlen(line);

    if (qemu_write_full(fd, line, bytes) != bytes) {
        /* A full disk must not stop the guest; the log ends early. */
        return;
    }
}
