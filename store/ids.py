"""Names for new records: ObjectIds that sort by time, and `local_id`s that nobody can guess."""

from __future__ import annotations

import secrets
import string

ALPHABET = string.ascii_lowercase + string.digits
LOCAL_LENGTH = 20


def new_object_id(now: float) -> str:
    """24 lower-case hex digits: the second in the first eight, 64 random bits behind. `now` in Unix seconds."""
    return f"{int(now) & 0xFFFFFFFF:08x}{secrets.token_hex(8)}"


def new_local_id(letter: str) -> str:
    """`letter` (g game, e event, m media, b block) and 20 random lower-case letters or digits."""
    number = secrets.randbelow(len(ALPHABET) ** LOCAL_LENGTH)
    characters = []
    for _ in range(LOCAL_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[digit])
    return letter + "".join(characters)
