"""Good bodies made wrong: each field of each body in turn removed, nulled, retyped, and the rows of lists moved and doubled.

Bodies are changed as documents, and written again as the provider would write them: in JSON or in XML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from itertools import islice, product
from typing import Any, NamedTuple

from providers.xml_reader import TEXT, decode_xml

Bodies = dict[str, bytes]
Path = tuple[str | int, ...]

POISON = "\x00\x1b\ud800<script>"


NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML can have, not even as a number."""


@dataclass(frozen=True, slots=True)
class Notation:
    """`read`: body → document of objects, lists and values; `write`: the body again, with other white space if `spaced`."""

    read: Callable[[bytes], Any]
    write: Callable[..., bytes]


def _json(document: Any, *, spaced: bool = False) -> bytes:
    return json.dumps(document, indent=3 if spaced else None).encode()


def _xml(document: Any, *, spaced: bool = False) -> bytes:
    """Attributes become children, and what XML has no type for becomes text."""
    parts: list[str] = []
    _write("", document, parts.append)
    return ("\n  " if spaced else "").join(parts).encode()


def _write(name: str, value: Any, put: Callable[[str], None]) -> None:
    if isinstance(value, list):
        for each in value:
            _write(name, each, put)
    elif name == TEXT and not isinstance(value, dict):
        put(_text(value))
    else:
        opens, closes = _tags(name)
        put(opens)
        for inner, each in value.items() if isinstance(value, dict) else ((TEXT, value),):
            _write(inner, each, put)
        put(closes)


@cache
def _tags(name: str) -> tuple[str, str]:
    tag = name if NAME.fullmatch(name) else "_"
    return (f"<{tag}>", f"</{tag}>") if name else ("", "")


def _text(value: Any) -> str:
    return "" if value is None else escape(UNWRITABLE.sub("", str(value)), quote=False)


JSON = Notation(json.loads, _json)


def xml(*rows: str) -> Notation:
    """Notation of XML whose elements of these names are rows of lists."""
    decode = partial(decode_xml, "sample", rows=frozenset(rows))
    return Notation(lambda body: deepcopy(decode(body)), _xml)  # rules change what they read


@dataclass(frozen=True, slots=True)
class Mutation:
    """What is done to a field. `change` gives its new value from the old one; None removes it."""

    name: str
    change: Callable[[Any], Any] | None


def change_type(value: Any) -> Any:
    """Something of a type that the field cannot have."""
    return "?" if isinstance(value, dict | list) else {"?": ["?"]}


REMOVED, NULLED, RETYPED = (
    Mutation("removed", None),
    Mutation("nulled", lambda _: None),
    Mutation("retyped", change_type),
)
MUTATIONS = (REMOVED, NULLED, RETYPED)
ODD = (
    Mutation("listed", lambda value: [value, value]),
    Mutation("made a text", lambda _: "?"),
    Mutation("made huge", lambda _: 10**30),
    Mutation("made negative", lambda _: -1),
    Mutation("made a flag", lambda _: True),
    Mutation("made endless digits", lambda _: "9" * 5000),
    Mutation("made digits of another script", lambda _: "١٢"),
)
POISONED = Mutation("poisoned", lambda value: f"{POISON}{value}" if isinstance(value, str) else value)


class Hurt(NamedTuple):
    """A document with one field changed: in which resource, where, how, and all bodies as they are sent."""

    resource: str
    path: Path
    how: str
    bodies: Bodies

    def __str__(self) -> str:
        return f"{self.resource}: {'.'.join(map(str, self.path)) or 'all'} {self.how}"

    @property
    def field(self) -> str:
        """The name of the field; of a row of a bare list, its place."""
        names = [step for step in self.path if isinstance(step, str)]
        return names[-1] if names else ".".join(map(str, self.path))

    @property
    def corrects(self) -> bool:
        """Whether a row of a list is gone as a whole: so a provider takes something back."""
        return self.how == REMOVED.name and isinstance(self.path[-1], int)


def hurt(
    bodies: Bodies, mutations: tuple[Mutation, ...], rows: int = 3, notation: Notation = JSON, every: int = 1
) -> Iterator[Hurt]:
    """Each field (in `rows` rows of a list) changed by each mutation that changes it; of these changes each `every`th."""
    for resource, body in bodies.items():
        document = notation.read(body)
        for path, mutation in islice(product(_choose_fields(document, rows), mutations), 0, None, every):
            spoilt = _mutate(document, path, mutation, notation)
            if spoilt is not None:
                yield Hurt(resource, path, mutation.name, {**bodies, resource: spoilt})


def move_rows(bodies: Bodies, notation: Notation = JSON) -> Iterator[Hurt]:
    """Each list with its rows backwards, each row twice, and all of them again at the end."""
    for resource, body in bodies.items():
        document = notation.read(body)
        lists = [path for path, value in _fields(document) if isinstance(value, list) and value]
        for path in [*([()] if isinstance(document, list) else []), *lists]:
            for name, move in MOVES.items():
                yield Hurt(
                    resource, path, f"rows {name}", {**bodies, resource: _replace_value(document, path, move, notation)}
                )


MOVES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "in pairs": lambda rows: [row for row in rows for _ in "12"],
    "again": lambda rows: [*rows, *rows],
    "backwards": lambda rows: rows[::-1],
}


def _fields(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every field below a document with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key), item
        yield from _fields(item, (*path, key))


def _choose_fields(document: Any, rows: int) -> list[Path]:
    """The fields to be hurt: all that are called otherwise, each in so many rows of one list, evenly spread over it."""
    alike: dict[Path, list[Path]] = {}
    for path, _ in _fields(document):
        alike.setdefault(tuple("*" if isinstance(step, int) else step for step in path), []).append(path)
    return [path for paths in alike.values() for path in _spread(paths, rows)]


def _spread(paths: list[Path], rows: int) -> list[Path]:
    last = len(paths) - 1
    return [paths[at] for at in dict.fromkeys(round(last * step / max(rows - 1, 1)) for step in range(rows))]


def _mutate(document: Any, path: Path, mutation: Mutation, notation: Notation) -> bytes | None:
    """The document with one field changed, as it is sent; None where the mutation changes nothing."""
    parent = _at(document, path[:-1])
    value = parent[path[-1]]
    if mutation.change is None:
        return _remove(document, parent, path[-1], notation)
    changed = mutation.change(value)
    return None if changed is value else _replace_value(document, path, lambda _: changed, notation)


def _remove(document: Any, parent: Any, key: str | int, notation: Notation) -> bytes:
    if isinstance(parent, list):
        rows = list(parent)
        del parent[int(key)]
        spoilt = notation.write(document)
        parent[:] = rows
        return spoilt
    whole = dict(parent)
    del parent[key]
    spoilt = notation.write(document)
    parent.clear()
    parent.update(whole)
    return spoilt


def _replace_value(document: Any, path: Path, change: Callable[[Any], Any], notation: Notation) -> bytes:
    if not path:
        return notation.write(change(document))
    parent = _at(document, path[:-1])
    value = parent[path[-1]]
    parent[path[-1]] = change(value)
    spoilt = notation.write(document)
    parent[path[-1]] = value
    return spoilt


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document
