"""What must change in the liveblog itself: scoreboard, state, squads and names, merged with what editors changed.

A score that drops and a match that goes back are believed only when a second good response says the same, because feeds
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

SET_BASED = "Svc::Model::Content::Scoreboard::SetBasedGameScoreboard"

_PROGRESS = {0: 0, 1: 1, 2: 2, 31: 3}
"""`gamestate` in the order of a match: before, running, shoot-out, after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What the sync keeps of a liveblog: what it wrote last, and a step back that is still `doubted`."""

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


EVERYTHING = ("meta_info", "squads", "summary", "state_info", "options", "scoreboard")
"""All parts of a game document that the sync may write."""


def synced(document: Mapping[str, Any], terms: Terms) -> Document:
    """The parts of a game document that the sync keeps up to date under these terms (AutoPostConfiguration)."""
    parts = ["meta_info", "squads", "summary"]
    parts += ["state_info", "options"] if terms.auto_post else []
    parts += ["scoreboard"] if terms.auto_post and not terms.exclude_scoreboard else []
    return {name: document.get(name) for name in parts if name in document}


def reconcile_board(
    board: Board, current: Mapping[str, Any], wanted: Mapping[str, Any], *, good: bool = True
) -> BoardChange:
    """Merge the wanted parts into `current`; `good`: the match's state came in a good response this time."""
    doubted: Document = {}
    if goes_back(board.written, wanted):
        claim = {"progress": list(_progress(wanted)), "goals": list(_goals(wanted))}
        if not good or not same(board.doubted, claim):
            doubted = claim if good else board.doubted
            wanted = {name: value for name, value in wanted.items() if name not in GUARDED}
    merged = merge_game(board.written, current, wanted)
    after = Board(written=merged.written, doubted=doubted)
    return BoardChange(board=after, document=None if same(merged.document, dict(current)) else merged.document)


def goes_back(written: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether the provider takes back goals, games or time of play that the liveblog already shows."""
    fewer = any(now < before for now, before in zip(_goals(wanted), _goals(written), strict=True))
    earlier = _progress(wanted) < _progress(written)
    return ("scoreboard" in wanted and fewer) or ("state_info" in wanted and earlier)


def _progress(document: Mapping[str, Any]) -> tuple[int, int]:
    state = document.get("state_info") or {}
    return _PROGRESS.get(state.get("gamestate", 0), 0), state.get("recurrence") or 0


def _goals(document: Mapping[str, Any]) -> tuple[int, int]:
    """Goals, or sets won and games in all sets; a game may be taken back while the sets stay."""
    board = document.get("scoreboard") or {}
    games = (board.get("scores") or ()) if board.get("_type") == SET_BASED else ()
    return _sum(board.get("score") or {}), sum(_sum(score) for score in games)


def _sum(score: Mapping[str, Any]) -> int:
    sides = (str(score.get(f"{side}_score") or "") for side in ("home", "away"))
    return sum(int(points) for points in sides if points.isdecimal())
