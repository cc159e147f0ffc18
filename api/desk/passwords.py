"""Passwords: which new ones are taken, and hashing by Argon2id.

It is done in threads of their own, a few at a time, and takes as long for one that is wrong as for nobody's.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import structlog

from api.desk.password_queue import PasswordQueue
from mapping.desk.password_rules import PasswordFault, password_fault

if TYPE_CHECKING:
    from argon2 import PasswordHasher


T = TypeVar("T")


log = structlog.get_logger(__name__)

DIGITS = 40
"""Of a SHA-1, in hexadecimal."""
LINE = 128
"""Bytes that a line of leaked passwords has at most: the hash, a colon, how often it leaked, and the line's end."""


@cache
def password_hasher() -> PasswordHasher:
    """Argon2id with argon2-cffi's own parameters: those of RFC 9106 for machines with little memory."""
    from argon2 import PasswordHasher  # a start that checks no password needs none

    return PasswordHasher()


def hash_password(password: str) -> str:
    """The hash by Argon2id, with its salt and parameters."""
    return password_hasher().hash(password)


@cache
def _nobodys_hash() -> str:
    return hash_password("nobody has this password")


def verify_password(stored: str | None, password: str) -> tuple[bool, str | None]:
    """Whether it is the password of the hash, and a better hash where that one is of older parameters.

    Without a hash, or with one that cannot be read, the same work is done.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    nobodys = _nobodys_hash()  # made by whoever comes first, known or not
    try:
        password_hasher().verify(stored or nobodys, password)
    except (InvalidHashError, VerificationError):
        return False, None
    if stored is None:
        return False, None
    return True, hash_password(password) if password_hasher().check_needs_rehash(stored) else None


class PasswordChecks:
    """Runs what hashes in threads, `at_once` at a time, by turns of those who want it."""

    def __init__(self, at_once: int) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="passwords")
        self._queue = PasswordQueue(at_once)

    async def in_turn(self, network: str, work: Callable[[], Coroutine[Any, Any, T]], *, known: bool) -> T:
        """What `work` gives once it is the network's turn; `known`: somebody has signed in from it. Raises PasswordsBusy."""
        await self._queue.enter(network, known=known)
        running = asyncio.ensure_future(work())

        def end(_: object) -> None:
            self._queue.leave(network, known=known)

        running.add_done_callback(end)
        return await asyncio.shield(running)  # a caller who goes away frees no thread

    async def verify(self, stored: str | None, password: str) -> tuple[bool, str | None]:
        """`verify_password`, within a turn."""
        return await self._in_thread(partial(verify_password, stored, password))

    async def hash(self, password: str) -> str:
        """`hash_password`, within a turn."""
        return await self._in_thread(partial(hash_password, password))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def new_password_fault(password: str, leaked_passwords: str | None, *about: str) -> PasswordFault | None:
    """What keeps it from being somebody's new password, None for nothing. `about`: as `password_fault`; reads a file."""
    fault = password_fault(password, *about)
    if fault is None and is_leaked(leaked_passwords, password):
        return PasswordFault.LEAKED
    return fault


def is_leaked(leaked_passwords: str | None, password: str) -> bool:
    """Whether the file has the password; False without a file, and, with a line in the log, for one that cannot be read.

    `leaked_passwords`: the path of lines that begin with a SHA-1 in hexadecimal, sorted, as Have I Been Pwned gives them;
    tens of gigabytes, of which some forty places are read. Nothing of the password goes anywhere.
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
