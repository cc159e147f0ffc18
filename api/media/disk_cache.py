"""A cache of image variants on disk: one file an entry, written whole or not at all, capped in bytes.

Nothing is read at start, and nothing is locked: several processes may use one folder. An entry that is not what was
written, by a crash or by a stranger, is a miss and is removed; the least recently used goes first. Nothing here loads Pillow.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Final

from store.engine import private_files

MAGIC: Final = b"matchwire cache 1\n"
TEMPORARY: Final = ".part"
ABANDONED: Final = 3600.0
"""Seconds after which a file that was not finished is removed: its process has died."""
USED: Final = 60.0
"""Seconds between the notes, by its time of change, that an entry is used."""
SWEEP_PART: Final = 20
"""A process sweeps each time that it has written this part of the cap …"""
SPARE_PARTS: Final = 3
"""… and makes room for so many, so that several processes stay below the cap together."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """What is kept of a key: a body, and facts about it."""

    facts: dict[str, Any]
    body: bytes


@dataclass(slots=True)
class DiskCache:
    """Entries below `folder`, of at most `cache_bytes` together. All methods block, so they run in threads."""

    folder: Path
    cache_bytes: int
    _unswept: int | None = None
    """Bytes written since the last sweep, None before the first."""
    _lock: Lock = field(default_factory=Lock)

    def get(self, key: str) -> CacheEntry | None:
        """The entry, None where there is none that is whole."""
        file = self._file(key)
        try:
            content = file.read_bytes()
        except OSError:
            return None
        entry = _read(content, key)
        if entry is None:
            with suppress(OSError):
                file.unlink()
        else:
            _note_use(file)
        return entry

    def put(self, key: str, body: bytes, **facts: Any) -> None:
        """Keep the body and the facts, which JSON can write. Raises OSError."""
        file = self._file(key)
        content = _pack(key, body, facts)
        file.parent.mkdir(mode=private_files.FOLDER, parents=True, exist_ok=True)
        temporary = file.with_name(f"{secrets.token_hex(8)}{TEMPORARY}")
        try:
            with open(temporary, "xb", opener=private_files.opener) as opened:
                opened.write(content)
            temporary.replace(file)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        self._count(len(content))

    def sweep(self) -> None:
        """Remove what a dead process has not finished, and what was used longest ago until there is room again."""
        found, now = [], time.time()
        for file in self.folder.glob("??/*"):
            with suppress(OSError):
                known = file.stat()
                if file.suffix == TEMPORARY and known.st_mtime < now - ABANDONED:
                    file.unlink()
                else:
                    found.append((known.st_mtime, known.st_size, file))
        over = sum(size for _, size, _ in found) - self.cache_bytes * (SWEEP_PART - SPARE_PARTS) // SWEEP_PART
        for _, size, file in sorted(found):
            if over <= 0:
                break
            with suppress(OSError):
                file.unlink()
            over -= size

    def _count(self, written: int) -> None:
        """Sweep at the first write of this process, and each time that a part of the cap is written."""
        with self._lock:
            due = self._unswept is None or self._unswept + written > self.cache_bytes // SWEEP_PART
            self._unswept = 0 if due else (self._unswept or 0) + written
        if due:
            self.sweep()

    def _file(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / name[2:]


def _pack(key: str, body: bytes, facts: dict[str, Any]) -> bytes:
    rest = json.dumps({"key": key, "facts": facts}).encode() + b"\n" + body
    return MAGIC + hashlib.sha256(rest).digest() + rest


def _read(content: bytes, key: str) -> CacheEntry | None:
    start = len(MAGIC) + hashlib.sha256().digest_size
    rest = memoryview(content)[start:]
    if not content.startswith(MAGIC) or hashlib.sha256(rest).digest() != content[len(MAGIC) : start]:
        return None
    end = content.index(b"\n", start)
    header = json.loads(content[start:end])
    return CacheEntry(header["facts"], content[end + 1 :]) if header["key"] == key else None


def _note_use(file: Path) -> None:
    with suppress(OSError):
        if file.stat().st_mtime < time.time() - USED:
            os.utime(file)


class RefusedImage(Exception):
    """No variant is made of it: no image, broken, or larger than the limits."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One resized form: a file, and its media type."""

    content_type: str
    body: bytes
