"""Decodes bodies of Global Sports Data: a match, phase or overall, its sport, its line-ups, and its rows of actions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import quote

from mapping.errors import BadBody, MatchUnknown
from providers.base import Selector
from providers.fault_collector import ValueMismatch, read_if_fits
from providers.fetch import decode
from providers.gn_gsd.names import keywords, plain
from providers.gn_gsd.read import Node, walk, ways

MATCH, LINEUPS, ACTIONS, PHASE, OVERALL = "match", "lineups", "actions", "phase", "overall"
"""Names of the resources."""

Kind = Literal["match", "phase", "overall"]
PREFIXED = re.compile(r"(phase|overall):(.+)", re.DOTALL)
TELLTALE = ("id", "name", "home", "away", "kickoff", "score_home", "status", "related")
"""Names of fields that every match, phase or overall has some of."""

IMPOSSIBLE = frozenset({".", ".."})
LONGEST = 64

SPORTS = ("soccer", "cycling")
SPORT_PREFIX = "sport_"

MISSING = b"{}"
"""Stands for a resource that the provider does not have (yet)."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is followed: a match, or a phase or an overall that is a race of its own. `id` is the provider's."""

    kind: Kind
    id: str

    @property
    def match_id(self) -> str:
        """The id in liveblogs and requests: a match's own, that of a race behind its kind."""
        return self.id if self.kind == MATCH else f"{self.kind}:{self.id}"

    @property
    def segment(self) -> str:
        """The id as one segment of a path."""
        return quote(self.id, safe="")


def target(match_id: str) -> Target:
    """The inverse of `Target.match_id`."""
    found = PREFIXED.fullmatch(match_id)
    return Target(cast("Kind", found[1]), found[2]) if found else Target("match", match_id)


def choose_target(selector: Selector) -> Target | None:
    """What a caller named, None for what cannot be an id. Ids are opaque: case stays, any form is taken.

    The `match_id` of a race is taken where a match is named.
    """
    ident = selector.id.strip()
    found = target(ident) if selector.kind == MATCH else Target(selector.kind, ident)
    if not found.id or len(ident) > LONGEST or not ident.isprintable() or found.id in IMPOSSIBLE:
        return None
    return found


def entity(of: Target, body: bytes, names: Mapping[str, str]) -> Node:
    """The match, phase or overall in its body, with or without an envelope.

    MatchUnknown for a well-formed answer without it (nothing, or one without an id), BadBody for any other.
    """
    value = decode(of.kind, body)
    if value in ([], {}, None):
        raise MatchUnknown(f"the provider does not know the {of.kind}")
    if not isinstance(value, dict):
        raise BadBody(f"{of.kind}: object expected")
    found = _inside(Node(value, names), f"{of.kind}_envelope")
    ids = {each for key in ("id", "foreign_id") if (each := read_if_fits(found.ident, key)) is not None}
    if not ids and not _is_known(value, names, f"{of.kind}_envelope"):
        raise BadBody(f"{of.kind}: the answer is about something else")
    if not ids:
        raise MatchUnknown(f"the provider does not know the {of.kind}")
    if of.id not in ids:
        raise BadBody(f"{of.kind}: the answer is about another {of.kind}")
    return found


def _is_known(value: Mapping[str, Any], names: Mapping[str, str], envelope: str) -> bool:
    """Whether an answer has any field by which an entity, or the envelope around it, is known."""
    paths = (path for key in (envelope, *TELLTALE) for path in names[key].split("|"))
    return not value.keys().isdisjoint({path.split(".")[0] for path in paths})


def _inside(found: Node, envelope: str) -> Node:
    """Fields are named from the object on, whatever is around it."""
    inner = read_if_fits(found.part, envelope)
    return found if inner is None else Node(inner.data, found.names)


def lineups(body: bytes, names: Mapping[str, str]) -> Node:
    """The object that holds both sides of the line-ups. BadBody where the answer is no object."""
    value = decode(LINEUPS, body)
    if isinstance(value, dict):
        return Node(value, names)
    raise BadBody(f"{LINEUPS}: object expected")


def action_rows(body: bytes, names: Mapping[str, str]) -> tuple[tuple[str, Any], ...]:
    """(path, row) of the actions, unchecked one by one; nothing in an empty object. BadBody for anything else."""
    value = decode(ACTIONS, body)
    if value == {}:
        return ()
    if not isinstance(value, dict):
        raise BadBody(f"{ACTIONS}: object expected")
    try:
        rows = Node(value, names).items("actions")
    except ValueMismatch:
        raise BadBody(f"{ACTIONS}: list expected") from None
    if not rows and not any(path.split(".")[0] in value for path in names["actions"].split("|")):
        raise BadBody(f"{ACTIONS}: the answer is about something else")
    if rows and not any(isinstance(row, dict) for _, row in rows):
        raise BadBody(f"{ACTIONS}: the answer is about something else")
    return rows


def none_listed(body: bytes, names: Mapping[str, str]) -> bool:
    """Whether an answer without actions has an empty list of them, and so says that there are none; null says nothing."""
    value = decode(ACTIONS, body)
    return any(walk(value, steps, "") == [] for _, steps in ways(names["actions"]))


def contained_matches(found: Node) -> tuple[Node, ...]:
    """The matches that a phase or an overall lists, those of its phases too; what is no object is passed over."""
    phases = [found, *_members(found, "contained_phases")]
    return tuple(match for phase in phases for match in _members(phase, "contained_matches"))


def _members(found: Node, key: str) -> list[Node]:
    members = read_if_fits(found.items, key) or ()
    return [Node(member, found.names, f"{path}.") for path, member in members if isinstance(member, dict)]


def sport_of(of: Target, found: Node) -> str:
    """`soccer`, `cycling`, or the name of another sport; where it names none, a match is soccer and the rest cycling.

    An id alone decides nothing as long as nobody has put it into the table of names.
    """
    return sport_named(found) or ("soccer" if of.kind == MATCH else "cycling")


def sport_named(found: Node) -> str | None:
    """`soccer`, `cycling`, or the name of another sport; None where none is named."""
    values = _sport_field(found)
    for sport in SPORTS:
        if {plain(value) for value in values} & keywords(found.names, f"{SPORT_PREFIX}{sport}"):
            return sport
    named = values[1] if len(values) > 1 else ""
    return named if plain(named) else None


def _sport_field(found: Node) -> tuple[str, ...]:
    """(id, name) of the sport, or its only value twice."""
    try:
        _, value = found.first("sport")
        if isinstance(value, dict):
            row = Node(value, found.names)
            ident, name = row.ident("id") or "", row.text("name")
            return (ident, name) if name else (ident,)
        value = found.text("sport")
    except ValueMismatch:
        return ()
    return (value, value) if value else ()
