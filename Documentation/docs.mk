# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The documentation as HTML. Paths are relative to the root of the repository.

DOCS := $(BUILD)/docs

.PHONY: docs
docs: setup-guest
	@Documentation/generate.sh $(ORK_LINUX_SOURCE)/scripts/kernel-doc $(BUILD)/docs-source
	@sphinx-build -q -n -W --keep-going -j auto -d $(BUILD)/docs-cache -b html $(BUILD)/docs-source $(DOCS)
	@echo '$(DOCS)/index.html'
