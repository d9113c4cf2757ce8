# SPDX-License-Identifier: GPL-2.0-only
# Copyright 2026 The rknpu-ork authors

ifneq ($(KERNELRELEASE),)

# Called by kbuild.
obj-$(CONFIG_DRM_RKNPU_ORK) += drivers/rknpu-ork/

else

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BUILD := build

# Names and places of what setup fetches: ORK_KERNELS, ORK_GUEST_CC, ...
$(foreach line,$(shell tools/setup/paths.sh | tr ' ' '\001'),$(eval $(subst $(shell printf '\001'), ,$(line))))

include lib/lib.mk
include tools/ork/ork.mk
include tools/emulator/model/model.mk
include selftests/host/host.mk
include selftests/fuzz/fuzz.mk
include examples/examples.mk
include selftests/selftests.mk
include selftests/rocket/rocket.mk
include packaging/install.mk
include packaging/packages.mk
include Documentation/docs.mk

CC := gcc
CFLAGS := -std=c11 -O2 -g
WARNINGS := -Wall -Wextra -Werror
PKG_CONFIG := pkg-config
# Lets the ork command find the library next to it, wherever both were put.
RPATH := -Wl,-rpath,'$$ORIGIN/../lib'
SANITIZE_THREAD := -fsanitize=thread
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
BOARD := tools/emulator/ork-board

help:
	@echo 'make demo           products on the in-process model, then through the driver on an emulated RK3588 board'
	@echo 'make check          all tests: host, both kernels, emulated board'
	@echo 'make check-valgrind tests of libork under valgrind'
	@echo 'make check-rocket   the mainline driver on the emulated board; builds a kernel first'
	@echo 'make check-debug    the tests of check-board on a kernel with KASAN, lockdep and more; builds it first'
	@echo 'make setup          install packages and fill the cache (the others do it when needed)'
	@echo 'make module         the kernel module for: $(ORK_KERNELS); with KDIR=... for another kernel'
	@echo 'make lib tools      libork and the ork command for this machine'
	@echo 'make coverage-model line coverage of the NPU model by its tests'
	@echo 'make bench          what the driver costs in guest instructions, beside the mainline driver; builds a kernel first.'
	@echo '                    Writes the figures into Documentation/performance.rst'
	@echo 'make soak           storms and hours of simulated load, counted in Documentation/promises.rst; takes an hour'
	@echo 'make bench-check    whether the figures are within selftests/bench.budget'
	@echo 'make bench-host     work on the CPU against memcpy(), and loading'
	@echo 'make bench-arm64    the same in arm64 instructions per byte'
	@echo 'make bench-layers   predicts the time of a decoder layer of a language model, by ways to cut it'
	@echo 'make fuzz           fuzz the program checker and the readers of files for a minute each; FUZZ_SECONDS=S or'
	@echo '                    FUZZ_RUNS=N for longer; make fuzz-keep keeps what they found'
	@echo 'make fuzz-ioctl     fuzz the driver on the debug kernel: FUZZ_CALLS=N, FUZZ_SECONDS=S, FUZZ_SEED=X'
	@echo 'make faults         make each allocation and copy of a use of the driver fail once, on the debug kernel'
	@echo 'make fuzz-figures   adds all runs of fuzz-ioctl up in Documentation/promises.rst, with the last of faults'
	@echo 'make install        libork and the ork command below PREFIX (default /usr/local); also: make uninstall'
	@echo 'make deb            Debian packages in $(DEBS)/, for this machine and for arm64'
	@echo 'make check-packages builds them twice, installs and removes them, and runs them on the board'
	@echo 'make install-module the kernel module for KDIR=..., with depmod and an entry in modules-load.d'
	@echo 'make check-dt       the device-tree binding, the trees of the board and the overlays'
	@echo 'make lint           checkpatch, sparse, clang, shellcheck, the documentation without warnings; also: make lint-cocci'
	@echo 'make docs           Documentation/ as HTML in $(DOCS)/'
	@echo 'make check-docs     the commands in README.md, Documentation/ and the man pages, as a new user would type them'
	@echo 'make clean          remove $(BUILD)/'

# --- Setup -----------------------------------------------------------------------------------------------------------

.PHONY: setup setup-build setup-host setup-kernels setup-guest setup-user setup-sparse setup-mainline setup-debug setup-race
setup:
	@tools/setup/setup.sh
