"""Who has a password checked next: networks take turns, so that one that guesses waits for itself alone."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque

from mapping.errors import RateLimited

WAITING = 16
"""Tries that may wait, for each that may run at a time: so many of networks that are known, and as many of all others."""
BUSY_FOR = 2.0
"""Seconds after which somebody for whom there is no room may come back."""

Waiting = OrderedDict[str, deque[asyncio.Future[None]]]


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
