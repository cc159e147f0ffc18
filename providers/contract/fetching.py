"""Rules of `fetch`: it never raises for what a provider does, and says of each resource what the answer is worth."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from mapping.errors import BadBody, MatchUnknown, ProviderRefused, ServiceError, UpstreamUnavailable
from providers.base import Answer, Fetched, Known, Outcome
from providers.contract.case import KEY, MAX_BODY, PASSWORD, Case, Opened, bodies_of, expect, known_of
from providers.contract.server import Reply

GIVEN_UP_WITHIN = 20.0
"""Seconds, of which the adapter's time-out is one."""
WAIT = 7
"""Seconds in the `Retry-After` of the kit's server."""

REFUSALS: tuple[tuple[int, type[ServiceError]], ...] = (
    (401, ProviderRefused),
    (403, ProviderRefused),
    (404, MatchUnknown),
    (429, UpstreamUnavailable),
    (500, UpstreamUnavailable),
    (502, UpstreamUnavailable),
    (503, UpstreamUnavailable),
)
USELESS: tuple[tuple[str, Reply], ...] = (
    ("HTML", Reply(body=b"<!DOCTYPE html><html><body>Maintenance</body></html>")),
    ("an empty body", Reply(body=b"")),
    ("half a document", Reply(body=b'{"a": [1, 2')),
    ("no UTF-8", Reply(body=b'{"a": "\xff\xfe"}')),
    ("a bare number", Reply(body=b"42")),
    ("another document", Reply(body=b'{"surely": ["nothing", {"of": "yours"}]}')),
    ("endless nesting", Reply(body=b"[" * 100_000)),
    ("a body over the limit", Reply(body=b" " * (MAX_BODY + 1))),
)
SHRUNKEN = (b"", b"null", b"{}", b"[]")
ELSEWHERE = "/elsewhere/than/requested"


