# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# libork: what it is made of. Paths are relative to the root of the repository. The in-process device needs the NPU
# model: MODEL_SRCS of tools/emulator/model/model.mk belong into the library as well.

# From the header, for libork.pc.
LIB_VERSION := $(shell awk '/define ORK_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' lib/include/ork.h)
LIB_SONAME := libork.so.0
LIB_MAP := lib/libork.map
LIB_CPPFLAGS := -Ilib/include -Ilib/src -Iuapi -Itools/emulator/model
LIB_PKGS := libdrm

LIB_HEADERS := lib/include/ork.h lib/include/ork_pack.h lib/include/ork_quant.h

LIB_SRCS := \
	lib/src/bo.c \
	lib/src/chain.c \
	lib/src/device.c \
	lib/src/device_kernel.c \
	lib/src/device_model.c \
	lib/src/explain.c \
	lib/src/fence.c \
	lib/src/hash.c \
	lib/src/job.c \
	lib/src/kernel_fence.c \
	lib/src/kernel_job.c \
	lib/src/layout.c \
	lib/src/matmul.c \
	lib/src/model_bo.c \
	lib/src/model_memory.c \
	lib/src/model_program.c \
	lib/src/model_run.c \
	lib/src/number.c \
	lib/src/pack_format.c \
	lib/src/pack_load.c \
	lib/src/pack_read.c \
	lib/src/pack_write.c \
	lib/src/place.c \
	lib/src/plan.c \
	lib/src/plan_text.c \
	lib/src/plan_tile.c \
	lib/src/program.c \
	lib/src/quant.c \
	lib/src/ref.c \
	lib/src/ref_float.c \
	lib/src/ref_integer.c \
	lib/src/regcmd.c \
	lib/src/request.c \
	lib/src/residency.c \
	lib/src/run.c \
	lib/src/simd.c \
	lib/src/simd_avx2.c \
	lib/src/simd_neon.c \
	lib/src/slice.c \
	lib/src/stage.c \
	lib/src/text.c \
	lib/src/types.c \
	lib/src/unpack.c \
	lib/src/version.c \
	lib/src/weights.c \
	lib/src/weights_append.c

# Loops over elements, which gcc 12 makes vector instructions of (NEON, SSE2) from -O3 on. Results are the same to the bit.
LIB_VECTOR_SRCS := lib/src/quant.c lib/src/unpack.c
