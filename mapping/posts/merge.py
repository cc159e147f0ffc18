"""Merges what the provider says with what a person changed: field by field the person wins, the rest follows the provider.

Three JSON documents meet: `said` (what the provider said last, as the ledger keeps it), `current` (what is stored now) and
`wanted` (what the provider says now). A unit whose current value is what the provider said last, or says now, takes the wanted
value; one that differs belongs to the person, until person and provider say the same, whoever comes last. Absent, null and empty
are the same value, because clients send them for each other.

Mappings of one type that stand for the same thing are merged field by field at any depth, the rows of some lists one by one;
everything else is one unit. Its name is the path to it, with dots: `scoreboard.score.home_score`, `contents.<local_id>`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

Document = dict[str, Any]

ROW_NAMES: Mapping[str, str] = {"contents": "local_id", "scores": "title"}
"""Lists that are merged row by row, and the field that names a row."""

_BLOCKS = "contents"
"""Each of these rows is one unit: half a text of a person and half of the provider's makes no text."""

_IDENTITY = ("_type", "_id", "local_id")
"""Mappings that differ here are not the same thing, so one stands instead of the other as a whole."""

_EMPTY: tuple[object, ...] = (None, "", [], {}, ())


def merge_event(said: Mapping[str, Any], current: Mapping[str, Any], wanted: Mapping[str, Any]) -> Document:
    """The event as it is stored from now on; a field that `wanted` does not name is one that the provider takes back."""
    return _merge_fields(said, current, wanted, _names(current, said, wanted))


def merge_game(said: Mapping[str, Any], current: Mapping[str, Any], wanted: Mapping[str, Any]) -> Document:
    """The liveblog as it is stored from now on: the parts that `wanted` names are merged, all others left as they are."""
    return _merge_fields(said, current, wanted, wanted)


def hand_back(current: Mapping[str, Any], said: Mapping[str, Any], names: Iterable[str] | None) -> Document:
    """The document after its units with these names are the provider's again: they take what the provider said last.

    `names` are those of `owners`, or of what holds such units (`scoreboard`, `contents`); None: all that `said` speaks of.
    A block that the provider never wrote stays, one that a person removed comes back.
    """
    chosen = None if names is None else frozenset(names)
    return _return_fields(current, said, chosen, said if chosen is None else _names(current, said))


def owners(said: Mapping[str, Any], current: Mapping[str, Any]) -> dict[str, str]:
    """Who owns each unit of a document now: `sync`, or `editor` where the stored value is not what the provider said last."""
    return {
        path: "sync" if same(old, now) else "editor"
        for name in _names(said, current)
        for path, old, now in _units(name, name, said.get(name), current.get(name))
    }


def adopt_block_ids(previous: Sequence[Document], sent: Sequence[Document]) -> list[Document]:
    """Give blocks that a client sent back without `local_id` the one of the stored block of the same type and position."""
    named = {block.get("local_id") for block in sent}
    free: dict[str, list[str]] = {}
    for block in previous:
        if block.get("local_id") and block["local_id"] not in named:
            free.setdefault(block.get("_type", ""), []).append(block["local_id"])
    adopted = []
    for block in sent:
        waiting = free.get(block.get("_type", ""), [])
        adopted.append(block if block.get("local_id") or not waiting else {**block, "local_id": waiting.pop(0)})
    return adopted


def same(one: object, other: object) -> bool:
    """Equal, where absent, null and empty are one value."""
    return one == other or (one in _EMPTY and other in _EMPTY)


def _merge_fields(
    said: Mapping[str, Any], current: Mapping[str, Any], wanted: Mapping[str, Any], names: Iterable[str]
) -> Document:
    document = dict(current)
    for name in names:
        _put(document, name, _merge(name, said.get(name), current.get(name), wanted.get(name)))
    return document


def _merge(name: str, old: Any, now: Any, new: Any) -> Any:
    """What is stored under a name from now on, where the provider said `old` last and says `new` now."""
    if same(now, old) or same(now, new):
        return new
    if _has_fields(name, now, new):
        before = old if isinstance(old, Mapping) else {}
        return _merge_fields(before, now, new, _names(now, before, new))
    if _has_rows(name, now, new):
        return _merge_rows(name, old, now, new)
    return _of_person(old, now) if same(new, None) and _has_fields(name, now, old) else now


