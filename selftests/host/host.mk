# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Tests that need no kernel. Paths are relative to the root of the repository. Each prints TAP and exits with 0 if all
# is well.
#
# A program is built from selftests/host/NAME.c and NAME_SRCS, against the static library, whose internal functions it
# may call. A script takes the folder of the build. The device is the in-process model.

HOST_TEST_CPPFLAGS := -Iselftests/host -Ilib/include -Ilib/src -Iuapi -Itools/ork

HOST_TESTS := \
	test_accept \
	test_append \
	test_chain \
	test_checker \
	test_checker_model \
	test_device \
	test_golden \
	test_hang \
	test_in_place \
	test_job \
	test_layout \
	test_matmul \
	test_npy \
	test_open_error \
	test_pack \
	test_plan \
	test_property \
	test_quant \
	test_ref \
	test_regcmd \
	test_regmap \
	test_residency \
	test_selftest \
	test_shapes \
	test_threads \
	test_top

CHECKER_SRCS := drivers/rknpu-ork/ork_regcmd.c drivers/rknpu-ork/ork_regcmd_regs.c
WITNESS_SRCS := $(addprefix selftests/host/,witness.c program_maker.c task_maker.c) $(CHECKER_SRCS)

test_accept_SRCS := $(CHECKER_SRCS)
test_checker_SRCS := $(CHECKER_SRCS)
bench_checker_SRCS := selftests/host/task_maker.c $(CHECKER_SRCS)
test_checker_model_SRCS := $(WITNESS_SRCS)
test_regmap_SRCS := tools/ork/regmap.c drivers/rknpu-ork/ork_regcmd_regs.c
test_selftest_SRCS := $(addprefix tools/ork/,machine.c npy.c npy_header.c operands.c product.c selftest.c)
test_top_SRCS := $(addprefix tools/ork/,machine.c term.c top_sample.c usage.c)
test_open_error_SRCS := $(addprefix tools/ork/,open_error.c machine.c module_file.c)
test_npy_SRCS := tools/ork/npy.c tools/ork/npy_header.c

# Of these, the ones that are for any device run on the board too, and those of code that has NEON paths. test_calls and test_gone are for the driver only.
BOARD_HOST_TESTS := test_append test_calls test_chain test_golden test_in_place test_layout test_pack test_property test_quant test_residency test_shapes test_threads test_gone

# These are for ThreadSanitizer and for valgrind, besides.
THREAD_TESTS := test_threads
VALGRIND_TESTS := test_append test_chain test_device test_in_place test_job

HOST_TEST_SCRIPTS := $(addprefix selftests/host/,test_abi.sh test_install.sh test_ork.sh test_ork_bench.py test_ork_completion.py \
	test_ork_doctor.py test_ork_frame.py test_ork_pack.py test_ork_regcmd.py test_symbols.sh)
