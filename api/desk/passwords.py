"""Passwords: hashed by Argon2id in threads of their own, a few at a time, for as long for one that is wrong as for nobody's."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from api.desk.password_queue import PasswordQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import TypeVar

    from argon2 import PasswordHasher

    T = TypeVar("T")


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
