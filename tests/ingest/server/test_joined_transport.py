"""A response leaves in as few pieces as it can."""

from __future__ import annotations

import asyncio

from ingest.server.connection import JoinedTransport

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class RecordingTransport:
    """A connection and its transport that note what goes over them."""

    def __init__(self):
        self.sent = []
        self.closed = self.finishing = False

    def send(self, *pieces):
        assert not self.closed
        self.sent.append(b"".join(pieces))

    def finish(self):
        self.closed = True

    def is_closing(self):
        return self.closed


async def test_head_and_body_of_an_answer_are_one_piece():
    """Written in one step of the event loop they are sent together, at once with the second."""
    wire = RecordingTransport()
    joined = JoinedTransport(wire, wire)
    joined.write(HEAD)
    assert wire.sent == []
    joined.write(b"body")
    assert wire.sent == [HEAD + b"body"]
    await asyncio.sleep(0)
    assert wire.sent == [HEAD + b"body"]


async def test_what_stays_alone_waits_for_no_second():
    """A head leaves with the next step; one that streams sends each part as it comes."""
    wire = RecordingTransport()
    joined = JoinedTransport(wire, wire)
    joined.write(HEAD)
    await asyncio.sleep(0)
    for part in (b"one", b"two"):
        joined.write(part)
    assert wire.sent == [HEAD, b"one", b"two"]


async def test_closing_loses_nothing():
    """What was written before is sent first; everything else is the transport's own."""
    wire = RecordingTransport()
    joined = JoinedTransport(wire, wire)
    joined.write(HEAD)
    joined.close()
    await asyncio.sleep(0)
    assert (wire.sent, wire.closed, joined.is_closing()) == ([HEAD], True, True)