# Where nothing is to be installed, as in the build of a package: make -o setup-build ...
setup-build:
	@tools/setup/setup.sh build
setup-host:
	@tools/setup/setup.sh host
setup-kernels:
	@tools/setup/setup.sh host kernels
setup-guest:
	@tools/setup/setup.sh host guest
setup-user:
	@tools/setup/setup.sh host guest user
setup-sparse:
	@tools/setup/setup.sh host sparse
setup-mainline:
	@tools/setup/setup.sh host mainline
setup-debug:
	@tools/setup/setup.sh host debug
setup-race:
	@tools/setup/setup.sh host race

# --- User space ------------------------------------------------------------------------------------------------------

# $(call user_space,DIR,CC,FLAGS,LDFLAGS): libork.a, libork.so and ork, built in DIR.
define user_space
$(1)/obj/%.o: %.c | setup-build
	@mkdir -p $$(@D)
	$(2) $$(CPPFLAGS) $$(CFLAGS) $$(if $$(filter $$<,$$(LIB_VECTOR_SRCS)),-O3) $$(WARNINGS) $(3) -fPIC -MMD -MP $$(LIB_CPPFLAGS) $$(ORK_CPPFLAGS) -c -o $$@ $$<

$(1)/lib/libork.a: $$(addprefix $(1)/obj/,$$(LIB_SRCS:.c=.o) $$(MODEL_SRCS:.c=.o))
	@mkdir -p $$(@D)
	@rm -f $$@
	ar rcs $$@ $$^

$(1)/lib/$$(LIB_SONAME): $$(addprefix $(1)/obj/,$$(LIB_SRCS:.c=.o) $$(MODEL_SRCS:.c=.o)) $$(LIB_MAP)
	@mkdir -p $$(@D)
	$(2) $(3) -shared -Wl,-soname,$$(LIB_SONAME) -Wl,--version-script=$$(LIB_MAP) -o $$@ $$(filter %.o,$$^) $(4) $$(LDFLAGS) -ldrm

$(1)/lib/libork.so: $(1)/lib/$$(LIB_SONAME)
	ln -sf $$(LIB_SONAME) $$@

$(1)/bin/ork: $$(addprefix $(1)/obj/,$$(ORK_SRCS:.c=.o)) $(1)/lib/libork.so
	@mkdir -p $$(@D)
	$(2) $(3) -o $$@ $$(filter %.o,$$^) -L$(1)/lib -lork $$(RPATH) $(4) $$(LDFLAGS) -ldrm -lm

-include $$(addprefix $(1)/obj/,$$(LIB_SRCS:.c=.d) $$(MODEL_SRCS:.c=.d) $$(ORK_SRCS:.c=.d))
endef

DRM_CFLAGS = $(shell $(PKG_CONFIG) --cflags libdrm 2>/dev/null)
GUEST := $(BUILD)/guest

$(eval $(call user_space,$(BUILD)/host,$(CC),$$(DRM_CFLAGS),))
$(eval $(call user_space,$(BUILD)/sanitize,$(CC),$$(DRM_CFLAGS) $(SANITIZE),))
$(eval $(call user_space,$(BUILD)/thread,$(CC),$$(DRM_CFLAGS) $(SANITIZE_THREAD),))
$(eval $(call user_space,$(GUEST),$(ORK_GUEST_CC),$(ORK_GUEST_CFLAGS),$(ORK_GUEST_LDFLAGS)))

.PHONY: lib tools
lib: $(BUILD)/host/lib/libork.a $(BUILD)/host/lib/libork.so
tools: $(BUILD)/host/bin/ork

# --- Kernel module ---------------------------------------------------------------------------------------------------

MODULE_SRCS := $(shell find drivers uapi -type f -name '*.[ch]' -o -path 'drivers/*' -name Makefile)
MODULE_FLAGS := CONFIG_DRM_RKNPU_ORK=m W=1

# kbuild writes next to the sources, so each kernel gets a copy of them.
# $(call module,DIR,ARGUMENTS OF MAKE)
define build_module
	@mkdir -p $(1)
	@cp -pu --parents $(MODULE_SRCS) $(1)/
	$(MAKE) -s $(2) M=$(CURDIR)/$(1)/drivers/rknpu-ork $(MODULE_FLAGS) modules
	@cp $(1)/drivers/rknpu-ork/rknpu_ork.ko $(1)/
