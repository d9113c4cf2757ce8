/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rknpu_ork

#if !defined(ORK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ORK_TRACE_H

#include <linux/tracepoint.h>

#include "ork_core.h"
#include "ork_fdinfo.h"
#include "ork_job.h"
#include "ork_prog.h"
#include "ork_result.h"

/* A job is known by its file's drm-client-id and its number in that file. */

TRACE_EVENT(ork_submit,
	TP_PROTO(const struct ork_job *job),
	TP_ARGS(job),
	TP_STRUCT__entry(
		__field(u32, client)
		__field(u64, job)
		__field(u32, cores)
	),
	TP_fast_assign(
		__entry->client = job->usage->client;
		__entry->job = job->result->id;
		__entry->cores = job->result->cores;
	),
	TP_printk("client=%u job=%llu cores=0x%x",
		  __entry->client, __entry->job, __entry->cores)
);

DECLARE_EVENT_CLASS(ork_part,
	TP_PROTO(const struct ork_part *part),
	TP_ARGS(part),
	TP_STRUCT__entry(
		__field(u32, core)
		__field(u32, client)
		__field(u64, job)
		__field(u32, first_task)
		__field(u32, task_count)
	),
	TP_fast_assign(
		__entry->core = part->core->index;
		__entry->client = part->job->usage->client;
		__entry->job = part->job->result->id;
		__entry->first_task = part->first_task;
		__entry->task_count = part->task_count;
	),
	TP_printk("core=%u client=%u job=%llu first_task=%u task_count=%u", __entry->core,
		  __entry->client, __entry->job, __entry->first_task, __entry->task_count)
);

/* The scheduler has handed a part over. */
DEFINE_EVENT(ork_part, ork_schedule,
	TP_PROTO(const struct ork_part *part),
	TP_ARGS(part)
);

/* The core has been told to run a part. */
DEFINE_EVENT(ork_part, ork_kick,
	TP_PROTO(const struct ork_part *part),
	TP_ARGS(part)
);

/* A part has made no progress for its timeout. */
DEFINE_EVENT(ork_part, ork_timeout,
	TP_PROTO(const struct ork_part *part),
	TP_ARGS(part)
);

TRACE_EVENT(ork_done,
	TP_PROTO(const struct ork_part *part, int error),
	TP_ARGS(part, error),
	TP_STRUCT__entry(
		__field(u32, core)
		__field(u32, client)
		__field(u64, job)
		__field(u32, tasks_done)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->core = part->core->index;
		__entry->client = part->job->usage->client;
		__entry->job = part->job->result->id;
		__entry->tasks_done = part->tasks_done;
		__entry->error = error;
	),
	TP_printk("core=%u client=%u job=%llu tasks_done=%u error=%d", __entry->core,
		  __entry->client, __entry->job, __entry->tasks_done, __entry->error)
);

TRACE_EVENT(ork_irq,
	TP_PROTO(const struct ork_core *core, u32 status),
	TP_ARGS(core, status),
	TP_STRUCT__entry(
		__field(u32, core)
		__field(u32, status)
	),
	TP_fast_assign(
		__entry->core = core->index;
		__entry->status = status;
	),
	TP_printk("core=%u status=0x%x", __entry->core, __entry->status)
);

/* @vm tells VMs apart and nothing else; 0 is none. */
TRACE_EVENT(ork_vm_switch,
	TP_PROTO(const struct ork_core *core, u32 vm),
	TP_ARGS(core, vm),
	TP_STRUCT__entry(
		__field(u32, core)
		__field(u32, vm)
	),
	TP_fast_assign(
		__entry->core = core->index;
		__entry->vm = vm;
	),
	TP_printk("core=%u vm=%u", __entry->core, __entry->vm)
);

TRACE_EVENT(ork_fault,
	TP_PROTO(const struct ork_core *core, u32 va),
	TP_ARGS(core, va),
	TP_STRUCT__entry(
		__field(u32, core)
		__field(u32, va)
	),
	TP_fast_assign(
		__entry->core = core->index;
		__entry->va = va;
	),
	TP_printk("core=%u va=0x%08x", __entry->core, __entry->va)
);

TRACE_EVENT(ork_reset,
	TP_PROTO(const struct ork_core *core, bool lost),
	TP_ARGS(core, lost),
	TP_STRUCT__entry(
		__field(u32, core)
		__field(bool, lost)
	),
	TP_fast_assign(
		__entry->core = core->index;
		__entry->lost = lost;
	),
	TP_printk("core=%u lost=%d", __entry->core, __entry->lost)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ork_trace
#include <trace/define_trace.h>
