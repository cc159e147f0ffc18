"""The page of a liveblog: its parts as HTML, what changes on it, its card, its structured data, and the front page.

A request for posts comes in, the liveblog is loaded as the public sees it, and HTML in which all is escaped goes out. Readers
call it by routes; streams, frames, articles and the desk take its parts.
"""