endef

MODULES := $(foreach kernel,$(ORK_KERNELS),$(BUILD)/module-$(kernel)/rknpu_ork.ko)

$(MODULES): $(BUILD)/module-%/rknpu_ork.ko: $(MODULE_SRCS) | setup-kernels
	$(call build_module,$(@D),-C $(ORK_KERNELS_DIR)/$*/build ARCH=arm64 CROSS_COMPILE=$(ORK_CROSS_COMPILE) KCFLAGS=-Werror)

# Kernels that setup builds itself take minutes; one that is there is used.
BUILT_MODULES := $(foreach kernel,$(ORK_BUILT_KERNELS),$(BUILD)/module-$(kernel)/rknpu_ork.ko)
HAVE_BUILT_MODULES := $(foreach kernel,$(ORK_BUILT_KERNELS),$(if $(wildcard $(ORK_KERNELS_DIR)/$(kernel)/recipe),\
	$(BUILD)/module-$(kernel)/rknpu_ork.ko))

$(BUILT_MODULES): $(BUILD)/module-%/rknpu_ork.ko: $(MODULE_SRCS) | setup-%
	$(call build_module,$(@D),-C $(ORK_KERNELS_DIR)/$*/build ARCH=arm64 CROSS_COMPILE=$(ORK_CROSS_COMPILE) KCFLAGS=-Werror \
		$(if $(filter debug,$*),CONFIG_DRM_RKNPU_ORK_KUNIT_TEST=m KCOV_INSTRUMENT=y))

# A kernel that was built anew, with other options, needs a new module.
$(foreach kernel,$(ORK_KERNELS) $(ORK_BUILT_KERNELS),\
	$(eval $(BUILD)/module-$(kernel)/rknpu_ork.ko: $(wildcard $(ORK_KERNELS_DIR)/$(kernel)/recipe)))

.PHONY: module
ifdef KDIR
module: $(MODULE_SRCS)
	$(call build_module,$(BUILD)/module,-C $(KDIR))
	@echo '$(BUILD)/module/rknpu_ork.ko'
else
module: $(MODULES) $(HAVE_BUILT_MODULES)
endif

# --- Tests -----------------------------------------------------------------------------------------------------------

# $(call host_test,DIR,NAME,FLAGS)
define host_test
$(1)/test/$(2): selftests/host/$(2).c $$($(2)_SRCS) $(1)/lib/libork.a
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(WARNINGS) $(3) $$(HOST_TEST_CPPFLAGS) $$(DRM_CFLAGS) -MMD -MP -MF $$@.d -MT $$@ \
		-o $$@ selftests/host/$(2).c $$($(2)_SRCS) $(1)/lib/libork.a -ldrm -lm

-include $(1)/test/$(2).d
endef

$(foreach test,$(HOST_TESTS),$(eval $(call host_test,$(BUILD)/host,$(test),)))
$(foreach test,$(HOST_TESTS),$(eval $(call host_test,$(BUILD)/sanitize,$(test),$(SANITIZE))))
$(foreach test,$(THREAD_TESTS),$(eval $(call host_test,$(BUILD)/thread,$(test),$(SANITIZE_THREAD))))
$(foreach bench,bench_checker bench_load bench_cpu,$(eval $(call host_test,$(BUILD)/host,$(bench),)))

MODEL_TEST_COMMON := $(addprefix tools/emulator/model/tests/,board.c layer.c layer_program.c layer_value.c program.c)
test_model_SRCS := $(wildcard tools/emulator/model/tests/test_*.c) $(MODEL_TEST_COMMON)
bench_mac_SRCS := tools/emulator/model/tests/bench_mac.c $(MODEL_TEST_COMMON)

