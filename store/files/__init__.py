"""Uploaded files, on a disk or in a bucket, and what their first bytes say of them.

Bytes come in from `api.media` and imports; facts, bytes and keys go out. `storage.py` is the port that both storages fill.
"""
