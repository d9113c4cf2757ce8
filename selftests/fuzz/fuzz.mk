# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Coverage-guided fuzzers (libFuzzer). Paths are relative to the root of the repository.

FUZZ_CC := clang-14
FUZZ_FLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_SECONDS := 60
# Executions; 0 is no limit but the time.
FUZZ_RUNS := 0

fuzz_checker_SRCS := selftests/fuzz/fuzz_checker.c selftests/host/witness.c selftests/host/task_maker.c $(CHECKER_SRCS)
