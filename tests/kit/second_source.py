"""A match in another provider's words, under ids of its own, as the values that its adapter would give."""

from dataclasses import replace

from mapping.match.match import Match, Person, Side
from tests.kit.wire_forms.other_words import Rates, in_other_words, plain


def as_second_source(match: Match, seed: int, *, missing: float = 0.1) -> Match:
    """The same match in another provider's words. The same seed has each incident in the same form at every version."""
    match = in_other_words(match, seed, Rates(missing=missing))
    incidents = [
        replace(
            each,
            key=f"incident:z{each.key.removeprefix('incident:')}" if each.key.startswith("incident:") else each.key,
            people=tuple(replace(who, person=_person(who.person)) for who in each.people),
            created_at=None if each.created_at is None else each.created_at + 17,
        )
        for each in match.incidents
    ]
    sides = {"home": _side(match.home), "away": _side(match.away)}
    return replace(
        match, provider="second", match_id=f"z{match.match_id}", incidents=tuple(incidents), text=False, **sides
    )


def _side(side: Side | None) -> Side | None:
    if side is None:
        return None
    lineup, bench = (tuple(map(_person, group)) for group in (side.lineup, side.bench))
    names = {"name": side.short_name or side.name, "short_name": side.name}
    return replace(side, ext_id=f"t{side.ext_id}", lineup=lineup, bench=bench, **names)


def _person(person: Person) -> Person:
    """The surname first, without marks."""
    *first, last = plain(person.name).split() or ["?"]
    return replace(person, ext_id=f"z{person.ext_id}", name=" ".join([last, *first]), short_name=None)
