"""Rules for bodies that are good JSON and wrong: each field in turn is removed, nulled, retyped, poisoned and doubled."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mapping.errors import DownstreamRejected, InvalidRequest
from providers.contract.case import Violation, expect
from providers.contract.matches import keys_of, walk, without_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mapping.match import Match
    from providers.base import ProviderAdapter
    from providers.contract.case import Case, Sample

Path = tuple[str | int, ...]

DOCUMENTED = (DownstreamRejected, InvalidRequest)
"""What `translate` may raise: there is no match, or its sport is not supported."""

POISON = "\x00\x1b\ud800<script>"
REFUSED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Mutation:
    """What is done to a field. `change` gives its new value from the old one; None removes it."""

    name: str
    change: Callable[[Any], Any] | None


def retyped(value: Any) -> Any:
    """Something of a type that the field cannot have."""
    return "?" if isinstance(value, dict | list) else {"?": ["?"]}


RETYPED = Mutation("retyped", retyped)
MUTATIONS = (Mutation("removed", None), Mutation("nulled", lambda _: None), RETYPED)
ODD = (
    Mutation("listed", lambda value: [value, value]),
    Mutation("made a text", lambda _: "?"),
    Mutation("made huge", lambda _: 10**30),
    Mutation("made negative", lambda _: -1),
    Mutation("made a flag", lambda _: True),
)
POISONED = Mutation("poisoned", lambda value: f"{POISON}{value}" if isinstance(value, str) else value)


async def survives(case: Case) -> None:
    for sample, adapter, bodies in [await _opened(case, sample) for sample in case.samples]:
        for what, hurt in (*_hurt(bodies, MUTATIONS), *_hurt(bodies, ODD, rows=1)):
            _survived(adapter, sample, hurt, what)


async def faults(case: Case) -> None:
    for sample, adapter, bodies in [await _opened(case, sample) for sample in case.samples]:
        whole = adapter.translate(sample.match_id, bodies)
        for what, hurt in _hurt(bodies, (RETYPED,)):
            match = _survived(adapter, sample, hurt, what)
            if match is None or without_faults(match) == without_faults(whole):
                continue
            told = [f"{each.row} {each.field} {each.reason}" for each in match.faults]
            expect(told, f"{sample.name}: {what}: lost without a Fault")
            expect(any(_name(what) in words for words in told), f"{sample.name}: {what}: no Fault names it: {told[0]}")


async def doubles(case: Case) -> None:
    for sample, adapter, bodies in [await _opened(case, sample) for sample in case.samples]:
        known = set(keys_of(adapter.translate(sample.match_id, bodies)))
        for what, hurt in _doubled(bodies):
            match = _survived(adapter, sample, hurt, what)
            keys = [] if match is None else keys_of(match)
            expect(len(set(keys)) == len(keys), f"{sample.name}: {what}: keys stand twice")
            expect(set(keys) <= known, f"{sample.name}: {what}: becomes something new")


async def characters(case: Case) -> None:
    for sample, adapter, bodies in [await _opened(case, sample) for sample in case.samples]:
        for what, hurt in _hurt(bodies, (POISONED,)):
            match = _survived(adapter, sample, hurt, what)
            expect(REFUSED.search(_texts(match)) is None, f"{sample.name}: {what}: control characters come through")


async def _opened(case: Case, sample: Sample) -> tuple[Sample, ProviderAdapter, dict[str, bytes]]:
    return sample, *await case.bodies(sample)


def _survived(adapter: ProviderAdapter, sample: Sample, bodies: dict[str, bytes], what: str) -> Match | None:
    """The match in hurt bodies, None where there is none. Violation for any other exception than the documented ones."""
    try:
        match = adapter.translate(sample.match_id, bodies)
    except DOCUMENTED:
        return None
    except Exception as error:  # a crash, whatever it is
        raise Violation(f"{sample.name}: {what}: {type(error).__name__}: {error}") from error
    for fault in match.faults:
        expect(fault.resource and fault.reason, f"{sample.name}: {what}: a Fault that tells nothing: {fault}")
    return match


def _hurt(
    bodies: dict[str, bytes], mutations: tuple[Mutation, ...], rows: int = 3
) -> Iterator[tuple[str, dict[str, bytes]]]:
    """(what was done, all bodies) for each field (in `rows` rows of a list) and each mutation that changes it."""
    for resource, body in bodies.items():
        document = json.loads(body)
        for path in _chosen(document, rows):
            for mutation in mutations:
                hurt = _mutated(document, path, mutation)
                if hurt is not None:
                    yield f"{resource}: {_spelt(path)} {mutation.name}", {**bodies, resource: hurt}


def _doubled(bodies: dict[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """(what was done, all bodies) for each list whose rows come twice, one after the other and all at the end."""
    for resource, body in bodies.items():
        document = json.loads(body)
        lists = [path for path, value in _fields(document) if isinstance(value, list) and value]
        for path in [*([()] if isinstance(document, list) else []), *lists]:
            for name, double in (("in pairs", lambda rows: [row for row in rows for _ in "12"]), ("again", _again)):
                hurt = _replaced(document, path, double)
                yield f"{resource}: {_spelt(path)} rows {name}", {**bodies, resource: hurt}


def _again(rows: list[Any]) -> list[Any]:
    return [*rows, *rows]


def _fields(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every field below a document with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key), item
        yield from _fields(item, (*path, key))


def _chosen(document: Any, rows: int) -> list[Path]:
    """The fields to be hurt: all that are called otherwise, of rows of one list the first, the last and one in the middle."""
    alike: dict[Path, list[Path]] = {}
    for path, _ in _fields(document):
        alike.setdefault(tuple("*" if isinstance(step, int) else step for step in path), []).append(path)
    some = ((paths[0], paths[-1], paths[len(paths) // 2])[:rows] for paths in alike.values())
    return [path for paths in some for path in dict.fromkeys(paths)]


def _mutated(document: Any, path: Path, mutation: Mutation) -> bytes | None:
    """The document with one field changed, as it is sent; None where the mutation changes nothing."""
    parent = _at(document, path[:-1])
    value = parent[path[-1]]
    if mutation.change is None:
        return _removed(document, parent, path[-1])
    changed = mutation.change(value)
    return None if changed is value else _replaced(document, path, lambda _: changed)


def _removed(document: Any, parent: Any, key: str | int) -> bytes:
    if isinstance(parent, list):
        rows = list(parent)
        del parent[int(key)]
        hurt = json.dumps(document).encode()
        parent[:] = rows
        return hurt
    whole = dict(parent)
    del parent[key]
    hurt = json.dumps(document).encode()
    parent.clear()
    parent.update(whole)
    return hurt


def _replaced(document: Any, path: Path, change: Callable[[Any], Any]) -> bytes:
    if not path:
        return json.dumps(change(document)).encode()
    parent = _at(document, path[:-1])
    value = parent[path[-1]]
    parent[path[-1]] = change(value)
    hurt = json.dumps(document).encode()
    parent[path[-1]] = value
    return hurt


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _spelt(path: Path) -> str:
    return ".".join(map(str, path)) or "all"


def _name(what: str) -> str:
    """The name of the field that was hurt; of a row, its place."""
    steps = what.partition(": ")[2].rpartition(" ")[0].split(".")
    return next((step for step in reversed(steps) if not step.isdecimal()), steps[-1])


def _texts(match: Match | None) -> str:
    """All texts of a match as one."""
    values = () if match is None else (value for _, value in walk("match", match))
    return "".join(value for value in values if isinstance(value, str))