async def first(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            bodies = bodies_of(await opened.fetch())
            main = next(iter(bodies))
            opened.translate({main: bodies[main]})
            expect(main != opened.adapter.text_resource, "the first answer is the editorial text")
            opened.server.spoil = lambda _: Reply(status=404)
            answer = (await opened.fetch()).answers[0]
            expect(answer.resource == main, f"without a match the first answer is {answer.resource}")


async def text(case: Case) -> None:
    for sample in (each for each in case.samples if each.text):
        async with case.open(sample) as opened:
            resource = opened.adapter.text_resource
            wanted = {each.resource for each in (await opened.fetch()).answers}
            spared = await opened.adapter.fetch(sample.match_id, {}, text=False, hints={})
            expect(resource in wanted, "the text is wanted and not requested")
            expect(resource not in {each.resource for each in spared.answers}, "the text is requested in vain")


async def hints(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            fetched = await opened.fetch()
            plain = all(isinstance(part, str) for pair in fetched.hints.items() for part in pair)
            expect(plain, "hints are not texts alone")
            again = await opened.fetch(hints=dict(fetched.hints))
            expect(_names(again) == _names(fetched), "with the hints other resources answer than without")


async def refusals(case: Case) -> None:
    async with case.open(case.samples[0]) as opened:
        for status, kind in REFUSALS:
            reply = Reply(status=status, headers={"Retry-After": str(WAIT)})
            answer = await _poll_spoilt(opened, reply, f"{status}", kind)
            if status == 429 and answer.error is not None:
                expect(answer.error.retry_after == WAIT, f"429: Retry-After {WAIT} became {answer.error.retry_after}")


async def bodies(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            for name, reply in USELESS:
                await _poll_spoilt(opened, reply, name, BadBody)


async def slow(case: Case) -> None:
    async with case.open(case.samples[0]) as opened:
        try:
            async with asyncio.timeout(GIVEN_UP_WITHIN):
                await _poll_spoilt(opened, Reply(how="hang"), "no answer", UpstreamUnavailable)
        except TimeoutError:
            expect(kept=False, otherwise=f"a provider that hangs is still waited for after {GIVEN_UP_WITHIN} s")


async def broken(case: Case) -> None:
    async with case.open(case.samples[0]) as opened:
        await _poll_spoilt(opened, Reply(how="break"), "a broken connection", UpstreamUnavailable)
        body = next(iter(case.samples[0].bodies.values()))
        await _poll_spoilt(opened, Reply(body=body, how="cut"), "half an answer", UpstreamUnavailable)


async def redirects(case: Case) -> None:
    async with case.open(case.samples[0]) as opened:
        for status in (301, 302, 303, 307, 308):
            reply = Reply(status=status, headers={"Location": ELSEWHERE})
            opened.server.spoil = lambda path, reply=reply: None if path.startswith(ELSEWHERE) else reply  # type: ignore[misc]
            _check_failure(await opened.fetch(), f"{status}", UpstreamUnavailable)
            followed = any(path.startswith(ELSEWHERE) for path in opened.server.requests)
            expect(not followed, f"{status}: the redirect was followed")


async def unchanged(case: Case) -> None:
    for sample in case.samples:
        for etags in (True, False):
            async with case.open(sample) as opened:
                opened.server.etags = etags
                before = await opened.fetch()
                requested = len(opened.server.requests)
                again = await opened.fetch(known_of(before.answers), dict(before.hints))
                for answer in again.answers:
                    expect(answer.outcome is Outcome.UNCHANGED, f"{answer.resource}: the same body is {answer.outcome}")
                    expect(answer.body is None, f"{answer.resource}: an unchanged answer carries a body")
                    expect(answer.digest, f"{answer.resource}: an unchanged answer forgets the digest")
                polled = len(opened.server.requests) - requested
                conditional = opened.server.conditional
                expect(not etags or conditional == polled, f"{polled - conditional} of {polled} polls ignore the ETag")


async def changed(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            before = await opened.fetch()
            other = {each.resource: Known(etag='"other"', digest="0" * 64, rows=each.rows) for each in before.answers}
            again = await opened.fetch(other, dict(before.hints))
            now = bodies_of(again)
            expect(now == bodies_of(before), "a changed answer has another body than the same one at first")


async def shrunken(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            before = await opened.fetch()
            known = known_of(before.answers)
            for body in SHRUNKEN:
                opened.server.spoil = lambda _, body=body: Reply(body=body)  # type: ignore[misc]
                fetched = await opened.fetch(known, dict(before.hints))
                _check_failure(fetched, f"an answer of {body.decode() or 'nothing'!r}", UpstreamUnavailable)


async def partial(case: Case) -> None:
    for sample in case.samples:
        async with case.open(sample) as opened:
            good = bodies_of(await opened.fetch())
            others = opened.server.requests[1:]
            for failing in dict.fromkeys(others):
                opened.server.spoil = lambda path, failing=failing: Reply(status=503) if path == failing else None  # type: ignore[misc]
                answers = (await opened.fetch()).answers
                expect(answers[0].outcome is Outcome.CHANGED, f"the match fails with {failing.partition('?')[0]}")
                failed = [each for each in answers if each.outcome is Outcome.FAILED]
                expect(len(failed) == 1, f"{failing.partition('?')[0]} fails, and {len(failed)} answers say so")
                rest = {each.resource: each.body for each in answers if each.body is not None}
                opened.translate(rest)
                expect(set(rest) | {failed[0].resource} == set(good), "a failing resource takes others with it")


async def secrets(case: Case) -> None:
    sample = case.samples[0]
    seen: list[str] = []
    with _listening(seen):
        async with case.open(sample) as opened:
            seen.append(repr(opened.adapter))
            seen.append(repr(opened.adapter.endpoint))
            fetched = await opened.fetch()
            seen.append(repr(dict(fetched.hints)))
            troubles = [Reply(status=status) for status in (302, 401, 403, 404, 429, 500)]
            for reply in (*troubles, Reply(how="break"), *(reply for _, reply in USELESS)):
                opened.server.spoil = lambda _, reply=reply: reply  # type: ignore[misc]
                seen += [_error_text(answer) for answer in (await opened.fetch()).answers]
        gone = case.connect("http://127.0.0.1:9")
        seen += [
            _error_text(each) for each in (await gone.fetch(sample.match_id, {}, text=sample.text, hints={})).answers
        ]
        await gone.aclose()
    shown = [line for line in seen for secret in (PASSWORD, KEY) if secret in line]
    expect(
        not shown,
        "a credential shows in what is reported: " + (shown or [""])[0].replace(PASSWORD, "…").replace(KEY, "…"),
    )


class _Lines(logging.Handler):
    """Keeps every line that anybody logs while it listens."""

    def __init__(self, seen: list[str]) -> None:
        super().__init__(level=logging.DEBUG)
        self._seen = seen

    def emit(self, record: logging.LogRecord) -> None:
        self._seen.append(record.getMessage())


@contextmanager
def _listening(seen: list[str]) -> Iterator[None]:
    root, handler = logging.getLogger(), _Lines(seen)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


def _error_text(answer: Answer) -> str:
    error = answer.error
    return "" if error is None else f"{error!r} {error} {error.message} {error.body()}"


def _names(fetched: Fetched) -> set[str]:
    return {answer.resource for answer in fetched.answers}


async def _poll_spoilt(opened: Opened, reply: Reply, name: str, kind: type[ServiceError]) -> Answer:
    """Poll while the server answers everything with `reply`; the match's answer has to have failed like this."""
    opened.server.spoil = lambda _: reply
    return _check_failure(await opened.fetch(), name, kind)


def _check_failure(fetched: Fetched, name: str, kind: type[ServiceError]) -> Answer:
    main = fetched.answers[0]
    expect(main.outcome is Outcome.FAILED, f"{name}: the match is {main.outcome}")
    expect(isinstance(main.error, kind), f"{name}: {type(main.error).__name__}, not {kind.__name__}")
    expect(all(each.body is None for each in fetched.failed), f"{name}: a failed answer carries a body")
    return main
