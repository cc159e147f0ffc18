"""Liveblogs and the matches of providers: created from one, attached, changed, taken off, given back, listed by day.

A document or a query of a client comes in, a decorated liveblog or its settings go out; the network is behind the port of the
sync, `Importer`. Routes call the endpoints, forms of the desk the operations.
"""
