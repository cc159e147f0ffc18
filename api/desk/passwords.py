"""Passwords: hashed by Argon2id in threads of their own, a few at a time, for as long for one that is wrong as for nobody's."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING

from mapping.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from argon2 import PasswordHasher

    T = TypeVar("T")

WAITING = 16
"""Checks that may wait or run, for each that may run at a time."""
OF_ONE_NETWORK = 2
"""Of these, those of one network: somebody who guesses leaves room for the others."""
BUSY_FOR = 2.0
"""Seconds after which somebody for whom there is no room may come back."""


class PasswordsBusy(RateLimited):
    """So many passwords are being checked that there is no room for one more."""


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
    """Runs what hashes, `at_once` at a time; what comes beyond the room that waits is refused at once."""

    def __init__(self, at_once: int) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="passwords")
        self._most = WAITING * at_once
        self._running: dict[str, int] = {}

    async def verify(self, network: str, stored: str | None, password: str) -> tuple[bool, str | None]:
        """`verify_password` for somebody of a network. Raises PasswordsBusy."""
        return await self._run(network, partial(verify_password, stored, password))

    async def hash(self, network: str, password: str) -> str:
        """`hash_password` for somebody of a network. Raises PasswordsBusy."""
        return await self._run(network, partial(hash_password, password))

    async def _run(self, network: str, work: Callable[[], T]) -> T:
        if sum(self._running.values()) >= self._most or self._running.get(network, 0) >= OF_ONE_NETWORK:
            raise PasswordsBusy("too many passwords are being checked", retry_after=BUSY_FOR)
        self._running[network] = self._running.get(network, 0) + 1
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        running.add_done_callback(lambda _: self._leave(network))  # a caller who goes away frees no thread
        return await asyncio.shield(running)

    def _leave(self, network: str) -> None:
        self._running[network] -= 1
        if not self._running[network]:
            del self._running[network]
