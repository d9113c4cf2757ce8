# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The ork command. Paths are relative to the root of the repository. It uses the public interface of libork,
# for regcmd the driver's program checker, and for probe what libork makes programs with.

ORK_CPPFLAGS := -Ilib/include -Itools/ork -Idrivers/rknpu-ork -Ilib/src -Iuapi

ORK_SRCS := \
	tools/ork/bench_args.c \
	tools/ork/bench_models.c \
	tools/ork/bench_plot.c \
	tools/ork/cmd_bench.c \
	tools/ork/cmd_doctor.c \
	tools/ork/cmd_info.c \
	tools/ork/cmd_inspect.c \
	tools/ork/cmd_matmul.c \
	tools/ork/cmd_pack.c \
	tools/ork/cmd_probe.c \
	tools/ork/cmd_regcmd.c \
	tools/ork/cmd_selftest.c \
	tools/ork/cmd_top.c \
	tools/ork/cmd_unpack.c \
	tools/ork/doctor_board.c \
	tools/ork/doctor_device.c \
	tools/ork/doctor_kernel.c \
	tools/ork/doctor_tree.c \
	tools/ork/json.c \
	tools/ork/machine.c \
	tools/ork/main.c \
	tools/ork/matmul_args.c \
	tools/ork/module_file.c \
	tools/ork/npy.c \
	tools/ork/npy_header.c \
	tools/ork/open_error.c \
	tools/ork/operands.c \
	tools/ork/pack_args.c \
	tools/ork/pack_tensor.c \
	tools/ork/probe_device.c \
	tools/ork/probe_task.c \
	tools/ork/product.c \
	tools/ork/regcmd_file.c \
	tools/ork/regcmd_task.c \
	tools/ork/regmap.c \
	tools/ork/selftest.c \
	tools/ork/source.c \
	tools/ork/source_decode.c \
	tools/ork/source_gguf.c \
	tools/ork/source_npy.c \
	tools/ork/source_safetensors.c \
	tools/ork/tensor.c \
	tools/ork/term.c \
	tools/ork/top_print.c \
	tools/ork/top_sample.c \
	tools/ork/usage.c \
	drivers/rknpu-ork/ork_regcmd.c \
	drivers/rknpu-ork/ork_regcmd_regs.c \
	$(addprefix lib/src/,layout.c regcmd.c simd.c simd_avx2.c simd_neon.c types.c)
