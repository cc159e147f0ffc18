"""What cannot be worked on for a reason of its own: it is said once, counted and left out, while everything else goes on.

A reason is a row that this version cannot read, or a fault of ours. What passes by itself, such as a provider or a database
that does not answer, is no such reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import structlog
from prometheus_client import Gauge

from store.errors import UnreadableRow, brief_reason

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

Kind = Literal["match", "liveblog", "receiver", "client", "loop"]
KINDS: tuple[Kind, ...] = ("match", "liveblog", "receiver", "client", "loop")
CONTAINED = {kind: f"{kind}.contained" for kind in KINDS}
RECOVERED = {kind: f"{kind}.recovered" for kind in KINDS}
AGAIN = 30.0
"""Seconds after which what is left out is tried again: somebody may have mended it."""

log = structlog.get_logger()


class Containment:
    """What one process leaves out at present, by kind and id."""

    def __init__(self) -> None:
        self._causes: dict[tuple[Kind, str], str] = {}
        self.gauge = Gauge(
            "matchwire_contained",
            "What is left out because its rows cannot be read or because it fails for another reason of its own",
            ["kind"],
            registry=None,
        )
        for kind in KINDS:
            self.gauge.labels(kind)

    def failed(self, kind: Kind, name: str, error: BaseException | str, **about: object) -> bool:
        """Leave it out; says so, with a trace where nobody foresaw the error, unless it was said of the same cause."""
        cause = error if isinstance(error, str) else brief_reason(error)
        if self._causes.get((kind, name)) == cause:
            return False
        self._causes[kind, name] = cause
        trace = None if isinstance(error, str | UnreadableRow) else error
        log.error(CONTAINED[kind], **about, cause=cause, exc_info=trace)
        self._count(kind)
        return True

    def recovered(self, kind: Kind, name: str, **about: object) -> bool:
        """It can be worked on; says so where it could not be."""
        if self._causes.pop((kind, name), None) is None:
            return False
        log.info(RECOVERED[kind], **about)
        self._count(kind)
        return True

    def keep(self, kind: Kind, names: Container[str]) -> None:
        """Forget all others of the kind: they are not this process's any more."""
        for key in [key for key in self._causes if key[0] == kind and key[1] not in names]:
            del self._causes[key]
        self._count(kind)

    def forget(self, kind: Kind, names: Iterable[str]) -> None:
        """Leave these to whoever works on them now."""
        for name in names:
            self._causes.pop((kind, name), None)
        self._count(kind)

    def has(self, kind: Kind, name: str) -> bool:
        return (kind, name) in self._causes

    def names(self, kind: Kind) -> tuple[str, ...]:
        return tuple(name for of, name in self._causes if of == kind)

    def _count(self, kind: Kind) -> None:
        self.gauge.labels(kind).set(len(self.names(kind)))
