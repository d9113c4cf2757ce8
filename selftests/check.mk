# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Runs the tests, one line for each. Paths are relative to the root of the repository.

RUN_TEST = tools/run-test

.PHONY: check check-all check-host check-valgrind check-emulator check-board check-rocket check-debug check-debug-all

# Most tests on a board wait now and then, so that it takes four at a time to keep two CPUs busy. Among the documentation's
# commands are some that build, so they come when nothing else does.
check:
	@$(MAKE) --no-print-directory -j4 -Otarget check-all
	@$(MAKE) --no-print-directory check-docs
	@echo 'make check: all tests passed'
check-all: lint check-host check-fuzz module check-emulator check-board

# --- On the host -----------------------------------------------------------------------------------------------------

# Built as a user of the library would build them.
$(BUILD)/host/examples/%: examples/%.c $(LIB_HEADERS) $(BUILD)/host/lib/libork.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARNINGS) -Ilib/include -o $@ $< -L$(BUILD)/host/lib -lork -lm -Wl,-rpath,'$$ORIGIN/../lib'

HOST_CHECKS := $(foreach dir,host sanitize,$(addprefix $(BUILD)/$(dir)/test/,$(HOST_TESTS) test_model)) \
	$(addprefix $(BUILD)/thread/test/,$(THREAD_TESTS))

check-host: setup-host $(HOST_CHECKS) tools $(addprefix $(BUILD)/host/examples/,$(EXAMPLES))
	@for test in $(HOST_CHECKS); do ORK_DEVICE=model $(RUN_TEST) $$test; done
	@for test in $(HOST_TEST_SCRIPTS); do $(RUN_TEST) $$test $(BUILD)/host; done

# Each for a few seconds, from what longer runs have kept.
.PHONY: check-fuzz
check-fuzz: $(addprefix $(BUILD)/fuzz/fuzz_,checker pack source)
	@$(foreach name,checker pack source,$(RUN_TEST) --name 'fuzzing: $(name)' \
		sh -c '$(MAKE) --no-print-directory fuzz-$(name) FUZZ_SECONDS=10 && echo ok 1';)

check-valgrind: setup-host $(addprefix $(BUILD)/host/test/,$(VALGRIND_TESTS))
	@for test in $(filter-out setup-host,$^); do ORK_DEVICE=model $(RUN_TEST) --name "valgrind $$test" \
		valgrind -q --error-exitcode=9 --leak-check=full $$test; done

# --- The emulator ----------------------------------------------------------------------------------------------------

.PHONY: check-emulator-parts check-emulator-board
check-emulator: check-emulator-parts check-emulator-board
check-emulator-parts: board
	@$(RUN_TEST) tools/emulator/qemu/test_qemu.py "$$(tools/setup/paths.sh ORK_QEMU)"
	@$(RUN_TEST) --name 'tests of known rules' tools/emulator/rules_check.py Documentation/emulator.rst
	@$(RUN_TEST) --name 'predicted times' tools/emulator/timing_table.py --check Documentation/emulator.rst
check-emulator-board: board
	@$(RUN_TEST) tools/emulator/board/test_board.py

# --- On the board ----------------------------------------------------------------------------------------------------

RUN_SELFTESTS := /usr/libexec/selftests/run.sh
# All in one boot; reload.sh last, as it looks at what the others left in the log.
BOARD_TESTS := $(RUN_SELFTESTS) $(SELFTESTS) $(BOARD_HOST_TESTS) ork_tool.sh ork_board.sh reload.sh

# $(call board_test,CHECK,TARGET,NAME,ARGUMENTS OF ork-board run): make CHECK runs it among others, make TARGET alone.
define board_test
.PHONY: $(2)
$(1): $(2)
$(2): board
	@$$(RUN_TEST) --name '$(3)' $$(BOARD) run $(4)

endef

# $(call kernel_tests,KERNEL)
define kernel_tests
$(call board_test,check-board,check-board-$(1),selftests on Linux $(1),--kernel $(1) --mem 4G --timeout 1800 -- \
	$(BOARD_TESTS))
$(call board_test,check-board,check-lost-$(1),a core that does not come back$(,) on Linux $(1),--kernel $(1) \
	--machine broken-resets=2 --timeout 120 -- /usr/libexec/selftests/lost)
$(call board_test,check-board,check-bus-error-$(1),memory that does not answer$(,) on Linux $(1),--kernel $(1) \
	--machine failing-page=0x60000000 --timeout 120 -- /usr/libexec/selftests/bus_error)
$(call board_test,check-board,check-power-$(1),operating points and a supply on Linux $(1),--kernel $(1) \
	--dt opp --load gpio_regulator --no-complaints --timeout 300 -- /usr/libexec/selftests/power)
endef

# An argument of $(call ...) cannot have a comma of its own.
, := ,
$(foreach kernel,$(ORK_KERNELS),$(eval $(call kernel_tests,$(kernel))))
$(eval $(call board_test,check-board,check-vendor,selftests on Linux 6.1$(,) vendor device tree,--kernel 6.1 --dt vendor \
	--mem 4G --timeout 1800 -- $(BOARD_TESTS)))
$(eval $(call board_test,check-board,check-vendor-lost,a core that does not come back$(,) vendor device tree,--kernel 6.1 \
	--dt vendor --machine broken-resets=2 --timeout 120 -- /usr/libexec/selftests/lost))
