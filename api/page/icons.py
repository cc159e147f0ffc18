"""A small drawing for each kind of event, inline, so that a page loads nothing for it."""

from __future__ import annotations

LINE = 'fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"'
ROUND = f'{LINE} stroke-linecap="round"'
ARROW = 'fill="none" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"'
RING = f'<circle cx="12" cy="12" r="9.2" {LINE}/>'
BALL = (
    f'{RING}<path fill="currentColor" d="m12 7.6 4.2 3-1.6 4.9H9.4l-1.6-4.9z"/>'
    f'<path {LINE} d="M12 7.6V3m4.2 7.6 4.3-1.5m-5.9 6.4 2.7 3.8M9.4 15.5l-2.7 3.8m1.1-8.7L3.5 9.1"/>'
)
OWN_GOAL = (
    f'<circle cx="9" cy="15" r="6" {LINE}/><path fill="currentColor" d="m9 12.4 2.4 1.8-.9 2.8h-3l-.9-2.8z"/>'
    f'<path {ROUND} d="M20.5 3.5 14 10m0-5v5h5"/>'
)
CARD = '<rect x="6.5" y="3.5" width="11" height="17" rx="2" class="{}"/>'
TWO_CARDS = (
    '<rect x="4" y="3" width="10" height="15" rx="2" class="yellow"/>'
    '<rect x="10" y="6" width="10" height="15" rx="2" class="red"/>'
)
COMING_ON = f'<path class="in" {ARROW} d="M7 20V5m0 0L3.5 8.5M7 5l3.5 3.5"/>'
GOING_OFF = f'<path class="out" {ARROW} d="M17 4v15m0 0-3.5-3.5M17 19l3.5-3.5"/>'
MISS = f'{RING}<path {ROUND} d="m8.5 8.5 7 7m0-7-7 7"/>'
WHISTLE = (
    f'<path {LINE} d="M3 9.5h11.5L21 7v4.5h-2.6A5.6 5.6 0 1 1 8 13.5H3z"/>'
    '<circle cx="13" cy="14.4" r="1.9" fill="currentColor"/>'
)
PAUSE = f'{RING}<path {ROUND} d="M9.8 8.5v7m4.4-7v7"/>'
RESUME = f'{RING}<path fill="currentColor" d="M10 8.2v7.6l6-3.8z"/>'
SQUARES = "".join(
    f'<path fill="currentColor" d="M{x} {y}h3.5v3h-3.5z"/>' for x, y in ((6, 4), (13, 4), (9.5, 7), (6, 10), (13, 10))
)
CHEQUERED = f'<path {ROUND} d="M6 21V4h10.5v9H6"/>{SQUARES}'
FLAG = f'<path {LINE} d="M5.5 21V4h12l-2.6 4 2.6 4h-12"/>'
COLOURED = f'<path class="{{}}" d="M5.5 4h12l-2.6 4 2.6 4h-12z"/>{FLAG}'
PEN = f'<path {LINE} d="M4 20l1.2-4.6L16.6 4a1.9 1.9 0 0 1 2.7 0l.7.7a1.9 1.9 0 0 1 0 2.7L8.6 18.8z"/>'
SPOT = f'<path {ROUND} d="M3 17V5h18v12"/><circle cx="12" cy="18.5" r="2.3" fill="currentColor"/>'
RACKET = (
    f'<ellipse cx="9.5" cy="9" rx="5.5" ry="6.5" {LINE} transform="rotate(-35 9.5 9)"/>'
    f'<path {ROUND} d="m13.4 14.2 4.6 6.3"/><circle cx="18.5" cy="6" r="2" fill="currentColor"/>'
)
CAR = (
    f'<path {LINE} d="M3 16v-3l2.5-.8L8 8h7l3 4.2 3 .8v3z"/>'
    '<circle cx="7.5" cy="16.5" r="2" fill="currentColor"/><circle cx="16.5" cy="16.5" r="2" fill="currentColor"/>'
)
SAFETY_CAR = f'{CAR}<path {ROUND} d="M9.5 5h4"/>'
VIRTUAL = f'<g stroke-dasharray="2.5 2">{CAR}</g><path {ROUND} d="M9.5 5h4"/>'
CRASH = (
    f'<path {LINE} d="m12 2.5 2.2 5 5-2.2-2.2 5 5 2-5 2.2 2.2 5-5-2.2-2.2 5-2.2-5-5 2.2 2.2-5-5-2.2 5-2-2.2-5 5 2.2z"/>'
)
OVERTAKE = f'<path {ROUND} d="M6 20V9m0 0-3 3.2M6 9l3 3.2M16 21V4m0 0-4 4.2M16 4l4 4.2"/>'
WRENCH = f'<path {LINE} d="M20.5 6.5a5 5 0 0 1-6.7 5.2L6.6 19a2 2 0 0 1-2.9-2.9L11 8.9A5 5 0 0 1 16.6 3l-2.8 3 .6 2.6 2.6.6z"/>'
STOPWATCH = f'<circle cx="12" cy="14" r="7.2" {LINE}/><path {ROUND} d="M12 14V9.8M9.5 3h5M12 3v3.5m6-.3 1.6 1.6"/>'
GAVEL = f'<path {ROUND} d="M4 21h9M9 5l6 6m-7.5-4.5 6 6M14 3.5l6 6M12 9l-8 8"/>'
RADIO = f'<path {ROUND} d="M4 13a8 8 0 0 1 16 0"/><path {LINE} d="M3.5 13H7v6H3.5zM17 13h3.5v6H17z"/>'
CLOUD = f'<path {ROUND} d="M7 15a4 4 0 0 1 .4-8 5 5 0 0 1 9.4 1.2A3.5 3.5 0 0 1 17 15zM8.5 18l-1 2.5m5-2.5-1 2.5m5-2.5-1 2.5"/>'
FOOTBALL = f'<path {LINE} d="M4 20C2.5 11 11 2.5 20 4c1.5 9-7 17.5-16 16z"/><path {ROUND} d="m8.5 15.5 7-7M10 11l3 3m-1-5 3 3"/>'
GOALPOSTS = f'<path {ROUND} d="M5 3v9h14V3m-7 9v9"/>'
SHIELD = f'<path {LINE} d="M12 3l7.5 2.5V12c0 4.5-3.2 7.5-7.5 9-4.3-1.5-7.5-4.5-7.5-9V5.5z"/>'
ONE_MORE = f'<path {ROUND} d="M4 12h6M7 9v6m7-4.5 3-2V17"/>'
PLUS = f'{RING}<path {ROUND} d="M12 7.5v9m-4.5-4.5h9"/>'
TWO_MORE = f'<path {ROUND} d="M4 12h6M7 9v6m6.5-5.5a3 3 0 1 1 5.2 2L13.5 17h6"/>'
PODIUM = f'<path {LINE} d="M3 21v-7h6V8h6v8h6v5zM9 14v7m6-5v5"/>'

