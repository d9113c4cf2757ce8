# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# The mainline driver's witness: a client of its uapi. Paths are relative to the root of the repository.

ROCKET_COMMON := $(addprefix selftests/rocket/,rocket_client.c rocket_program.c)
rocket_test_SRCS := selftests/rocket/rocket_test.c
rocket_bench_SRCS := selftests/rocket/rocket_bench.c $(PATH_SRCS)
ROCKET_DIR := $(BUILD)/rocket

# The header comes as it is in the kernel's source; what it includes comes from libdrm.
$(ROCKET_DIR)/rocket_accel.h: | setup-mainline
	@mkdir -p $(@D)
	cp $(ORK_MAINLINE_SOURCE)/include/uapi/drm/rocket_accel.h $@

$(ROCKET_DIR)/rocket_test: $(rocket_test_SRCS)
$(ROCKET_DIR)/rocket_bench: $(rocket_bench_SRCS) $(PATH_SRCS:.c=.h)
$(ROCKET_DIR)/rocket_test $(ROCKET_DIR)/rocket_bench: $(ROCKET_COMMON) $(wildcard selftests/rocket/*.h) \
		$(ROCKET_DIR)/rocket_accel.h | setup-guest
	$(ORK_GUEST_CC) $(CFLAGS) -D_GNU_SOURCE $(WARNINGS) -I$(ROCKET_DIR) $(ORK_GUEST_CFLAGS) -o $@ $(filter %.c,$^) \
		$(ORK_GUEST_LDFLAGS) -ldrm
