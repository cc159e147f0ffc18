"""Where documents name files by their addresses: photos, logos, the entries of `media`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mapping.match.references import named_by

FIELDS = frozenset({"source_url", "image", "banner_image", "cover_image"})
"""Fields that hold the address of a file wherever they stand."""
MEDIA_URL = re.compile(r"(?:^|\.)media\.\d+\.url$")
"""The path of an entry's address."""


def addresses_in(document: Any, *, named: bool = True) -> Iterator[tuple[str, str]]:
    """(path, address) of each file that the document, a JSON value, names, in its order.

    `named`: also of records that the document names by their `_id`, whose own files they are.
    """
    found = _named(document, "", named) if _has_files(document) else ()
    return ((path, address) for _, _, path, address in found)


def replace_addresses(document: Any, new: Mapping[str, str]) -> None:
    """Put into the document, which is changed, a new address for each of its addresses that is a key of `new`."""
    for holder, name, _, address in _named(document, "", named=True):
        holder[name] = new.get(address, address)


def _has_files(document: Any) -> bool:
    """Whether a file can be named anywhere: most posts name none, and a look without paths costs an eighth of the walk."""
    waiting: list[Any] = [document]
    while waiting:
        each = waiting.pop()
        if type(each) is dict:
            if each.get("media") or not FIELDS.isdisjoint(each):
                return True
            each = each.values()
        elif type(each) is not list:
            continue
        for part in each:
            if (made := type(part)) is dict or made is list:
                waiting.append(part)  # noqa: PERF401 -- most have none or one
    return False


def _named(document: Any, path: str, named: bool) -> Iterator[tuple[Any, Any, str, str]]:
    """What holds an address, under which name or place, its path and the address."""
    if path and not named and isinstance(document, dict) and named_by(document):
        return
    for name, value in _parts(document):
        there = f"{path}.{name}".lstrip(".")
        if not isinstance(value, str):
            yield from _named(value, there, named)
        elif value and (name in FIELDS or MEDIA_URL.search(there)):
            yield document, name, there, value


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    """What stands in an object or array, by name or place."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
