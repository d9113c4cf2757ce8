# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Debian packages. Paths are relative to the root of the repository.

DEBS := $(BUILD)/deb

.PHONY: deb check-packages
deb: setup-guest
	@packaging/deb.sh $(DEBS)
	@ls $(DEBS)/*.deb

# The second build is to be another one in all that must not matter.
check-packages: setup
	@packaging/deb.sh $(DEBS)
	@umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 packaging/deb.sh $(BUILD)/deb-again
	@$(RUN_TEST) selftests/packages/test_packages.sh $(DEBS) $(BUILD)/deb-again
	@$(RUN_TEST) selftests/packages/test_install_module.sh $(ORK_KERNELS_DIR)/6.12 $(ORK_CROSS_COMPILE)
