"""A configuration that declares a liveblog."""

from __future__ import annotations

DECLARED = """
[[liveblogs]]
key = "derby"
organization = "{}"
provider = "heim"
match_id = "{}"
"""
