"""Which sport something belongs to, as far as it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from providers.fault_collector import ValueMismatch
from providers.gn_gsd.payload import MATCH
from providers.gn_gsd.read import Node
from providers.gn_gsd.words import plain, words

if TYPE_CHECKING:
    from providers.gn_gsd.payload import Target

SPORTS = ("soccer", "cycling")
PREFIX = "sport_"


def sport_of(of: Target, found: Node) -> str:
    """`soccer`, `cycling`, or the name of another sport; where none is told, a match is soccer and the rest cycling.

    An id alone says nothing as long as nobody has put it into the table of names.
    """
    told = _told(found)
    for sport in SPORTS:
        if {plain(word) for word in told} & words(found.names, f"{PREFIX}{sport}"):
            return sport
    named = told[1] if len(told) > 1 else ""
    return (plain(named) and named) or ("soccer" if of.kind == MATCH else "cycling")


def _told(found: Node) -> tuple[str, ...]:
    """(id, name) of the sport, or its one word twice."""
    try:
        _, value = found.first("sport")
        if isinstance(value, dict):
            row = Node(value, found.names)
            ident, name = row.ident("id") or "", row.text("name")
            return (ident, name) if name else (ident,)
        word = found.text("sport")
    except ValueMismatch:
        return ()
    return (word, word) if word else ()