PIN = (
    '<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">'
    f'<path {LINE} d="M9 3.5h6l-.8 6 3.3 3.5v1.5H6.5V13l3.3-3.5z"/><path {ROUND} d="M12 14.5v6"/></svg>'
)
"""Stands before the word for a post above all others."""

DRAWINGS: dict[str, str] = {
    "goal": BALL,
    "own-goal": OWN_GOAL,
    "disallowed-goal": f'{BALL}<path {ROUND} d="M3.5 20.5l17-17"/>',
    "withdrawn-card": f'{CARD.format("red")}<path {ROUND} d="M3.5 20.5l17-17"/>',
    "yellow-card": CARD.format("yellow"),
    "red-card": CARD.format("red"),
    "yellow-red-card": TWO_CARDS,
    "substitution": COMING_ON + GOING_OFF,
    "in": COMING_ON,
    "out": GOING_OFF,
    "penalty-kick-missed": MISS,
    "start-shootout": SPOT,
    "kick-scored": f'{RING}<path {ROUND} d="m7.6 12.4 3.1 3.1 5.7-6.4"/>',
    "kick-missed": MISS,
    "game-win": RACKET,
    "crash": CRASH,
    "overtake": OVERTAKE,
    "pit-stop": WRENCH,
    "fastest-lap": STOPWATCH,
    "penalty": GAVEL,
    "team-radio": RADIO,
    "weather-info": CLOUD,
    "safety-car": SAFETY_CAR,
    "virtual-safety-car": VIRTUAL,
    "yellow-flag": COLOURED.format("yellow"),
    "red-flag": COLOURED.format("red"),
    "podium": PODIUM,
    "touchdown": FOOTBALL,
    "field-goal": GOALPOSTS,
    "safety": SHIELD,
    "two-point-conversion": TWO_MORE,
    "extra-point": ONE_MORE,
    "score": PLUS,
    "text": PEN,
}
"""The last part of an event type, or what somebody did in it → its drawing."""
PERIODS = {"start": WHISTLE, "pause": PAUSE, "resume": RESUME, "end": CHEQUERED}
"""The first word of what begins or ends a period → its drawing."""


KICK_MARKS = {
    "scored": '<circle cx="12" cy="12" r="10.2" class="disc"/><path class="sign" d="m7.4 12.4 3.1 3.1 6.1-6.6"/>',
    "missed": '<circle cx="12" cy="12" r="9.2" class="ring"/><path class="sign" d="m8.4 8.4 7.2 7.2m0-7.2-7.2 7.2"/>',
    "open": '<circle cx="12" cy="12" r="9.2" class="ring"/>',
}
"""How the marks of the kicks of a shoot-out are drawn: they differ by more than their colours."""


def mark(drawing: str) -> str:
    """A mark as an SVG element that says nothing to a screen reader."""
    return f'<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">{drawing}</svg>'


def word_of(event_type: str) -> str:
    """The last part of an event type, `text` where there is none: the name of a drawing and of a style."""
    return event_type.rpartition(".")[2] or "text"


def marks_period(event_type: str) -> bool:
    return word_of(event_type).partition("-")[0] in PERIODS


def icon_of(event_type: str) -> str | None:
    """The drawing for an event type, None for one that has none of its own."""
    word = word_of(event_type)
    return DRAWINGS.get(word) or PERIODS.get(word.partition("-")[0])


def icon(event_type: str) -> str:
    """The drawing as an SVG element that says nothing to a screen reader; a flag for a type that has none of its own."""
    return f'<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">{icon_of(event_type) or FLAG}</svg>'
