"""Uploads and images of third parties: what names them, and therefore who sees them.

Each write of a record notes its files by `file_uses.py`; `api.media` asks whether a file is shown.
"""
