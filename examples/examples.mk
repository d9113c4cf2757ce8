# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# Programs that show the library. Paths are relative to the root of the repository. Each is one file, includes ork.h
# only, and exits with 0 if all went well.

EXAMPLES := chain float16 in_flight kv_cache quantised
