"""A configuration that declares a liveblog."""

DECLARED = """
[[liveblogs]]
key = "derby"
organization = "{}"
provider = "heim"
match_id = "{}"
"""
