# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Tests that talk to the driver, on the emulated board or a real one. Paths are relative to the root of the repository.

SELFTESTS := open_query memory buffers user nobody import vm limits isolation overflow hold matmul slots sync result ended steady \
	wedge kill storm fair queue observe power sleep chain unbind refuse stray terminal
# Needs a kernel that makes allocations fail.
SELFTEST_FAULTS := fault
# Need a board that is broken in a certain way, or has a certain part.
SELFTEST_BROKEN := lost bus_error supply
# Print figures, as bench_switch.sh does; soak runs as long as it is told to.
SELFTEST_BENCH := bench bench_path soak
SELFTEST_SCRIPTS := selftests/tap.sh selftests/reload.sh selftests/run.sh selftests/bench_switch.sh selftests/soak.sh
# The ork command where it needs the driver.
SELFTEST_SCRIPTS += selftests/ork_tool.sh selftests/ork_board.sh
SELFTEST_COMMON := $(addprefix selftests/,ork_test.c ork_test_board.c ork_test_fault.c ork_test_left.c ork_test_product.c)
# Of the programs whose way through a driver is logged.
PATH_SRCS := selftests/path.c selftests/steps.c

# The harness's macros compare signs and use longjmp; its handlers ignore arguments.
SELFTEST_CFLAGS := -D_GNU_SOURCE -Wno-sign-compare -Wno-unused-parameter -Wno-clobbered \
	-Wno-missing-field-initializers
