"""The match clock that readers see, worked out from options, state and the instant; nothing ticks on the server.

| `timing_type` | display                                                                    |
|---------------|----------------------------------------------------------------------------|
| `u`           | minutes and seconds played in the phase, up to its length: `7:04`          |
| `d`           | minutes and seconds left in the phase, down to `0:00`                      |
| `au`, `aud`   | the running minute since the start of the match: `67`                      |
| `aui`         | the same, with added time on top of the phase's last minute: `45+2`        |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mapping.documents.state import RUNNING


@dataclass(frozen=True, slots=True)
class ClockReading:
    """`elapsed` seconds in a phase of `length` seconds, before which `base` seconds were to be played."""

    elapsed: int
    length: int
    base: int


def display(options: Mapping[str, Any] | None, state_info: Mapping[str, Any] | None, now: int) -> str:
    """The display clock at `now` (Unix seconds); empty while nothing is played: before, after, in breaks, shoot-outs.

    `options` is a TimedGameOptions document, `state_info` a TimeBasedGameStateInfo one. In a time-out it stands still.
    """
    options, state = options or {}, state_info or {}
    show = DISPLAYS.get(options.get("timing_type") or "")
    phase = state.get("recurrence") or 0
    length = phase_length(options, phase)
    if show is None or not length or not _is_played(state):
        return ""
    return show(ClockReading(_elapsed_seconds(state, now), length, played_before(options, phase)))


def _is_played(state: Mapping[str, Any]) -> bool:
    return state.get("gamestate") == RUNNING and not state.get("is_break") and state.get("check_time") is not None


def _elapsed_seconds(state: Mapping[str, Any], now: int) -> int:
    """Seconds played in the phase."""
    since = 0 if state.get("timeout") else max(now - int(state["check_time"]), 0)
    return max(state.get("check_seconds") or 0, 0) + since


def phase_length(options: Mapping[str, Any], phase: int) -> int:
    """Length of a phase in seconds; 0 for a phase that the options do not know."""
    regular, overtime = options.get("num_regular_phases") or 0, options.get("num_overtime_phases") or 0
    if 1 <= phase <= regular:
        return int(options.get("regular_phase_length") or 0) * 60
    if regular < phase <= regular + overtime:
        return int(options.get("overtime_phase_length") or 0) * 60
    return 0


def played_before(options: Mapping[str, Any], phase: int) -> int:
    """Seconds of play in the phases before this one, without added time."""
    return sum(phase_length(options, earlier) for earlier in range(1, phase))


def _running(reading: ClockReading) -> str:
    return str((reading.base + reading.elapsed) // 60 + 1)


def _running_with_added(reading: ClockReading) -> str:
    over = reading.elapsed - reading.length
    return _running(reading) if over < 0 else f"{(reading.base + reading.length) // 60}+{over // 60 + 1}"


def _minutes_seconds(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"


DISPLAYS: Mapping[str, Callable[[ClockReading], str]] = {
    "u": lambda reading: _minutes_seconds(min(reading.elapsed, reading.length)),
    "d": lambda reading: _minutes_seconds(max(reading.length - reading.elapsed, 0)),
    "au": _running,
    "aui": _running_with_added,
    "aud": _running,
}
