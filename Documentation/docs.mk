# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The documentation as HTML, and the test of what it tells people to type. Paths are relative to the root of the repository.

DOCS := $(BUILD)/docs

.PHONY: docs check-docs
docs: setup-guest
	@Documentation/generate.sh $(ORK_LINUX_SOURCE)/scripts/kernel-doc $(BUILD)/docs-source
	@sphinx-build -q -n -W --keep-going -j auto -d $(BUILD)/docs-cache -b html $(BUILD)/docs-source $(DOCS)
	@echo '$(DOCS)/index.html'

check-docs: board tools
	@$(RUN_TEST) --name 'commands of the documentation' selftests/docs/test_docs.py $(BUILD)
