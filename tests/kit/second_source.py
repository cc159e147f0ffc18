"""A match in another provider's words: other ids, names in another spelling, minutes one off, rows missing, all of it late."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mapping.match.match import Incident, Match, Person, Side

MINUTES_DIFFER, SPELT_APART = 0.016, 0.032
"""How often two providers differ in a minute, and in the spelling of a name, in matches that were compared."""


def as_second_source(match: Match, seed: int, *, missing: float = 0.1) -> Match:
    """The same match in another provider's words. The same seed has each incident in the same form at every version."""
    return replace(
        match,
        provider="second",
        match_id=f"z{match.match_id}",
        home=_side(match.home, seed),
        away=_side(match.away, seed),
        incidents=tuple(
            _incident(each, seed)
            for each in match.incidents
            if each.kind != "soccer.substitution" or chance(seed, "missing", each.key) >= missing
        ),
        comments=(),
        text=False,
    )


def second_key(key: str) -> str:
    """The key of an incident in the second source."""
    return f"incident:z{key.removeprefix('incident:')}" if key.startswith("incident:") else key


def chance(seed: int, *what: str) -> float:
    """A number below 1 that is the same for the same seed and words."""
    return random.Random(f"{seed} {what}").random()


def _incident(each: Incident, seed: int) -> Incident:
    people = tuple(replace(who, person=_person(who.person, seed)) for who in each.people)
    minute = each.minute
    if minute is not None and chance(seed, "minute", each.key) < MINUTES_DIFFER:
        minute += 1 if chance(seed, "sign", each.key) < 0.5 and minute not in {45, 90, 105, 120} else -1
    created = None if each.created_at is None else each.created_at + 17
    return replace(each, key=second_key(each.key), minute=minute, people=people, created_at=created)


def _side(side: Side | None, seed: int) -> Side | None:
    if side is None:
        return None
    return replace(
        side,
        ext_id=f"t{side.ext_id}",
        name=side.short_name or side.name,
        short_name=side.name,
        lineup=tuple(_person(each, seed) for each in side.lineup),
        bench=tuple(_person(each, seed) for each in side.bench),
    )


def _person(person: Person, seed: int) -> Person:
    """The surname first, without marks; now and then with an initial alone before it."""
    *first, last = _plain(person.name).split() or ["?"]
    name = " ".join([last, *first])
    if first and chance(seed, "spelling", person.ext_id) < SPELT_APART:
        name = f"{first[0][0]}. {last}"
    return replace(person, ext_id=f"z{person.ext_id}", name=name, short_name=None)


def _plain(name: str) -> str:
    apart = unicodedata.normalize("NFKD", name)
    return "".join(each for each in apart if not unicodedata.combining(each))
