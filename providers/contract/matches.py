"""Rules of `translate`: pure, frozen, the same for the same, and keyed so that nothing is ever posted twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Any

from mapping.errors import DownstreamRejected
from mapping.match.match import PERIOD_KEY, Match
from providers.contract.case import Case, Sample, expect

PLAIN = (str, int, bool, type(None), Enum)
PERIOD = re.compile(r"[a-z_]+\.(start|end|pause|resume)(-[a-z-]+)?")
"""Event types that begin or end a part of a match."""

TIMES = ("kickoff", "created_at", "phase_started_at", "break_started_at", "birthdate")
ERA = range(-3_000_000_000, 4_200_000_000)
"""Unix seconds of anybody who may play and of any match; milliseconds lie beyond."""

BOUNDS = {"minute": range(200), "added": range(60), "phase": range(12)}
OTHER_ID = "999999999"


async def identity(case: Case) -> None:
    for sample in case.samples:
        match, _ = await _match(case, sample)
        found = (match.provider, match.match_id, match.sport)
        expect(found == (case.provider.id, sample.match_id, sample.sport), f"{sample.name}: it is {found}")
        same = sample.kickoff in (None, match.kickoff)
        expect(same, f"{sample.name}: kick-off is {match.kickoff}, not {sample.kickoff}")
        expect(not match.faults, f"{sample.name}: its own fixture has faults: {match.faults[:1]}")


async def pure(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            fetched = await opened.fetch()
            bodies = {each.resource: each.body for each in fetched.changed if each.body is not None}
            requested, frozen = len(opened.server.requests), MappingProxyType(dict(bodies))
            once, twice = opened.translate(frozen), opened.translate(bodies)
            expect(once == twice, f"{sample.name}: translated twice, two matches")
            expect(bodies == dict(frozen), f"{sample.name}: the bodies were changed")
            expect(len(opened.server.requests) == requested, f"{sample.name}: something was requested")
        expect(opened.translate(bodies) == once, f"{sample.name}: closed, it translates otherwise")


async def frozen(case: Case) -> None:
    for sample in case.samples:
        match, _ = await _match(case, sample)
        expect(isinstance(match, Match), f"{sample.name}: a {type(match).__name__} is no Match")
        for path, value in walk("match", match):
            shape = is_dataclass(value) and _immutable(value)
            expect(shape or isinstance(value, (*PLAIN, tuple, frozenset)), f"{path} is a {type(value).__name__}")


def _immutable(value: object) -> bool:
    """Whether assigning to a dataclass is refused."""
    return bool(getattr(type(value), "__dataclass_params__").frozen)  # noqa: B009 -- no type stub knows it


async def equal(case: Case) -> None:
    for sample in case.samples:
        match, bodies = await _match(case, sample)
        again = {
            name: sample.notation.write(_backwards(sample.notation.read(body)), spaced=True)
            for name, body in bodies.items()
        }
        expect(await _translate(case, sample, again) == match, f"{sample.name}: other spaces, another match")


async def rejects(case: Case) -> None:
    for sample in case.samples:
        adapter, bodies = await case.bodies(sample)
        main, *others = bodies
        without = {name: bodies[name] for name in others}
        hopeless: tuple[tuple[str, str, dict[str, bytes]], ...] = (
            ("nothing", sample.match_id, {}),
            ("all but the match", sample.match_id, without),
            ("an empty match", sample.match_id, {**bodies, main: b"{}"}),
            ("HTML", sample.match_id, {**bodies, main: b"<html>"}),
            ("another match", OTHER_ID, bodies),
        )
        for name, match_id, given in hopeless:
            try:
                adapter.translate(match_id, given)
            except DownstreamRejected:
                continue
            expect(kept=False, otherwise=f"{sample.name}: {name} became a match")


async def unique(case: Case) -> None:
    for sample in case.samples:
        match, _ = await _match(case, sample)
        keys = keys_of(match)
        twice = sorted({key for key in keys if keys.count(key) > 1})
        expect(not twice, f"{sample.name}: keys that stand twice: {', '.join(twice)}")
        known = {incident.key for incident in match.incidents}
        expect(all(known), f"{sample.name}: an incident without a key")


async def stable(case: Case) -> None:
    for sample in case.samples:
        match, bodies = await _match(case, sample)
        turned = {name: sample.notation.write(_turn_lists(sample.notation.read(body))) for name, body in bodies.items()}
        again = await _translate(case, sample, turned)
        expect(
            _kinds(again) == _kinds(match), f"{sample.name}: rows in another order, other keys: {_odd(match, again)}"
        )


async def periods(case: Case) -> None:
    for sample in case.samples:
        for incident in (await _match(case, sample))[0].incidents:
            marks = PERIOD.fullmatch(incident.kind) is not None
            wanted = f"{PERIOD_KEY}{incident.kind}"
            kept = incident.key == wanted or not (marks or incident.key.startswith(PERIOD_KEY))
            expect(kept, f"{sample.name}: {incident.kind} is keyed {incident.key!r}")


async def kinds(case: Case) -> None:
    for sample in case.samples:
        known = case.provider.catalog.get(sample.sport)
        expect(known is not None, f"{sample.sport} is not in the catalogue")
        odd = {each.kind for each in (await _match(case, sample))[0].incidents} - set(known or ())
        expect(not odd, f"{sample.name}: not in the catalogue: {', '.join(sorted(odd))}")


async def times(case: Case) -> None:
    for sample in case.samples:
        match, _ = await _match(case, sample)
        for path, value in walk("match", match):
            name = path.rpartition(".")[2]
            allowed = ERA if name in TIMES else BOUNDS.get(name)
            if value is None or allowed is None:
                continue
            expect(type(value) is int and value in allowed, f"{sample.name}: {path} is {value!r}")


async def _match(case: Case, sample: Sample) -> tuple[Match, dict[str, bytes]]:
    adapter, bodies = await case.bodies(sample)
    return adapter.translate(sample.match_id, bodies), bodies


async def _translate(case: Case, sample: Sample, bodies: dict[str, bytes]) -> Match:
    adapter = case.connect("http://127.0.0.1:9")
    await adapter.aclose()
    return adapter.translate(sample.match_id, bodies)


def keys_of(match: Match) -> list[str]:
    """The keys of everything that becomes a post."""
    standing = [comment.key for comment in match.comments]
    return [*(incident.key for incident in match.incidents), *standing]


def without_faults(match: Match) -> Match:
    return replace(match, faults=())


def _kinds(match: Match) -> dict[str, str]:
    return {each.key: each.kind for each in match.incidents} | {each.key: "text" for each in match.comments}


def _odd(one: Match, other: Match) -> str:
    return ", ".join(sorted(key for key, _ in _kinds(one).items() ^ _kinds(other).items()))


def walk(path: str, value: object) -> Iterator[tuple[str, object]]:
    """Every value of a match with its path; into frozen dataclasses and tuples."""
    yield path, value
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from walk(f"{path}.{each.name}", getattr(value, each.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from walk(path, item)


def _backwards(value: Any) -> Any:
    """The same document, its objects written from the end."""
    if isinstance(value, dict):
        return {key: _backwards(value[key]) for key in reversed(value)}
    return [_backwards(item) for item in value] if isinstance(value, list) else value


def _turn_lists(value: Any) -> Any:
    """The document with every list from the end."""
    if isinstance(value, dict):
        return {key: _turn_lists(item) for key, item in value.items()}
    return [_turn_lists(item) for item in reversed(value)] if isinstance(value, list) else value
