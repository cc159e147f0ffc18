"""Passwords: which new ones are taken, hashing by Argon2id, and who has one checked next.

It is done in threads of their own, a few at a time, and takes as long for one that is wrong as for nobody's.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import structlog

from mapping.desk.password_rules import PasswordFault, password_fault
from mapping.errors import RateLimited

if TYPE_CHECKING:
    from argon2 import PasswordHasher


T = TypeVar("T")


log = structlog.get_logger(__name__)

DIGITS = 40
"""Of a SHA-1, in hexadecimal."""
LINE = 128
"""Bytes that a line of leaked passwords has at most: the hash, a colon, how often it leaked, and the line's end."""


WAITING = 16
"""Tries that may wait, for each that may run at a time: so many of networks that are known, and as many of all others."""
BUSY_FOR = 2.0
"""Seconds after which somebody for whom there is no room may come back."""
Waiting = OrderedDict[str, deque[asyncio.Future[None]]]


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


class PasswordsBusy(RateLimited):
    """So many passwords wait for their check that there is no room for one more."""

    def __init__(self) -> None:
        super().__init__("too many passwords are being checked", retry_after=BUSY_FOR)


class PasswordQueue:
    """So many turns at a time, the next one for the network that has had none for longest.

    Networks from which somebody has signed in are `known`; they and all others get every second turn each. Where there is
    no room, the network that has most waiting makes it.
    """

    def __init__(self, at_once: int) -> None:
        self._free, self._most = at_once, WAITING * at_once
        self._waiting: dict[bool, Waiting] = {True: OrderedDict(), False: OrderedDict()}

    async def enter(self, network: str, *, known: bool) -> None:
        """Wait for a turn, which `leave` ends. Raises PasswordsBusy."""
        if self._free:  # then nobody waits
            self._free -= 1
            return
        waiting = self._waiting[known]
        _make_room(waiting, network, self._most)
        turn = asyncio.get_running_loop().create_future()
        waiting.setdefault(network, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                _take_out(waiting, network, turn)
            else:  # given in the moment in which the caller gave up
                self.leave(network, known=known)
            raise

    def leave(self, network: str, *, known: bool) -> None:
        """End a turn of this network: whoever is next begins."""
        if network in self._waiting[known]:
            self._waiting[known].move_to_end(network)
        for waiting in (self._waiting[not known], self._waiting[known]):
            while waiting:
                first, turns = next(iter(waiting.items()))
                turn = turns[0]
                _take_out(waiting, first, turn)
                if not turn.done():  # else cancelled a moment ago
                    turn.set_result(None)
                    return
        self._free += 1


def _make_room(waiting: Waiting, network: str, most: int) -> None:
    """Raises PasswordsBusy where no network has more waiting than this one would have."""
    if sum(map(len, waiting.values())) < most:
        return
    longest = max(waiting, key=lambda each: len(waiting[each]))
    if len(waiting[longest]) <= len(waiting.get(network, ())) + 1:
        raise PasswordsBusy
    last = waiting[longest][-1]
    _take_out(waiting, longest, last)
    if not last.done():
        last.set_exception(PasswordsBusy())


def _take_out(waiting: Waiting, network: str, turn: asyncio.Future[None]) -> None:
    """Forget the turn, if it is still there; the network is the last one now."""
    turns = waiting.get(network)
    if turns is not None and turn in turns:
        turns.remove(turn)
        waiting.move_to_end(network)
        if not turns:
            del waiting[network]
