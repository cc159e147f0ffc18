"""The state of play as a page shows it, with what the page's script needs to let the minute go on."""

from __future__ import annotations

from dataclasses import dataclass

from api.http.json_path import Json, node, number, text
from api.view.key_moments import interruption_of
from api.view.references import sport_of
from mapping.documents.state import BEFORE, ENDED, RUNNING, SHOOTOUT
from mapping.locales import Translator
from mapping.locales.labels import INTERRUPTED, Label
from mapping.rules.clock import display, phase_length, played_before

LABELS = {BEFORE: Label.NOT_STARTED, SHOOTOUT: Label.SHOOTOUT, ENDED: Label.FINISHED}
STOPS = ("u", "d")
"""Timing types of sports whose clock stands still at each whistle."""
ON_GOING = ("au", "aui", "aud")
"""Timing types whose clock is a running minute, which a script can continue."""

LONGEST_ADDED = 30
"""Minutes of added time beyond which no clock is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownClock:
    """What to show: a label, the reading of the clock, and how it goes on."""

    label: str
    live: bool = False
    reading: str = ""
    started: int | None = None
    """Unix seconds at which the phase began, None where the clock does not go on."""
    base: int = 0
    """Minutes played in the phases before."""
    length: int = 0
    """Minutes of the phase after which added time is counted apart, 0 where it is not."""


def clock(game: Json, translator: Translator, now: float) -> ShownClock | None:
    """The state of play of a game's document, None where it has none."""
    gamestate = number(game, "state_info", "gamestate")
    if gamestate is None:
        return None
    if gamestate != RUNNING:
        became = interruption_of(game, translator)
        label = LABELS.get(gamestate, Label.LIVE) if became is None else INTERRUPTED[became]
        return ShownClock(label=translator.text(label), live=gamestate == SHOOTOUT)
    return _of_play(game, translator, now)


def _of_play(game: Json, translator: Translator, now: float) -> ShownClock:
    """The clock of a match that is being played or in a break."""
    state, options = node(game, "state_info"), node(game, "options")
    phase, regular = number(state, "recurrence") or 0, number(options, "num_regular_phases") or 0
    if state.get("is_break") is True:
        halfway = phase * 2 == regular
        return ShownClock(label=translator.text(Label.HALF_TIME if halfway else Label.BREAK), live=True)
    label = translator.text(Label.EXTRA_TIME if regular and phase > regular else Label.LIVE)
    going_on = _going_on(options, state, phase)
    if _unknown(options, state):
        return ShownClock(label=translator.text(sport_of(game).phase(phase) or Label.LIVE), live=True)
    if _stopped(going_on, now):
        return ShownClock(label=label, live=True)
    return ShownClock(label=label, live=True, reading=display(options, state, int(now)), **going_on)


def has_stopped(game: Json, now: float) -> bool:
    """Whether the match is being played, and its clock has run on for so long that the state must be an old one."""
    state, options = node(game, "state_info"), node(game, "options")
    if state.get("gamestate") != RUNNING or state.get("is_break") is True:
        return False
    return _stopped(_going_on(options, state, number(state, "recurrence") or 0), now)


def _unknown(options: Json, state: Json) -> bool:
    """Whether the clock has run since the phase began, which it does in no such sport: an import knows the beginning alone."""
    kept = state.get("timeout") is True or (number(state, "check_seconds") or 0) > 0
    return text(options, "timing_type") in STOPS and not kept


def _stopped(going_on: dict[str, int], now: float) -> bool:
    """Whether a clock ran on for so long that the state must be an old one."""
    length = going_on.get("length", 0)
    return bool(length) and now - going_on["started"] >= (length + LONGEST_ADDED) * 60


def _going_on(options: Json, state: Json, phase: int) -> dict[str, int]:
    checked = number(state, "check_time")
    timing = text(options, "timing_type")
    if checked is None or timing not in ON_GOING or state.get("timeout") is True:
        return {}
    return {
        "started": checked - max(number(state, "check_seconds") or 0, 0),
        "base": played_before(options, phase) // 60,
        "length": phase_length(options, phase) // 60 if timing == "aui" else 0,
    }
