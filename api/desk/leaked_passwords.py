"""Whether a password has leaked: it is looked up in a file on this machine, and nothing of it goes anywhere."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from typing import BinaryIO

log = structlog.get_logger(__name__)

DIGITS = 40
"""Of a SHA-1, in hexadecimal."""
LINE = 128
"""Bytes that a line has at most: the hash, a colon, how often it leaked, and the line's end."""


def is_leaked(leaked_passwords: str | None, password: str) -> bool:
    """Whether the file has the password; False without a file, and, with a line in the log, for one that cannot be read.

    `leaked_passwords`: the path of lines that begin with a SHA-1 in hexadecimal, sorted, as Have I Been Pwned gives them;
    tens of gigabytes, of which some forty places are read.
    """
    if leaked_passwords is None:
        return False
    wanted = hashlib.sha1(password.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest().upper().encode()
    try:
        with open(leaked_passwords, "rb", buffering=LINE * 2) as file:  # noqa: PTH123 -- a buffer of its own size
            return _has_line(file, wanted)
    except OSError as error:
        log.warning("desk.leaked_passwords_unreadable", cause=error.strerror)
        return False


def _has_line(file: BinaryIO, wanted: bytes) -> bool:
    """Whether a line begins with the hash, which begins at `low` or behind it, and before `high`."""
    low, high = 0, file.seek(0, os.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        start = _line_start(file, middle)
        found = file.read(DIGITS).upper() if start < high else b""
        if found == wanted:
            return True
        if found and found < wanted:
            low = start + 1
        else:
            high = middle
    return False


def _line_start(file: BinaryIO, at: int) -> int:
    """Where the first line begins that begins at `at` or behind it, from where the file is read next."""
    file.seek(max(0, at - 1))
    if at:
        file.readline(LINE)
    return file.tell()
