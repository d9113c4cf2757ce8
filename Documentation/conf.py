# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""How Sphinx makes the pages; "make docs" calls it."""

project = "rknpu-ork"
copyright = "2026 The rknpu-ork authors"
author = "The rknpu-ork authors"

html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "show_powered_by": False}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_show_sourcelink = False
# Options of commands are written with two dashes.
smartquotes = False
highlight_language = "none"
