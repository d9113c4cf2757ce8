# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# What "make install" and "make install-module" put where. Paths are relative to the root of the repository.
#
# The places have the names of the GNU coding standards; each can be given on the command line. DESTDIR goes in front of
# all of them, for packages. udev, systemd and bash-completion look below /usr/local as they do below /usr.

PREFIX := /usr/local
prefix := $(PREFIX)
bindir := $(prefix)/bin
libdir := $(prefix)/lib
includedir := $(prefix)/include
datadir := $(prefix)/share
mandir := $(datadir)/man
completionsdir := $(datadir)/bash-completion/completions
udevrulesdir := $(prefix)/lib/udev/rules.d
modulesloaddir := $(prefix)/lib/modules-load.d

INSTALL := install
INSTALL_DATA := $(INSTALL) -m 644
# $(call put,FILES,DIRECTORY)
put = $(INSTALL) -d $(DESTDIR)$(2) && $(INSTALL_DATA) $(1) $(DESTDIR)$(2)/

MAN_PAGES := $(wildcard Documentation/man/*.[13])
# bash-completion looks for a file with the name of the command.
COMPLETION := $(wildcard tools/ork/ork.bash)
UDEV_RULES := packaging/60-rknpu-ork.rules

.PHONY: install uninstall
install: lib tools
	$(INSTALL) -d $(DESTDIR)$(bindir)
	$(INSTALL) -m 755 $(BUILD)/host/bin/ork $(DESTDIR)$(bindir)/
	$(call put,$(BUILD)/host/lib/$(LIB_SONAME) $(BUILD)/host/lib/libork.a,$(libdir))
	ln -sf $(LIB_SONAME) $(DESTDIR)$(libdir)/libork.so
	$(call put,$(LIB_HEADERS),$(includedir))
	$(call put,$(filter %.1,$(MAN_PAGES)),$(mandir)/man1)
	$(call put,$(filter %.3,$(MAN_PAGES)),$(mandir)/man3)
	$(if $(COMPLETION),$(INSTALL) -d $(DESTDIR)$(completionsdir))
	$(if $(COMPLETION),$(INSTALL_DATA) $(COMPLETION) $(DESTDIR)$(completionsdir)/ork)
	$(call put,$(UDEV_RULES),$(udevrulesdir))
	$(INSTALL) -d $(DESTDIR)$(libdir)/pkgconfig
	sed -e 's#@PREFIX@#$(prefix)#' -e 's#@LIBDIR@#$(patsubst $(prefix)/%,$${prefix}/%,$(libdir))#' \
		-e 's#@INCLUDEDIR@#$(patsubst $(prefix)/%,$${prefix}/%,$(includedir))#' -e 's#@VERSION@#$(LIB_VERSION)#' \
		lib/libork.pc.in > $(DESTDIR)$(libdir)/pkgconfig/libork.pc

# The files alone: the folders may have been there before.
uninstall:
	rm -f $(DESTDIR)$(bindir)/ork $(DESTDIR)$(completionsdir)/ork
	rm -f $(addprefix $(DESTDIR)$(libdir)/,$(LIB_SONAME) libork.a libork.so pkgconfig/libork.pc)
	rm -f $(addprefix $(DESTDIR)$(includedir)/,$(notdir $(LIB_HEADERS)))
	rm -f $(addprefix $(DESTDIR)$(mandir)/,$(foreach page,$(notdir $(MAN_PAGES)),man$(subst .,,$(suffix $(page)))/$(page)))
	rm -f $(DESTDIR)$(udevrulesdir)/$(notdir $(UDEV_RULES))

# --- Kernel module ---------------------------------------------------------------------------------------------------

# The kernel's own target strips, and signs and compresses as the kernel is configured. Headers of a distribution have
# neither its key nor the System.map that the target wants for depmod.
.PHONY: install-module
ifdef KDIR
install-module: module
	$(MAKE) -s -C $(KDIR) M=$(CURDIR)/$(BUILD)/module/drivers/rknpu-ork $(MODULE_FLAGS) INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=updates INSTALL_MOD_STRIP=1 \
		$(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=) modules_install
	depmod -b $(DESTDIR)/ $$(modinfo -F vermagic $(BUILD)/module/rknpu_ork.ko | cut -d' ' -f1)
	$(call put,packaging/modules-load.d/rknpu-ork.conf,$(modulesloaddir))
else
install-module:
	@echo 'make install-module: for which kernel? For the one that runs: KDIR=/lib/modules/$$(uname -r)/build' >&2; exit 2
endif
