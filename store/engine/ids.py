"""Ids of new records: ObjectIds that sort by time, and `local_id`s that cannot be guessed."""

from __future__ import annotations

import secrets
import string

ALPHABET = string.ascii_lowercase + string.digits
LOCAL_LENGTH = 20
LETTERS = bytes(ord(ALPHABET[byte % len(ALPHABET)]) for byte in range(256))
UNFAIR = bytes(range(256 - 256 % len(ALPHABET), 256))
"""Bytes beyond the last whole round of the alphabet; with them its first letters would come more often."""


def new_object_id(now: float) -> str:
    """24 lower-case hex digits: the second in the first eight, 64 random bits behind. `now` in Unix seconds."""
    return f"{int(now) & 0xFFFFFFFF:08x}{secrets.token_hex(8)}"


def new_local_id(letter: str) -> str:
    """`letter` (g game, e event, m media, b block) and 20 random lower-case letters or digits."""
    letters = b""
    while len(letters) < LOCAL_LENGTH:  # once, as good as always
        letters = secrets.token_bytes(2 * LOCAL_LENGTH).translate(LETTERS, UNFAIR)
    return letter + letters[:LOCAL_LENGTH].decode("ascii")
