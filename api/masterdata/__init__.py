"""Players, teams and tournaments of the write API, described once a kind.

A document or a search comes in, a record or a page of them goes out; routes call it.
"""
