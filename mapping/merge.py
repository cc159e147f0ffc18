"""Merging what the provider says with what a person changed, unit by unit: the person wins, the other units follow the provider.

Three JSON documents meet: `written` (what the sync wrote last), `current` (what is stored now) and `wanted` (what the provider
says now). A unit whose current value still is what the sync wrote takes the wanted value; one that differs belongs to the person,
until provider and person agree on a value. Absent, null and empty are the same value, because clients send them for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

Document = dict[str, Any]

NESTED_IN_EVENT = frozenset({"sport_event"})
"""Parts of an event that are merged field by field."""

NESTED_IN_GAME = frozenset({"meta_info", "scoreboard", "squads"})
"""Parts of a liveblog that are merged field by field; its other parts are one unit each."""

_EMPTY: tuple[object, ...] = (None, "", [], {}, ())


class Merged(NamedTuple):
    document: Document
    written: Document
    """What the sync has to keep as its own last word."""


def merge_event(written: Mapping[str, Any], current: Mapping[str, Any], wanted: Mapping[str, Any]) -> Merged:
    """Merge an event: scalar fields, the sport event field by field, `contents` block by block."""
    rest = merge_fields(_without_blocks(written), _without_blocks(current), _without_blocks(wanted), NESTED_IN_EVENT)
    blocks = merge_blocks(_blocks(written), _blocks(current), _blocks(wanted))
    return Merged(
        {**rest.document, "contents": blocks.current},
        {**rest.written, "contents": blocks.written},
    )


def merge_game(written: Mapping[str, Any], current: Mapping[str, Any], wanted: Mapping[str, Any]) -> Merged:
    """Merge the parts of a liveblog that `wanted` names; everything else in `current` is left as it is."""
    return merge_fields(written, current, wanted, NESTED_IN_GAME, only_wanted=True)


def merge_fields(
    written: Mapping[str, Any],
    current: Mapping[str, Any],
    wanted: Mapping[str, Any],
    nested: frozenset[str] = frozenset(),
    *,
    only_wanted: bool = False,
) -> Merged:
    """Merge mappings field by field; those in `nested` one level deeper.

    With `only_wanted`, a field that `wanted` does not name is nobody's business; otherwise its absence is the provider's word.
    """
    names = list(wanted) if only_wanted else list(dict.fromkeys((*current, *written, *wanted)))
    document, last_words = dict(current), dict(written)
    for name in names:
        units = written.get(name), current.get(name), wanted.get(name)
        now, last = _merge_nested(*units) if name in nested else _merge_unit(*units)
        _put(document, name, now)
        _put(last_words, name, last)
    return Merged(document, last_words)


def _merge_unit(old: Any, now: Any, new: Any) -> tuple[Any, Any]:
    """What is stored from now on, and the sync's last word."""
    return (new, new) if same(now, old) or same(now, new) else (now, old)


def _merge_nested(old: Any, now: Any, new: Any) -> tuple[Any, Any]:
    if isinstance(new, Mapping) and (now or not old):
        return merge_fields(old or {}, now or {}, new)
    return _merge_unit(old, now, new)


class MergedBlocks(NamedTuple):
    current: list[Document]
    written: list[Document]


def merge_blocks(written: Sequence[Document], current: Sequence[Document], wanted: Sequence[Document]) -> MergedBlocks:
    """Merge content blocks by `local_id`: the editor's own keep their place, what the editor removed stays removed."""
    old, new = _by_id(written), _by_id(wanted)
    kept: list[Document] = []
    last_words: dict[str, Document] = {}
    for block in current:
        name = block.get("local_id", "")
        stays, last = _merge_block(old.get(name), block, new.get(name))
        kept += [stays] if stays else []
        last_words |= {name: last} if last else {}
    present = {block.get("local_id") for block in current}
    absent = {name: block for name, block in new.items() if name not in present}
    _insert_blocks(kept, new, absent.keys() - old.keys())
    return MergedBlocks(kept, [*last_words.values(), *(old.get(name, block) for name, block in absent.items())])


def _merge_block(old: Document | None, now: Document, new: Document | None) -> tuple[Document | None, Document | None]:
    """What stays of a stored block, and the sync's last word on it; neither where it is to go."""
    if old is None and new is None:
        return now, None
    if same(now, old) or same(now, new):
        return new, new
    return now, new if old is None else old


def _insert_blocks(kept: list[Document], wanted: Mapping[str, Document], names: Collection[str]) -> None:
    """Insert the wanted blocks with these names, each behind the one that it follows in `wanted`."""
    at = 0
    for name, block in wanted.items():
        if name in names:
            kept.insert(at, block)
        at = next((index + 1 for index, each in enumerate(kept) if each.get("local_id") == name), at)


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


def owners(written: Mapping[str, Any], current: Mapping[str, Any], nested: frozenset[str]) -> dict[str, str]:
    """Who owns each unit of a document now: `sync`, or `editor` where the stored value is not what the sync wrote."""
    found: dict[str, str] = {}
    for name in dict.fromkeys((*written, *current)):
        old, now = written.get(name), current.get(name)
        if name in nested and isinstance(old, Mapping) and isinstance(now, Mapping):
            found |= {f"{name}.{inner}": who for inner, who in owners(old, now, frozenset()).items()}
        elif name == "contents":
            found |= _block_owners(_by_id(_blocks(written)), _by_id(_blocks(current)))
        else:
            found[name] = "sync" if same(old, now) else "editor"
    return found


def same(one: object, other: object) -> bool:
    """Equal, where absent, null and empty are one value."""
    return one == other or (one in _EMPTY and other in _EMPTY)


def _block_owners(old: Mapping[str, Document], now: Mapping[str, Document]) -> dict[str, str]:
    return {
        f"contents.{name}": "sync" if same(old.get(name), now.get(name)) else "editor"
        for name in dict.fromkeys((*old, *now))
    }


def _put(document: Document, name: str, value: Any) -> None:
    if value is None:
        document.pop(name, None)
    else:
        document[name] = value


def _blocks(document: Mapping[str, Any]) -> list[Document]:
    return list(document.get("contents") or ())


def _without_blocks(document: Mapping[str, Any]) -> Document:
    return {name: value for name, value in document.items() if name != "contents"}


def _by_id(blocks: Sequence[Document]) -> dict[str, Document]:
    return {block["local_id"]: block for block in blocks if block.get("local_id")}