$(eval $(call board_test,check-board,check-chaos,selftests in chaos mode,--kernel $(lastword $(ORK_KERNELS)) --chaos 7 \
	--mem 4G --timeout 1800 -- $(RUN_SELFTESTS) $(SELFTESTS)))
$(eval $(call board_test,check-board,check-late,libork on the board with late interrupts and results,--strict --chaos 7 \
	--mem 4G -- $(RUN_SELFTESTS) matmul $(BOARD_HOST_TESTS)))

# The driver of the chip came after Linux 6.1, and the kernels that setup builds are without it.
$(eval $(call board_test,check-board,check-supply,a supply that does not answer$(,) on Linux 6.12,--kernel 6.12 --dt rk8602 \
	--load i2c_gpio --load fan53555 --no-complaints --timeout 300 -- $(RUN_SELFTESTS) supply power))

ABI_DOCUMENTS := $(wildcard Documentation/ABI/testing/*)
$(eval $(call board_test,check-board,check-abi,files in sysfs and debugfs,--timeout 120 \
	--put selftests/abi.sh:/root/abi.sh --put selftests/tap.sh:/root/tap.sh \
	$(foreach file,$(ABI_DOCUMENTS),--put $(file):/root/abi/$(notdir $(file))) -- sh -c "sh /root/abi.sh /root/abi/*"))

check-rocket: setup $(ROCKET_DIR)/rocket_test
	@$(RUN_TEST) --name 'mainline driver on the board' $(BOARD) run --kernel mainline --no-module --load rocket --cpus 2 \
		--timeout 120 --put $(ROCKET_DIR)/rocket_test:/root/rocket_test -- /root/rocket_test

# --- The debug kernel ------------------------------------------------------------------------------------------------

check-debug:
	@$(MAKE) --no-print-directory -j3 -Otarget check-debug-all
	@echo 'make check-debug: all tests passed'

# What is left out of a selftest here: amounts, which take this kernel, tens of times slower, minutes each. None goes
# another way in the driver than the smaller ones of the same test, but for a file's limit of programs.
DEBUG_ARGUMENTS_vm := -T a_buffer_of_two_gib_works_to_its_end -T more_than_eight_gib_stay_mapped_and_are_used_in_turn
DEBUG_ARGUMENTS_limits := -T programs_end_at_enospc_and_for_the_file_alone -T files_with_everything_full_do_not_disturb_others \
	-T all_is_given_back_when_the_process_is_killed
DEBUG_ARGUMENTS_matmul := -T tens_of_thousands_of_programs_live_and_give_their_memory_back
# $(call debug_selftests,TESTS)
debug_selftests = $(RUN_SELFTESTS) $(foreach test,$(1),"$(strip $(test) $(DEBUG_ARGUMENTS_$(test)))")

# Two boards of about the same time. Without sleep, after which Linux 7.3 does not reach the host any more.
DEBUG_SECOND := steady wedge kill storm fair queue observe power chain unbind refuse stray terminal
$(eval $(call board_test,check-debug-all,check-debug-selftests,selftests on the debug kernel,--kernel debug --no-complaints \
	--mem 4G --timeout 1800 -- $(call debug_selftests,$(filter-out sleep $(DEBUG_SECOND),$(SELFTESTS)))))
$(eval $(call board_test,check-debug-all,check-debug-selftests-2,more selftests on the debug kernel,--kernel debug \
	--no-complaints --mem 4G --timeout 1800 -- $(call debug_selftests,$(DEBUG_SECOND))))
$(eval $(call board_test,check-debug-all,check-debug-leaks,leaks on the debug kernel,--kernel debug --no-complaints \
	--append kmemleak=on --timeout 900 -- /usr/libexec/selftests/reload.sh 4 wedge))
$(eval $(call board_test,check-debug-all,check-debug-kunit,KUnit on the debug kernel,--kernel debug --no-module \
	--append 'kunit.enable=1 kunit.autorun=1' --timeout 300 \
	--put $(BUILD)/module-debug/drivers/rknpu-ork/rknpu_ork_test.ko:/root/rknpu_ork_test.ko -- \
	sh -c 'insmod /root/rknpu_ork_test.ko && cat /sys/kernel/debug/kunit/ork_*/results'))
# A quarter of the failures; make faults has all of them.
$(eval $(call board_test,check-debug-all,check-debug-faults,failing allocations on the debug kernel,--kernel debug --no-complaints \
	--timeout 900 -- sh -c 'FAULT_STEP=4 /usr/libexec/selftests/fault'))
check-debug-all: lint-cocci lint-sparse-race lint-clang-race
.PHONY: check-debug-fuzz
check-debug-all: check-debug-fuzz
check-debug-fuzz: board
	@$(RUN_TEST) --name 'random calls on the debug kernel' $(call run_ioctl_fuzz,30)
.PHONY: check-debug-sleep
check-debug-all: check-debug-sleep
check-debug-sleep: board
	@$(RUN_TEST) --name 'sleep on the debug kernel' selftests/sleep_on_console.sh debug
check-debug-selftests check-debug-selftests-2 check-debug-faults check-debug-fuzz check-debug-leaks check-debug-kunit \
	check-debug-sleep: $(BUILD)/module-debug/rknpu_ork.ko

# Jobs and recovery, where a data race of ours is a complaint.
$(eval $(call board_test,check-debug-all,check-race,data races of jobs and recovery,--kernel race --no-complaints --mem 4G \
	--timeout 1800 -- $(RUN_SELFTESTS) result ended sync slots queue chain fair wedge kill storm))
check-race: $(BUILD)/module-race/rknpu_ork.ko