# $(call model_test,DIR,NAME,FLAGS)
define model_test
$(1)/test/$(2): $$($(2)_SRCS) $$(wildcard tools/emulator/model/tests/*.h) $(1)/lib/libork.a
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(WARNINGS) $(3) -Itools/emulator/model -o $$@ $$($(2)_SRCS) $(1)/lib/libork.a -lm
endef

$(eval $(call model_test,$(BUILD)/host,test_model,))
$(eval $(call model_test,$(BUILD)/sanitize,test_model,$(SANITIZE)))
$(eval $(call model_test,$(BUILD)/host,bench_mac,))

# Counters of an earlier run would add up.
.PHONY: coverage-model
coverage-model: | setup-host
	@rm -rf $(BUILD)/coverage && mkdir -p $(BUILD)/coverage
	@$(CC) -std=c11 -Og -g --coverage -Itools/emulator/model -dumpdir $(BUILD)/coverage/ -o $(BUILD)/coverage/test_model \
		$(MODEL_SRCS) $(test_model_SRCS) -lm
	@$(RUN_TEST) $(BUILD)/coverage/test_model
	@tools/emulator/model/coverage.py --missing $(BUILD)/coverage

$(GUEST)/libexec/selftests/%: selftests/%.c $(SELFTEST_COMMON) selftests/ork_test.h uapi/drm/rknpu_ork.h | setup-guest
	@mkdir -p $(@D)
	$(ORK_GUEST_CC) $(CFLAGS) $(WARNINGS) $(SELFTEST_CFLAGS) -Iuapi $(ORK_GUEST_CFLAGS) \
		-I$(ORK_LINUX_SOURCE)/tools/testing/selftests -o $@ $(filter %.c,$^) $(ORK_GUEST_LDFLAGS) -ldrm

$(GUEST)/libexec/selftests/bench_path: $(PATH_SRCS) $(PATH_SRCS:.c=.h)

$(GUEST)/libexec/selftests/ioctl_fuzz: $(IOCTL_FUZZ_SRCS) $(SELFTEST_COMMON) selftests/ork_test.h selftests/fuzz/ioctl_fuzz.h \
		uapi/drm/rknpu_ork.h | setup-guest
	@mkdir -p $(@D)
	$(ORK_GUEST_CC) $(CFLAGS) $(WARNINGS) $(SELFTEST_CFLAGS) -Iuapi $(ORK_GUEST_CFLAGS) -o $@ $(IOCTL_FUZZ_SRCS) \
		$(SELFTEST_COMMON) $(ORK_GUEST_LDFLAGS) -ldrm

$(addprefix $(GUEST)/libexec/selftests/,$(BOARD_HOST_TESTS)): $(GUEST)/libexec/selftests/%: selftests/host/%.c $(GUEST)/lib/libork.a
	@mkdir -p $(@D)
	$(ORK_GUEST_CC) $(CFLAGS) $(WARNINGS) $(HOST_TEST_CPPFLAGS) $(ORK_GUEST_CFLAGS) -o $@ $< $(GUEST)/lib/libork.a \
		$(ORK_GUEST_LDFLAGS) -ldrm -lm

$(GUEST)/libexec/selftests/bench_layer: $(wildcard selftests/layer/*.[ch]) $(GUEST)/lib/libork.a
	@mkdir -p $(@D)
	$(ORK_GUEST_CC) $(CFLAGS) $(WARNINGS) -Ilib/include $(ORK_GUEST_CFLAGS) -o $@ $(filter %.c,$^) $(GUEST)/lib/libork.a \
		$(ORK_GUEST_LDFLAGS) -ldrm -lm

$(GUEST)/libexec/selftests/%.sh: selftests/%.sh
	@mkdir -p $(@D)
	install -m 755 $< $@

GUEST_FILES := $(GUEST)/bin/ork $(GUEST)/libexec/selftests/ioctl_fuzz \
	$(addprefix $(GUEST)/libexec/selftests/,$(SELFTESTS) $(SELFTEST_FAULTS) $(SELFTEST_BROKEN) $(SELFTEST_BENCH) $(BOARD_HOST_TESTS) \
	$(notdir $(SELFTEST_SCRIPTS)))

# The programs of the board need its headers and libraries first.
$(addprefix $(GUEST)/obj/,$(LIB_SRCS:.c=.o) $(ORK_SRCS:.c=.o)): | setup-guest

.PHONY: board
board: setup $(MODULES) $(GUEST_FILES)

include selftests/check.mk
include Documentation/formats.mk

# --- Figures ---------------------------------------------------------------------------------------------------------

# With --icount an instruction of the guest is a nanosecond of its clock: the figures are the same on every host.
BENCH = $(BOARD) run --icount --timeout 900 -- /usr/libexec/selftests/bench
# Jobs that take their predicted time, so that the next one is there when they end.
BENCH_TIMING = $(BOARD) run --icount --timing --timeout 900 -- /usr/libexec/selftests/bench

# What bench-check holds against the budgets, and bench writes into the documentation: lines "# figure NAME VALUE UNIT" in
# these files.
FIGURES := $(BUILD)/figures
BENCH_FIGURES := $(addprefix $(FIGURES)/,calls path-6.12 path-mainline arm64 layers)
BUDGET_FIGURES := $(addprefix $(FIGURES)/,path-6.12 arm64 layers-budget)

.PHONY: bench bench-check bench-host bench-layers bench-arm64 FORCE
$(FIGURES)/calls: board FORCE
	@mkdir -p $(@D)
	@$(BENCH) > $@
	@$(BENCH)_switch.sh >> $@
	@$(BENCH_TIMING) hand-over >> $@

$(FIGURES)/path-6.12: board FORCE
	@mkdir -p $(@D)
	@tools/bench-path 6.12 > $@

# Our driver and the kernel's own, in one run.
$(FIGURES)/path-mainline: board $(BUILD)/module-mainline/rknpu_ork.ko $(ROCKET_DIR)/rocket_bench FORCE
	@mkdir -p $(@D)
	@tools/bench-path mainline $(ROCKET_DIR)/rocket_bench > $@

# Static, because user-mode emulation has no guest's libraries. Without NEON, what the compiler makes of loops is left out
# too; arguments find the scalar code of the rest.
COUNT := $(BUILD)/count
COUNT_CC = $(ORK_GUEST_CC) $(CFLAGS) $(WARNINGS) $(HOST_TEST_CPPFLAGS) $(ORK_GUEST_CFLAGS) -static

$(COUNT)/count_plugin.so: selftests/host/count_plugin.c | setup-host
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARNINGS) -fPIC -shared -o $@ $<

$(COUNT)/bench_cpu: selftests/host/bench_cpu.c $(GUEST)/lib/libork.a
	@mkdir -p $(@D)
	$(COUNT_CC) -o $@ $^ -lm

$(COUNT)/bench_cpu_scalar: selftests/host/bench_cpu.c $(LIB_VECTOR_SRCS) $(GUEST)/lib/libork.a
	@mkdir -p $(@D)
	$(COUNT_CC) -o $@ $^ -lm

$(COUNT)/bench_checker: selftests/host/bench_checker.c $(bench_checker_SRCS) $(GUEST)/lib/libork.a
	@mkdir -p $(@D)
	$(COUNT_CC) -o $@ $^

$(FIGURES)/arm64: $(addprefix $(COUNT)/,count_plugin.so bench_cpu bench_cpu_scalar bench_checker) FORCE | setup-user
	@mkdir -p $(@D)
	@selftests/host/count.py $(ORK_USER) $(COUNT) > $@

# A decoder layer, with the timing model: all policies take minutes.
$(FIGURES)/layers $(FIGURES)/layers-budget: board $(GUEST)/libexec/selftests/bench_layer FORCE
	@mkdir -p $(@D)
	@selftests/layer/layers.py $(GUEST)/libexec/selftests/bench_layer $(if $(filter %-budget,$@),selftests/bench.budget) > $@

bench-check: $(BUDGET_FIGURES)
	@tools/figures.py check selftests/bench.budget $^

bench-host: $(addprefix $(BUILD)/host/test/,bench_cpu bench_checker bench_load)
	@$(BUILD)/host/test/bench_cpu
	@$(BUILD)/host/test/bench_checker
	@ORK_DEVICE=model $(BUILD)/host/test/bench_load

bench-layers bench-arm64: bench-%: $(FIGURES)/%
	@cat $<

bench: $(BENCH_FIGURES)
	@cat $^
	@tools/figures.py write Documentation/performance.rst $(BENCH_FIGURES)

include selftests/soak.mk

# --- Fuzzing ---------------------------------------------------------------------------------------------------------

$(BUILD)/fuzz/fuzz_checker: $(fuzz_checker_SRCS) $(wildcard selftests/host/*.h drivers/rknpu-ork/ork_regcmd*.h) \
		uapi/drm/rknpu_ork.h $(BUILD)/host/lib/libork.a | setup-host
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -Iuapi -Iselftests/host $(DRM_CFLAGS) -o $@ $(fuzz_checker_SRCS) $(BUILD)/host/lib/libork.a

$(BUILD)/fuzz/fuzz_pack $(BUILD)/fuzz/fuzz_source: $(BUILD)/fuzz/%: selftests/fuzz/%.c $(fuzz_pack_SRCS) \
		$(fuzz_source_SRCS) $(wildcard lib/src/*.h tools/ork/*.h) $(BUILD)/host/lib/libork.a | setup-host
	@mkdir -p $(@D)
	$(FUZZ_CC) $(filter-out -fno-sanitize-coverage=trace-cmp,$(FUZZ_FLAGS)) -Ilib/include -Ilib/src -Itools/ork -o $@ \
		$($*_SRCS) $(BUILD)/host/lib/libork.a -lm

# What earlier runs found stays in build/fuzz/corpus-* and is where the next one starts, with the seeds and what is kept in
# selftests/fuzz/corpus. $(call run_fuzzer,PROGRAM,NAME,SEEDS,LONGEST INPUT)
run_fuzzer = @mkdir -p $(BUILD)/fuzz/corpus-$(2); selftests/fuzz/corpus.py unpack selftests/fuzz/corpus/$(2) $(BUILD)/fuzz/kept-$(2); \
	set -x; $(1) -runs=$(if $(filter-out 0,$(FUZZ_RUNS)),$(FUZZ_RUNS),-1 -max_total_time=$(FUZZ_SECONDS)) \
	-max_len=$(4) -print_final_stats=1 -artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/corpus-$(2) $(3) $(BUILD)/fuzz/kept-$(2)

# $(call run_ioctl_fuzz,SECONDS)
run_ioctl_fuzz = $(BOARD) run --kernel $(FUZZ_KERNEL) --no-complaints --chaos 7 --mem 4G --append slub_debug=U \
	--timeout $$(($(1) + 600)) -- /usr/libexec/selftests/ioctl_fuzz -c $(FUZZ_CALLS) -s $(1) -p $(FUZZ_PROCESSES) $(if $(FUZZ_SEED),-S $(FUZZ_SEED))

.PHONY: fuzz-ioctl
fuzz-ioctl: board $(BUILD)/module-$(FUZZ_KERNEL)/rknpu_ork.ko
	@mkdir -p $(FIGURES)/fuzz
	$(call run_ioctl_fuzz,$(FUZZ_SECONDS)) > $(FUZZ_LOG) || { cat $(FUZZ_LOG); mv $(FUZZ_LOG) $(FUZZ_LOG).failed; exit 1; }
	@cat $(FUZZ_LOG)

# All failures, with a look for leaks, and what all good runs of the fuzzer have counted.
.PHONY: faults fuzz-figures
faults: board $(BUILD)/module-debug/rknpu_ork.ko
	@mkdir -p $(FIGURES)
	$(BOARD) run --kernel debug --no-complaints --append kmemleak=on --timeout 7200 -- /usr/libexec/selftests/fault \
		> $(FIGURES)/fault.part || { cat $(FIGURES)/fault.part; exit 1; }
	@mv $(FIGURES)/fault.part $(FIGURES)/fault && cat $(FIGURES)/fault
fuzz-figures:
	@selftests/fuzz/sum_runs.py $(FIGURES)/fuzz/*.log > $(FIGURES)/fuzz.sum
	@tools/figures.py write Documentation/promises.rst $(FIGURES)/fuzz.sum $(wildcard $(FIGURES)/fault)

.PHONY: fuzz fuzz-checker fuzz-pack fuzz-source
fuzz: fuzz-checker fuzz-pack fuzz-source
fuzz-checker: $(BUILD)/fuzz/fuzz_checker
	@selftests/fuzz/seed_checker.py $(BUILD)/fuzz/seeds
	$(call run_fuzzer,$<,checker,$(BUILD)/fuzz/seeds,128)
fuzz-pack fuzz-source: fuzz-%: $(BUILD)/fuzz/fuzz_%
	@selftests/fuzz/seed_files.py $(BUILD)/fuzz/seeds-files
	$(call run_fuzzer,$<,$*,$(BUILD)/fuzz/seeds-files/$*,4096)

# The smallest inputs of all runs so far that reach all that they have reached.
.PHONY: fuzz-keep
fuzz-keep: $(addprefix fuzz-keep-,checker pack source)
fuzz-keep-%: $(BUILD)/fuzz/fuzz_%
	@rm -rf $(BUILD)/fuzz/merged-$* && mkdir -p $(BUILD)/fuzz/merged-$* $(BUILD)/fuzz/kept-$*
	$< -merge=1 -max_len=512 $(BUILD)/fuzz/merged-$* $(BUILD)/fuzz/corpus-$* $(BUILD)/fuzz/kept-$*
	selftests/fuzz/corpus.py pack $(BUILD)/fuzz/merged-$* selftests/fuzz/corpus/$*

# --- Lint ------------------------------------------------------------------------------------------------------------

CHECKPATCH = perl $(ORK_LINUX_SOURCE)/scripts/checkpatch.pl --strict --no-tree --no-summary --terse --quiet
SHELL_SCRIPTS = $(shell git ls-files -co --exclude-standard '*.sh' '*.bash') .ci/run tools/emulator/board/init $(RUN_TEST) \
	tools/bench-path

.PHONY: lint lint-kernel lint-sparse lint-clang lint-cocci lint-shell
lint: lint-kernel lint-sparse lint-clang lint-shell docs

# ork_compat.h is there to compare kernel versions; a header of tracepoints looks as their macros want it.
lint-kernel: setup-guest
	$(CHECKPATCH) -f $(filter-out %/ork_compat.h %/ork_trace.h,$(wildcard drivers/rknpu-ork/*.[ch] drivers/rknpu-ork/tests/*.[ch])) uapi/drm/rknpu_ork.h
	$(CHECKPATCH) --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON -f drivers/rknpu-ork/ork_compat.h
	$(CHECKPATCH) --ignore OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT -f drivers/rknpu-ork/ork_trace.h

# $(call lint_module,FOLDER,KERNEL,ARGUMENTS OF MAKE)
define lint_module
	@mkdir -p $(BUILD)/$(1)-$(2)
	@cp -pu --parents $(MODULE_SRCS) $(BUILD)/$(1)-$(2)/
	$(MAKE) -s -C $(ORK_KERNELS_DIR)/$(2)/build ARCH=arm64 CROSS_COMPILE=$(ORK_CROSS_COMPILE) \
		M=$(CURDIR)/$(BUILD)/$(1)-$(2)/drivers/rknpu-ork $(MODULE_FLAGS) $(3) modules
endef

lint-sparse: $(foreach kernel,$(ORK_KERNELS),lint-sparse-$(kernel))
lint-sparse-%: setup-sparse
	$(call lint_module,sparse,$*,C=2 CHECK=$(ORK_SPARSE) KCFLAGS=-Werror CF=-Wsparse-error)

# The kernels are gcc's; what their configuration found out about it, and clang does not know, is put right here.
lint-clang: lint-clang-$(lastword $(ORK_KERNELS))
lint-clang-%: setup-host
	$(call lint_module,clang,$*,CC=clang-19 CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough \
		CONFIG_CC_HAS_AUTO_VAR_INIT_ZERO_BARE=y CONFIG_CC_HAS_AUTO_VAR_INIT_ZERO_ENABLER= \
		KCFLAGS='-Werror -Wno-unknown-warning-option')

$(foreach kernel,$(ORK_KERNELS),lint-sparse-$(kernel) lint-clang-$(kernel)): setup-kernels
$(foreach kernel,$(ORK_BUILT_KERNELS),$(eval lint-sparse-$(kernel) lint-clang-$(kernel): setup-$(kernel)))

# Its scripts come with the kernel's source.
lint-cocci: setup-debug
	tools/coccicheck.sh $(ORK_MAINLINE_SOURCE)/scripts/coccinelle drivers/rknpu-ork

lint-shell: setup-host
	shellcheck -x $(SHELL_SCRIPTS)

# --- Demo ------------------------------------------------------------------------------------------------------------

.PHONY: demo
demo: tools
	@echo 'The NPU model inside the process:'
	@ORK_DEVICE=model tools/demo.sh $(BUILD)/host/bin/ork
	@echo 'Next: the kernel module on an emulated board. The first time, this fetches kernels and builds QEMU.'
	@$(MAKE) --no-print-directory board
	@echo 'The kernel module on an emulated RK3588 board (times are of the emulator):'
	@$(BOARD) run --put tools/demo.sh:/root/demo.sh -- sh -c 'ork info && /root/demo.sh ork'

.PHONY: clean
clean:
	rm -rf $(BUILD)

endif
