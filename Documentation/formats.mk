# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Checks of what is documented in formats of the kernel's. Paths are relative to the root of the repository.

lint: lint-abi

# The kernel's own reader of these documents comes with its newest source, which "make setup-mainline" fetches.
GET_ABI := $(ORK_MAINLINE_SOURCE)/tools/docs/get_abi.py

.PHONY: lint-abi
lint-abi:
ifneq ($(wildcard $(GET_ABI)),)
	@warnings=$$(python3 $(GET_ABI) -D Documentation/ABI validate 2>&1) && [ -z "$$warnings" ] || { echo "$$warnings"; exit 1; }
endif

# --- Device trees ----------------------------------------------------------------------------------------------------

DT := $(BUILD)/dt
BOARD_DT := tools/emulator/board
BOARD_TREES := $(patsubst $(BOARD_DT)/%.dts,$(DT)/%.dtb,$(wildcard $(BOARD_DT)/*.dts))
ENABLED_TREES := $(addprefix $(DT)/enabled-,mainline.dtb vendor.dtb)
DT_SOURCES := $(wildcard $(BOARD_DT)/*.dts*) $(wildcard selftests/dt/*.dts*)
DTC := dtc -@ -I dts -O dtb -i $(BOARD_DT) -i selftests/dt

.PRECIOUS: $(DT)/disabled-%.dtb $(DT)/%.dtbo
$(DT)/disabled-%.dtb: selftests/dt/disabled-%.dts $(DT_SOURCES) | setup-host
	@mkdir -p $(@D)
	$(DTC) -q -o $@ $<
$(BOARD_TREES): $(DT)/%.dtb: $(BOARD_DT)/%.dts $(DT_SOURCES) | setup-host
	@mkdir -p $(@D)
	$(DTC) -q -o $@ $<
# Warnings count: people compile these.
$(DT)/%.dtbo: packaging/overlays/%.dtso | setup-host
	@mkdir -p $(@D)
	$(DTC) -o $@ $< 2>$@.warnings
	@[ ! -s $@.warnings ] || { cat $@.warnings; exit 1; }
$(DT)/enabled-%.dtb: $(DT)/disabled-%.dtb $(DT)/rk3588-npu-%.dtbo
	fdtoverlay -i $< -o $@ $(DT)/rk3588-npu-$*.dtbo

.PHONY: check-dt
check-all: check-dt
check-dt: $(BOARD_TREES) $(ENABLED_TREES)
	@$(RUN_TEST) selftests/dt/test_dt.sh $(DT) $(ORK_MAINLINE_SOURCE)

# The regulator of these trees has a driver of its own.
$(foreach tree,mainline vendor,$(eval $(call board_test,check-board,check-overlay-$(tree),the overlay for the $(tree) tree,\
	--dtb $(DT)/enabled-$(tree).dtb --load fixed --no-complaints --timeout 120 -- \
	sh -c "ork matmul -m 64 -k 256 -n 128 --verify && echo ok 1")))
check-overlay-mainline check-overlay-vendor: $(ENABLED_TREES)
