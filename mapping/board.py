"""What must change in the liveblog itself: scoreboard, state, squads and names, merged with what editors changed.

A score that drops and a match that goes back are believed only when a second good answer says the same, because feeds
flap; until then scoreboard and state stay as they are and the match is polled at its live interval.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mapping.merge import Document, merge_game, same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mapping.terms import Terms

GUARDED = ("scoreboard", "state_info")

_PROGRESS = {0: 0, 1: 1, 2: 2, 31: 3}
"""`gamestate` in the order of a match: before, running, shoot-out, after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What the sync remembers of a liveblog: what it wrote last, and a step back that is still `doubted`."""

    written: Document = field(default_factory=dict)
    doubted: Document = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardChange:
    board: Board
    document: Document | None = None
    """The new game document, or None where nothing changes."""

    @property
    def pending(self) -> bool:
        return bool(self.board.doubted)


def synced(document: Mapping[str, Any], terms: Terms) -> Document:
    """The parts of a game document that the sync keeps up to date under these terms (AutoPostConfiguration)."""
    parts = ["meta_info", "squads", "summary"]
    parts += ["state_info", "options"] if terms.auto_post else []
    parts += ["scoreboard"] if terms.auto_post and not terms.exclude_scoreboard else []
    return {name: document.get(name) for name in parts if name in document}


def reconcile_board(
    board: Board, current: Mapping[str, Any], wanted: Mapping[str, Any], *, good: bool = True
) -> BoardChange:
    """Merge the wanted parts into `current`; `good` says that the match's state was answered well this time."""
    doubted: Document = {}
    if goes_back(board.written, wanted):
        claim = {"progress": list(_progress(wanted)), "goals": _goals(wanted)}
        if not good or not same(board.doubted, claim):
            doubted = claim if good else board.doubted
            wanted = {name: value for name, value in wanted.items() if name not in GUARDED}
    merged = merge_game(board.written, current, wanted)
    after = Board(written=merged.written, doubted=doubted)
    return BoardChange(board=after, document=None if same(merged.document, dict(current)) else merged.document)


def goes_back(written: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether the provider takes back goals or time of play that the liveblog already shows."""
    return _progress(wanted) < _progress(written) or _goals(wanted) < _goals(written)


def _progress(document: Mapping[str, Any]) -> tuple[int, int]:
    state = document.get("state_info") or {}
    return _PROGRESS.get(state.get("gamestate", 0), 0), state.get("recurrence") or 0


def _goals(document: Mapping[str, Any]) -> int:
    score = (document.get("scoreboard") or {}).get("score") or {}
    sides = (str(score.get(f"{side}_score") or "") for side in ("home", "away"))
    return sum(int(goals) for goals in sides if goals.isdecimal())