def _of_person(old: Mapping[str, Any], now: Mapping[str, Any]) -> Document | None:
    """What a person has changed in something that the provider takes back; None where nothing is left of it."""
    kept = _merge_fields(old, now, {}, [field for field in _names(now, old) if field not in _IDENTITY])
    return kept if kept.keys() - set(_IDENTITY) else None


def _merge_rows(name: str, old: Any, now: Any, new: Any) -> list[Document]:
    """A person's own rows keep their place, a row that a person removed stays removed."""
    before, wanted = _by_name(name, old), _by_name(name, new)
    merged = [_merge(name, before.get(key), row, wanted.get(key)) for key, row in _rows(name, now)]
    kept = [row for row in merged if row]
    _insert_rows(name, kept, wanted, wanted.keys() - before.keys() - _by_name(name, now).keys())
    return kept


def _return_fields(
    current: Mapping[str, Any],
    said: Mapping[str, Any],
    chosen: frozenset[str] | None,
    names: Iterable[str],
    at: str = "",
) -> Document:
    document = dict(current)
    for name in names:
        _put(document, name, _return(name, f"{at}{name}", current.get(name), said.get(name), chosen))
    return document


def _return(name: str, path: str, now: Any, said: Any, chosen: frozenset[str] | None) -> Any:
    """What is stored at `path` once the units that are `chosen` (None: all) hold what the provider said last."""
    chosen = None if chosen is None or path in chosen else chosen
    if _has_rows(name, now, said):
        return _return_rows(name, path, now, said, chosen)
    if chosen is None:
        return said
    if _has_fields(name, now, said):
        return _return_fields(now, said, chosen, _names(now, said), f"{path}.")
    return now


def _return_rows(name: str, path: str, now: Any, said: Any, chosen: frozenset[str] | None) -> list[Document]:
    known = _by_name(name, said)
    rows = [
        _return(name, f"{path}.{key}", row, known[key], chosen) if key in known else row
        for key, row in _rows(name, now)
    ]
    removed = known.keys() - _by_name(name, now).keys()
    _insert_rows(name, rows, known, {key for key in removed if chosen is None or f"{path}.{key}" in chosen})
    return rows


def _units(name: str, path: str, old: Any, now: Any) -> Iterator[tuple[str, Any, Any]]:
    """The units at and below `path`: name, what the provider said last, what is stored now."""
    if _has_fields(name, now, old):
        for inner in _names(old, now):
            yield from _units(inner, f"{path}.{inner}", old.get(inner), now.get(inner))
    elif _has_rows(name, now, old):
        before, after = _by_name(name, old), _by_name(name, now)
        for key in _names(before, after):
            yield from _units(name, f"{path}.{key}", before.get(key), after.get(key))
    else:
        yield path, old, now


def _has_fields(name: str, now: Any, other: Any) -> bool:
    """Whether both are the same thing, field by field."""
    both = isinstance(now, Mapping) and isinstance(other, Mapping) and now and other
    return bool(both) and name != _BLOCKS and all(now.get(field) == other.get(field) for field in _IDENTITY)


def _has_rows(name: str, now: Any, other: Any) -> bool:
    """Whether these are lists whose rows are units: the provider's rows have names, each its own."""
    lists = name in ROW_NAMES and isinstance(now or [], list) and isinstance(other or [], list)
    return lists and len(_by_name(name, other)) == len(other or [])


def _insert_rows(name: str, kept: list[Document], wanted: Mapping[str, Document], names: Collection[str]) -> None:
    """Insert the wanted rows with these names, each behind the one that it follows in `wanted`."""
    at = 0
    for key, row in wanted.items():
        if key in names:
            kept.insert(at, row)
        at = next((index + 1 for index, (each, _) in enumerate(_rows(name, kept)) if each == key), at)


def _rows(name: str, rows: Sequence[Document] | None) -> list[tuple[str, Document]]:
    """Each row with its name, "" for one without."""
    return [(row.get(ROW_NAMES[name]) or "", row) for row in rows or ()]


def _by_name(name: str, rows: Sequence[Document] | None) -> dict[str, Document]:
    return {key: row for key, row in _rows(name, rows) if key}


def _names(*documents: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(name for document in documents for name in document))


def _put(document: Document, name: str, value: Any) -> None:
    if value is None:
        document.pop(name, None)
    else:
        document[name] = value
