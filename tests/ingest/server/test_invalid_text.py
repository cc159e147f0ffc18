"""Bytes that are no text, anywhere in a request: refused in the one error shape, and logged without harm to the log."""

import asyncio
import json

import pytest

from tests.kit.news_daemon import daemon_in

pytestmark = pytest.mark.proof

SECRET = b"hunter2-hunter2-hunter2"
FORGED = b"%0d%0aforged=1"
REQUESTS = [
    b"GET /liveblogs/%ff%fe%ed%a0%80 HTTP/1.1",
    b"GET /liveblogs/%C3%28 HTTP/1.1",
    b"GET /liveblogs/a" + FORGED + b" HTTP/1.1",
    b"GET /liveblogs/%1b%5b31m?client_id=cms HTTP/1.1",
    b"GET /static/..%2f..%2f%ff HTTP/1.1",
    b"GET /docs/%ed%a0%80 HTTP/1.1",
    b"GET /api/v5/write/ticker/show.json?local_id=%ff&client_id=cms&client_secret=" + SECRET + b" HTTP/1.1",
    b"GET /api/v5/write/ticker/show.json?client_id=%ed%a0%80&client_secret=" + SECRET + b" HTTP/1.1",
    b"GET /api/v5/write/ticker/show.json?%ff=%ff HTTP/1.1",
    b"GET /api/embed/v4/feed/liveblog.json?liveblogId=" + FORGED + b" HTTP/1.1",
    b"GET /api/v5/write/ticker/show.json HTTP/1.1\r\nAuthorization: Basic \xff\xfe\xed\xa0\x80",
    b"GET /api/v5/write/ticker/show.json HTTP/1.1\r\nAuthorization: Bearer \xff.\xed\xa0\x80",
    b"GET /api/v5/write/ticker/show.json HTTP/1.1\r\nAuthorization: Basic /zr/",
    b'GET /api/v5/write/ticker/show.json HTTP/1.1\r\nIf-None-Match: "\xff\xed\xa0\x80"',
    b"POST /api/v5/write/event/create.json?ticker_local_id=%ff HTTP/1.1\r\nContent-Length: 2\r\n\r\n\xff\xfe",
    b"POST /apigw/sports/v2/%ff/liveblog/createFromExternal HTTP/1.1\r\nIdempotency-Key: \xff\r\nContent-Length: 0",
]


async def answered(host, port, request):
    """Status and body of the answer; (0, b"") where the connection is closed without one."""
    reader, writer = await asyncio.open_connection(host, port)
    head, found, body = request.partition(b"\r\n\r\n")
    writer.write(head + b"\r\nHost: x\r\nConnection: close\r\n\r\n" + (body if found else b""))
    async with asyncio.timeout(30):
        raw = await reader.read()
    writer.close()
    head, _, body = raw.partition(b"\r\n\r\n")
    return (int(head.split(b" ", 2)[1]), body) if head else (0, b"")


@pytest.mark.parametrize("form", ["json", "console"])
async def test_bytes_that_are_no_text_break_neither_an_answer_nor_the_log(tmp_path, form):
    """Paths, queries, headers and bodies: a 4xx with the error body each, one whole line each, no secret, no forged line."""
    log = tmp_path / "matchwire.log"
    async with daemon_in(tmp_path, "--log-file", str(log), log=form) as daemon:
        host, _, port = daemon.address.removeprefix("http://").rpartition(":")
        answers = [await answered(host, int(port), request) for request in REQUESTS]
        assert (await answered(host, int(port), b"GET /livez HTTP/1.1"))[0] == 200
        assert await daemon.terminate() == 0

    for request, (status, body) in zip(REQUESTS, answers, strict=True):
        assert 400 <= status < 500, request
        assert {"code", "message", "retryable"} <= set(json.loads(body)), request
    text = log.read_bytes().decode("utf-8", "strict")
    assert "request.failed" not in text
    assert SECRET.decode() not in text
    assert "\x1b[31m" not in text
    assert not any(line.startswith("forged") for line in text.splitlines())
    if form == "json":
        assert all(json.loads(line)["event"] for line in text.splitlines())
    served = [line for line in text.splitlines() if "request.served" in line]
    assert len(served) >= len(REQUESTS)
