"""The composition root: settings come in, a running process goes out, with its store, followers, deliveries and API.

`matchwire run`, `sync-once` and the demo call it; nothing else in ingest does.
"""
