"""Liveblogs and their events: written, read as they stand or stood, listed and searched.

`liveblogs.write` is the only door for changes: version step, events, outbox row, one transaction. The API and the sync call it.
"""
