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
