"""Liveblogs in somebody else's page: frame, oEmbed, HTML for an article, snippets to copy, scripts and style sheets.

The address or the name of a liveblog comes in, what shows it there goes out. Sites, their CMS and readers' browsers call it.
"""
