"""Folders that settings name, looked at before anything is written to them."""

from __future__ import annotations

import os
from pathlib import Path


def is_writable(folder: str) -> bool:
    """Whether this user can write to the folder, or make it where it is not there yet."""
    path = Path(folder).absolute()
    while not os.path.lexists(path):
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)
