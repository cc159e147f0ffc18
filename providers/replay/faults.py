"""Faults that a person switches on for a resource while a replay runs: what providers do on bad days."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

Mode = Literal[
    "timeout", "500", "503", "401", "403", "404", "429", "truncated", "cut", "empty", "html",
    "wrong_types", "vanished", "duplicated", "empty_list", "drip", "oversized",
]  # fmt: skip
MODES: tuple[str, ...] = get_args(Mode)
JSON, HTML = "application/json; charset=utf-8", "text/html; charset=utf-8"
PAGE = b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>"
STRUCTURAL = frozenset({"playing", "coaching", "match"})


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault: what goes wrong, for which resource (None = any), for how many answers (None = until cleared)."""

    mode: str
    kind: str | None = None
    match_id: str | None = None
    count: int | None = None
    retry_after: str = "2"
    """Sent with 429 and 503 as it stands, so that dates and nonsense can be tried."""
    incident: str | None = None
    """The id that vanishes or doubles; without it the last incident that is no squad row and no period."""
    size: int = 32 * 1024 * 1024
    """Bytes of an oversized body."""
    seconds: float = 10.0
    """How long a dripping body takes."""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"fault mode {self.mode!r} is not one of {', '.join(MODES)}")
        if self.count is not None and self.count < 1:
            raise ValueError("a fault lasts for at least one answer")

    def meets(self, kind: str, match_id: str) -> bool:
        return self.kind in (None, kind) and self.match_id in (None, match_id)


class Faults:
    """The faults that are on; of several that meet a request, the oldest is taken."""

    def __init__(self) -> None:
        self._active: list[Fault] = []

    @property
    def active(self) -> tuple[Fault, ...]:
        return tuple(self._active)

    def add(self, mode: str, **fields: Any) -> Fault:
        """Switch a fault on; the fields are those of `Fault` (ValueError, TypeError for what is none)."""
        fault = Fault(mode=mode, **fields)
        self._active.append(fault)
        return fault

    def clear(self) -> None:
        self._active.clear()

    def take(self, kind: str, match_id: str) -> Fault | None:
        """The fault that meets this answer, counted down."""
        found = next((fault for fault in self._active if fault.meets(kind, match_id)), None)
        if found is not None and found.count is not None:
            place = self._active.index(found)
            self._active[place : place + 1] = [replace(found, count=found.count - 1)] if found.count > 1 else []
        return found


class Spoilt(NamedTuple):
    """An answer as a fault leaves it; `status` 0 means that no answer comes at all."""

    status: int
    body: bytes
    content_type: str = JSON
    retry_after: str | None = None


def spoil(fault: Fault, body: bytes) -> Spoilt | None:
    """The answer that takes the place of a good one, None for faults that only spoil the document or its pace."""
    if fault.mode.isdigit():
        retry_after = fault.retry_after if fault.mode in {"429", "503"} else None
        return Spoilt(int(fault.mode), PAGE, HTML, retry_after)
    return BODIES[fault.mode](body) if fault.mode in BODIES else None


BODIES: dict[str, Callable[[bytes], Spoilt]] = {
    "timeout": lambda _: Spoilt(0, b""),
    "truncated": lambda body: Spoilt(200, body[: len(body) // 2]),
    "empty": lambda _: Spoilt(200, b""),
    "html": lambda _: Spoilt(200, PAGE, HTML),
    "empty_list": lambda _: Spoilt(200, b"[]"),
}


def distort(fault: Fault | None, document: Any) -> Any:
    """The document as a fault leaves it: rows vanished, doubled or of the wrong types; as it is for all others.

    Of gn-gsd's actions the rows stand inside an object.
    """
    if fault is None or fault.mode not in DOCUMENTS:
        return document
    if isinstance(document, dict) and isinstance(document.get("actions"), list):
        return document | {"actions": DOCUMENTS[fault.mode](document["actions"], fault.incident)}
    return DOCUMENTS[fault.mode](document, fault.incident)


def _remove_row(document: Any, incident: str | None) -> Any:
    gone = _choose_row(document, incident)
    return document if gone is None else [row for row in document if row is not gone]


def _double_row(document: Any, incident: str | None) -> Any:
    twice = _choose_row(document, incident)
    return document if twice is None else [*document, twice]


def _wrong_types(document: Any, incident: str | None) -> Any:
    """One row whose fields have other types, between rows that are no objects; a match with a score that is none."""
    if isinstance(document, dict):
        return {key: _wrong_types(value, incident) for key, value in document.items()} | _wrong_fields(document)
    wrong = _choose_row(document, incident)
    if wrong is None:
        return document
    spoilt = {**wrong, **(WRONG_ACTION if "eventTime" in wrong else WRONG_ROW)}
    return [None, 42, *(spoilt if row is wrong else row for row in document)]


WRONG_ACTION: dict[str, Any] = {"eventTime": "soon", "person": "nobody", "participant": [], "sequence": {}}
WRONG_ROW: dict[str, Any] = {"minute": {}, "person": "nobody", "team": [], "content": None, "created": 0}
WRONG_MATCH: dict[str, Any] = {"match_result": "1:0", "current_minute": [], "home": 7, "result": [], "status": {}}


def _wrong_fields(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in WRONG_MATCH.items() if key in document}


DOCUMENTS: dict[str, Callable[[Any, str | None], Any]] = {
    "vanished": _remove_row,
    "duplicated": _double_row,
    "wrong_types": _wrong_types,
}


def _choose_row(document: Any, incident: str | None) -> dict[str, Any] | None:
    if not isinstance(document, list):
        return None
    rows = [row for row in document if isinstance(row, dict)]
    if incident is not None:
        return next((row for row in rows if incident in (row.get("id"), _event(row).get("id"))), None)
    return next((row for row in reversed(rows) if not _structural(_event(row))), None)


def _structural(event: dict[str, Any]) -> bool:
    """Squad rows and periods; rows of gn-gsd have a `type` instead of an action."""
    return event.get("action", "" if "type" in event else "match") in STRUCTURAL


def _event(row: dict[str, Any]) -> dict[str, Any]:
    event = row.get("event", row)
    return event if isinstance(event, dict) else {}
