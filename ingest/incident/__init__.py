"""An incident bundle: a liveblog comes in, one file goes out with all that is kept of how it came about.

`matchwire incident` writes it, and `matchwire replay` plays it to the same liveblog.
"""
