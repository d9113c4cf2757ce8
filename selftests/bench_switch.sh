#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors
#
# Prints what it costs to switch a core to another address space: the kernel's function graph tracer
# times ork_mmu_enter() while the test "vm" uses three address spaces in turn on three cores. On a
# board with --icount a nanosecond is an instruction.

here=$(dirname "$0")
trace=/sys/kernel/tracing

[ -e $trace/current_tracer ] || mount -t tracefs none $trace || exit 1
echo 1 > $trace/max_graph_depth
echo ork_mmu_enter > $trace/set_graph_function
echo ork_mmu_enter > $trace/set_ftrace_filter
echo function_graph > $trace/current_tracer
"$here/vm" > /dev/null
echo 0 > $trace/tracing_on

echo "instructions to attach or switch an address space (count, instructions):"
awk '/ork_mmu_enter/ { for (i = 1; i < NF; i++) if ($(i + 1) == "us") print $i * 1000 }' $trace/trace |
	sort -n | uniq -c
