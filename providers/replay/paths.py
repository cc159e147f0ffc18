"""The addresses of recordings whose provider has no replay module of its own: served under the recorded paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

LEFT_OUT = "…"
"""Stands where a recording left a secret out: there any text is the right one."""


class Source(NamedTuple):
    """Where an answer came from: the provider, its id of the match, and the path with its query below the base URL."""

    provider: str
    match: str
    path: str

    @property
    def match_id(self) -> str:
        """The name of the match among those of all providers."""
        return f"{self.provider}/{self.match}"

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Source | None:
        """Out of a line of a recording; None where its provider has a module (ValueError for half of one)."""
        if "provider" not in document:
            return None
        found = [document.get(name) for name in cls._fields]
        texts = [each for each in found if isinstance(each, str)]
        if len(texts) < len(found):
            raise ValueError("`provider`, `match` and `path` are strings, and given together")
        return cls(*texts)


class Address(NamedTuple):
    """The resource that a path names."""

    kind: str
    match_id: str


class _Known(NamedTuple):
    segments: tuple[str, ...]
    query: frozenset[tuple[str, str]]
    address: Address

    def meets(self, segments: tuple[str, ...], query: frozenset[tuple[str, str]]) -> bool:
        own = segments[-len(self.segments) :]
        return (
            self.query <= query
            and len(own) == len(self.segments)
            and all(LEFT_OUT in wanted or wanted == given for wanted, given in zip(self.segments, own, strict=True))
        )


class Paths:
    """Finds what a request is about: a recorded path at the end of its own, and in its query all that was recorded."""

    def __init__(self, recorded: Iterable[tuple[Source, str]]) -> None:
        known = {_known(source, kind) for source, kind in recorded if source.path}
        self._known = sorted(known, key=lambda each: (len(each.segments), len(each.query)), reverse=True)

    def address(self, path: str, query: str) -> Address | None:
        """The match and the resource; of several the one that the recording names most exactly, None for neither."""
        if not self._known:
            return None
        segments, items = _segments(path), frozenset(parse_qsl(query, keep_blank_values=True))
        return next((known.address for known in self._known if known.meets(segments, items)), None)


def _known(source: Source, kind: str) -> _Known:
    parts = urlsplit(source.path)
    return _Known(
        _segments(parts.path),
        frozenset(parse_qsl(parts.query, keep_blank_values=True)),
        Address(kind, source.match_id),
    )


def _segments(path: str) -> tuple[str, ...]:
    return tuple(unquote(segment) for segment in path.split("/") if segment)
