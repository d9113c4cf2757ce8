# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Storms and soak: what is promised, counted over thousands of wedges, kills, reloads, unbinds and suspends, and over four
# simulated hours of mixed load. Paths are relative to the root of the repository.

SELFTEST_DIR := /usr/libexec/selftests

# $(SOAK_NAME): what ork-board run is called with; the figures begin with NAME.
SOAK_storm := --mem 4G --timeout 7200 -- $(SELFTEST_DIR)/soak -n storm -t 0 -w 10000 -k 1000
SOAK_unbind := --mem 4G --timeout 3600 -- $(SELFTEST_DIR)/soak.sh unbind 100
SOAK_suspend := --mem 4G --timeout 3600 -- $(SELFTEST_DIR)/soak.sh suspend 100
SOAK_reload := --mem 4G --timeout 3600 -- $(SELFTEST_DIR)/soak.sh reload 200
# With --icount the guest's clock jumps to the next timer when its CPU has nothing to do, so four hours of clients that rest
# for 40 seconds after each product take as long as their products.
SOAK_mixed := --icount --chaos 7 --timeout 7200 -- $(SELFTEST_DIR)/soak -n mixed -t 14400 -w 1 -k 1 -p 40000

SOAK_FIGURES := $(addprefix $(FIGURES)/soak-,storm unbind suspend reload mixed)

.PHONY: soak
soak: $(SOAK_FIGURES)
	@tools/figures.py write Documentation/promises.rst $^

$(SOAK_FIGURES): $(FIGURES)/soak-%: board FORCE
	@mkdir -p $(@D)
	@echo '$(BOARD) run $(SOAK_$*)'
	@$(BOARD) run $(SOAK_$*) | tee $@

# A little of each, in one boot.
$(eval $(call board_test,check-board,check-soak,storms$(,) unbinds$(,) suspends and reloads in short,--mem 4G --timeout 300 -- \
	sh -c "soak -n storm -t 0 -w 60 -k 10 && soak.sh unbind 3 && soak.sh suspend 3 && soak.sh reload 2"))
