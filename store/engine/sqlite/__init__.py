"""SQLite: one file, one process, one thread that writes and several that read.

`backend.py` is the store on it; `file_copy.py` copies, restores and exchanges whole files.
"""
