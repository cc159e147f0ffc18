"""A bug report is a recording: what went wrong is in it too, and goes wrong again when it is played."""

import gzip
import json
from dataclasses import replace

import pytest

from ingest.sync.recorder import Recorder, Seen, address, line_of
from mapping.errors import BadBody, UpstreamUnavailable
from providers import http_client, responses
from providers.base import Answer, FailedResponse, Outcome
from providers.replay import Line
from providers.replay.recorded_failure import ENDINGS, Failure
from providers.replay.recording import parse
from tests.kit.opening import endpoint_of

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


@pytest.mark.parametrize(
    ("message", "manner"),
    [
        (http_client.LATE, "late"), (http_client.BROKEN, "broken"), (responses.TOO_LARGE, "large"),
        (responses.CUT_OFF, "cut"), (responses.GARBLED, "garbled"), (responses.STRANGE, "strange"),
        ("match: the answer is not JSON", "whole"),
    ],
)  # fmt: skip
def test_how_an_answer_ended_is_kept(kept, message, manner):
    """Each in a word of its own, of which the replay knows what to do."""
    (row,) = kept([bad(BadBody(message), status=200, body=b"{")])

    assert row["manner"] == manner
    assert manner in ENDINGS
    assert row.get("size", 0) == (HEIM.provider_bytes + 1 if manner == "large" else 0)


@pytest.mark.parametrize(
    "echo",
    [
        b'GET /?api_key=k3y-of-all as p4ss/w"rd', b"p4ss%2fw%22rd p4ss%2Fw%22rd", b'{"given": "p4ss\\/w\\"rd"}',
        b"<p>p4ss/w&quot;rd</p>", "k3y-of-all".encode("utf-16-le"), b"\xff\xfe k3y-of-all \xff",
        b"Authorization: Basic bmV3c3Jvb206cDRzcy93InJk", b"http://user:p4ss-of-url@host t0ken-of-options",
        b"cut off within k3y-of-al",
    ],
    ids=str,
)  # fmt: skip
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
