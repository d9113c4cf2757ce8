# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Coverage-guided fuzzers: of the driver's calls on the board (ioctl_fuzz.h), of the checker and the readers of files on the
# host (libFuzzer). Paths are relative to the root of the repository.

IOCTL_FUZZ_SRCS := $(wildcard selftests/fuzz/ioctl_*.c)
FUZZ_KERNEL := debug
FUZZ_CALLS := 10000000
FUZZ_PROCESSES := 3
# One name for the whole run.
FUZZ_STARTED := $(shell date +%Y%m%d-%H%M%S)
FUZZ_LOG = $(FIGURES)/fuzz/$(or $(FUZZ_SEED),$(FUZZ_STARTED)).log

FUZZ_CC := clang-19
# Inputs start from programs that are valid, so tracing comparisons finds little and costs more than half of the time.
FUZZ_FLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-fno-sanitize-coverage=trace-cmp
FUZZ_SECONDS := 60
# Executions; 0 is no limit but the time.
FUZZ_RUNS := 0

fuzz_checker_SRCS := selftests/fuzz/fuzz_checker.c selftests/host/witness.c selftests/host/task_maker.c $(CHECKER_SRCS)

# Inputs of these are files, in which comparisons with names and numbers are what leads on.
fuzz_pack_SRCS := selftests/fuzz/fuzz_pack.c lib/src/hash.c lib/src/pack_format.c
fuzz_source_SRCS := selftests/fuzz/fuzz_source.c \
	$(addprefix tools/ork/,npy_header.c source.c source_decode.c source_gguf.c source_npy.c source_safetensors.c)
