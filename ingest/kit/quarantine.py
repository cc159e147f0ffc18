"""Leaves out what cannot be worked on for a reason of its own: logs it once and counts it, while everything else goes on.

A reason is a row that this version cannot read, or a fault of ours. What passes by itself, such as a provider or a database
that does not answer, is no such reason.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Literal

from prometheus_client import Gauge

from store.engine.errors import UnreadableRow, brief_reason
from store.engine.loops import LogOnce

Kind = Literal["match", "liveblog", "receiver", "client", "loop"]
KINDS: tuple[Kind, ...] = ("match", "liveblog", "receiver", "client", "loop")
AGAIN = 30.0
"""Seconds after which what is left out is tried again: somebody may have mended it."""


class Quarantine:
    """What one process leaves out at present, by kind and id."""

    def __init__(self) -> None:
        self._left_out: dict[tuple[Kind, str], LogOnce] = {}
        self.gauge = Gauge(
            "matchwire_quarantined",
            "Matches, liveblogs, receivers, clients and loops in quarantine: rows that cannot be read, or a fault of their own",
            ["kind"],
            registry=None,
        )
        for kind in KINDS:
            self.gauge.labels(kind)

    def failed(self, kind: Kind, name: str, error: BaseException | str, **about: object) -> bool:
        """Leave it out; logged once for each cause, with a trace where nobody foresaw the error."""
        cause = error if isinstance(error, str) else brief_reason(error)
        trace = None if isinstance(error, str | UnreadableRow) else error
        if (kind, name) not in self._left_out:
            self._left_out[kind, name] = LogOnce(f"{kind}.quarantined", f"{kind}.recovered", "error", each_cause=True)
        self._count(kind)
        return self._left_out[kind, name].failed(**about, cause=cause, exc_info=trace)

    def recovered(self, kind: Kind, name: str, **about: object) -> bool:
        """It can be worked on; logged where it could not be."""
        left_out = self._left_out.pop((kind, name), None)
        if left_out is None:
            return False
        self._count(kind)
        return left_out.worked(**about)

    def keep(self, kind: Kind, names: Container[str]) -> None:
        """Forget all others of the kind: they are not this process's any more."""
        self.forget(kind, [name for name in self.names(kind) if name not in names])

    def forget(self, kind: Kind, names: Iterable[str]) -> None:
        """Leave these to whoever works on them now."""
        for name in names:
            self._left_out.pop((kind, name), None)
        self._count(kind)

    def has(self, kind: Kind, name: str) -> bool:
        return (kind, name) in self._left_out

    def names(self, kind: Kind) -> tuple[str, ...]:
        return tuple(name for of, name in self._left_out if of == kind)

    def causes(self, kind: Kind) -> dict[str, str]:
        """Why each of the kind is left out, by its id."""
        return {name: str(left_out.cause) for (of, name), left_out in self._left_out.items() if of == kind}

    def loop(self, name: str) -> QuarantinedLoop:
        """What logs and counts how the loop `name` fares (`store.engine.loops`)."""
        return QuarantinedLoop(self, name)

    def _count(self, kind: Kind) -> None:
        self.gauge.labels(kind).set(len(self.names(kind)))


class QuarantinedLoop:
    """LoopReport of one loop of the process: a loop that fails counts as left out."""

    def __init__(self, quarantine: Quarantine, name: str) -> None:
        self._quarantined = quarantine
        self._name = name

    def failed(self, error: BaseException) -> None:
        self._quarantined.failed("loop", self._name, error, loop=self._name)

    def recovered(self) -> None:
        self._quarantined.recovered("loop", self._name, loop=self._name)
