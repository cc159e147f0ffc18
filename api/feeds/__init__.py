"""Feeds: the chosen posts of a liveblog as plain values, written as Atom, RSS or JSON Feed.

A query with a theme comes in, a feed with its validators goes out. Readers, hubs and pages, which take the same request, call it.
"""
