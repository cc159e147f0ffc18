"""Good answers with one thing wrong in one resource, as a provider that errs once may give them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from tests.kit.scripted import Bodies

Path = tuple[Any, ...]
IDENTITIES = ("id", "goalID", "resultID")
OLDER = 4
"""Earlier bodies that are searched for rows that stood otherwise, where not all rows are wanted."""
NOTHING = [b"", b"null", b"[]", b"{}", b"[{}]", b'""']


class Spoilt(NamedTuple):
    """All bodies, of which one resource has something wrong. `news`: whether it may look like a correction."""

    resource: str
    how: str
    path: Path
    bodies: Bodies
    news: bool = False

    def __str__(self) -> str:
        return f"{self.resource}: {'.'.join(map(str, self.path))} {self.how}"


class Spoiler:
    """Spoils `bodies`: in each resource `rows` rows (None: all of them), drawn by `draw`. `earlier`: the answers before."""

    def __init__(self, bodies: Bodies, earlier: list[Bodies], draw: Random, rows: int | None) -> None:
        self.bodies, self.earlier, self.draw, self.rows = bodies, earlier, draw, rows

    def __iter__(self) -> Iterator[Spoilt]:
        for resource in self.bodies:
            document = json.loads(self.bodies[resource])
            yield from self._rows(resource, document)
            yield from self._lists(resource, document)
            yield from self._whole(resource, document)

    def _rows(self, resource: str, document: Any) -> Iterator[Spoilt]:
        """One row dropped, doubled, exchanged with another, under the id of another, or as it stood before."""
        paths = rows_of(document)
        for path in self._drawn(paths):
            siblings, place = at(document, path[:-1]), path[-1]
            yield self._spoilt(resource, document, path, "dropped", without)
            yield self._spoilt(resource, document, path, "doubled", doubled)
            if len(siblings) > 1:
                other = self.draw.choice([each for each in range(len(siblings)) if each != place])
                yield self._spoilt(resource, document, path, f"exchanged with {other}", exchanged(other))
                if identity(siblings[place]) and identity(siblings[other]):
                    yield self._spoilt(resource, document, path, f"under the id of {other}", renamed(other), news=True)
        older = self._older(resource, document)
        for path in self._drawn(sorted(older, key=str)):
            row = self.draw.choice(older[path])
            yield self._spoilt(resource, document, path, "as it stood before", replaced(row), news=True)

    def _lists(self, resource: str, document: Any) -> Iterator[Spoilt]:
        """One list backwards, empty, null or not there."""
        for path in self._drawn(lists_of(document)):
            yield self._made(resource, path, "backwards", changed(document, path, lambda rows: rows[::-1]))
            if path:
                yield self._made(resource, path, "empty", changed(document, path, lambda _: []))
                yield self._made(resource, path, "null", changed(document, path, lambda _: None))
                yield self._made(resource, path, "not there", dropped(document, path))

    def _whole(self, resource: str, document: Any) -> Iterator[Spoilt]:
        """All of it something else: nothing, in any form, what it was before, or with ids of another type."""
        for nothing in self._drawn(NOTHING):
            yield Spoilt(resource, f"{nothing.decode()!r}", (), {**self.bodies, resource: nothing})
        yield self._made(resource, (), "with ids of another type", retyped(document))
        for body in self._drawn(self._before(resource)):
            yield Spoilt(resource, "stale", (), {**self.bodies, resource: body}, news=True)

    def _older(self, resource: str, document: Any) -> dict[Path, list[Any]]:
        """Path of each row that once stood otherwise → how."""
        now = by_identity(document)
        found: dict[Path, list[Any]] = {}
        before = self._before(resource)
        for body in before if self.rows is None else self.draw.sample(before, min(OLDER, len(before))):
            for name, (_, row) in by_identity(json.loads(body)).items():
                if name in now and row != now[name][1] and row not in found.get(now[name][0], ()):
                    found.setdefault(now[name][0], []).append(row)
        return found

    def _before(self, resource: str) -> list[bytes]:
        """The bodies that it had before."""
        return list(dict.fromkeys(each[resource] for each in self.earlier if resource in each))

    def _drawn(self, found: list[Any]) -> list[Any]:
        return found if self.rows is None else self.draw.sample(found, min(self.rows, len(found)))

    def _spoilt(
        self,
        resource: str,
        document: Any,
        path: Path,
        how: str,
        change: Callable[[Any, int], Any],
        *,
        news: bool = False,
    ) -> Spoilt:
        spoilt = changed(document, path[:-1], lambda rows: change(rows, path[-1]))
        return self._made(resource, path, how, spoilt, news=news)

    def _made(self, resource: str, path: Path, how: str, spoilt: Any, *, news: bool = False) -> Spoilt:
        body = json.dumps(spoilt, ensure_ascii=False).encode()
        return Spoilt(resource, how, path, {**self.bodies, resource: body}, news)


def without(rows: list[Any], place: int) -> list[Any]:
    return [*rows[:place], *rows[place + 1 :]]


def doubled(rows: list[Any], place: int) -> list[Any]:
    return [*rows[:place], rows[place], *rows[place:]]


def exchanged(other: int) -> Callable[[list[Any], int], list[Any]]:
    def change(rows: list[Any], place: int) -> list[Any]:
        swapped = {place: rows[other], other: rows[place]}
        return [swapped.get(each, row) for each, row in enumerate(rows)]

    return change


def renamed(other: int) -> Callable[[list[Any], int], list[Any]]:
    def change(rows: list[Any], place: int) -> list[Any]:
        row = {**rows[place], **{name: rows[other][name] for name in IDENTITIES if name in rows[other]}}
        return replaced(row)(rows, place)

    return change


def replaced(row: Any) -> Callable[[list[Any], int], list[Any]]:
    return lambda rows, place: [*rows[:place], row, *rows[place + 1 :]]


def rows_of(document: Any, path: Path = ()) -> list[Path]:
    """Where the rows of its lists are, at any depth."""
    return [
        (*found, place) for found in lists_of(document, path) for place in range(len(at(document, found[len(path) :])))
    ]


def lists_of(document: Any, path: Path = ()) -> list[Path]:
    """Where its lists are, at any depth, those without rows left out."""
    found = [path] if isinstance(document, list) and document else []
    return found + [each for key, value in children(document) for each in lists_of(value, (*path, key))]


def children(document: Any) -> list[tuple[Any, Any]]:
    if isinstance(document, dict):
        return list(document.items())
    return list(enumerate(document)) if isinstance(document, list) else []


def at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def changed(document: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """The document with something else at that path."""
    if not path:
        return change(document)
    key, *below = path
    copied = list(document) if isinstance(document, list) else dict(document)
    copied[key] = changed(document[key], tuple(below), change)
    return copied


def dropped(document: Any, path: Path) -> Any:
    """The document without what is at that path, which may be a row or a field."""
    *above, key = path
    drop = {
        list: lambda rows: without(rows, key),
        dict: lambda fields: {name: value for name, value in fields.items() if name != key},
    }
    return changed(document, tuple(above), lambda value: drop[type(value)](value))


def retyped(document: Any) -> Any:
    """The document with each id that is a number as a text, and each that is digits as a number."""
    if isinstance(document, dict):
        return {name: other_type(value) if name in IDENTITIES else retyped(value) for name, value in document.items()}
    return [retyped(each) for each in document] if isinstance(document, list) else document


def other_type(value: Any) -> Any:
    if type(value) is int:
        return str(value)
    return int(value) if isinstance(value, str) and value.isdecimal() and value == str(int(value)) else value


def identity(row: Any) -> Any:
    """What distinguishes a row from those beside it, None where nothing does."""
    return next((row[name] for name in IDENTITIES if name in row), None) if isinstance(row, dict) else None


def by_identity(document: Any) -> dict[Path, tuple[Path, Any]]:
    """Name of each row, by the ids of the rows that it is in → where it is, and the row."""
    found = {}
    for path in rows_of(document):
        name, value = [], document
        for key in path:
            value = value[key]
            name.append(key if isinstance(key, str) or identity(value) is None else (identity(value),))
        found[tuple(name)] = (path, value)
    return found
