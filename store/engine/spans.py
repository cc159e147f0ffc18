"""Spans of OpenTelemetry, made where the work is done; a process that sends no traces makes none.

An attribute is a name, a number or an id: never a query, a body, an address with credentials, or an error's text.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import accumulate
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, Span, SpanKind, StatusCode, Tracer, get_current_span
from opentelemetry.util.types import AttributeValue
from structlog.contextvars import bound_contextvars

NONE: AbstractContextManager[Span] = nullcontext(INVALID_SPAN)
"""In place of a span that is not made; what is set on it is kept nowhere."""


STEPS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Upper bounds in seconds; longer ones are counted behind the last."""


class _Process:
    """Its tracer while traces are sent. The library's global one cannot be set again, as a reload has to."""

    tracer: Tracer | None = None


def use(tracer: Tracer | None) -> None:
    """Have `tracer` make the spans from now on; with None none are made."""
    _Process.tracer = tracer


def are_made() -> bool:
    """Whether traces are sent."""
    return _Process.tracer is not None


def beginning(name: str, parent: Context | None = None, **options: Any) -> AbstractContextManager[Span]:
    """A span that nothing of this process is around; log lines name its trace where it is sampled."""
    return NONE if _Process.tracer is None else _named_in_log(_span(_Process.tracer, name, parent, **options))


def child(name: str, work: Callable[..., Any] | None = None, **options: Any) -> AbstractContextManager[Span]:
    """A span within another one; without one around it, what happens all the time (ticks, looks) makes none.

    `work`: a function whose name belongs to the span's.
    """
    tracer = _Process.tracer
    if tracer is None or not get_current_span().is_recording():
        return NONE
    return _span(tracer, name if work is None else f"{name} {_name(work)}", **options)


def after(name: str, seconds: float, attributes: Mapping[str, AttributeValue], *, failed: bool) -> None:
    """Make a span of a request of ours that is over and took so many seconds."""
    if _Process.tracer is None:
        return
    ended = time.time_ns()
    began = ended - int(seconds * 1e9)
    span = _Process.tracer.start_span(name, kind=SpanKind.CLIENT, start_time=began, attributes=attributes)
    mark(span, failed=failed)
    span.end(ended)


def mark(span: Span, *, failed: bool) -> None:
    """Say on the span whether what it is of has failed; why is nobody's business there."""
    if failed:
        span.set_status(StatusCode.ERROR)


def _span(tracer: Tracer, name: str, parent: Context | None = None, **options: Any) -> AbstractContextManager[Span]:
    """A span whose errors have no text, because what an exception says may hold what nobody should see."""
    return tracer.start_as_current_span(name, parent, record_exception=False, set_status_on_exception=False, **options)


@contextmanager
def _named_in_log(beginning: AbstractContextManager[Span]) -> Iterator[Span]:
    with beginning as span:
        trace = span.get_span_context().trace_id
        with bound_contextvars(trace_id=f"{trace:032x}") if span.is_recording() else nullcontext():
            yield span


def _name(work: Callable[..., Any]) -> str:
    """The function that a unit runs, below what it is wrapped into."""
    while isinstance(work, partial):
        work = work.keywords.get("work") or work.func
    return getattr(work, "__name__", type(work).__name__)


class Durations:
    """Counts durations (seconds). For one thread."""

    def __init__(self) -> None:
        self._counts = [0] * (len(STEPS) + 1)
        self.total = 0.0
        """The sum of all of them."""

    def observe(self, seconds: float) -> None:
        """Count one; what a clock makes negative counts as nothing."""
        seconds = max(0.0, seconds)
        self._counts[bisect_left(STEPS, seconds)] += 1
        self.total += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """For each upper bound how many took no longer, the last one `+Inf` with all of them."""
        return list(zip([*map(str, STEPS), "+Inf"], accumulate(self._counts, initial=None), strict=True))

    def percentiles(self) -> dict[str, int] | None:
        """The median, 95th and 99th percentile, each as the upper bound (milliseconds) of its step, and how many there are.

        None where there are none; what took longer than the last step counts as that.
        """
        counted = [*accumulate(self._counts)]
        if not counted[-1]:
            return None
        bounds = [*STEPS, STEPS[-1]]
        found = {f"p{part}": bounds[bisect_left(counted, counted[-1] * part / 100)] for part in (50, 95, 99)}
        return {**{name: round(1000 * seconds) for name, seconds in found.items()}, "count": counted[-1]}
