"""Faults that are planted in the product on purpose: the simulation has to find each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ingest.sync.match_leases import PeerMonitor
from ingest.sync.poll import Poller
from ingest.webhooks.cursor import CursorTracker
from mapping import believed
from mapping.rules import delivery
from mapping.rules.delivery import Verdict
from store import leases, ledger, liveblogs, outbox

if TYPE_CHECKING:
    from collections.abc import Callable

PLANTS: dict[str, Callable[[], None]] = {}


def plant(function: Callable[[], None]) -> Callable[[], None]:
    PLANTS[function.__name__] = function
    return function


@plant
def fence_not_checked() -> None:
    """Who has lost a match writes for it all the same."""
    leases.fenced = lambda unit, work, **_: work(unit)  # type: ignore[assignment]


@plant
def outbox_row_missing() -> None:
    """Every fifth version leaves no outbox row."""
    note = liveblogs._note

    def sometimes(unit: Any, game: Any) -> Any:
        writes = note(unit, game)
        return [each for each in writes if each.table.name != "outbox"] if game.version % 5 == 0 else writes

    liveblogs._note = sometimes  # type: ignore[assignment]


@plant
def cursor_ahead() -> None:
    """A cursor passes what was read, before it was delivered."""
    CursorTracker.cursor_with = lambda tracker, _: tracker.fed  # type: ignore[method-assign, assignment]


@plant
def dead_never_reaped() -> None:
    """Nobody takes over what a dead process followed."""
    PeerMonitor.dead = lambda _: {}  # type: ignore[method-assign, assignment]


@plant
def withdrawal_forgotten() -> None:
    """What is gone beside a resource that fails is not looked at again."""
    Poller._failed = lambda *_: False  # type: ignore[method-assign, assignment]


@plant
def refusal_taken_as_delivered() -> None:
    """An answer of 500 counts as delivered."""
    delivery.verdict = lambda _: Verdict.TAKEN  # type: ignore[assignment]


@plant
def nothing_withdrawn() -> None:
    """A step back is never believed."""
    believed._Doubts.keep = lambda *_: True  # type: ignore[method-assign, assignment]


@plant
def ledger_forgotten() -> None:
    """The sync does not know what it has posted."""
    ledger.rows = lambda *_, **__: {}  # type: ignore[assignment]


@plant
def numbers_skipped() -> None:
    """A delivery number is read that was not given: rows below it are never delivered."""
    news = outbox.news
    outbox.news = lambda conn, after, **more: news(conn, after=after + 1, **more)  # type: ignore[assignment]
