"""A small drawing for each kind of event, inline, so that a page loads nothing for it."""

from __future__ import annotations

LINE = 'fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"'
ARROW = 'fill="none" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"'
RING = f'<circle cx="12" cy="12" r="9.2" {LINE}/>'
BALL = (
    f'{RING}<path fill="currentColor" d="m12 7.6 4.2 3-1.6 4.9H9.4l-1.6-4.9z"/>'
    f'<path {LINE} d="M12 7.6V3m4.2 7.6 4.3-1.5m-5.9 6.4 2.7 3.8M9.4 15.5l-2.7 3.8m1.1-8.7L3.5 9.1"/>'
)
CARD = '<rect x="6.5" y="3.5" width="11" height="17" rx="2" class="{}"/>'
TWO_CARDS = (
    '<rect x="4" y="3" width="10" height="15" rx="2" class="yellow"/>'
    '<rect x="10" y="6" width="10" height="15" rx="2" class="red"/>'
)
SWAP = (
    f'<path class="in" {ARROW} d="M7 20V5m0 0L3.5 8.5M7 5l3.5 3.5"/>'
    f'<path class="out" {ARROW} d="M17 4v15m0 0-3.5-3.5M17 19l3.5-3.5"/>'
)
MISS = f'{RING}<path {LINE} stroke-linecap="round" d="m8.5 8.5 7 7m0-7-7 7"/>'
WHISTLE = (
    f'<path {LINE} d="M3 9.5h11.5L21 7v4.5h-2.6A5.6 5.6 0 1 1 8 13.5H3z"/>'
    '<circle cx="13" cy="14.4" r="1.9" fill="currentColor"/>'
)
FLAG = f'<path {LINE} d="M5.5 21V4h12l-2.6 4 2.6 4h-12"/>'
PEN = f'<path {LINE} d="M4 20l1.2-4.6L16.6 4a1.9 1.9 0 0 1 2.7 0l.7.7a1.9 1.9 0 0 1 0 2.7L8.6 18.8z"/>'

DRAWINGS: dict[str, str] = {
    "goal": BALL,
    "own-goal": BALL,
    "yellow-card": CARD.format("yellow"),
    "red-card": CARD.format("red"),
    "yellow-red-card": TWO_CARDS,
    "substitution": SWAP,
    "penalty-kick-missed": MISS,
    "yellow-flag": FLAG,
    "red-flag": FLAG,
    "text": PEN,
}
"""The last part of an event type → its drawing; the start and end of a period is a whistle."""

PERIOD_WORDS = ("start", "pause", "resume", "end")


def word_of(event_type: str) -> str:
    """The last part of an event type, `text` where there is none: the name of a drawing and of a style."""
    return event_type.rpartition(".")[2] or "text"


def marks_period(event_type: str) -> bool:
    return word_of(event_type).partition("-")[0] in PERIOD_WORDS


def icon(event_type: str) -> str:
    """The drawing for an event type as an SVG element that says nothing to a screen reader."""
    drawing = WHISTLE if marks_period(event_type) else DRAWINGS.get(word_of(event_type), FLAG)
    return f'<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{drawing}</svg>'
