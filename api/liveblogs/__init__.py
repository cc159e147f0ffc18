"""Liveblogs of the write API, what has changed in one since a version, and the messages of its streams.

Documents of clients come in and decorated liveblogs go out, or to readers deltas with tombstones. Routes call the endpoints,
`import-feed` the operations, streams and pages the messages.
"""
