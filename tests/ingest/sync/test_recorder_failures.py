"""A bug report is a recording: what went wrong is in it too, and goes wrong again when it is played."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace

import pytest

from ingest.sync.recorder import Recorder, Seen, line_of
from ingest.sync.redaction import address
from mapping.errors import BadBody, ProviderRefused, UpstreamUnavailable
from providers import http_client, unpacking
from providers.base import Answer, Outcome
from providers.failed_response import KEPT_BYTES, FailedResponse
from providers.replay import Line, read_lines
from providers.replay.demo import demo_files
from providers.replay.failure import ENDINGS, Failure
from providers.replay.recording import parse
from tests.kit.day import match_day
from tests.kit.opening import client_at, endpoint_of
from tests.kit.reader_view import shown_to_readers
from tests.providers.loopback import answered, upstream

pytestmark = pytest.mark.proof

NOON = 1_795_262_400.0  # 2026-11-21T12:00:00Z
HEIM = endpoint_of(
    provider="heim",
    base_url="http://user:p4ss-of-url@127.0.0.1",
    username="newsroom",
    password='p4ss/w"rd',
    api_key="k3y-of-all",
)
MINE = replace(HEIM, provider="mine", options={"access_token": "t0ken-of-options"})
SECRETS = ("p4ss", "k3y-", "bmV3c3Jvb206", "t0ken")


def heard(status=0, body=b"", retry_after=None):
    return FailedResponse.of(status, body, retry_after)


def bad(error, *, resource="match", **more):
    return Answer(resource=resource, outcome=Outcome.FAILED, error=error, heard=heard(**more), path="games/7")


def good(body=None, resource="match"):
    outcome = Outcome.UNCHANGED if body is None else Outcome.CHANGED
    return Answer(resource=resource, outcome=outcome, body=body, path="games/7")


@pytest.fixture
def kept(tmp_path):
    """Records answers of one match and gives the rows that were written."""

    def of(*polls, endpoint=HEIM):
        record = Recorder(tmp_path, retention=1e6, max_bytes=10_000_000, clock=lambda: NOON)
        for answers in polls:
            record(endpoint, "7", answers)
        record.close()
        (path,) = tmp_path.glob("*/*.jsonl.gz")
        return [json.loads(row) for row in gzip.decompress(path.read_bytes()).splitlines()]

    return of


def test_a_failure_is_kept_with_what_came(kept):
    """Time, resource, status, error and the beginning of the body; what it was taken for beside it."""
    error = UpstreamUnavailable("the provider is unavailable (503)")
    rows = kept([bad(error, status=503, body=b"<html>Back soon</html>", retry_after="7")])

    assert rows == [
        {
            "at": "2026-11-21T12:00:00+00:00",
            "resource": "match/ma7",
            "status": 503,
            "manner": "whole",
            "error": "UpstreamUnavailable: the provider is unavailable (503)",
            "retry_after": "7",
            "raw": "<html>Back soon</html>",
        }
    ]


def test_a_row_of_equal_failures_is_one_line_and_its_end_another(kept):
    """However the error page changes; an unchanged answer afterwards says that the last good body stands again."""
    down = UpstreamUnavailable("the provider is unavailable (503)")
    rows = kept(
        [good(b"[1]")],
        [bad(down, status=503, body=b"request 1")],
        [bad(down, status=503, body=b"request 2")],
        [bad(UpstreamUnavailable(http_client.LATE))],
        [good()],
        [good()],
        [bad(down, status=503)],
        [good(b"[1]")],
        [good(b"[2]")],
    )

    recorded = [row.get("body", row.get("status", row.get("again"))) for row in rows]
    assert recorded == [[1], 503, 0, True, 503, True, [2]]


def test_a_restart_in_the_middle_of_a_failure_does_not_make_it_last(kept):
    """The first unchanged answer that a process sees is written down, the following are not."""
    assert [row["again"] for row in kept([good()], [good()])] == [True]


@pytest.mark.parametrize(
    ("message", "manner"),
    [
        (http_client.LATE, "late"),
        (http_client.BROKEN, "broken"),
        (unpacking.TOO_LARGE, "large"),
        (unpacking.CUT_OFF, "cut"),
        (unpacking.GARBLED, "garbled"),
        (unpacking.STRANGE, "strange"),
        ("match: the answer is not JSON", "whole"),
    ],
)
def test_how_an_answer_ended_is_kept(kept, message, manner):
    """Each in a word of its own, of which the replay knows what to do."""
    (row,) = kept([bad(BadBody(message), status=200, body=b"{")])

    assert row["manner"] == manner
    assert manner in ENDINGS
    assert row.get("size", 0) == (HEIM.provider_bytes + 1 if manner == "large" else 0)


@pytest.mark.parametrize(
    "echo",
    [
        b'GET /?api_key=k3y-of-all as p4ss/w"rd',
        b"p4ss%2fw%22rd p4ss%2Fw%22rd",
        b'{"given": "p4ss\\/w\\"rd"}',
        b"<p>p4ss/w&quot;rd</p>",
        "k3y-of-all".encode("utf-16-le"),
        b"\xff\xfe k3y-of-all \xff",
        b"Authorization: Basic bmV3c3Jvb206cDRzcy93InJk",
        b"http://user:p4ss-of-url@host t0ken-of-options",
        b"cut off within k3y-of-al",
    ],
    ids=str,
)
def test_secrets_are_taken_out_of_failures(echo):
    """However an error page repeats them, in bytes of any kind, and where the answer breaks off within one."""
    failure = Failure(400, echo, retry_after="k3y-of-all")
    row = line_of(Seen(MINE, "7", "match", NOON, path="games/7?api_key=k3y-of-all&lang=de", failure=failure))
    found = parse(row)

    plain = found.failure.body.replace(b"\0", b"").decode("latin-1") + row
    assert [secret for secret in SECRETS if secret in plain] == []
    assert found.source.path == "games/7?lang=de"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/a/b/?x=1&token=abc&y=", "a/b?x=1&y="),
        ("v1/k3y-of-all/games/7", "v1/…/games/7"),
        ("https://host.example/games/7?q=k3y-of-all", "games/7"),
    ],
)
def test_addresses_have_no_secret(path, written):
    """Neither in the path nor in the query, whatever the part of the query is called."""
    assert address(path, MINE) == written


def test_bodies_that_are_no_text_come_back_as_they_were():
    """A recording is text, what a provider sends need not be."""
    failure = Failure(200, b"\x1f\x8b\xff\x00", "garbled", "BadBody: no", None)

    assert parse(Line.of_failure("2026-11-21T12:00:00+00:00", "match/ma7", failure).row()).failure == failure


async def test_the_transport_hands_over_what_it_could_not_use():
    """Status, Retry-After and the beginning of the body stand behind the error, whose text has none of it."""
    refused = answered(b"<html>no k3y</html>" + b"x" * 100_000, "Retry-After: 9", status="403 Forbidden")
    async with upstream({"/match/ma1": refused}) as provider:
        client = client_at(provider.url)
        with pytest.raises(ProviderRefused) as caught:
            await http_client.get(client, "match/ma1")
        await client.aclose()
    behind = caught.value.__cause__

    assert isinstance(behind, FailedResponse)
    assert (behind.status, behind.retry_after, bytes(behind.body[:19])) == (403, "9", b"<html>no k3y</html>")
    assert 16 * 1024 <= len(behind.body) <= KEPT_BYTES
    assert "k3y" not in f"{caught.value} {behind} {behind!r}"


ROUNDS = (
    {"match": "503", "match-event": "html", "liveticker": "empty"},
    {"match": "truncated", "match-event": "oversized", "liveticker": "cut"},
    {"match": "timeout", "match-event": "empty_list", "liveticker": "404"},
)
"""Resource → fault mode, one after the other while a match is played."""

WORDS = {
    "match": [
        "the provider is unavailable (503)",
        "match: the answer is not JSON",
        http_client.LATE,
    ],
    "match-event": [
        "match-event: the answer is not JSON",
        unpacking.TOO_LARGE,
        "match-event: all rows are gone at once",
    ],
    "liveticker": ["liveticker: empty answer", http_client.BROKEN, "the provider does not know the match"],
}
"""What the health says then."""

PATIENT = {
    "live": 0.1, "pause": 0.1, "before": 0.1, "far": 0.1, "after": 0.1, "after_growth": 1,
    "backoff_max": 0.2, "breaker_pause": 0.2, "rate": 0, "timeout": 4,
}  # fmt: skip


async def test_a_day_of_failures_plays_again(tmp_path):
    """Recorded through faults and replayed to another daemon: the same posts, and the same words in its health."""
    folder = tmp_path / "recordings"
    limits = {"client_per_second": 0, "public_per_second": 0, "provider_bytes": 1_000_000}
    own = {"polling": PATIENT, "limits": limits}
    first = _made(tmp_path / "first")
    kept = {"enabled": True, "folder": str(folder)}
    async with match_day(
        demo_files("en")[:1], folder=first, speed=600, start_at="kickoff-60", recording=kept, **own
    ) as day:
        (match_id,) = day.replay.matches
        created = await day.create(match_id, includeTextContent=True)
        async with _watching(first) as health:
            for faults in ROUNDS:
                await asyncio.sleep(1)
                for kind, mode in faults.items():
                    day.replay.faults.add(mode, kind=kind, size=2_000_000)
                await _until(lambda: len(health.failing) == len(WORDS))
                day.replay.faults.clear()
                await _until(lambda: not health.failing)
            await day.until_played()
            (liveblog,) = await day.until_quiet(created["local_id"])
    recorded = sorted(folder.glob("*/*.jsonl.gz"))
    lines = [line for path in recorded for line in read_lines(path)]
    second = _made(tmp_path / "second")
    async with match_day(recorded, folder=second, speed=1, **own) as again:
        again.replay.clock.pause()
        again.replay.seek(0)
        created = await again.create(match_id, includeTextContent=True)
        async with _watching(second) as echoed:
            for fails, well in _windows(lines):
                again.replay.seek(fails)
                await _until(lambda: len(echoed.failing) == len(WORDS))
                again.replay.seek(well)
                await _until(lambda: not echoed.failing)
            again.replay.seek_end()
            with suppress(TimeoutError):
                async with asyncio.timeout(60):
                    while shown_to_readers(await again.show(created["local_id"])) != shown_to_readers(liveblog):
                        await asyncio.sleep(0.1)
            (replayed,) = await again.until_quiet(created["local_id"])

    assert len([line for line in lines if line.failure]) == 9
    assert health.entries == echoed.entries == WORDS
    assert len(liveblog["events"]) > 10
    assert shown_to_readers(liveblog) == shown_to_readers(replayed)


def _windows(lines):
    """Seconds after the first line at which all resources fail, and at which all are well again, round by round."""
    found = {kind: ([], []) for kind in WORDS}
    for line in lines:
        begins, ends = found[line.kind]
        if line.failure:
            begins.append(line.at)
        elif len(ends) < len(begins):
            ends.append(line.at)
    seconds = [[(at - lines[0].at).total_seconds() for at in each] for pair in found.values() for each in pair]
    return list(zip(map(max, *seconds[::2]), map(max, *seconds[1::2]), strict=True))


def _made(folder):
    folder.mkdir()
    return folder


class Health:
    """What the store says of each resource, as a sequence without repetitions."""

    def __init__(self, database):
        self._database = database
        self.entries, self.failing = {}, {}

    def look(self):
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as reading:
            now = dict(reading.execute("SELECT name, last_error FROM resources WHERE failures > 0"))
        for name, error in now.items():
            if self.failing.get(name) != error:
                self.entries.setdefault(name, []).append(error)
        self.failing = now


@asynccontextmanager
async def _watching(folder):
    health = Health(folder / "matchwire.db")

    async def watch():
        while True:
            health.look()
            await asyncio.sleep(0.05)

    watching = asyncio.create_task(watch())
    yield health
    if watching.done():
        watching.result()
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


async def _until(reached, within=60.0):
    async with asyncio.timeout(within):
        while not reached():
            await asyncio.sleep(0.05)
